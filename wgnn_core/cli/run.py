"""``run``: the base model and wGNN on one graph."""

from __future__ import annotations

from typing import Annotated

import typer
from rich.table import Table

from wgnn_core import datasets
from wgnn_core.cli.console import out, print_json, training_bar
from wgnn_core.cli.models import hyperparameters
from wgnn_core.models import MODELS, make_model
from wgnn_core.statistics import Comparison
from wgnn_core.wgnn import Etas, Pool, Variant, WGNNResult, check_pool, check_seeds, run_wgnn

TITLES: dict[Variant, str] = {"wgnn": "wGNN", "wgnn1": "wGNN1", "wgnn2": "wGNN2"}


def run(
    context: typer.Context,
    dataset: Annotated[str, typer.Option(help="A name from `data list`.")] = "digits",
    model: Annotated[str, typer.Option(help="A name from `models`.")] = "gcn",
    preset: Annotated[str | None, typer.Option(help="A named recipe of the model.")] = None,
    eta0: Annotated[float, typer.Option(help="Algorithm 1: share of test nodes added.")] = 0.8,
    eta1: Annotated[float, typer.Option(help="Algorithm 2: share of least-w nodes.")] = 0.3,
    eta2: Annotated[float, typer.Option(help="Algorithm 2: share of their edges dropped.")] = 0.4,
    seeds: Annotated[int, typer.Option(help="Number of runs.")] = 10,
    pool: Annotated[str, typer.Option(help="Nodes Algorithm 2 ranks: all or test.")] = "all",
    ablation: Annotated[bool, typer.Option(help="Also wGNN1 and wGNN2.")] = False,
    device: Annotated[str, typer.Option(help="auto, cpu, cuda or mps.")] = "auto",
    json: Annotated[bool, typer.Option("--json", help="Print JSON for machines.")] = False,
) -> None:
    """Train the base model and wGNN and compare them seed by seed.

    The model's hyperparameters are flags too, see `models NAME`: --hidden 32.
    """
    Etas(eta0, eta1, eta2)
    check_seeds(seeds)
    check_pool(pool)
    make_model(model)
    chosen = make_model(
        model, dataset.lower(), preset, **hyperparameters(MODELS[model], context.args)
    )
    graph = datasets.load(dataset)
    kind: Pool = pool  # type: ignore[assignment]
    with training_bar() as progress:
        result = run_wgnn(
            graph, chosen, eta0, eta1, eta2, seeds,
            pool=kind, ablation=ablation, device=device, progress=progress,
        )  # fmt: skip
    if json:
        print_json(result.to_json())
    else:
        _show(result)


def _show(result: WGNNResult) -> None:
    base = result.base
    title = (
        f"{type(base.model).title} on {base.graph.name}: test accuracy in %, n = {len(base.seeds)}"
    )
    table = Table("method", "mean ± std", "gain", "p (paired t)", "p (Wilcoxon)", title=title)
    table.add_row(
        "base", f"{base.test.mean():.2f} ± {result.comparison().base_std:.2f}", "", "", ""
    )
    for name in result.variants:
        table.add_row(TITLES[name], *_cells(result.comparison(name)))
        table.add_row(
            f"{TITLES[name]}, retrained", *_cells(result.comparison(name, retrained=True))
        )
    out.print(table)
    out.print(
        f"{result.wgnn.plans[0].supplement.added.sum()} test nodes joined the training set "
        f"({result.pseudo_label_accuracy().mean():.1f} % of their labels right); "
        f"{result.wgnn.plans[0].edge_drop.dropped.sum()} edges dropped (seed "
        f"{base.seeds[0]}). {result.seconds:.1f} s, {result.engine}."
    )
    out.print(
        "First row of a method: the paper's tally (added nodes keep their first prediction); "
        "'retrained': the retrained model's own predictions."
    )


def _cells(c: Comparison) -> tuple[str, str, str, str]:
    return (
        f"{c.other_mean:.2f} ± {c.other_std:.2f}",
        f"{c.difference:+.2f}",
        f"{c.t_pvalue:.2g}",
        f"{c.wilcoxon_pvalue:.2g}",
    )
