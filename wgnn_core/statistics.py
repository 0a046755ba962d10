"""Is the gain real? A paired comparison of two methods over the same seeds.

Seeds that share one split differ in their random numbers alone: the paired t-test. Seeds on several
splits of one graph share training and test nodes, so their gains are not independent: the corrected
resampled t-test (Nadeau and Bengio, 2003). Many comparisons in one table: Holm's correction.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy import stats

from wgnn_core.errors import WGNNError
from wgnn_core.graph import Graph

Float64Array = npt.NDArray[np.float64]

CONFIDENCE = 0.95
PAIRED, CORRECTED = "paired t-test", "corrected resampled t-test"
SIGNED_RANK = "Wilcoxon's signed-rank test"
TIE_DECIMALS = 4
"""Gains that agree to so many decimals are ties: accuracies in single precision are right to about
five, and one node of a million is 0.0001 points."""


@dataclass(frozen=True)
class Comparison:
    """Per-seed values of `base` and `other`, compared seed by seed.

    Attributes:
        n: Number of seeds.
        base_mean: Mean of the base values.
        base_std: Their sample standard deviation (ddof = 1); nan if n = 1.
        other_mean: Mean of the other values.
        other_std: Their sample standard deviation (ddof = 1); nan if n = 1.
        difference: Mean of other - base.
        low: Lower end of the 95 % Student t interval of the mean difference; nan if n = 1.
        high: Upper end of it; nan if n = 1.
        t_pvalue: Two-sided p-value of the t-test, see `t_test`. nan if n = 1 or if all differences
            are zero (the statistic is 0/0); 0 if all differences are one number other than zero.
        wilcoxon_pvalue: Two-sided p-value of the Wilcoxon signed-rank test. 1 if n = 1 or if
            all differences are zero; it can never be smaller than 2 / 2^n. It takes the gains for
            independent, which those on overlapping splits are not.
        overlap: How much the splits of the seeds have in common, see `overlap_of`; 0 where they
            share one split.
    """

    n: int
    base_mean: float
    base_std: float
    other_mean: float
    other_std: float
    difference: float
    low: float
    high: float
    t_pvalue: float
    wilcoxon_pvalue: float
    overlap: float = 0.0

    @property
    def pvalue(self) -> float:
        """The one to print: of the t-test, or of Wilcoxon's where all differences are one number.

        Two seeds that gain the same would else have p = 0, as if nothing could be surer.
        """
        return self.wilcoxon_pvalue if self.t_pvalue == 0 else self.t_pvalue

    @property
    def test(self) -> str:
        """The test that `pvalue` is of."""
        return SIGNED_RANK if self.t_pvalue == 0 else t_test(self.overlap)


def t_test(overlap: float) -> str:
    """The name of the t-test that `compare` makes."""
    return CORRECTED if overlap else PAIRED


def overlap_of(graph: Graph, seeds: Sequence[int]) -> float:
    """What overlapping splits add to 1/n in `compare`, the mean over the splits of `seeds`.

    Nadeau and Bengio take n_test / n_train: rho / (1 - rho) with rho = n_test / (n_test + n_train),
    the share of test nodes that two random splits have in common if they use all nodes. Labelled
    nodes that a split leaves out could as well have been drawn, and are counted with the training
    nodes: with 20 training nodes per class two test sets share much less. Without such nodes it is
    their ratio. 0 if the seeds share one split.
    """
    used = sorted({int(seed) % len(graph.splits) for seed in seeds})
    if len(used) < 2:
        return 0.0
    labelled = ~graph.unlabelled
    splits = [graph.splits[i] for i in used]
    return float(np.mean([s.test.sum() / (labelled & ~s.test & ~s.val).sum() for s in splits]))


def compare(base: npt.ArrayLike, other: npt.ArrayLike, overlap: float = 0.0) -> Comparison:
    """Compare two methods that were run with the same seeds, in the same order.

    With an `overlap` r the variance of the mean gain is s^2 (1/n + r) in place of s^2 / n: Nadeau
    and Bengio's correction for splits that share nodes.

    Args:
        base: One finite value per seed.
        other: One finite value per seed.
        overlap: `overlap_of` the splits where there are several, else 0.

    Raises:
        WGNNError: If the two have different lengths, are empty or hold a value not finite.
    """
    a, b = np.asarray(base, dtype=np.float64), np.asarray(other, dtype=np.float64)
    if a.ndim != 1 or a.shape != b.shape or a.size == 0:
        raise WGNNError(
            f"The values have shapes {a.shape} and {b.shape}; "
            "a paired comparison needs two lists of equal length, one value per seed."
        )
    if not np.isfinite([a, b]).all():
        bad = np.concatenate([a, b])
        raise WGNNError(f"A value is {bad[~np.isfinite(bad)][0]}; every seed needs a finite one.")
    gain = b - a
    low, high, t_pvalue = _student(gain, overlap)
    return Comparison(
        n=a.size,
        base_mean=float(a.mean()),
        base_std=_sample_std(a),
        other_mean=float(b.mean()),
        other_std=_sample_std(b),
        difference=_mean(gain),
        low=low,
        high=high,
        t_pvalue=t_pvalue,
        wilcoxon_pvalue=_wilcoxon(gain),
        overlap=overlap,
    )


def holm(pvalues: npt.ArrayLike) -> Float64Array:
    """Holm's step-down correction: p-values that may be read as if each were the only one.

    The chance that any of those below 0.05 is wrong is then at most 5 %, however they depend on
    each other. A nan is no test: it stays one and does not count.
    """
    given = np.asarray(pvalues, dtype=np.float64)
    adjusted = np.full(given.shape, np.nan)
    tested = np.flatnonzero(~np.isnan(given))
    order = tested[np.argsort(given[tested], kind="stable")]
    weighted = given[order] * (len(order) - np.arange(len(order)))
    adjusted[order] = np.minimum(np.maximum.accumulate(weighted), 1.0)
    return adjusted


def _mean(gain: Float64Array) -> float:
    """Gains that cancel are no gain and no loss, which rounding would make of them."""
    mean = float(gain.mean())
    return 0.0 if round(mean, TIE_DECIMALS) == 0 else mean


def _sample_std(values: Float64Array) -> float:
    return float(values.std(ddof=1)) if values.size > 1 else float("nan")


def _student(gain: Float64Array, overlap: float) -> tuple[float, float, float]:
    """Ends of the interval of the mean gain, and the p-value; degenerate as `Comparison` says."""
    n, mean = gain.size, _mean(gain)
    if n == 1:
        return float("nan"), float("nan"), float("nan")
    error = float(gain.std(ddof=1)) * (1 / n + overlap) ** 0.5
    tied = np.round(gain, TIE_DECIMALS)
    if np.ptp(tied) == 0:
        return mean, mean, float("nan") if tied[0] == 0 else 0.0
    half = float(stats.t.ppf((1 + CONFIDENCE) / 2, n - 1)) * error
    return mean - half, mean + half, float(2 * stats.t.sf(abs(mean) / error, n - 1))


def _wilcoxon(gain: Float64Array) -> float:
    """Exact two-sided p-value of the signed-rank test; zero gains are left out.

    `scipy.stats.wilcoxon` enumerates all 2^n signs as soon as two gains are equal, which takes
    0.1 s for ten seeds and seconds for fourteen. The null distribution of the rank sum is a
    convolution of one coin per rank, exact for any n; doubled ranks keep mid-ranks whole.
    """
    gain = np.round(gain, TIE_DECIMALS)
    gain = gain[gain != 0]
    doubled = (2 * stats.rankdata(np.abs(gain))).astype(np.int64)
    null = np.ones(1)
    for rank in doubled:
        null = np.convolve(null, np.concatenate([[0.5], np.zeros(rank - 1), [0.5]]))
    observed = int(doubled[gain > 0].sum())
    tail = min(null[: observed + 1].sum(), null[observed:].sum())
    return min(1.0, 2 * float(tail))
