"""Section 3 itself, without the library: every connected graph up to 6 nodes, exact fractions.

These tests say that the statements are true as `docs/THEORY.md` words them; the other files say
that the library computes them.
"""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from itertools import combinations
from math import lcm

import networkx as nx

from tests.theory.reference import (
    Problem,
    atlas,
    atlas_problems,
    crossing,
    cut_sizes,
    expansion,
)


def whole(values: list[Fraction]) -> tuple[list[int], int]:
    """The values as whole numbers, and what 1 is among them."""
    one = lcm(*(value.denominator for value in values))
    return [int(value * one) for value in values], one


def rising(graph: nx.Graph, f: list[int], start: frozenset[int], sign: int) -> set[int]:
    """Nodes from which a strictly monotone path leads to `start`."""
    found: set[int] = set()
    for v in sorted(graph, key=lambda v: sign * f[v]):
        if v in start or any(sign * f[u] < sign * f[v] and u in found for u in graph[v]):
            found.add(v)
    return found


def components(graph: nx.Graph, inside: set[int]) -> list[set[int]]:
    found, left = [], set(inside)
    while left:
        queue = [left.pop()]
        part = set(queue)
        while queue:
            near = left.intersection(graph[queue.pop()])
            left -= near
            part |= near
            queue.extend(near)
        found.append(part)
    return found


def stays_in_one_part(counts: list[int]) -> bool:
    return 1 not in counts or set(counts[counts.index(1) :]) == {1}


