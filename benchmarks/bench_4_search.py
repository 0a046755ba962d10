"""The paper's parameter study and the authors' two-stage search on Cora, end to end."""

from __future__ import annotations

import time

from wgnn_core import search
from wgnn_core.benchmark.compare import STOCK_EPOCHS
from wgnn_core.benchmark.stock import train_stock
from wgnn_core.runs.config import RunConfig
from wgnn_core.runs.direct import run_here
from wgnn_core.runs.results import RunResult
from wgnn_core.wgnn import train_base

STUDY = search.paired_grid((0.2, 0.4, 0.6, 0.8), [i / 10 for i in range(1, 9)])


def main() -> None:
    config = RunConfig("cora", interventions=tuple(STUDY))
    graph, model = config.graph(), config.base_model
    train_base(graph, model, 1)
    study, ours = timed(config)
    stock = train_stock(graph, model, 0, STOCK_EPOCHS).seconds * model.epochs / STOCK_EPOCHS
    ratio = stock * config.trainings / ours
    print("== the paper's parameter study (cora, gcn) ==")
    print(
        f"{config.trainings} trainings in {ours:.1f} s; stock loop {stock:.2f} s each: {ratio:.0f}x"
    )
    report(study)
    found, seconds = timed(RunConfig("cora", search="two-stage"))
    print("== the authors' two-stage search (cora, gcn), chosen on validation ==")
    print(f"{found.config.trainings} trainings in {seconds:.1f} s")
    report(found)


def timed(config: RunConfig) -> tuple[RunResult, float]:
    """A run from start to end, and how many seconds it took."""
    started = time.perf_counter()
    return run_here(config), time.perf_counter() - started


def report(result: RunResult) -> None:
    assert result.chosen is not None
    c = result.comparison(result.chosen)
    print(
        f"validation chose {result.chosen.text}: {c.base_mean:.2f} -> {c.other_mean:.2f} "
        f"({c.difference:+.2f}, p = {c.t_pvalue:.2g}, n = {c.n})"
    )
    forbidden = search.best_on_test(result.rows)
    print(f"test-best {forbidden.text} (not allowed): {result.of(forbidden).test.mean():.2f}")


if __name__ == "__main__":
    main()
