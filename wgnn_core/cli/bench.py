"""``bench``: speed against the stock loop."""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated

import typer
from rich.table import Table

from wgnn_core.benchmark.compare import DATASETS, MODELS, compare_speed
from wgnn_core.cli.console import err, out, print_json


def bench(
    models: Annotated[str, typer.Option(help="Comma-separated: gcn, gat.")] = ",".join(MODELS),
    datasets: Annotated[str, typer.Option(help="Comma-separated names.")] = ",".join(DATASETS),
    replicas: Annotated[int, typer.Option(help="K: trainings at a time.", min=1)] = 10,
    rounds: Annotated[int, typer.Option(help="Rounds; the medians count.", min=1)] = 3,
    accuracy_seeds: Annotated[
        int,
        typer.Option(
            help="Seeds for the accuracy; 0: 20 where a claim rests on it, else 3.", min=0
        ),
    ] = 0,
    json: Annotated[bool, typer.Option("--json", help="Print JSON for machines.")] = False,
) -> None:
    """Seconds per training: the textbook PyG loop against K replicas, alternating in one run."""
    rows = list(
        compare_speed(
            [name.strip() for name in models.split(",")],
            [name.strip() for name in datasets.split(",")],
            replicas,
            rounds,
            accuracy_seeds or None,
            err.print,
        )
    )
    if json:
        print_json([asdict(row) for row in rows])
        return
    table = Table("model", "dataset", "K", "stock s", "ours s", "ratio", "stock %", "ours %", "n")
    for r in rows:
        table.add_row(
            r.model, r.dataset, str(r.replicas), f"{r.stock_seconds:.2f}", f"{r.ours_seconds:.3f}",
            f"{r.ratio:.0f}x", f"{r.stock_accuracy:.2f} ± {r.stock_std:.2f}",
            f"{r.ours_accuracy:.2f} ± {r.ours_std:.2f}", str(r.accuracy_seeds),
        )  # fmt: skip
    out.print(table)
