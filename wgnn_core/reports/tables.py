"""The methods of a run, their accuracies, and the table of them."""

from __future__ import annotations

from collections import Counter

import numpy as np
import numpy.typing as npt
import pandas as pd

from wgnn_core.errors import WGNNError
from wgnn_core.export import result_table, table_csv, table_latex, table_markdown
from wgnn_core.graph import Graph
from wgnn_core.runs.results import RunResult
from wgnn_core.wgnn import Base, Etas

MAX_METHODS = 8
"""A run with more etas than this is a grid: only what validation chose is a method of it."""

Accuracies = npt.NDArray[np.float64]


def trained_base(result: RunResult) -> Base:
    """The base model of a run.

    Raises:
        WGNNError: It is not trained for every seed yet.
    """
    if result.base is None:
        raise WGNNError(
            f"the base model of run {result.summary.run_id} is not trained for every seed yet; "
            "wait for it."
        )
    return result.base


def eta_text(etas: Etas) -> str:
    return f"({etas.eta0:g}, {etas.eta1:g}, {etas.eta2:g})"


def finished_etas(result: RunResult) -> list[Etas]:
    """The triples that are finished for every seed, in the order of the run."""
    count = result.rows.groupby(["eta0", "eta1", "eta2"], sort=False).size()
    return [Etas(*triple) for triple in count[count == len(result.config.seeds)].index]


def methods_of(result: RunResult) -> dict[str, Etas]:
    """The retrained methods of a run by name: wGNN, wGNN1 (no edges dropped), wGNN2 (no nodes
    added).

    All etas of a small run; of a grid what validation chose and, if they are cells of it, the two
    halves of that. The etas stand behind the name where it would be there twice.
    """
    etas = [e for e in finished_etas(result) if e != Etas()]
    if len(etas) > MAX_METHODS:
        best = result.chosen
        wanted = [] if best is None else [best, best.of("wgnn1"), best.of("wgnn2")]
        etas = [e for e in dict.fromkeys(wanted) if e in etas]
    plain = [_name(e) for e in etas]
    count = Counter(plain)
    return {
        name if count[name] == 1 else f"{name}, η = {eta_text(e)}": e
        for name, e in zip(plain, etas, strict=True)
    }


def _name(etas: Etas) -> str:
    if etas.eta1 == 0 or etas.eta2 == 0:
        return "wGNN1"
    return "wGNN2" if etas.eta0 == 0 else "wGNN"


def tally_of(result: RunResult, etas: Etas) -> Accuracies:
    """Test accuracy by the paper's tally as fractions, one for each seed of the run."""
    mine = (result.rows[["eta0", "eta1", "eta2"]] == [etas.eta0, etas.eta1, etas.eta2]).all(axis=1)
    return np.asarray(result.rows.loc[mine, "test"], dtype=np.float64) / 100


def scores_of(result: RunResult) -> dict[str, Accuracies]:
    """Test accuracies as fractions, one a seed: the base model, then `methods_of` the run."""
    base = trained_base(result)
    retrained = {name: tally_of(result, etas) for name, etas in methods_of(result).items()}
    return {type(base.model).title: np.asarray(base.test) / 100, **retrained}


def table_of(result: RunResult, graph: Graph) -> pd.DataFrame:
    """Rows (method, dataset, mean_percent, std_percent, n, gain_points, p_value).

    Gain and p-value (paired t-test) are against the base model on the same seeds; the base model
    has neither.
    """
    compared = [result.comparison(etas) for etas in methods_of(result).values()]
    p_values = dict(zip(methods_of(result), (c.t_pvalue for c in compared), strict=True))
    table = result_table({graph.name: scores_of(result)}, {graph.name: p_values})
    table.insert(5, "gain_points", [np.nan, *(c.difference for c in compared)])
    return table


def tables_of(result: RunResult, graph: Graph) -> dict[str, str]:
    """The table of a run as ``results.tex``, ``results.md`` and ``results.csv``."""
    table = table_of(result, graph)
    caption = _caption(table)
    return {
        "results.tex": table_latex(table, caption),
        "results.md": table_markdown(table) + "\n" + caption + "\n",
        "results.csv": table_csv(table),
    }


def _caption(table: pd.DataFrame) -> str:
    n = int(table["n"].iloc[0])
    base = table["method"].iloc[0]
    text = f"Test accuracy (%): mean ± sample standard deviation over {n} seed{'s' * (n > 1)}."
    gains = []
    for row in table.iloc[1:].to_dict("records"):
        p = "" if np.isnan(row["p_value"]) else f", p = {row['p_value']:.2g}"
        gain = f"{row['gain_points']:+.2f}".replace("-", "\N{MINUS SIGN}")  # a hyphen ends a line
        gains.append(f"{row['method']} {gain}{p}")
    if not gains:
        return text
    return f"{text} Gain over {base} in points, paired t-test: {'; '.join(gains)} (* p < 0.05)."
