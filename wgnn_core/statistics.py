"""Is the gain real? A paired comparison of two methods over the same seeds."""

from __future__ import annotations

import warnings
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy import stats

from wgnn_core.errors import WGNNError

Float64Array = npt.NDArray[np.float64]

CONFIDENCE = 0.95
TIE_DECIMALS = 9
"""Gains that agree to this many decimals are equal; floats make 81.2 - 80.1 differ from 1.1."""


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
        t_pvalue: Two-sided p-value of the paired t-test. nan if n = 1 or if all differences are
            zero (the statistic is 0/0); 0 if all differences are one number other than zero.
        wilcoxon_pvalue: Two-sided p-value of the Wilcoxon signed-rank test. 1 if n = 1 or if
            all differences are zero; it can never be smaller than 2 / 2^n.
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

    @property
    def pvalue(self) -> float:
        """The one to print: of the t-test, or of Wilcoxon's where all differences are one number.

        Two seeds that gain the same would else have p = 0, as if nothing could be surer.
        """
        return self.wilcoxon_pvalue if self.t_pvalue == 0 else self.t_pvalue

    @property
    def test(self) -> str:
        """The test that `pvalue` is of."""
        return "Wilcoxon's signed-rank test" if self.t_pvalue == 0 else "paired t-test"


def compare(base: npt.ArrayLike, other: npt.ArrayLike) -> Comparison:
    """Compare two methods that were run with the same seeds, in the same order.

    Args:
        base: One finite value per seed.
        other: One finite value per seed.

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
    gain = np.round(b - a, TIE_DECIMALS)
    low, high, t_pvalue = _student(gain)
    return Comparison(
        n=a.size,
        base_mean=float(a.mean()),
        base_std=_sample_std(a),
        other_mean=float(b.mean()),
        other_std=_sample_std(b),
        difference=float(gain.mean()),
        low=low,
        high=high,
        t_pvalue=t_pvalue,
        wilcoxon_pvalue=_wilcoxon(gain),
    )


def _sample_std(values: Float64Array) -> float:
    return float(values.std(ddof=1)) if values.size > 1 else float("nan")


def _student(gain: Float64Array) -> tuple[float, float, float]:
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        # The degenerate cases are documented in Comparison; SciPy warns of each.
        warnings.simplefilter("ignore", RuntimeWarning)
        test = stats.ttest_rel(gain, np.zeros_like(gain))
        interval = test.confidence_interval(CONFIDENCE)
    return float(interval.low), float(interval.high), float(test.pvalue)


def _wilcoxon(gain: Float64Array) -> float:
    """Exact two-sided p-value of the signed-rank test; zero gains are left out.

    `scipy.stats.wilcoxon` enumerates all 2^n signs as soon as two gains are equal, which takes
    0.1 s for ten seeds and seconds for fourteen. The null distribution of the rank sum is a
    convolution of one coin per rank, exact for any n; doubled ranks keep mid-ranks whole.
    """
    gain = gain[gain != 0]
    doubled = (2 * stats.rankdata(np.abs(gain))).astype(np.int64)
    null = np.ones(1)
    for rank in doubled:
        null = np.convolve(null, np.concatenate([[0.5], np.zeros(rank - 1), [0.5]]))
    observed = int(doubled[gain > 0].sum())
    tail = min(null[: observed + 1].sum(), null[observed:].sum())
    return min(1.0, 2 * float(tail))
