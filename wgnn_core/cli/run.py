"""``run``: the base model and wGNN on one graph."""

from __future__ import annotations

import time
from dataclasses import asdict
from typing import Annotated, Any

import numpy as np
import typer
from rich.table import Table

from wgnn_core.cli.console import out, print_json
from wgnn_core.cli.flags import Given, Parameter, flagged, run_config
from wgnn_core.cli.runs import run_to_end
from wgnn_core.comparators import COMPARATORS
from wgnn_core.errors import WGNNError
from wgnn_core.intervention import ETAS, VARIANTS, Base, Intervention, Variant
from wgnn_core.replicas.engine import choose_device, engine_name
from wgnn_core.runs.config import RunConfig
from wgnn_core.runs.results import RunResult
from wgnn_core.statistics import Comparison, compare, t_test
from wgnn_core.versions import versions

DEFAULTS = {"eta0": 0.8, "eta1": 0.3, "eta2": 0.4}


@flagged(
    RunConfig,
    Intervention,
    without=("search", "steps"),
    panels=("The run", "wGNN"),
    defaults=DEFAULTS,
)
def run(
    context: typer.Context,
    given: Given,
    parameter: Parameter = None,
    ablation: Annotated[bool, typer.Option(help="Also wGNN1 and wGNN2.")] = False,
    against: Annotated[
        list[str] | None,
        typer.Option(help="Also a comparator, trained with the same seeds; repeatable."),
    ] = None,
    fresh: Annotated[bool, typer.Option(help="Train again what is stored.")] = False,
    json: Annotated[bool, typer.Option("--json", help="Print JSON for machines.")] = False,
) -> None:
    """Train the base model and wGNN and compare them seed by seed.

    The model's hyperparameters are flags too, see `models NAME`: --hidden 32.
    """
    started = time.perf_counter()
    asked = Intervention(**DEFAULTS | given.of(Intervention))
    rivals = [_comparator(name) for name in against or []]
    names: list[Variant] = list(VARIANTS) if ablation else ["wgnn"]
    config = run_config(given, context.args, parameter, [asked.of(name) for name in names])
    choose_device(config.device)
    result = run_to_end(config, fresh=fresh)
    others = {
        name: run_to_end(config.alone(name), fresh=fresh).trained for name in dict.fromkeys(rivals)
    }
    seconds = time.perf_counter() - started
    if json:
        print_json(as_json(result, asked, names, others, seconds))
    else:
        _show(result, asked, names, others, seconds)


def _comparator(name: str) -> str:
    if name not in COMPARATORS:
        raise WGNNError(f"there is no comparator {name!r}; choose one of {', '.join(COMPARATORS)}.")
    return name


def as_json(
    result: RunResult,
    asked: Intervention,
    names: list[Variant],
    others: dict[str, Base],
    seconds: float,
) -> dict[str, Any]:
    """Plain numbers for machines; accuracies in percent, one for each seed."""
    base, config = result.trained, result.config
    rows = {name: result.of(asked.of(name)) for name in names}
    added, right = rows["wgnn"]["pseudo_labels"], rows["wgnn"]["pseudo_right"]
    judged = added - rows["wgnn"]["pseudo_unlabelled"]
    comparison = result.comparison(asked)
    return {
        "run": result.summary.run_id,
        "dataset": config.dataset,
        "dataset_hash": result.graph_hash,
        "model": config.model,
        "hyperparameters": asdict(config.base_model),
        "eta": list(asked.etas),
        **{name: value for name, value in asdict(asked).items() if name not in ETAS},
        "seeds": list(config.seeds),
        "base": {"val": base.val.tolist(), "test": base.test.tolist()},
        **{
            name: {key: rows[name][key].tolist() for key in ("val", "test", "test_retrained")}
            for name in names
        },
        "edges_dropped": rows["wgnn"]["edges_dropped"].tolist(),
        "pseudo_labels": added.tolist(),
        "pseudo_label_accuracy": [
            100 * r / n if n else None for r, n in zip(right.tolist(), judged.tolist(), strict=True)
        ],
        "comparators": {
            name: _against(base, other, result.overlap) for name, other in others.items()
        },
        "gain": comparison.difference,
        "test": t_test(result.overlap),
        "p_value": _null(comparison.t_pvalue),
        "p_value_wilcoxon": _null(comparison.wilcoxon_pvalue),
        "seconds": round(seconds, 3),
        "seconds_training": round(result.summary.seconds, 3),
        "engine": engine_name(choose_device(config.device)),
        "versions": versions(),
    }


def _against(base: Base, other: Base, overlap: float) -> dict[str, Any]:
    """A comparator beside the base model, seed by seed."""
    c = compare(base.test, other.test, overlap)
    return {
        "val": other.val.tolist(),
        "test": other.test.tolist(),
        "joined": other.joined.tolist(),
        "gain": c.difference,
        "p_value": _null(c.t_pvalue),
        "p_value_wilcoxon": _null(c.wilcoxon_pvalue),
    }


def _show(
    result: RunResult,
    asked: Intervention,
    names: list[Variant],
    others: dict[str, Base],
    seconds: float,
) -> None:
    base, config = result.trained, result.config
    first, n = result.comparison(asked), len(base.seeds)
    title = f"{type(base.model).title} on {config.dataset}: test accuracy in %, n = {n}"
    table = Table(
        "method", "mean ± std", "gain", f"p ({t_test(result.overlap)})", "p (Wilcoxon)", title=title
    )
    table.add_row("base", f"{first.base_mean:.2f} ± {first.base_std:.2f}", "", "", "")
    for name in names:
        own = asked.of(name)
        table.add_row(VARIANTS[name], *_cells(result.comparison(own)))
        table.add_row(
            f"{VARIANTS[name]}, retrained", *_cells(result.comparison(own, retrained=True))
        )
    for other in others.values():
        against = compare(base.test, other.test, result.overlap)
        table.add_row(type(other.model).title, *_cells(against))
    out.print(table)
    for one in (base, *others.values()):
        if one.joined.any():
            title = type(one.model).title
            out.print(f"{title} added {one.joined.mean():.0f} nodes by itself, on average.")
    rows = result.of(asked)
    added, right = rows["pseudo_labels"].sum(), rows["pseudo_right"].sum()
    unlabelled = rows["pseudo_unlabelled"].sum()
    judged = added - unlabelled
    share = f" ({100 * right / judged:.1f} % of their labels right)" if judged else ""
    beside = f" and {unlabelled / n:.0f} nodes without label" if unlabelled else ""
    out.print(
        f"On average {judged / n:.0f} test nodes{share}{beside} joined the training set, and "
        f"{rows['edges_dropped'].mean():.0f} edges went. {seconds:.1f} s, "
        f"{engine_name(choose_device(config.device))}, run {result.summary.run_id}."
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


def _null(value: float) -> float | None:
    return None if np.isnan(value) else float(value)
