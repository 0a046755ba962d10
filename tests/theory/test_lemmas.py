"""Averaging, range and linearity: residuals that are small, and that notice a wrong signal."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.theory.reference import Problem, problems
from wgnn_core.theory import lemmas
from wgnn_core.theory.dirichlet import harmonic_extension
from wgnn_core.theory.gallery import specimen
from wgnn_core.theory.harmonic import flow_between
from wgnn_core.theory.lemmas import averaging, linearity, value_range


@given(problems(connected=False))
@settings(max_examples=300)
def test_averaging_and_range_hold_and_notice_a_wrong_value(problem: Problem) -> None:
    flow = problem.flow
    assert averaging(problem.adjacency, flow).holds
    assert value_range(flow).holds
    truth = problem.truth
    for v in problem.free:  # eq. (2), exactly
        assert truth[v] * problem.graph.degree(v) == sum(truth[u] for u in problem.graph[v])
    assert all(0 <= value <= 1 for value in truth)
    if problem.free:
        v = problem.free[0]
        wrong = flow.f.copy()
        wrong[v] += 0.01
        statement = averaging(problem.adjacency, replace(flow, f=wrong))
        assert not statement.holds and statement.left.value >= 0.01 - 1e-9
        wrong[v] = 1.25
        statement = value_range(replace(flow, f=wrong))
        assert not statement.holds and statement.left.value == pytest.approx(0.25)


@given(problems(), st.integers(0, 2**32 - 1))
@settings(max_examples=300)
def test_interpolation_is_linear_and_stays_within_its_observations(
    problem: Problem, seed: int
) -> None:
    rng = np.random.default_rng(seed)
    observed = problem.mask(problem.zeros | problem.ones)
    first, second = rng.normal(size=(2, problem.n))
    factors = tuple(rng.normal(size=2))
    statement = linearity(problem.adjacency, observed, first, second, factors)
    assert statement.applies and statement.holds and statement.left.value < 1e-9
    # signals that are close on the observed nodes stay as close everywhere
    pair = np.stack([first, second], axis=1)
    x, y = harmonic_extension(problem.adjacency, observed, pair).values.T
    assert np.abs(x - y).max() <= np.abs(first - second)[observed].max() + 1e-12


def test_linearity_notices_what_is_not_linear(monkeypatch: pytest.MonkeyPatch) -> None:
    def squared(adjacency, given_, values):
        extension = harmonic_extension(adjacency, given_, values)
        return replace(extension, values=extension.values**2)

    monkeypatch.setattr(lemmas, "harmonic_extension", squared)
    path = specimen("path")
    observed = path.mask((0, 8))
    assert not linearity(path.adjacency, observed, np.arange(9.0), np.ones(9)).holds


def test_an_island_without_observed_nodes_has_no_unique_interpolation() -> None:
    island = specimen("silent-island")
    observed = island.mask(island.zeros + island.ones)
    statement = linearity(island.adjacency, observed, np.arange(5.0), np.ones(5))
    assert not statement.applies and not statement.holds
    assert statement.term("components without an observed node") == 1
    flow = flow_between(island.adjacency, island.mask(island.zeros), island.mask(island.ones))
    for checked in (averaging(island.adjacency, flow), value_range(flow)):
        assert checked.holds and [h.holds for h in checked.hypotheses] == [False]
