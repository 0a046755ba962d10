"""``data list | get | check``."""

from __future__ import annotations

from typing import Annotated

import typer
from rich.progress import BarColumn, DownloadColumn, Progress, TaskID, TextColumn
from rich.table import Table

from wgnn_core import datasets
from wgnn_core.cli.console import err, fail, out, print_json
from wgnn_core.errors import WGNNError

app = typer.Typer(help="The graphs: list them, get one, check the raw files.", no_args_is_help=True)
SIZES = ("nodes", "features", "classes", "edges", "splits")
Json = Annotated[bool, typer.Option("--json", help="Print JSON for machines.")]


@app.command("list")
def list_(json: Json = False) -> None:
    """Every dataset with its status and the paper's numbers."""
    rows = []
    for spec in datasets.catalogue():
        paper = spec.paper
        rows.append(
            {
                "name": spec.name,
                "status": datasets.status(spec.name),
                "nodes": paper and paper.nodes,
                "edges": paper and paper.edges,
                "classes": paper and paper.classes,
                "features": paper and paper.features,
                "split": spec.split_rule,
                "description": spec.description,
            }
        )
    if json:
        print_json(rows)
        return
    table = Table("name", "status", "nodes", "edges", "classes", "features", "split")
    for row in rows:
        table.add_row(
            *("" if row[str(c.header)] is None else str(row[str(c.header)]) for c in table.columns)
        )
    out.print(table)
    out.print("Numbers are the paper's. Raw files are looked for in", str(datasets.data_folder()))


@app.command()
def get(name: str) -> None:
    """Fetch a dataset's raw files, checked, into the data folder."""
    columns = (TextColumn("{task.description}"), BarColumn(), DownloadColumn())
    with Progress(*columns, console=err, transient=True) as bars:
        tasks: dict[str, TaskID] = {}

        def progress(file: str, done: int, total: int) -> None:
            if file not in tasks:
                tasks[file] = bars.add_task(file, total=total or None)
            bars.update(tasks[file], completed=done, total=total or None)

        folder = datasets.fetch(name, progress)
    graph = datasets.load(name)
    out.print(
        f"{name}: {graph.num_nodes} nodes, {graph.num_edges} edges, in {folder}", markup=False
    )


@app.command()
def check(json: Json = False) -> None:
    """Check every raw file of the nine benchmarks and load the complete ones.

    Exits with 2 when a file is not what it should be; a missing file is only reported.
    """
    rows, wrong = [], []
    for spec in datasets.catalogue():
        if spec.built_in:
            continue
        files = datasets.check(spec.name)
        bad = [f.file.path for f in files if f.state == "wrong checksum"]
        missing = [f.file.path for f in files if f.state == "missing"]
        wrong += bad
        row = {"name": spec.name, "wrong": bad, "missing": missing, "loads": False}
        if not bad and not missing:
            try:
                graph = datasets.load(spec.name)
                row |= {
                    "loads": True,
                    "nodes": graph.num_nodes,
                    "features": graph.num_features,
                    "classes": graph.num_classes,
                    "edges": graph.num_edges,
                    "self_loops_removed": graph.self_loops_removed,
                    "splits": len(graph.splits),
                }
            except WGNNError as error:
                row["error"] = str(error)
        rows.append(row)
    if json:
        print_json(rows)
    else:
        table = Table("name", "state", *SIZES)
        for row in rows:
            table.add_row(str(row["name"]), _state(row), *(str(row.get(k, "")) for k in SIZES))
        out.print(table)
    if wrong:
        raise typer.Exit(fail(f"not the published file: {', '.join(wrong)}; get it again."))


def _state(row: dict[str, object]) -> str:
    if row["loads"]:
        return "complete"
    for key in ("wrong", "missing"):
        found = row[key]
        if isinstance(found, list) and found:
            return f"{key}: {', '.join(found)}"
    return str(row.get("error", ""))
