"""``export``: figures of a run, stored or not, as bundles for a paper."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

import typer

from wgnn_core.cli.console import err, out
from wgnn_core.cli.models import hyperparameters
from wgnn_core.cli.runs import parameters, run_to_end, values
from wgnn_core.comparators import METHODS, make_method
from wgnn_core.errors import WGNNError
from wgnn_core.figures import KINDS, VENUES, Style
from wgnn_core.graph import Graph
from wgnn_core.reports import figure_bundle, run_bundle
from wgnn_core.runs.config import Pairs, RunConfig
from wgnn_core.runs.results import RunResult, load_result
from wgnn_core.runs.store import Store
from wgnn_core.wgnn import Etas

OF_RUN, OF_FIGURE, OF_STYLE = "The run", "What the figure shows", "How it looks"


def _option(text: str, panel: str, *names: str) -> Any:
    return typer.Option(*names, help=text, rich_help_panel=panel)


def export(
    run: Annotated[
        list[str] | None,
        typer.Argument(
            help="An id from `runs list` or its beginning; several for depth-curve and "
            "comparison-bars."
        ),
    ] = None,
    dataset: Annotated[str | None, _option("A name from `data list`.", OF_RUN)] = None,
    parameter: Annotated[
        list[str] | None, _option("Of a generated graph: nodes=500; repeatable.", OF_RUN)
    ] = None,
    model: Annotated[str | None, _option("A name from `models`; gcn if not given.", OF_RUN)] = None,
    preset: Annotated[str | None, _option("A named recipe of the model.", OF_RUN)] = None,
    depths: Annotated[
        str | None, _option("Numbers of layers, a run for each: 2,3,4.", OF_RUN)
    ] = None,
    eta: Annotated[
        list[str] | None, _option("A triple eta0,eta1,eta2; repeatable.", OF_RUN)
    ] = None,
    search: Annotated[str | None, _option("list (the default) or two-stage.", OF_RUN)] = None,
    search_steps: Annotated[str | None, _option("Values a two-stage search tries.", OF_RUN)] = None,
    seeds: Annotated[
        str | None, _option("How many or which: 10, or 0,1,2, or 7, for one alone.", OF_RUN)
    ] = None,
    pool: Annotated[str | None, _option("Nodes Algorithm 2 ranks: all or test.", OF_RUN)] = None,
    device: Annotated[str, _option("auto, cpu, cuda or mps.", OF_RUN)] = "auto",
    configs: Annotated[
        Path | None, _option("The config.json of a bundle: the runs that are in it.", OF_RUN)
    ] = None,
    figure: Annotated[str | None, _option(f"One of {', '.join(KINDS)}.", OF_FIGURE)] = None,
    everything: Annotated[
        bool, _option("All figures the run gives, tables and a LaTeX document.", OF_FIGURE, "--all")
    ] = False,
    seed: Annotated[int | None, _option("Seed a map shows; the first if none.", OF_FIGURE)] = None,
    at: Annotated[
        str | None, _option("Etas whose model is shown; the base model if none.", OF_FIGURE)
    ] = None,
    colour: Annotated[
        str | None, _option("Of node-map: w, class, prediction, correctness, distance.", OF_FIGURE)
    ] = None,
    metric: Annotated[str | None, _option("Of eta-grid: test, val or gain.", OF_FIGURE)] = None,
    rankers: Annotated[str | None, _option("Of accuracy-coverage: m1,m2,...", OF_FIGURE)] = None,
    label: Annotated[
        str | None, _option("Of harmonic-map: a class, number or name.", OF_FIGURE, "--class")
    ] = None,
    max_nodes: Annotated[int | None, _option("Of edge-drop: nodes shown.", OF_FIGURE)] = None,
    venue: Annotated[str, _option(f"One of {', '.join(VENUES)}.", OF_STYLE)] = "icml",
    width: Annotated[str, _option("column or full.", OF_STYLE)] = "column",
    font: Annotated[str, _option("serif or sans.", OF_STYLE)] = "serif",
    base_size: Annotated[float | None, _option("Type size in points.", OF_STYLE)] = None,
    palette: Annotated[str, _option("Colours of classes and curves.", OF_STYLE)] = "okabe-ito",
    sequential: Annotated[str, _option("viridis or cividis.", OF_STYLE)] = "viridis",
    title: Annotated[bool | None, _option("A title in the figure.", OF_STYLE)] = None,
    folder: Annotated[Path, typer.Option("--out", help="Where to.")] = Path("figures"),
) -> None:
    """Write a figure of a run as a zip file: PDF, SVG, PNG, numbers, settings, command.

    The run is a stored one, or a configuration that is trained if the store has it not: the
    command in a bundle is of the second kind, so it works anywhere. The model's hyperparameters
    are flags too, see `models NAME`: --hidden 32.
    """
    style = Style(venue, width, font, base_size, palette, sequential, title)  # type: ignore[arg-type]
    if (figure is None) == (not everything):
        raise WGNNError("say what to export: --figure KIND or --all, and not both.")
    if figure is not None and figure not in KINDS:
        raise WGNNError(f"there is no figure {figure!r}; choose one of {', '.join(KINDS)}.")
    runs, flags = _ids_and_flags(run or [])
    described = [parameter, model, preset, depths, eta, search, search_steps, seeds, pool]
    if runs and (dataset or flags or any(item is not None for item in described)):
        raise WGNNError(f"run {runs[0]} has a configuration already; give one or the other.")
    if configs is not None and (runs or dataset or flags or any(d is not None for d in described)):
        raise WGNNError(f"{configs} has the runs already; give one or the other.")
    if runs:
        results = _stored(runs)
    elif configs is not None:
        results = [run_to_end(replace(one, device=device)) for one in _recorded(configs)]
    elif dataset:
        config = RunConfig(
            dataset,
            parameters(parameter or []),
            make_method(model or "gcn").name,
            _hyper(model or "gcn", flags),
            preset,
            _seeds(seeds or "10"),  # type: ignore[arg-type]
            tuple(_triple("--eta", text) for text in eta or []),
            search or "list",  # type: ignore[arg-type]
            pool=pool or "all",  # type: ignore[arg-type]
            device=device,
        )
        if search_steps is not None:
            config = replace(config, steps=tuple(values(search_steps)))
        results = [run_to_end(one) for one in _by_depth(config, depths)]
    else:
        raise WGNNError(
            "say which run: an id from `runs list`, a configuration (--dataset ...) or --configs."
        )
    graph = results[0].config.graph()
    choices: dict[str, Any] = {
        "seed": seed,
        "etas": None if at is None else Etas(*_triple("--at", at)),
        "colour": colour,
        "metric": metric,
        "rankers": None if rankers is None else tuple(rankers.split(",")),
        "label": None if label is None else _class(graph, label),
        "max_nodes": max_nodes,
    }
    given = {name: value for name, value in choices.items() if value is not None}
    if figure is not None:
        content = figure_bundle(figure, results, graph, style, **given)
    elif len(results) == 1:
        content = run_bundle(results[0], graph, style, **given)
    else:
        raise WGNNError(f"--all takes one run; {len(results)} are given.")
    first = results[0].summary
    name = f"{first.dataset}-{first.model}-{first.run_id[:8]}-{figure or 'all'}.zip"
    out.print(f"wrote {_written(folder, name, content)}", markup=False)


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
                markup=False,
            )
    return results


def _recorded(file: Path) -> list[RunConfig]:
    """The runs in the ``config.json`` of a bundle."""
    try:
        run = json.loads(file.read_text(encoding="utf-8"))["run"]
        return [RunConfig.from_json(one) for one in run.get("runs", [run])]
    except WGNNError:
        raise
    except OSError as error:
        raise WGNNError(f"{file} cannot be read: {error.strerror}.") from error
    except (ValueError, TypeError, KeyError, AttributeError) as error:
        raise WGNNError(f"{file} is no config.json of a bundle.") from error


def _by_depth(config: RunConfig, depths: str | None) -> list[RunConfig]:
    if depths is None:
        return [config]
    layers = [int(number) for number in values(depths)]
    return [
        replace(config, hyper=tuple((dict(config.hyper) | {"layers": n}).items())) for n in layers
    ]


def _hyper(model: str, arguments: list[str]) -> Pairs:
    return tuple(hyperparameters(METHODS[model], arguments).items())


def _seeds(text: str) -> int | list[int]:
    """``10`` is how many, ``0,1,2`` and ``7,`` are which."""
    try:
        if "," not in text:
            return int(text)
        return [int(part) for part in text.removesuffix(",").split(",")]
    except ValueError:
        raise WGNNError(f"--seeds is {text!r}; write how many (10) or which (0,1,2).") from None


def _triple(flag: str, text: str) -> tuple[float, float, float]:
    etas = values(text)
    if len(etas) != 3:
        raise WGNNError(f"{flag} is {text!r}; it must be three numbers eta0,eta1,eta2.")
    return etas[0], etas[1], etas[2]


def _class(graph: Graph, text: str) -> int:
    """A class by its name, else by its number."""
    if text in graph.class_names:
        return graph.class_names.index(text)
    if text.isdecimal() and int(text) < graph.num_classes:
        return int(text)
    raise WGNNError(
        f"{graph.name} has no class {text!r}; it has {', '.join(graph.class_names)}, numbered "
        f"0 to {graph.num_classes - 1}."
    )


def _written(folder: Path, name: str, content: bytes) -> Path:
    try:
        folder.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(content)
    except OSError as error:
        raise WGNNError(f"{folder / name} cannot be written: {error.strerror}.") from error
    return folder / name
