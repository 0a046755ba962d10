"""The paper's parameter study and the authors' two-stage search on Cora, end to end."""

from __future__ import annotations

import time

from wgnn_core import datasets, search
from wgnn_core.benchmark.compare import STOCK_EPOCHS
from wgnn_core.benchmark.stock import train_stock
from wgnn_core.models import make_model
from wgnn_core.statistics import compare
from wgnn_core.wgnn import train_base


def main() -> None:
    graph, model = datasets.load("cora"), make_model("gcn", "cora")
    train_base(graph, model, 1)
    cells = search.paired_grid((0.2, 0.4, 0.6, 0.8), [i / 10 for i in range(1, 9)])
    started = time.perf_counter()
    study = search.search_grid(train_base(graph, model, 10), cells, "all")
    ours = time.perf_counter() - started
    stock = train_stock(graph, model, 0, STOCK_EPOCHS).seconds * model.epochs / STOCK_EPOCHS
    ratio = stock * study.trainings / ours
    print("== the paper's parameter study (cora, gcn) ==")
    print(
        f"{study.trainings} trainings in {ours:.1f} s; stock loop {stock:.2f} s each: {ratio:.0f}x"
    )
    report(study)
    started = time.perf_counter()
    result = search.two_stage(graph, model, 10)
    print("== the authors' two-stage search (cora, gcn), chosen on validation ==")
    print(f"{result.trainings} trainings in {time.perf_counter() - started:.1f} s")
    report(result)


def report(result: search.GridResult) -> None:
    c = compare(result.base.test, result.scores(result.chosen))
    print(
        f"validation chose {result.chosen}: {c.base_mean:.2f} -> {c.other_mean:.2f} "
        f"(+{c.difference:.2f}, p = {c.t_pvalue:.2g}, n = {c.n})"
    )
    forbidden = search.best_on_test(result.rows)
    print(f"test-best {forbidden} (not allowed): {result.scores(forbidden).mean():.2f}")


if __name__ == "__main__":
    main()
