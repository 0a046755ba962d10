"""What a whole table says: how many cells gain, how surely, and what choosing on test adds."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from wgnn_core.figures.text import signed
from wgnn_core.studies.records import (
    DIRECTION,
    HELPS,
    HOW_MUCH,
    LEVEL,
    NOT,
    REPRODUCED,
    UNPUBLISHED,
    Claim,
    Record,
    mean,
    with_holm,
    word,
)


def gains(records: Sequence[Record]) -> list[Claim]:
    """The table as a whole; nothing where no cell was run."""
    if not records:
        return []
    found = [record.comparison for record in records]
    corrected = [math.nan if r.holm is None else r.holm for r in with_holm(records)]
    plain = [c.pvalue for c in found]

    def count(sign: int, pvalues: Sequence[float] | None = None) -> int:
        """Cells that gain, or lose if `sign` is -1; by some p-values surely."""
        sure = [True] * len(found) if pvalues is None else [p < LEVEL for p in pvalues]
        return sum(sign * c.difference > 0 and s for c, s in zip(found, sure, strict=True))

    n, ahead, sure = len(records), count(1), count(1, plain)
    judged = [r for r in records if r.verdict != UNPUBLISHED]
    told = [
        Claim(
            "wGNN is better than its base model in every cell.",
            f"{REPRODUCED}: every cell run has a gain above 0, more than half of them with "
            f"p < {LEVEL:g}; {DIRECTION}: more than half have a gain above 0.",
            f"cells run: {n}; gain above 0: {ahead}; of these p < {LEVEL:g}: {sure}; after Holm's "
            f"correction over the table: {count(1, corrected)}. Below 0: {count(-1)}; of these "
            f"p < {LEVEL:g}: {count(-1, plain)}; after Holm's correction: {count(-1, corrected)}.",
            word(ahead == n and 2 * sure > n, 2 * ahead > n),
            HELPS,
            f"of {n} cells {ahead} gain ({sure} with p < {LEVEL:g}) and {count(-1)} lose "
            f"({count(-1, plain)} with p < {LEVEL:g})",
        )
    ]
    if judged:
        ours = float(np.mean([r.comparison.difference for r in judged]))
        chosen = float(np.mean([r.against(r.best).difference for r in judged]))
        theirs = float(np.mean([r.published.gain for r in judged if r.published.gain is not None]))
        counts = {v: sum(r.verdict == v for r in judged) for v in (REPRODUCED, DIRECTION, NOT)}
        told.append(
            Claim(
                f"The published gain is {theirs:.2f} points on average (cells run here: "
                f"{len(judged)}).",
                f"{REPRODUCED}: the mean of our gains is at least half of that; {DIRECTION}: it is "
                "above 0.",
                f"η chosen on validation gives {signed(ours)} points on average; η chosen on test, "
                f"which is not a result, {signed(chosen)}: to look at test labels adds "
                f"{signed(chosen - ours)}. Cells: "
                + ", ".join(f"{count} {verdict}" for verdict, count in counts.items())
                + ".",
                word(ours >= theirs / 2, ours > 0),
                HOW_MUCH,
                f"{signed(ours)} of the published {signed(theirs)} points on average; choosing on "
                f"test would add {signed(chosen - ours)}",
            )
        )
        told.append(_bases(judged))
    return told


def _bases(judged: Sequence[Record]) -> Claim:
    """Whether the base models are as good as the paper's."""
    short = {
        f"{r.row} on {r.column}": mean(r.base) - r.published.base[0]
        for r in judged
        if r.published.base is not None
    }
    below = {name: d for name, d in short.items() if d < -2.5}
    told = "; ".join(f"{name} {signed(d)}" for name, d in (below or short).items())
    lead = f"{len(below)} of {len(short)} are more than 2.5 points below" if below else (
        "none is more than 2.5 points below"
    )  # fmt: skip
    return Claim(
        "Base models reach the paper's accuracy.",
        f"{REPRODUCED}: none is more than 2.5 points below the printed figure.",
        f"{lead} (ours minus the paper's, in points: {told})."
        + (" Reasons, and what was tried: benchmarks/base_models.md." if below else ""),
        NOT if below else REPRODUCED,
    )
