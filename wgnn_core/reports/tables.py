"""The table of a run's methods and accuracies."""

from __future__ import annotations

import numpy as np
import pandas as pd

from wgnn_core.export import result_table, table_csv, table_latex, table_markdown
from wgnn_core.figures.methods import methods_of, scores_of
from wgnn_core.figures.text import signed
from wgnn_core.graph import Graph
from wgnn_core.runs.results import RunResult
from wgnn_core.statistics import t_test


def table_of(result: RunResult, graph: Graph) -> pd.DataFrame:
    """Rows (method, dataset, mean_percent, std_percent, n, gain_points, p_value).

    Gain and p-value (`RunResult.comparison`) are against the base model on the same seeds; the base
    model has neither.
    """
    methods = methods_of(result)
    compared = [result.comparison(one) for one in methods.values()]
    p_values = dict(zip(methods, (c.t_pvalue for c in compared), strict=True))
    table = result_table({graph.title: scores_of(result)}, {graph.title: p_values})
    table.insert(5, "gain_points", [np.nan, *(c.difference for c in compared)])
    return table


def tables_of(result: RunResult, graph: Graph) -> dict[str, str]:
    """The table of a run as ``results.tex``, ``results.md`` and ``results.csv``."""
    table = table_of(result, graph)
    caption = _caption(table, t_test(result.overlap))
    return {
        "results.tex": table_latex(table, caption),
        "results.md": table_markdown(table) + "\n" + caption + "\n",
        "results.csv": table_csv(table),
    }


def _caption(table: pd.DataFrame, test: str) -> str:
    n = int(table["n"].iloc[0])
    base = table["method"].iloc[0]
    text = f"Test accuracy (%): mean ± sample standard deviation over {n} seed{'s' * (n > 1)}."
    gains = []
    for row in table.iloc[1:].to_dict("records"):
        p = "" if np.isnan(row["p_value"]) else f", p = {row['p_value']:.2g}"
        gains.append(f"{row['method']} {signed(row['gain_points'])}{p}")
    if not gains:
        return text
    return f"{text} Gain over {base} in points, {test}: {'; '.join(gains)} (* p < 0.05)."