def test_theorem_1_corollary_1_and_2_on_every_graph_with_every_choice_of_poles() -> None:
    tried = Counter[str]()
    for problem in atlas_problems(6):
        graph = problem.graph
        f, one = whole(problem.truth)
        levels = sorted(set(f))
        tried["problems"] += 1
        passed = rising(graph, f, problem.zeros, 1) & rising(graph, f, problem.ones, -1)
        for level in levels:  # Theorem 1
            for patch in components(graph, {v for v in graph if f[v] == level}):
                assert patch & passed
        free = [f[v] for v in problem.free]
        tried["with equal values"] += len(set(free)) < len(free)
        below = [len(components(graph, {v for v in graph if f[v] <= t})) for t in levels[:-1]]
        above = [len(components(graph, {v for v in graph if f[v] >= t})) for t in levels[:0:-1]]
        assert stays_in_one_part(below) and stays_in_one_part(above)  # Corollary 1
        check_theorem_2(problem, f, one, tried)
    assert tried["problems"] == sum((3**n - 2 * 2**n + 1) // 2 for n in map(len, atlas(6)))
    assert tried["with equal values"] > 5_000
    assert tried["pole on the boundary"] > 50_000 and tried["value 0 or 1"] > 10_000


def check_theorem_2(problem: Problem, f: list[int], one: int, tried: Counter[str]) -> None:
    """For every V_1, whatever the paper asks: the gap is the current, and at least the bound."""
    edges = list(problem.graph.edges)
    free, observed = problem.free, problem.zeros | problem.ones
    energy = sum((f[u] - f[v]) ** 2 for u, v in edges)  # the current, times one squared
    a = min((f[v] for v in free), default=one)
    b = min((one - f[v] for v in free), default=one)
    around = [sum((u in o) != (v in o) for u, v in edges) for o in (problem.zeros, problem.ones)]
    bound = max(b * around[1], a * around[0])
    tried["value 0 or 1"] += a == 0 or b == 0
    steps = [(1 << u, 1 << v, f[v] - f[u]) for u, v in edges]
    poles, start = (sum(1 << v for v in chosen) for chosen in (observed, problem.ones))
    for k in range(2 ** len(free)):
        upper = start | sum(1 << v for i, v in enumerate(free) if k >> i & 1)
        gap = ends = 0
        for u, v, step in steps:
            if (not upper & u) != (not upper & v):
                gap += step if upper & v else -step
                ends |= u | v
        assert gap * one == energy
        assert gap >= bound
        tried["pole on the boundary"] += bool(ends & poles)


def test_the_remedies_on_every_graph_with_single_poles() -> None:
    """Remark (b): more observed nodes never lower the mean gap, edges inside a side never raise
    it when dropped, edges of the boundary may do either."""
    seen = Counter[str]()
    for problem in atlas_problems(6):
        if len(problem.zeros) + len(problem.ones) > 2:
            continue
        graph = problem.graph
        joined = {v: observe(problem, v) for v in problem.free}
        smaller = {
            edge: Problem(rest, problem.zeros, problem.ones)
            for edge in graph.edges
            if nx.is_connected(rest := nx.restricted_view(graph, [], [edge]))
        }
        for upper in interior_sides(problem):
            before = problem.mean_gap(upper)
            for v, (as_zero, as_one) in joined.items():
                after = (as_one if v in upper else as_zero).mean_gap(upper)
                seen["observed"] += 1
                assert after > before
            for (u, v), after in smaller.items():
                change = after.mean_gap(upper) - before
                if (u in upper) == (v in upper):
                    seen["inside"] += 1
                    assert change <= 0
                else:
                    seen["across"] += 1
                    seen["across, lowered"] += change < 0
                    seen["across, raised"] += change > 0
    assert seen == {
        "observed": 902,
        "inside": 527,
        "across": 317,
        "across, lowered": 6,
        "across, raised": 287,
    }


def observe(problem: Problem, v: int) -> tuple[Problem, Problem]:
    return (
        Problem(problem.graph, problem.zeros | {v}, problem.ones),
        Problem(problem.graph, problem.zeros, problem.ones | {v}),
    )


def interior_sides(problem: Problem) -> list[set[int]]:
    """Every V_1 that Theorem 2 allows as the paper words it."""
    if not all(0 < problem.truth[v] < 1 for v in problem.free):
        return []
    found = []
    for k in range(len(problem.free) + 1):
        for chosen in combinations(problem.free, k):
            upper = set(problem.ones) | set(chosen)
            ends = {v for edge in crossing(problem.graph, upper) for v in edge}
            if not ends & (problem.zeros | problem.ones):
                found.append(upper)
    return found


def test_theorem_3_on_every_graph_up_to_7_nodes() -> None:
    """h <= C / c_1 always; every narrowest bottleneck cuts V' wherever C < c_0, and not always
    elsewhere; some realisers meet both U_0 and U_1, which the proof forgets."""
    seen = Counter[str]()
    for graph in atlas(7):
        nodes = set(graph)
        h, realisers = expansion(graph)
        for k in range(1, 2 ** len(graph) - 1):
            inside = {v for v in graph if k >> v & 1}
            outside = components(graph, nodes - inside)
            if len(outside) != 2:
                continue
            touched = [{u for v in part for u in graph[v]} & inside for part in outside]
            if touched[0] & touched[1]:
                continue
            seen["set-ups"] += 1
            largest = max(cut_sizes(graph, inside))
            c1 = min(len(part | near) for part, near in zip(outside, touched, strict=True))
            assert h <= Fraction(largest, c1)
            terms = [Fraction(len(crossing(graph, part)), len(part)) for part in outside]
            terms += [
                Fraction(min(cut_sizes(graph, part)), len(part))
                for part in outside
                if len(part) > 1
            ]
            missing = [s for s in realisers if not s & inside or not (nodes - s) & inside]
            below = largest < c1 * min(terms)
            seen["C < c0"] += below
            assert not (below and missing)
            seen["some realiser misses V'"] += bool(missing)
            seen["every realiser misses V'"] += missing == realisers
            seen["meets both parts"] += any(
                side & outside[0] and side & outside[1]
                for s in missing
                for side in (s, nodes - s)
                if not side & inside
            )
    assert seen == {
        "set-ups": 2858,
        "C < c0": 490,
        "some realiser misses V'": 823,
        "every realiser misses V'": 245,
        "meets both parts": 98,
    }
