"""Section 3 written down a second time, in exact fractions and by brute force.

Nothing here is shared with the library: sets are Python sets, values are fractions.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cache, cached_property
from itertools import product

import networkx as nx
import numpy as np
from hypothesis import strategies as st
from networkx.generators.atlas import graph_atlas_g

from wgnn_core.theory.harmonic import Flow, flow_between
from wgnn_core.theory.sets import mask_of, matrix_of

Cut = tuple[Fraction, Fraction]


@dataclass(frozen=True, eq=False)
class Problem:
    """A graph on nodes 0..n-1 with poles; every component has an observed node."""

    graph: nx.Graph
    zeros: frozenset[int]
    ones: frozenset[int]

    @property
    def n(self) -> int:
        return len(self.graph)

    @property
    def adjacency(self):
        return matrix_of(np.array(list(self.graph.edges), dtype=np.int64), self.n)

    @property
    def free(self) -> list[int]:
        return [v for v in range(self.n) if v not in self.zeros | self.ones]

    def mask(self, nodes) -> np.ndarray:
        return mask_of(nodes, self.n)

    @cached_property
    def flow(self) -> Flow:
        return flow_between(self.adjacency, self.mask(self.zeros), self.mask(self.ones))

    @cached_property
    def truth(self) -> list[Fraction]:
        return exact(self.graph, {v: Fraction(int(v in self.ones)) for v in self.zeros | self.ones})

    def gap(self, upper: set[int]) -> Cut:
        """A(V_0) and A(V_1) for V_1 = upper."""
        cut = [(u, v) if v in upper else (v, u) for u, v in crossing(self.graph, upper)]
        truth = self.truth
        return sum((truth[u] for u, _ in cut), Fraction()), sum(
            (truth[v] for _, v in cut), Fraction()
        )

    def mean_gap(self, upper: set[int]) -> Fraction:
        inner, outer = self.gap(upper)
        return (outer - inner) / len(crossing(self.graph, upper))

    def current(self) -> Fraction:
        """f~ L f~, the energy, which is the effective conductance."""
        return sum(((self.truth[u] - self.truth[v]) ** 2 for u, v in self.graph.edges), Fraction())


def exact(graph: nx.Graph, given: dict[int, Fraction]) -> list[Fraction]:
    """The harmonic extension of the given values by Gaussian elimination on fractions."""
    n = len(graph)
    free = [v for v in range(n) if v not in given]
    at = {v: i for i, v in enumerate(free)}
    rows = []
    for v in free:
        row = [Fraction(0)] * (len(free) + 1)
        row[at[v]] = Fraction(graph.degree(v))
        for u in graph[v]:
            if u in at:
                row[at[u]] -= 1
            else:
                row[-1] += given[u]
        rows.append(row)
    for i in range(len(free)):
        pivot = next(r for r in range(i, len(free)) if rows[r][i])
        rows[i], rows[pivot] = rows[pivot], rows[i]
        rows[i] = [value / rows[i][i] if value else value for value in rows[i]]
        for r in range(len(free)):
            factor = rows[r][i]
            if r != i and factor:
                rows[r] = [
                    a - factor * b if b else a for a, b in zip(rows[r], rows[i], strict=True)
                ]
    return [given[v] if v in given else rows[at[v]][-1] for v in range(n)]


def crossing(graph: nx.Graph, inside) -> list[tuple[int, int]]:
    return [(u, v) for u, v in graph.edges if (u in inside) != (v in inside)]


def subsets(nodes) -> list[set[int]]:
    """One side of every cut of the nodes: the one without the last."""
    members = sorted(nodes)
    codes = range(1, 2 ** max(len(members) - 1, 0))
    return [{v for i, v in enumerate(members) if k >> i & 1} for k in codes]


def cut_sizes(graph: nx.Graph, nodes) -> list[int]:
    """The size of every cut of the subgraph induced by the nodes, in the order of `subsets`."""
    inside = [(u, v) for u, v in graph.edges if u in nodes and v in nodes]
    return [sum((u in side) != (v in side) for u, v in inside) for side in subsets(nodes)]


def expansion(graph: nx.Graph) -> tuple[Fraction, list[set[int]]]:
    """h(G) and all sets that realise it."""
    n, sides = len(graph), subsets(graph)
    ratio = [
        Fraction(size, min(len(side), n - len(side)))
        for side, size in zip(sides, cut_sizes(graph, graph), strict=True)
    ]
    h = min(ratio)
    return h, [side for side, value in zip(sides, ratio, strict=True) if value == h]


@cache
def atlas(largest: int) -> tuple[nx.Graph, ...]:
    """All connected graphs on 2 to `largest` nodes, at most 7, up to isomorphism."""
    return tuple(
        nx.convert_node_labels_to_integers(graph)
        for graph in graph_atlas_g()
        if 2 <= len(graph) <= largest and nx.is_connected(graph)
    )


def atlas_problems(largest: int, most: int | None = None) -> Iterator[Problem]:
    """Every graph of the atlas with every choice of poles, up to exchanging the two.

    With `most`, about so many choices for each graph, spread evenly and differently.
    """
    for i, graph in enumerate(atlas(largest)):
        kinds = [
            kind
            for kind in product((0, 1, None), repeat=len(graph))
            if 1 in kind and next((k for k in kind if k is not None), 1) == 0
        ]
        step = 1 if most is None else max(1, len(kinds) // most)
        for kind in kinds[i % step :: step]:
            yield Problem(graph, *(frozenset(v for v in graph if kind[v] == k) for k in (0, 1)))


def _digits(number: int, base: int, length: int) -> list[int]:
    return [number // base**i % base for i in range(length)]


@st.composite
def graphs(draw: st.DrawFn, least: int = 3, most: int = 9, connected: bool = True) -> nx.Graph:
    """A random graph; few draws, because each costs more than a solve."""
    n = draw(st.integers(least, most))
    graph = nx.empty_graph(n)
    parents = draw(st.integers(0, 10**n - 1))
    extra = draw(st.integers(0, 2 ** (n * (n - 1) // 2) - 1))
    sparse = draw(st.booleans())
    pairs = [(u, v) for u in range(n) for v in range(u + 1, n)]
    bits = [extra >> i & 1 for i in range(len(pairs))]
    if sparse:
        bits = [a & b for a, b in zip(bits, bits[3:] + bits[:3], strict=True)]
    if connected:
        digits = _digits(parents, 10, n)
        graph.add_edges_from((v, digits[v] % v) for v in range(1, n))
    graph.add_edges_from(pair for pair, bit in zip(pairs, bits, strict=True) if bit)
    return graph


@st.composite
def problems(draw: st.DrawFn, most: int = 9, connected: bool = True) -> Problem:
    """A graph with disjoint non-empty poles, and an observed node in every component."""
    graph = draw(graphs(most=most, connected=connected))
    n = len(graph)
    kinds = _digits(draw(st.integers(0, 4**n - 1)), 4, n)  # 0: O_0, 1: O_1, else not observed
    first = draw(st.integers(0, n - 1))
    second = (first + draw(st.integers(1, n - 1))) % n
    kinds[first], kinds[second] = 0, 1
    for component in nx.connected_components(graph):
        if all(kinds[v] > 1 for v in component):
            kinds[min(component)] = min(component) % 2
    return Problem(graph, *(frozenset(v for v in graph if kinds[v] == k) for k in (0, 1)))


@st.composite
def cut_problems(draw: st.DrawFn, most: int = 9) -> tuple[Problem, set[int]]:
    """A problem with V_1: O_1, and any of the nodes that are not observed."""
    problem = draw(problems(most=most))
    bits = draw(st.integers(0, 2**problem.n - 1))
    return problem, set(problem.ones) | {v for v in problem.free if bits >> v & 1}
