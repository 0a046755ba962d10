"""Bundles of a stored run: one figure, or everything the run gives with tables and a LaTeX file."""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

from wgnn_core.export import bundle, figure_latex, table_csv, versions, zipped
from wgnn_core.figures import KINDS, Figure, Style
from wgnn_core.figures.references import ENTRIES, references
from wgnn_core.graph import FloatArray, Graph
from wgnn_core.layout import layout
from wgnn_core.reports.command import command_of
from wgnn_core.reports.kinds import Choices, figure_of, kinds_of, missing, runs_of
from wgnn_core.reports.tables import tables_of
from wgnn_core.runs.config import RunConfig
from wgnn_core.runs.results import RunResult

_README = """Everything of run {run_id}: {model} on {dataset}, {seeds} seed(s).

{kinds}
    one folder for each figure: PDF, SVG, PNG, its numbers, settings and command
tables/results.tex, .md, .csv
    mean, standard deviation, number of seeds, gain over the base model, p of a paired t-test
tables/rows.csv
    validation and test accuracy for each etas and seed
paper.tex
    a LaTeX document with every figure and the table
config.json, command.txt, references.bib
    what was run, the command that makes it all again, what to cite
"""


def figure_bundle(
    kind: str,
    result: RunResult | Sequence[RunResult],
    graph: Graph,
    style: Style | None = None,
    *,
    xy: FloatArray | None = None,
    **choices: Any,
) -> bytes:
    """A figure of a run as a zip file, with the command that makes it again from a clean store.

    The arguments are those of `figure_of`; the same arguments give the same bytes.
    """
    figure = figure_of(kind, result, graph, xy=xy, **choices)
    return _bundle(figure, runs_of(result), style or Style(), Choices(**choices))


def view_bundle(
    figure: Figure,
    result: RunResult | Sequence[RunResult],
    graph: Graph,
    style: Style | None = None,
    *,
    xy: FloatArray | None = None,
    **choices: Any,
) -> bytes:
    """A figure as somebody has it on the screen, made from some runs, as a zip file.

    Where `figure_of` gives the same numbers for these choices, the command in it makes the figure
    again. Where it does not (nodes were selected, runs overlaid), the command trains the run, and
    the README says so.
    """
    results, style, chosen = runs_of(result), style or Style(), Choices(**choices)
    possible = figure.kind in KINDS and not missing(figure.kind, results, chosen)
    if possible and figure_of(figure.kind, results, graph, xy=xy, **choices).data.equals(
        figure.data
    ):
        return _bundle(figure, results, style, chosen)
    kind = None if len(results) == 1 else "comparison-bars"
    command = command_of([one.config for one in results], kind, style)
    return _bundle(figure, results, style, Choices(), command)


def run_bundle(
    result: RunResult,
    graph: Graph,
    style: Style | None = None,
    *,
    xy: FloatArray | None = None,
    **choices: Any,
) -> bytes:
    """Every figure a run gives, its tables and one LaTeX document of them all, as a zip file."""
    style, chosen = style or Style(), Choices(**choices)
    if xy is None:
        xy = layout(graph.edges, graph.num_nodes)
    figures = {kind: figure_of(kind, result, graph, xy=xy, **choices) for kind in kinds_of(result)}
    tables = tables_of(result, graph)
    config = result.config
    record = {"run": _record([result], chosen), "export_versions": versions()}
    content: dict[str, bytes | str] = {
        "README.txt": _README.format(
            run_id=result.summary.run_id,
            model=config.model,
            dataset=config.dataset,
            seeds=len(config.seeds),
            kinds="\n".join(f"{kind}/" for kind in figures),
        ),
        "command.txt": command_of(config, None, style, chosen) + "\n",
        "config.json": json.dumps(record, indent=2, sort_keys=True, allow_nan=False) + "\n",
        "paper.tex": paper_latex(figures, [tables["results.tex"]], style),
        "references.bib": references(_cited(config)),
        "tables/rows.csv": table_csv(result.rows),
    }
    content |= {f"tables/{name}": text for name, text in tables.items()}
    for kind, figure in figures.items():
        with zipfile.ZipFile(io.BytesIO(_bundle(figure, [result], style, chosen))) as inner:
            content |= {f"{kind}/{name}": inner.read(name) for name in inner.namelist()}
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


def _bundle(
    figure: Figure,
    results: Sequence[RunResult],
    style: Style,
    choices: Choices,
    command: str | None = None,
) -> bytes:
    """`command` trains the runs; by default it is the one that makes the figure again."""
    configs = [result.config for result in results]
    return bundle(
        figure,
        _record(results, choices),
        command or command_of(configs, figure.kind, style, choices),
        style,
        dict.fromkeys(name for config in configs for name in _cited(config)),
        again=command is None,
    )


def _record(results: Sequence[RunResult], choices: Choices) -> dict[str, Any]:
    """What was run, in plain types."""
    runs = [
        {
            **result.config.to_json(),
            "run_id": result.summary.run_id,
            "dataset_hash": result.graph_hash,
            "versions": result.versions,
            "chosen": None if result.chosen is None else asdict(result.chosen),
        }
        for result in results
    ]
    return {"choices": asdict(choices), **(runs[0] if len(runs) == 1 else {"runs": runs})}


def _cited(config: RunConfig) -> list[str]:
    """Names with an entry; a simulated graph has none."""
    return [name for name in (config.dataset, config.model) if name in ENTRIES]
