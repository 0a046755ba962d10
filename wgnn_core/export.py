"""Formats of what leaves the program: a figure as LaTeX or as a page, results as a table, a zip.

Everything here is a function of its arguments alone: the same figure gives the same bytes.
"""

from __future__ import annotations

import html
import io
import zipfile
from collections.abc import Mapping

import numpy as np
import pandas as pd

from wgnn_core.errors import WGNNError
from wgnn_core.figures.base import Figure
from wgnn_core.figures.spread import Accuracies
from wgnn_core.figures.style import Style
from wgnn_core.figures.text import csv_cell, label, labels, latex_text, plotly_text

SIGNIFICANT = 0.05


def zipped(content: Mapping[str, bytes | str]) -> bytes:
    """Files by name as a zip file, in the order given; the same files give the same bytes."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in content.items():
            entry = zipfile.ZipInfo(name)  # dated 1980: no clock in the bytes
            entry.external_attr = 0o644 << 16
            entry.create_system = 3  # the same on every system
            archive.writestr(entry, data, zipfile.ZIP_DEFLATED)
    return buffer.getvalue()


def figure_latex(figure: Figure, style: Style, file: str = "figure.pdf") -> str:
    """A float for `file` with a draft of the caption; needs the package graphicx."""
    star = "*" if style.width == "full" else ""
    return (
        f"\\begin{{figure{star}}}[t]\n"
        "  \\centering\n"
        f"  \\includegraphics{{{file}}}\n"
        f"  \\caption{{{latex_text(figure.caption)}}}\n"
        f"  \\label{{fig:{figure.kind}}}\n"
        f"\\end{{figure{star}}}\n"
    )


def offline_html(figure: Figure, dark: bool = False) -> str:
    """The page figure as one HTML file that opens without a network."""
    chart = figure.to_plotly(dark)
    chart.update_layout(height=640)
    body = chart.to_html(
        full_html=False,
        include_plotlyjs=True,
        include_mathjax=False,
        div_id="figure",  # a random one would change the bytes
        config={"displaylogo": False, "responsive": True, "scrollZoom": True},
    )
    colours = chart.layout
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f"<title>{html.escape(figure.title)}</title>\n"
        "<style>body { margin: 1rem auto; padding: 0 1rem; max-width: 70rem; "
        "font-family: sans-serif; "
        f"color: {colours.font.color}; background: {colours.paper_bgcolor} }}</style>\n"
        f'</head>\n<body>\n<div role="img" aria-label="{html.escape(figure.alt)}">\n{body}\n'
        f"</div>\n<p>{html.escape(figure.caption)}</p>\n</body>\n</html>\n"
    )


def result_table(
    results: Mapping[str, Mapping[str, Accuracies]],
    p_values: Mapping[str, Mapping[str, float]] | None = None,
) -> pd.DataFrame:
    """Rows (method, dataset, mean_percent, std_percent, n, p_value) for the three writers below.

    Args:
        results: ``results[dataset][method]``: accuracies in percent, one per seed.
        p_values: ``p_values[dataset][method]`` of the paired test against the base model.
    """
    methods = dict.fromkeys(method for one in results.values() for method in one)
    method_label = dict(zip(methods, labels(methods), strict=True))
    rows = []
    for (dataset, by_method), name in zip(results.items(), labels(results), strict=True):
        for method, scores in by_method.items():
            percent = np.asarray(scores, dtype=float)
            if percent.ndim != 1 or percent.size == 0 or not np.isfinite(percent).all():
                raise WGNNError(
                    f"{label(method)} on {name}: expected finite accuracies, one per seed; got "
                    f"shape {percent.shape}."
                )
            deviation = percent.std(ddof=1) if len(percent) > 1 else np.nan
            p = (p_values or {}).get(dataset, {}).get(method, np.nan)
            rows.append((method_label[method], name, percent.mean(), deviation, len(percent), p))
    if not rows:
        raise WGNNError("no results for the table; give at least one dataset and method.")
    columns = ["method", "dataset", "mean_percent", "std_percent", "n", "p_value"]
    return pd.DataFrame(rows, columns=columns)


def table_latex(table: pd.DataFrame, caption: str = "", name: str = "tab:results") -> str:
    r"""A booktabs table: mean $\pm$ deviation, the best of each dataset bold, $^*$ if p < 0.05."""
    datasets, rows = _cells(table)
    lines = [
        r"\begin{table}[t]",
        r"\centering",
        rf"\caption{{{latex_text(caption)}}}",
        rf"\label{{{''.join(c for c in name if c.isalnum() or c in ':-')}}}",
        rf"\begin{{tabular}}{{l{'c' * len(datasets)}}}",
        r"\toprule",
        " & ".join(["Method", *map(latex_text, datasets)]) + r" \\",
        r"\midrule",
    ]
    for method, cells in rows:
        texts = [latex_text(method)]
        for mean, deviation, best, significant in cells:
            number = mean + (rf" $\pm$ {deviation}" if deviation else "")
            number = rf"\textbf{{{mean}}}{number[len(mean) :]}" if best else number
            texts.append(number + ("$^{*}$" if significant else ""))
        lines.append(" & ".join(texts) + r" \\")
    lines += [r"\bottomrule", r"\end{tabular}", r"\end{table}"]
    return "\n".join(lines) + "\n"


def table_markdown(table: pd.DataFrame) -> str:
    """The same as a Markdown table; names lose their meaning as markup."""
    datasets, rows = _cells(table)
    lines = ["| Method | " + " | ".join(map(_markdown_text, datasets)) + " |"]
    lines.append("|---" * (len(datasets) + 1) + "|")
    for method, cells in rows:
        texts = [_markdown_text(method)]
        for mean, deviation, best, significant in cells:
            number = f"**{mean}**" if best else mean
            texts.append(number + (f" ± {deviation}" if deviation else "") + r" \*" * significant)
        lines.append("| " + " | ".join(texts) + " |")
    return "\n".join(lines) + "\n"


def table_csv(table: pd.DataFrame) -> str:
    """Any table as CSV with full precision; see `figures.text.csv_cell` for what is guarded."""
    safe = table.copy()
    for column in safe.columns:
        if not pd.api.types.is_numeric_dtype(safe[column]):
            safe[column] = safe[column].map(csv_cell, na_action="ignore")
    safe.columns = pd.Index([csv_cell(column) for column in safe.columns])
    return str(safe.to_csv(index=False, lineterminator="\n"))


Cell = tuple[str, str, bool, bool]
"""Mean, deviation ("" without one), best of its dataset, significant."""


def _cells(table: pd.DataFrame) -> tuple[list[str], list[tuple[str, list[Cell]]]]:
    datasets = list(table["dataset"].drop_duplicates())
    shown = table["mean_percent"].round(2)
    best = shown.groupby(table["dataset"]).transform("max")
    cell: dict[tuple[str, str], Cell] = {}
    for row, top in zip(table.assign(shown=shown).to_dict("records"), best, strict=True):
        deviation = "" if np.isnan(row["std_percent"]) else f"{row['std_percent']:.2f}"
        significant = bool(row["p_value"] < SIGNIFICANT)
        mean = f"{row['mean_percent']:.2f}"
        cell[row["method"], row["dataset"]] = (mean, deviation, row["shown"] == top, significant)
    empty: Cell = ("--", "", False, False)
    methods = list(table["method"].drop_duplicates())
    return datasets, [(m, [cell.get((m, d), empty) for d in datasets]) for m in methods]


def _markdown_text(text: str) -> str:
    return "".join("\\" + c if c in "\\`*_{}[]()+-.!|~" else c for c in plotly_text(text))
