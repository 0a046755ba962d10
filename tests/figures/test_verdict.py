"""Sentences about a gain, each against the numbers that make it true."""

from __future__ import annotations

import re

import numpy as np
import pytest

from wgnn_core.claims import Reason
from wgnn_core.figures.text import signed
from wgnn_core.figures.verdict import gain, pvalue, tried, verdict
from wgnn_core.intervention import Intervention
from wgnn_core.statistics import compare

BASE = [80.0, 81, 82, 80, 81]
MORE = [83.0, 84, 84.5, 83, 84]
NOISE = "No difference beyond noise"


@pytest.mark.parametrize(
    ("base", "wgnn", "mean_w", "reason", "word"),
    [
        (BASE, MORE, 1.0, Reason.HOLDS, "helps"),
        (MORE, BASE, 1.0, Reason.OPPOSITE, "hurts"),
        ([80, 84, 82, 79, 81], [81, 83, 82.5, 80, 80], 1.0, Reason.NOISE, NOISE),
        ([80, 80], [82, 82], 1.0, Reason.NOISE, NOISE),  # two seeds, no spread
        ([80, 80], [80, 80], 1.0, Reason.NOISE, NOISE),
        ([80], [90], 1.0, Reason.EMPTY, "One seed"),
        ([50, 51, 52, 50, 51], MORE, 0.02, Reason.UNTRAINED, "hardly learned"),
    ],
)
def test_wgnn_helps_only_where_it_does(base, wgnn, mean_w, reason, word) -> None:
    said = verdict(base, wgnn, mean_w, 4)
    assert said.reason is reason and word in said.word
    assert ("helps" in said.word) == (reason is Reason.HOLDS)
    found = [float(n) for n in re.findall(r"[-+]?[0-9.]*[0-9]", said.numbers.replace("−", "-"))]
    wanted = [np.mean(base), np.mean(wgnn), np.mean(wgnn) - np.mean(base)]
    assert found[:3] == pytest.approx(wanted, abs=0.0051)
    c = compare(base, wgnn)
    assert (f"interval {signed(c.low)} to {signed(c.high)}" in said.numbers) == (c.low < c.high)
    assert f"{len(base)} seed" in said.numbers
    tested = reason is not Reason.UNTRAINED and len(base) > 1
    assert (pvalue(c.pvalue) in said.numbers) == tested
    assert ("Wilcoxon" in said.numbers) == (tested and c.t_pvalue == 0)


def test_a_gain_has_its_p_and_no_sign_at_zero() -> None:
    assert gain(compare(BASE, MORE)) == "+2.90 points, p < 0.001"
    assert gain(compare([80.0], [85.0])) == "+5.00 points"
    assert gain(compare([80.0, 80], [79.0, 79])) == "−1.00 points, p = 0.5"
    assert signed(-0.001) == "0.00"


def test_who_tries_several_eta_is_told_to_choose_by_validation() -> None:
    first, second = Intervention(0.8, 0.3, 0.4), Intervention(0.5, 0.3, 0.4)
    assert tried({}) == tried({first: (70.0, 71.0)}) == ""
    said = tried({first: (70.0, 79.0), second: (72.5, 71.0)})
    assert said.startswith("You have tried 2 η on this graph")
    best = f"Best validation so far: {second.text}, with 72.50 % (its test accuracy is 71.00 %)."
    assert best in said
