"""``sweep``, and ``runs list | show | delete | export | import``: the run store."""

from __future__ import annotations

import json as jsonlib
import math
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from datetime import datetime
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.progress import BarColumn, Progress, TextColumn
from rich.table import Table

from wgnn_core.cli.console import err, out, print_json
from wgnn_core.cli.flags import Given, Parameter, flagged, run_config, values
from wgnn_core.errors import WGNNError
from wgnn_core.intervention import ETAS, Intervention
from wgnn_core.runs.backup import read_backup, write_backup
from wgnn_core.runs.config import RunConfig
from wgnn_core.runs.jobs import Jobs, make_executor
from wgnn_core.runs.results import RunResult, load_result
from wgnn_core.runs.store import Store
from wgnn_core.runs.summaries import RunSummary
from wgnn_core.search import best_on_test, full_grid, paired_grid
from wgnn_core.statistics import t_test

app = typer.Typer(
    help="The runs that were made: list, show, delete, export, import.", no_args_is_help=True
)
Json = Annotated[bool, typer.Option("--json", help="Print JSON for machines.")]
Id = Annotated[str, typer.Argument(help="An id from `runs list`, or its beginning.")]
POLL_SECONDS = 0.2


@flagged(RunConfig, Intervention, without=("search", *ETAS), panels=("The run", "wGNN"))
def sweep(
    context: typer.Context,
    given: Given,
    parameter: Parameter = None,
    search: Annotated[
        str, typer.Option(help="paired (eta1 = eta2, the paper's study), full or two-stage.")
    ] = "paired",
    eta0: Annotated[str, typer.Option(help="Values: 0.2,0.4 or 0.2:0.8:0.2.")] = "0.2:0.8:0.2",
    eta1: Annotated[str, typer.Option(help="Values of eta1, of both if paired.")] = "0.1:0.8:0.1",
    eta2: Annotated[str, typer.Option(help="Values of eta2, if full.")] = "0.1:0.8:0.1",
    ray: Annotated[
        str | None, typer.Option(envvar="WGNN_RAY_ADDRESS", help="Train on this Ray cluster.")
    ] = None,
    fresh: Annotated[bool, typer.Option(help="Train again what is stored.")] = False,
    json: Json = False,
) -> None:
    """Search the etas, chosen on validation; what is finished is kept and never trained again.

    The model's hyperparameters are flags too, see `models NAME`: --hidden 32. Ctrl-C stops; the
    same command goes on from there.
    """
    like = Intervention(**given.of(Intervention))
    grids = {
        "paired": lambda: paired_grid(values(eta0), values(eta1), like),
        "full": lambda: full_grid(values(eta0), values(eta1), values(eta2), like),
        "two-stage": lambda: [like] if like != Intervention() else [],
    }
    if search not in grids:
        raise WGNNError(f"the search is {search!r}; it must be one of {', '.join(grids)}.")
    kind = "two-stage" if search == "two-stage" else "list"
    config = run_config(given, context.args, parameter, grids[search](), search=kind)
    result = run_to_end(config, fresh=fresh, ray=ray)
    if json:
        print_json(describe(result))
    else:
        _show(result)


def run_to_end(config: RunConfig, *, fresh: bool = False, ray: str | None = None) -> RunResult:
    """Train a run, or find it in the store, with a bar on stderr.

    Raises:
        WGNNError: The run failed.
        typer.Exit: Ctrl-C; what is finished is kept.
    """
    with jobs_to_end(ray) as jobs:
        return wait_for(jobs, config, fresh=fresh)


@contextmanager
def jobs_to_end(ray: str | None = None) -> Iterator[Jobs]:
    """Jobs for one command; Ctrl-C ends it with a word and exit code 130."""
    jobs = Jobs(executor=make_executor(ray))
    try:
        yield jobs
    except KeyboardInterrupt:
        err.print("stopped; what is finished is kept, and the same command goes on from there.")
        raise typer.Exit(130) from None
    finally:
        jobs.close()


