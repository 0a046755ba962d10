"""Bundles: one figure with all that belongs to it, or everything a run gives."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

from wgnn_core.errors import WGNNError
from wgnn_core.export import figure_latex, table_csv, zipped
from wgnn_core.figures import Figure, Style, choices_of, figure_of, kinds_of
from wgnn_core.figures.references import references
from wgnn_core.figures.scene import Scene
from wgnn_core.graph import FloatArray, Graph
from wgnn_core.layout import layout
from wgnn_core.reports.command import command_of
from wgnn_core.reports.tables import tables_of
from wgnn_core.runs.results import RunResult
from wgnn_core.versions import versions

PACKAGES = ("numpy", "scipy", "pandas", "matplotlib", "torch", "torch-geometric")
MEMBERS = (
    "figure.pdf",
    "figure.svg",
    "figure.png",
    "figure.tex",
    "data.csv",
    "config.json",
    "command.txt",
    "references.bib",
    "README.txt",
)
"""Files of a figure's bundle. No name in it comes from a user."""

_README = """{title}

{caption}

figure.pdf, .svg, .png  the figure, {width:.2f} in wide ({venue}, {column} width)
figure.tex              a LaTeX float with this caption
data.csv                every number in the figure; text that starts with = + - or @ has a
                        leading ' so that no spreadsheet runs it
config.json             what was run, with the versions it was trained and exported with
command.txt             the command that makes data.csv again{unfinished}
references.bib          the paper, the dataset and the model
"""
_UNFINISHED = """; the run was not finished when this
                        was written, and the command finishes it first"""
_RUN_README = """Everything of run {run_id}: {model} on {dataset}, {seeds} seed(s).

{kinds}
    one folder for each figure: PDF, SVG, PNG, its numbers, settings and command
tables/results.tex, .md, .csv
    mean, standard deviation, number of seeds, gain over the base model, p of the t-test
tables/rows.csv
    validation and test accuracy for each intervention and seed
paper.tex
    a LaTeX document with every figure and the table
config.json, command.txt, references.bib
    what was run, the command that makes it all again, what to cite
"""


def figure_bundle(figure: Figure, style: Style | None = None) -> bytes:
    """A figure with everything needed to print, check and make it again, as a zip file.

    Args:
        figure: Made by `figure_of`: it knows its runs and choices, so its command is true.
        style: Venue, width, font; ICML column by default.

    Returns:
        The zip file; the same figure gives the same bytes.
    """
    return zipped(_files(figure, style or Style()))


def run_bundle(
    result: RunResult,
    graph: Graph,
    style: Style | None = None,
    *,
    xy: FloatArray | None = None,
    **choices: Any,
) -> bytes:
    """Every figure a run gives, its tables and one LaTeX document of them all, as a zip file."""
    style = style or Style()
    xy = layout(graph.edges, graph.num_nodes) if xy is None else xy
    figures = {
        kind: figure_of(kind, result, graph, xy=xy, **choices_of(kind, choices))
        for kind in kinds_of(result, graph, **choices)
    }
    tables = tables_of(result, graph)
    config = result.config
    record = {"run": run_record(result), "export_versions": versions(PACKAGES)}
    content: dict[str, bytes | str] = {
        "README.txt": _RUN_README.format(
            run_id=result.summary.run_id,
            model=config.model,
            dataset=config.dataset,
            seeds=len(config.seeds),
            kinds="\n".join(f"{kind}/" for kind in figures),
        ),
        "command.txt": command_of(None, [_scene(f) for f in figures.values()], style) + "\n",
        "config.json": _json(record),
        "paper.tex": paper_latex(figures, [tables["results.tex"]], style),
        "references.bib": references([config.dataset], [config.model]),
        "tables/rows.csv": table_csv(result.rows),
    }
    content |= {f"tables/{name}": text for name, text in tables.items()}
    for kind, figure in figures.items():
        content |= {f"{kind}/{name}": data for name, data in _files(figure, style).items()}
    return zipped(dict(sorted(content.items())))


def paper_latex(figures: Mapping[str, Figure], tables: Sequence[str], style: Style) -> str:
    """A LaTeX document that includes ``<name>/figure.pdf`` for each figure, and the tables."""
    floats = [figure_latex(f, style, f"{name}/figure.pdf") for name, f in figures.items()]
    lines = [
        r"\documentclass{article}",
        r"\usepackage{graphicx,booktabs}",
        r"\begin{document}",
        *tables,
        *floats,
        r"\end{document}",
    ]
    return "\n".join(lines) + "\n"


def _files(figure: Figure, style: Style) -> dict[str, bytes | str]:
    scene = _scene(figure)
    configs = [run.config for run in scene.runs]
    drawn = {"kind": figure.kind, "title": figure.title, "style": asdict(style)}
    runs = [run_record(run) for run in scene.runs]
    record = {
        "figure": drawn | {"choices": asdict(scene.choices)},
        "run": runs[0] if len(runs) == 1 else {"runs": runs} if runs else graph_record(scene.graph),
        "export_versions": versions(PACKAGES),
    }
    datasets = [c.dataset for c in configs] or [scene.graph.origin[0]] if scene.graph.origin else []
    content: dict[str, bytes | str] = {
        "figure.pdf": figure.render("pdf", style),
        "figure.svg": figure.render("svg", style),
        "figure.png": figure.render("png", style, dpi=300),
        "figure.tex": figure_latex(figure, style),
        "data.csv": table_csv(figure.data),
        "config.json": _json(record),
        "command.txt": command_of(figure.kind, [scene], style) + "\n",
        "references.bib": references(datasets, [config.model for config in configs]),
        "README.txt": _README.format(
            title=figure.title,
            caption=figure.caption,
            width=style.inches,
            venue=style.venue,
            column=style.width,
            unfinished="" if all(run.complete for run in scene.runs) else _UNFINISHED,
        ),
    }
    return {name: content[name] for name in MEMBERS}


def _scene(figure: Figure) -> Scene:
    if figure.scene is None:
        raise WGNNError(f"this {figure.kind} was not made by figure_of: nothing says from what.")
    return figure.scene


def _json(record: Mapping[str, Any]) -> str:
    return json.dumps(record, indent=2, sort_keys=True, allow_nan=False) + "\n"


def run_record(result: RunResult) -> dict[str, Any]:
    """What was run, in plain types."""
    return {
        **result.config.to_json(),
        "run_id": result.summary.run_id,
        "dataset_hash": result.graph_hash,
        "versions": result.versions,
        "chosen": None if result.chosen is None else asdict(result.chosen),
    }


def graph_record(graph: Graph) -> dict[str, Any]:
    """The same of a graph on which nothing was run."""
    name, parameters = graph.origin or (None, ())
    return {
        "dataset": name,
        "parameters": dict(parameters),
        "dataset_hash": graph.content_hash,
        "runs": [],
    }
