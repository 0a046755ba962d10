"""``data list | get | check | import | rename | describe | delete | template``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.progress import BarColumn, DownloadColumn, Progress, TaskID, TextColumn
from rich.table import Table

from wgnn_core import datasets
from wgnn_core.cli.console import err, fail, out, print_json
from wgnn_core.errors import WGNNError

if TYPE_CHECKING:
    from wgnn_core.datasets.own import Preview

app = typer.Typer(
    help="The graphs: list them, get one, check the files, import your own.", no_args_is_help=True
)
SIZES = ("nodes", "features", "classes", "edges", "splits")
Json = Annotated[bool, typer.Option("--json", help="Print JSON for machines.")]


@app.command("list")
def list_(json: Json = False) -> None:
    """Every dataset with its status and sizes: the paper's numbers, or those of your own graphs."""
    rows = []
    for spec in datasets.catalogue():
        known = spec.imported or spec.paper
        status = datasets.status(spec.name)
        rows.append(
            {
                "name": spec.name,
                "status": "imported" if spec.imported and status == "on disk" else status,
                "nodes": known and known.nodes,
                "edges": known and known.edges,
                "classes": known and known.classes,
                "features": known and known.features,
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
    out.print("Numbers of the nine benchmarks are the paper's.")
    out.print("Raw files are looked for in", str(datasets.data_folder()))


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
    out.print(f"{name}: {graph.num_nodes} nodes, {graph.num_edges} edges, in {folder}")


@app.command()
def check(json: Json = False) -> None:
    """Check every file of the nine benchmarks and of imported graphs; load the complete ones.

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


@app.command("import")
def import_(
    paths: Annotated[
        list[Path],
        typer.Argument(
            help="An edge table and a node table (.csv, .tsv, .txt, .parquet), a .zip of both, or "
            "one file .graphml, .gexf, .gml, .npz, .pt."
        ),
    ],
    name: Annotated[str, typer.Option(help="What to call the graph: a-z, 0-9, - and _.")],
    title: Annotated[str, typer.Option(help="Its title; else its name.")] = "",
    description: Annotated[str, typer.Option(help="A sentence about it.")] = "",
    label: Annotated[str | None, typer.Option(help="The label column.")] = None,
    unlabelled: Annotated[str | None, typer.Option(help="The label that stands for none.")] = None,
    feature: Annotated[
        list[str] | None, typer.Option(help="A feature column; repeat it. Else: all numbers.")
    ] = None,
    no_features: Annotated[
        str, typer.Option(help="What stands in for features: degree or identity.")
    ] = "degree",
    split: Annotated[
        str | None, typer.Option(help="given, per-class or shares; else given if it is.")
    ] = None,
    per_class: Annotated[int, typer.Option(help="Training nodes of each class.")] = 20,
    val: Annotated[int | None, typer.Option(help="Validation nodes, for per-class.")] = None,
    shares: Annotated[
        tuple[float, float], typer.Option(help="Shares of training and validation set.")
    ] = (0.6, 0.2),
    splits: Annotated[int, typer.Option(help="How many splits are drawn.")] = 10,
    normalise: Annotated[
        bool, typer.Option("--normalise", help="Scale each row of features to sum 1.")
    ] = False,
    id_: Annotated[str | None, typer.Option("--id", help="The id column of the nodes.")] = None,
    source: Annotated[str | None, typer.Option(help="The first column of an edge.")] = None,
    target: Annotated[str | None, typer.Option(help="The second column of an edge.")] = None,
    encoding: Annotated[str | None, typer.Option(help="Of text tables; else found.")] = None,
    separator: Annotated[
        str | None, typer.Option(help="comma, semicolon, tab, bar or space; else found.")
    ] = None,
    cap: Annotated[
        str, typer.Option(help="Larger caps, such as nodes=2000000,edges=50000000.")
    ] = "",
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Show what was understood and keep nothing.")
    ] = False,
    json: Json = False,
) -> None:
    """Import a graph of your own: first what was understood and changed, then it is kept."""
    from wgnn_core.datasets import own
    from wgnn_core.datasets.shelf import check_free

    check_free(name)
    choices = own.Choices(
        label=label,
        unlabelled=unlabelled,
        features=tuple(feature) if feature else None,
        no_features=no_features,  # type: ignore[arg-type]  # checked there
        split=split,  # type: ignore[arg-type]
        per_class=per_class,
        val=val,
        shares=shares,
        splits=splits,
        normalise=normalise,
    )
    reading = own.Reading(encoding, separator, id_, source, target)
    draft = own.read(*paths, reading=reading, caps=own.configured().with_text(cap))
    made = draft.preview(choices, name)
    if json:
        print_json(_summary(made, kept=not dry_run))
    else:
        _show(made)
    if not dry_run:
        draft.keep(made, title, description)
    if not json:
        done = "Nothing was kept (--dry-run)." if dry_run else f"Kept as {name}."
        out.print(done)


def _summary(made: Preview, kept: bool) -> dict[str, Any]:
    graph = made.graph
    return {
        "name": graph.name,
        "kept": kept,
        "nodes": graph.num_nodes,
        "edges": graph.num_edges,
        "features": graph.num_features,
        "classes": list(graph.class_names),
        "unlabelled": int(graph.unlabelled.sum()),
        "splits": len(graph.splits),
        "content_hash": graph.content_hash,
        "understood": dict(made.understood),
        "changes": [{"kind": c.kind, "count": c.count, "text": c.text} for c in made.changes],
    }


def _show(made: Preview) -> None:
    graph, split = made.graph, made.graph.split(0)
    rows = [*made.understood, ("nodes", str(graph.num_nodes)), ("edges", str(graph.num_edges))]
    rows.append(
        ("train / val / test", f"{split.train.sum()} / {split.val.sum()} / {split.test.sum()}")
    )
    width = max(len(what) for what, _ in rows)
    for what, value in rows:
        out.print(f"{what:>{width}}  {value}")
    out.print("Changes:" if made.changes else "Changes: none.")
    for change in made.changes:
        out.print(f"- {change.text}")


@app.command()
def rename(name: str, new: str) -> None:
    """Call an imported graph by another name."""
    datasets.rename(name, new)
    out.print(f"{name} is now called {new}.")


@app.command()
def describe(
    name: str,
    title: Annotated[str | None, typer.Option(help="Its title.")] = None,
    description: Annotated[str | None, typer.Option(help="A sentence about it.")] = None,
) -> None:
    """Change the title and the description of an imported graph, or show what is known of it."""
    changed = title is not None or description is not None
    spec = datasets.describe(name, title, description) if changed else datasets.spec(name)
    rows = [("title", spec.title), ("description", spec.description), ("split", spec.split_rule)]
    if spec.imported is not None:
        rows += [("source", spec.imported.source), ("content", spec.imported.content_hash)]
        rows += [("change", text) for text in spec.imported.changes]
    for what, value in rows:
        out.print(f"{what:>11}  {value}")


@app.command()
def delete(name: str) -> None:
    """Remove an imported graph."""
    datasets.delete(name)
    out.print(f"{name} is deleted.")


@app.command()
def template(
    folder: Annotated[
        Path, typer.Argument(help="Where to write edges.csv and nodes.csv.")
    ] = Path(),
) -> None:
    """Write two small tables to start from; files that are there stay."""
    from wgnn_core.datasets import own

    files = {folder / name: text for name, text in own.template().items()}
    there = [str(path) for path in files if path.exists()]
    if there:
        raise WGNNError(f"{', '.join(there)} is there already; name another folder.")
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for path, text in files.items():
            path.write_text(text, "utf-8")
    except OSError as error:
        raise WGNNError(f"{folder} cannot be written to ({error.strerror}).") from error
    out.print(f"Written: {', '.join(str(path) for path in files)}")


def _state(row: dict[str, object]) -> str:
    if row["loads"]:
        return "complete"
    for key in ("wrong", "missing"):
        found = row[key]
        if isinstance(found, list) and found:
            return f"{key}: {', '.join(found)}"
    return str(row.get("error", ""))