def wait_for(jobs: Jobs, config: RunConfig, *, fresh: bool = False) -> RunResult:
    """Train a run, or find it in the store, with a bar on stderr.

    Raises:
        WGNNError: The run failed.
    """
    run_id = jobs.submit(config, fresh=fresh)
    _watch(jobs, run_id)
    status = jobs.status(run_id)
    if status.state != "done":
        raise WGNNError(f"run {run_id} was {status.state}: {status.message}")
    return load_result(jobs.store, run_id)


def _watch(jobs: Jobs, run_id: str) -> None:
    columns = (
        TextColumn("{task.description:>8}"),
        BarColumn(),
        TextColumn("{task.completed:.0f} of {task.total:.0f} trainings"),
        TextColumn("{task.fields[rate]}"),
        TextColumn("{task.fields[left]}"),
    )
    with Progress(*columns, console=err, transient=True) as bars:
        task = bars.add_task("queued", total=jobs.status(run_id).total, rate="", left="")
        while (status := jobs.wait(run_id, POLL_SECONDS)).active:
            bars.update(
                task,
                description=status.state,
                completed=status.done,
                total=status.total,
                rate=f"{status.rate:.2g} a second" if status.rate else "",
                left=_left(status.seconds_left),
            )


@app.command("list")
def list_(
    dataset: Annotated[str | None, typer.Option(help="Only this dataset.")] = None,
    model: Annotated[str | None, typer.Option(help="Only this model.")] = None,
    state: Annotated[str | None, typer.Option(help="Only this state.")] = None,
    json: Json = False,
) -> None:
    """Every run, pinned ones first, then the newest first."""
    store = Store()
    found = [
        run
        for run in store.runs()
        if dataset in (None, run.dataset)
        and model in (None, run.model)
        and state in (None, run.state)
    ]
    for run_id, fault in store.unreadable().items():
        message = f"run {run_id} cannot be read ({fault}); `runs delete {run_id[:10]}` removes it."
        err.print(message)
    if json:
        print_json([_summary(run) for run in found])
        return
    table = Table("id", "dataset", "model", "state", "trainings", "base", "wGNN", "made", "note")
    table.columns[0].no_wrap = True  # an id that is cut short is of no use
    for run in found:
        table.add_row(
            ("* " if run.pinned else "") + run.run_id[:10],
            run.dataset,
            run.model,
            run.state,
            f"{run.done} of {run.total}",
            _percent(run.base_accuracy),
            _percent(run.accuracy) + (" (b)" if run.prefers_base else ""),
            datetime.fromtimestamp(run.created).strftime("%m-%d %H:%M"),
            run.note,
        )
    out.print(table)
    out.print("Mean test accuracy in %; wGNN: the etas with the best validation so far.")
    if any(run.prefers_base for run in found):
        out.print("(b): validation prefers the base model.")


@app.command()
def show(run: Id, json: Json = False) -> None:
    """What a run is and what came out."""
    store = Store()
    result = load_result(store, store.find(run))
    if json:
        print_json(describe(result))
    else:
        _show(result)


@app.command()
def delete(runs: Annotated[list[str], typer.Argument(help="Ids, or their beginnings.")]) -> None:
    """Delete runs with everything they gave; pinned ones are refused."""
    store = Store()
    for run_id in [store.find(run) for run in runs]:
        store.delete(run_id)
        out.print(f"deleted {run_id}")


@app.command()
def export(
    words: Annotated[
        list[str],
        typer.Argument(
            metavar="[ID] FILE",
            help="An id, or its beginning, and a name that ends in .csv or .json; with --all the "
            "name of a backup alone.",
        ),
    ],
    everything: Annotated[
        bool, typer.Option("--all", help="Every run with everything it gave, for `runs import`.")
    ] = False,
) -> None:
    """Write the numbers of a run to a file: one row for each etas and seed, or everything.

    With --all, a backup of all runs.
    """
    if len(words) != (1 if everything else 2):
        raise WGNNError("say what to write: runs export ID FILE, or runs export --all FILE.")
    store, file = Store(), Path(words[-1])
    if everything:
        out.print(f"wrote {write_backup(store, file)} runs to {file}")
        return
    result = load_result(store, store.find(words[0]))
    if file.suffix not in (".csv", ".json"):
        raise WGNNError(f"{file.name} must end in .csv or .json.")
    try:
        if file.suffix == ".csv":
            result.rows.to_csv(file, index=False)
        else:
            text = jsonlib.dumps(describe(result), indent=1, allow_nan=False)
            file.write_text(text + "\n", encoding="utf-8")
    except OSError as error:
        raise WGNNError(f"{file} cannot be written: {error.strerror}.") from error
    out.print(f"wrote {file}")


