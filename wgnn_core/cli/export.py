"""``export``: figures of runs, stored or not, or of a graph, as bundles for a paper."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import Field, field, fields, make_dataclass, replace
from pathlib import Path
from typing import Annotated, Any

import typer

from wgnn_core.cli.console import err, out
from wgnn_core.cli.flags import Given, flagged, run_config, values
from wgnn_core.cli.runs import run_to_end
from wgnn_core.errors import WGNNError
from wgnn_core.figures import KINDS, Style, figure_of, missing
from wgnn_core.graph import Graph
from wgnn_core.intervention import ETAS, Intervention
from wgnn_core.reports import figure_bundle, run_bundle
from wgnn_core.runs.config import RunConfig
from wgnn_core.runs.results import RunResult, load_result
from wgnn_core.runs.store import Store
from wgnn_core.theory.specimens import is_specimen, places, specimen_graph, specimen_of

OF_RUN, OF_KNOBS = "The run", "The knobs that all --eta share"
OF_FIGURE, OF_STYLE = "What the figure shows", "How it looks"


def _every_choice() -> type:
    """One class with the choices of all kinds; equal names are equal choices."""
    found: dict[str, Field[Any]] = {}
    for kind in KINDS.values():
        found |= {item.name: item for item in fields(kind.choices)}
    return make_dataclass("EveryChoice", [(n, f.type, _again(f)) for n, f in found.items()])


def _again(item: Field[Any]) -> Any:
    """A field of one dataclass may not be part of a second one."""
    return field(default=item.default, metadata=item.metadata)


EveryChoice = _every_choice()


@flagged(
    RunConfig,
    Intervention,
    EveryChoice,
    Style,
    without=ETAS,
    panels=(OF_RUN, OF_KNOBS, OF_FIGURE, OF_STYLE),
)
def export(
    given: Given,
    run: Annotated[
        list[str] | None,
        typer.Argument(help="Ids from `runs list`, or their beginnings; several for some kinds."),
    ] = None,
    parameter: Annotated[
        list[str] | None,
        typer.Option(help="Of a generated graph: nodes=500; repeatable.", rich_help_panel=OF_RUN),
    ] = None,
    depths: Annotated[
        str | None,
        typer.Option(help="Numbers of layers, a run for each: 2,3,4.", rich_help_panel=OF_RUN),
    ] = None,
    eta: Annotated[
        list[str] | None,
        typer.Option(
            help="An intervention eta0,eta1,eta2, other knobs by name (ranker=margin); repeatable.",
            rich_help_panel=OF_RUN,
        ),
    ] = None,
    configs: Annotated[
        Path | None,
        typer.Option(
            help="The config.json of a bundle: the runs that are in it.", rich_help_panel=OF_RUN
        ),
    ] = None,
    figure: Annotated[
        str | None,
        typer.Option(help=f"One of {', '.join(KINDS)}.", rich_help_panel=OF_FIGURE),
    ] = None,
    everything: Annotated[
        bool,
        typer.Option(
            "--all",
            help="All figures the run gives, tables and a LaTeX document.",
            rich_help_panel=OF_FIGURE,
        ),
    ] = False,
    folder: Annotated[Path, typer.Option("--out", help="Where to.")] = Path("figures"),
) -> None:
    """Write a figure as a zip file: PDF, SVG, PNG, numbers, settings, command.

    It is of a stored run, or of a configuration, which is trained unless the store has it: the
    command in a bundle is of the second kind, so it works anywhere. A figure of the graph alone
    needs no more than --dataset; there gallery:barbell is a graph of the gallery of Section 3. The
    model's hyperparameters are flags too, see `models NAME`:
    --hidden 32.
    """
    style = Style(**given.of(Style))
    choices = given.of(EveryChoice)
    if (figure is None) == (not everything):
        raise WGNNError("say what to export: --figure KIND or --all, and not both.")
    ids, hyper = _ids_and_flags(run or [])
    flags = given.of(RunConfig)
    device = {name: value for name, value in flags.items() if name == "device"}
    described = bool(hyper or eta or depths or given.of(Intervention) or set(flags) - set(device))
    if ids and (described or parameter):
        raise WGNNError(f"run {ids[0]} has a configuration already; give one or the other.")
    if configs is not None and (ids or described or parameter):
        raise WGNNError(f"{configs} has the runs already; give one or the other.")
    results: list[RunResult] = []
    place: dict[str, Any] = {}
    if ids:
        results = _stored(ids)
    elif configs is not None:
        results = [run_to_end(replace(one, **device)) for one in _recorded(configs)]
    elif is_specimen(str(flags.get("dataset", ""))):
        graph = specimen_graph(str(flags["dataset"]))
        place = {"xy": places(specimen_of(str(flags["dataset"])))}
    elif "dataset" in flags:
        config = run_config(given, hyper, parameter, _interventions(given, eta or []))
        graph = config.graph()
        of_run = bool(hyper or eta or depths or given.of(Intervention) or set(flags) - {"dataset"})
        if figure is None or of_run or missing(figure, (), graph, **choices):
            results = [run_to_end(one) for one in _by_depth(config, depths)]
    else:
        raise WGNNError(
            "say which run: an id from `runs list`, a configuration (--dataset ...) or --configs."
        )
    if results:
        graph = results[0].graph
    if figure is not None:
        content = figure_bundle(figure_of(figure, results, graph, **place, **choices), style)
    elif len(results) == 1:
        content = run_bundle(results[0], graph, style, **choices)
    else:
        raise WGNNError(f"--all takes one run; {len(results)} are given.")
    name = f"{_name(results, graph)}-{figure or 'all'}.zip"
    out.print(f"wrote {_written(folder, name, content)}")


def _name(results: Sequence[RunResult], graph: Graph) -> str:
    if not results:
        return graph.file_name
    first = results[0].summary
    return f"{first.dataset}-{first.model}-{first.run_id[:8]}"


def _ids_and_flags(words: list[str]) -> tuple[list[str], list[str]]:
    """A command with both takes unknown flags for arguments: ids end where the flags begin."""
    first = next((i for i, word in enumerate(words) if word.startswith("-")), len(words))
    return words[:first], words[first:]


def _stored(wanted: Sequence[str]) -> list[RunResult]:
    """Finished runs of the store; what is unfinished no command could make again."""
    store = Store()
    results = [load_result(store, store.find(run)) for run in wanted]
    for result in results:
        run = result.summary
        if not result.complete:
            raise WGNNError(
                f"run {run.run_id} is {run.state}, {run.done} of {run.total} trainings are "
                "finished; let it finish first."
            )
        if result.config.run_id != run.run_id:
            err.print(
                f"run {run.run_id} was made with other versions of the program or its packages; "
                "its numbers made again may differ in the last digits.",
            )
    return results


def _recorded(file: Path) -> list[RunConfig]:
    """The runs in the ``config.json`` of a bundle."""
    try:
        run = json.loads(file.read_text(encoding="utf-8"))["run"]
        found = [RunConfig.from_json(one) for one in run.get("runs", [run])]
        if not found:
            raise WGNNError(f"{file} has no runs.")
        return found
    except WGNNError:
        raise
    except OSError as error:
        raise WGNNError(f"{file} cannot be read: {error.strerror}.") from error
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
        raise WGNNError(f"{file} is no config.json of a bundle.") from error


def _interventions(given: Given, texts: Sequence[str]) -> list[Intervention]:
    """Those of --eta with the shared knobs; of a two-stage search the knobs alone."""
    shared = given.of(Intervention)
    if not texts and shared and given.of(RunConfig).get("search") == "two-stage":
        return [Intervention(**shared)]
    return [replace(Intervention.read(text), **shared) for text in texts]


def _by_depth(config: RunConfig, depths: str | None) -> list[RunConfig]:
    if depths is None:
        return [config]
    layers = [int(number) if number.is_integer() else number for number in values(depths)]
    return [
        replace(config, hyper=tuple((dict(config.hyper) | {"layers": n}).items())) for n in layers
    ]


def _written(folder: Path, name: str, content: bytes) -> Path:
    try:
        folder.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(content)
    except OSError as error:
        raise WGNNError(f"{folder / name} cannot be written: {error.strerror}.") from error
    return folder / name
