"""Bad base models (Section 5.4.3): GAT with 2 to 8 layers on Cora, Algorithm 1 alone."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from wgnn_core.figures.text import signed
from wgnn_core.intervention import Intervention
from wgnn_core.runs.config import RunConfig
from wgnn_core.runs.results import RunResult
from wgnn_core.studies.measures import fixed
from wgnn_core.studies.plan import QUICK_SEEDS, SEEDS, Cell, Size, Study
from wgnn_core.studies.records import DIRECTION, NOT, REPRODUCED, Claim, Record, mean, word

LAYERS = tuple(range(2, 9))
ETA0S = (0.4, 0.8)
PAPER_GAIN = 15.0
"""What eta0 = 0.4 gains at seven layers, as the paper's text says (about)."""


def cells(size: Size) -> list[Cell]:
    seeds = tuple(range(QUICK_SEEDS if size == "quick" else SEEDS))
    asked = tuple(Intervention(eta0) for eta0 in ETA0S)
    return [
        Cell(
            f"L = {layers}",
            "Cora",
            (
                RunConfig(
                    "cora",
                    model="gat",
                    hyper=(("layers", layers),),
                    seeds=seeds,
                    interventions=asked,
                ),
            ),
            partial(_measure, layers),
        )
        for layers in LAYERS
    ]


def _measure(layers: int, results: Sequence[RunResult]) -> list[Record]:
    (result,) = results
    return [
        fixed(result, one, f"L = {layers}", f"η₀ = {one.eta0:g}")
        for one in result.config.interventions
    ]


def claims(records: Sequence[Record]) -> list[Claim]:
    found = {(int(r.row[4:]), float(r.column[5:])): r for r in records}
    made = []
    depths = [layers for layers in LAYERS[:-1] if (layers, 0.4) in found]
    if depths:
        gains = {layers: found[layers, 0.4].comparison.difference for layers in depths}
        ahead = sum(gain > 0 for gain in gains.values())
        told = ", ".join(f"L = {layers}: {signed(gain)}" for layers, gain in gains.items())
        made.append(
            Claim(
                "Below eight layers wGNN1 improves the base model.",
                f"{REPRODUCED}: η₀ = 0.4 gains at every depth run; {DIRECTION}: at more than half.",
                f"it gains at {ahead} of {len(depths)} depths, in points: {told}.",
                word(ahead == len(depths), 2 * ahead > len(depths)),
            )
        )
    if (7, 0.4) in found:
        gain = found[7, 0.4].comparison.difference
        more, less = (mean(found[7, eta0].tally) for eta0 in ETA0S)
        made.append(
            Claim(
                "At seven layers η₀ = 0.4 gains about 15 points, and more than η₀ = 0.8.",
                f"{REPRODUCED}: at least half of {PAPER_GAIN:g} points, and ahead of η₀ = 0.8; "
                f"{DIRECTION}: one of the two.",
                f"{signed(gain)} points; {more:.2f} % with η₀ = 0.4, {less:.2f} % with η₀ = 0.8.",
                (NOT, DIRECTION, REPRODUCED)[(gain >= PAPER_GAIN / 2) + (more > less)],
            )
        )
    if (2, 0.4) in found:
        less, more = (mean(found[2, eta0].tally) for eta0 in ETA0S)
        made.append(
            Claim(
                "At two layers η₀ = 0.8 is better than η₀ = 0.4.",
                f"{REPRODUCED}: its mean is higher.",
                f"{more:.2f} % with η₀ = 0.8, {less:.2f} % with η₀ = 0.4.",
                REPRODUCED if more > less else NOT,
            )
        )
    return made


STUDY = Study(
    "depth",
    "Bad base models: GAT with 2 to 8 layers",
    "wGNN1 helps unless the base model is very bad; when it is bad, few added nodes are better "
    "than many.",
    cells,
    claims,
    ("Layers", "η₀"),
)