@app.command("import")
def import_(file: Annotated[Path, typer.Argument(help="What `runs export --all` wrote.")]) -> None:
    """Take the runs of a backup in; what is here already stays as it is."""
    merged = read_backup(Store(), file)
    out.print(f"{merged.runs} new runs, {merged.cells} new cells.")


def describe(result: RunResult) -> dict[str, Any]:
    """A run and its numbers in plain types; accuracies in percent."""
    base, chosen = result.base, result.chosen
    return {
        **_summary(result.summary),
        "config": result.config.to_json(),
        "dataset_hash": result.graph_hash,
        "base_val": None if base is None else base.val.tolist(),
        "base_test": None if base is None else base.test.tolist(),
        "rows": [
            {str(key): value for key, value in row.items()}
            for row in result.rows.to_dict(orient="records")
        ],
        "chosen": None if chosen is None else list(chosen.etas),
        "intervention": None if chosen is None else asdict(chosen),
        "comparison": None if chosen is None else _finite(asdict(result.comparison(chosen))),
    }


def _summary(run: RunSummary) -> dict[str, Any]:
    names = ("run_id", "dataset", "model", "state", "message", "done", "total", "seconds",
             "created", "pinned", "note", "accuracy", "base_accuracy", "prefers_base")  # fmt: skip
    return {name: getattr(run, name) for name in names}


def _show(result: RunResult) -> None:
    run, config = result.summary, result.config
    out.print(f"run {run.run_id}: {run.model} on {run.dataset}, {run.state}")
    if run.message:
        out.print(run.message)
    out.print(
        f"{run.done} of {run.total} trainings, {len(config.seeds)} seeds, {config.search} search, "
        f"{run.seconds:.1f} s of training"
    )
    if result.base is None:
        return
    p = f"p ({t_test(result.overlap)})"
    table = Table("method", "intervention", "mean ± std", "gain", p)
    if result.chosen is None:
        spread = result.base.test.std(ddof=1) if len(config.seeds) > 1 else math.nan
        table.add_row("base", "", f"{result.base.test.mean():.2f} ± {spread:.2f}", "", "")
    else:
        c = result.comparison(result.chosen)
        table.add_row("base", "", f"{c.base_mean:.2f} ± {c.base_std:.2f}", "", "")
        table.add_row("wGNN, chosen on validation", *_row(result, result.chosen))
        if len(config.interventions) > 1 or config.search == "two-stage":
            table.add_row("best on test (bound)", *_row(result, best_on_test(result.rows)))
    out.print(table)
    if table.row_count == 3:
        out.print("The bound looked at the test labels: it is what no honest search can exceed.")


def _row(result: RunResult, intervention: Intervention) -> tuple[str, ...]:
    c = result.comparison(intervention)
    mean = f"{c.other_mean:.2f} ± {c.other_std:.2f}"
    return (intervention.text, mean, f"{c.difference:+.2f}", f"{c.t_pvalue:.2g}")


def _percent(value: float | None) -> str:
    return "" if value is None else f"{value:.2f}"


def _left(seconds: float | None) -> str:
    if seconds is None:
        return ""
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes} min {rest:02} s left" if minutes else f"{rest} s left"


def _finite(values: dict[str, Any]) -> dict[str, Any]:
    return {
        key: None if isinstance(value, float) and math.isnan(value) else value
        for key, value in values.items()
    }
