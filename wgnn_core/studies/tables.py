"""A study as tables: every cell with its columns, and the short one for LaTeX."""

from __future__ import annotations

from collections.abc import Sequence
from string import ascii_lowercase

import pandas as pd

from wgnn_core.export import result_table, table_latex
from wgnn_core.studies.plan import Study
from wgnn_core.studies.records import RULE, Claim, Record, mean, spread
from wgnn_core.studies.running import Found

NOT_A_RESULT = "not a result"


def cell_table(study: Study, records: Sequence[Record]) -> pd.DataFrame:
    """One row per record with every column; accuracies in percent, gains in points."""
    return pd.DataFrame([_row(study, record) for record in records])


def _row(study: Study, r: Record) -> dict[str, object]:
    c, printed = r.comparison, r.published
    base, method = printed.base or (None, None), printed.method or (None, None)
    row: dict[str, object] = {
        study.axes[0]: r.row,
        study.axes[1]: r.column,
        "n": r.n,
        "splits": r.splits,
        "reference": r.reference,
        "base": mean(r.base),
        "base s.d.": spread(r.base),
        "method": r.method,
        "η": " | ".join(r.etas),
        "tally": mean(r.tally),
        "tally s.d.": spread(r.tally),
        "gain": c.difference,
        "low": c.low,
        "high": c.high,
        "p": c.pvalue,
        "test": c.test,
        "p Wilcoxon": c.wilcoxon_pvalue,
        "p Holm": r.holm,
        "retrained": mean(r.retrained) if r.retrained else None,
        "retrained gain": r.against(r.retrained).difference if r.retrained else None,
        "shared η": r.shared_etas,
        "shared η gain": r.against(r.shared).difference if r.shared else None,
        f"test-chosen gain ({NOT_A_RESULT})": _gain(r, "best"),
        f"test-chosen, retrained ({NOT_A_RESULT})": _gain(r, "best_retrained"),
        f"test-chosen η ({NOT_A_RESULT})": r.best_etas,
        "published base": base[0],
        "published base s.d.": base[1],
        "published": method[0],
        "published s.d.": method[1],
        "published gain": printed.gain,
        "verdict": r.verdict,
        "grid": r.grid,
        "note": printed.note,
    }
    return row


def grids(records: Sequence[Record]) -> dict[str, str]:
    """A letter for each way eta was searched, in the order of the records: a to z, aa to zz."""
    found = dict.fromkeys(r.grid for r in records)
    return {grid: ascii_lowercase[i % 26] * (i // 26 + 1) for i, grid in enumerate(found)}


def _gain(r: Record, name: str) -> float | None:
    scores = r.scores.get(name)
    return None if scores is None else r.against(scores).difference


def claim_table(claims: Sequence[Claim]) -> pd.DataFrame:
    """The claims of a study, one per row."""
    return pd.DataFrame(
        [(c.says, c.found, c.verdict, c.rule) for c in claims],
        columns=["the paper says", "found here", "verdict", "rule"],
    )


def latex(study: Study, found: Found) -> str:
    """A booktabs table: reference and method in turn, a star where p < 0.05."""
    results: dict[str, dict[str, list[float]]] = {}
    p_values: dict[str, dict[str, float]] = {}
    for r in found.records:
        head = r.row.removesuffix(f", {r.method}")
        own = f"{head}, {r.method}" if r.method != head else head
        results.setdefault(r.column, {}).setdefault(f"{head}: {r.reference}", list(r.base))
        results[r.column][own] = list(r.tally)
        p_values.setdefault(r.column, {})[own] = r.comparison.pvalue
    table = result_table(results, p_values)  # type: ignore[arg-type]
    counts = sorted({r.n for r in found.records})
    n = f"{counts[0]}" if len(counts) == 1 else f"{counts[0]} to {counts[-1]}"
    caption = f"{study.title}. Test accuracy (%), n = {n} seeds, η chosen on validation. {RULE}"
    return table_latex(table, caption, f"tab:{study.name}")
