"""``study``: the tables and figures of the paper, run again."""

from __future__ import annotations

from dataclasses import asdict
from itertools import compress
from pathlib import Path
from typing import Annotated

import typer
from rich.measure import Measurement
from rich.table import Table

from wgnn_core.cli.console import err, out, print_json
from wgnn_core.cli.runs import jobs_to_end, wait_for
from wgnn_core.errors import WGNNError
from wgnn_core.figures.text import signed
from wgnn_core.runs.store import Store
from wgnn_core.studies import STUDIES
from wgnn_core.studies import study as named
from wgnn_core.studies.plan import Cell, Size, Study
from wgnn_core.studies.records import RULE, UNPUBLISHED, Record, by_column, mean
from wgnn_core.studies.report import number, report
from wgnn_core.studies.running import Found, chosen_cells, collect, estimate, todo
from wgnn_core.studies.saved import command, save

ALL = "all"
LEAST_WIDTH = 136
"""A narrow terminal breaks lines; a table squeezed into it would cut its numbers."""


def study(
    name: Annotated[str, typer.Argument(help="A study of --list, or all.")] = "",
    quick: Annotated[
        bool, typer.Option("--quick", help="Three seeds and a coarse grid; dear cells left out.")
    ] = False,
    list_: Annotated[bool, typer.Option("--list", help="The studies there are.")] = False,
    row: Annotated[str | None, typer.Option(help="Only cells of this row.")] = None,
    column: Annotated[str | None, typer.Option(help="Only cells of this column.")] = None,
    stored: Annotated[
        bool, typer.Option("--stored", help="Train nothing: what the store has.")
    ] = False,
    save_to: Annotated[
        Path | None,
        typer.Option(
            "--save", help="Write NAME.json with all numbers to a folder, or add them to it."
        ),
    ] = None,
    report_to: Annotated[
        Path | None, typer.Option("--report", help="Write the report of the shipped results.")
    ] = None,
    ray: Annotated[
        str | None, typer.Option(envvar="WGNN_RAY_ADDRESS", help="Train on this Ray cluster.")
    ] = None,
    json: Annotated[bool, typer.Option("--json", help="Print JSON for machines.")] = False,
) -> None:
    """Run a table or figure of the paper again, our numbers beside the published ones.

    What is finished is kept and never trained again; Ctrl-C stops, the same command goes on.
    """
    if report_to is not None:
        _write(report_to, report())
        return
    if list_ or not name:
        _list()
        return
    size: Size = "quick" if quick else "full"
    chosen = list(STUDIES.values()) if name == ALL else [named(name)]
    plans = {one.name: chosen_cells(one, size, row, column) for one in chosen}
    if not stored:
        _train([cell for cells in plans.values() for cell in cells], size, ray)
    found = [collect(one, plans[one.name], size, Store()) for one in chosen]
    if save_to is not None:
        for declared, one in zip(chosen, found, strict=True):
            path, dropped = save(declared, one, save_to)
            err.print(f"wrote {path}")
            for gone in by_column(dropped):
                err.print(f"left out: {gone.row} on {gone.column} ({gone.why})")
    if json:
        print_json([_plain(one) for one in found])
        return
    for declared, one in zip(chosen, found, strict=True):
        _show(declared, one)


def _train(cells: list[Cell], size: Size, ray: str | None) -> None:
    """Every run of the cells, one after another; a leader opens the way to those that follow."""
    err.print(str(estimate(cells, size, Store())))
    with jobs_to_end(ray) as jobs:
        number = 0
        while left := todo(cells, size, jobs.store):
            for config in left:
                number += 1
                err.print(f"{number}: {config.model} on {config.dataset}")
                wait_for(jobs, config)


def _list() -> None:
    table = Table("study", "what it is", "the paper says")
    for one in STUDIES.values():
        table.add_row(one.name, one.title, one.says)
    out.print(table)
    out.print("`study NAME --quick` first: it says how long it takes, and stops with Ctrl-C.")


def _show(declared: Study, found: Found) -> None:
    if found.records:
        heads = (
            *declared.axes, "n", "base", "tally", "gain", "p", "p (Holm)", "retrained",
            "test-chosen*", "published", "verdict",
        )  # fmt: skip
        rows = [_cells(record) for record in found.records]
        filled = [any(row[i] for row in rows) for i in range(len(heads))]
        table = Table(*compress(heads, filled), title=declared.title)
        for row in rows:
            table.add_row(*compress(row, filled))
        room = out.options.update(width=max(out.width, LEAST_WIDTH))
        table.width = Measurement.get(out, room, table).maximum  # a terminal may wrap its lines
        out.print(table)
        out.print("Accuracies in %, gains in points. * η chosen on test: not a result.")
        if filled[-1]:
            out.print(RULE)
    for claim in found.claims:
        out.print(f"{claim.verdict}: {claim.says} Found: {claim.found}")
    for one in by_column(found.missing):
        out.print(f"not run: {one.row} on {one.column} ({one.why})")
    for cell in dict.fromkeys(record.cell for record in found.records):
        again = command(declared, *cell, quick=found.size == "quick")
        out.print(f"again: {again}")


def _cells(r: Record) -> tuple[str, ...]:
    c, printed = r.comparison, r.published
    holm = "" if r.holm is None else f"{r.holm:.2g}"
    told = ""
    if printed.method is not None:
        told = f"{printed.method[0]:.2f}"
        told += "" if printed.gain is None else f" ({signed(printed.gain)})"
    retrained, best = (
        signed(r.against(scores).difference) if scores else "" for scores in (r.retrained, r.best)
    )
    return (
        r.row, r.column, str(r.n), f"{mean(r.base):.2f}", f"{mean(r.tally):.2f}",
        signed(c.difference), number(c.pvalue), holm, retrained, best, told,
        "" if r.verdict == UNPUBLISHED else r.verdict,
    )  # fmt: skip


def _plain(found: Found) -> dict[str, object]:
    return {
        "study": found.study,
        "size": found.size,
        "records": [record.to_json() for record in found.records],
        "claims": [asdict(claim) for claim in found.claims],
        "missing": [asdict(one) for one in found.missing],
    }


def _write(path: Path, text: str) -> None:
    try:
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise WGNNError(f"{path} cannot be written: {error.strerror}.") from error
    out.print(f"wrote {path}")
