"""Sentences about a gain, each against the numbers that make it true."""

from __future__ import annotations

import pytest

from wgnn_core.claims import wgnn_helps
from wgnn_core.figures.verdict import gain, points, tried, verdict
from wgnn_core.intervention import Intervention
from wgnn_core.statistics import compare

BASE = [80.0, 81, 80, 82, 81]


@pytest.mark.parametrize(
    ("other", "mean_w", "words"),
    [
        ([82.0, 83, 82.5, 84, 83], 1.0, "wGNN helps here with this η: +2.10 points"),
        ([78.0, 79, 78.5, 80, 79], 1.0, "wGNN hurts here with this η: -1.90 points"),
        ([81.0, 80, 82, 81, 81], 1.0, "No difference beyond noise here with this η: +0.20 points"),
        (BASE, 1.0, "No difference beyond noise here with this η: +0.00 points"),
        ([82.0, 83, 82.5, 84, 83], 0.02, ""),
    ],
)
def test_the_verdict_follows_the_claim(other, mean_w, words) -> None:
    said = verdict(wgnn_helps(BASE, other, mean_w, 3))
    assert said.startswith(words) and bool(said) == bool(words)


def test_one_seed_says_nothing_about_noise() -> None:
    said = verdict(wgnn_helps([80.0], [85.0], 1.0, 3))
    assert said == "One seed cannot tell a difference from noise: +5.00 points of test accuracy."
    assert gain(compare([80.0], [85.0])) == "+5.00 points"


def test_a_gain_has_its_p_and_no_minus_at_zero() -> None:
    c = compare(BASE, [82.0, 83, 82.5, 84, 83])
    assert gain(c) == "+2.10 points, p < 0.001"
    assert points(-0.001) == "+0.00 points"


def test_who_tries_several_eta_is_told_to_choose_by_validation() -> None:
    first, second = Intervention(0.8, 0.3, 0.4), Intervention(0.5, 0.3, 0.4)
    assert tried({}) == tried({first: (70.0, 71.0)}) == ""
    said = tried({first: (70.0, 79.0), second: (72.5, 71.0)})
    assert said.startswith("You have tried 2 η on this graph")
    assert f"Best validation so far: {second.text}, with 72.50 % (its test accuracy is 71.00 %)."\
        in said  # fmt: skip
