"""One figure of each kind from made-up but lifelike numbers, for the tests of this folder."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from scipy import sparse
from scipy.spatial import Delaunay

from wgnn_core.calibration import reliability
from wgnn_core.confusion import confusion_matrix
from wgnn_core.edgedrop import drop_edges
from wgnn_core.figures import (
    AccuracyCoverage,
    AssumptionClasses,
    AssumptionDistance,
    BoundaryBox,
    ClassCounts,
    ComparisonBars,
    Confusion,
    Coupling,
    Degrees,
    DepthCurve,
    EdgeDropMap,
    EtaGrid,
    Figure,
    HarmonicMap,
    LevelParts,
    NodeMap,
    NodeProbabilities,
    ReliabilityDiagram,
    RisingPath,
    TrainingCurves,
    WChange,
    WHistogram,
)
from wgnn_core.figures.polygon import place
from wgnn_core.graph import UNLABELLED, Graph, Split, make_graph
from wgnn_core.replicas.history import History
from wgnn_core.theory.harmonic import flow_between, smooth_interpolation
from wgnn_core.theory.levels import level_parts, theorem_1

CLASSES = ("theory", "neural networks", "genetic algorithms")


def whole_graph(names, nodes=240, unlabelled=0) -> Graph:
    """A ring of nodes with these classes."""
    y = np.arange(nodes) % len(names)
    y[:unlabelled] = UNLABELLED
    known = np.arange(nodes) >= unlabelled
    train, val = known & (np.arange(nodes) % 4 == 0), known & (np.arange(nodes) % 4 == 1)
    ring = np.stack([np.arange(nodes), (np.arange(nodes) + 1) % nodes], axis=1)
    split = Split(train, val, known & ~train & ~val)
    return make_graph("g", np.eye(nodes, dtype=np.float32), ring, y, [split], names)


def build(names=CLASSES, graph="Cora", nodes=240) -> dict[str, Callable[[], Figure]]:
    """Makers of one figure for each kind; every name a user could give is from the arguments."""
    rng, own = np.random.default_rng(0), np.random.default_rng(1)
    k = len(names)
    xy = rng.random((nodes, 2)).astype(np.float32) * [1.4, 1]
    triangles = Delaunay(xy).simplices
    pairs = np.unique(
        np.sort(np.concatenate([triangles[:, i] for i in ([0, 1], [1, 2], [0, 2])])), axis=0
    )
    edges = pairs[rng.random(len(pairs)) < 0.75].astype(np.int64)
    angle = np.arctan2(xy[:, 1] - 0.5, xy[:, 0] - 0.7)
    labels = ((angle + np.pi) / (2 * np.pi) * k).astype(int) % k
    same = np.abs((angle + np.pi) / (2 * np.pi) * k % 1 - 0.5) * 2  # 1 at a boundary
    w = 2 * (1 - 1 / k) * np.clip(1 - 0.7 * same + rng.normal(0, 0.08, nodes), 0.02, 1)
    correct = rng.random(nodes) < 0.35 + 0.62 * w / w.max()
    distance = np.where(rng.random(nodes) < 0.05, np.inf, np.floor(7 * (1 - same)))
    drop = drop_edges(edges, nodes, w, eta1=0.4, eta2=0.6, seed=0)
    ones, zeros = (np.zeros(nodes, bool) for _ in range(2))
    ones[np.argsort(xy[:, 0])[:4]] = True
    zeros[np.argsort(xy[:, 0])[-4:]] = True
    both = np.concatenate([edges, edges[:, ::-1]]).T
    adjacency = sparse.csr_array((np.ones(both.shape[1]), both), shape=(nodes, nodes))
    f = smooth_interpolation(adjacency, zeros, ones)
    middle = int(np.nanargmin(np.abs(f - 0.5)))
    flow = flow_between(adjacency, zeros, ones)
    rising = theorem_1(adjacency, flow, middle)
    between = {"graph": graph, "class_name": names[0]}
    alpha = np.linspace(0.05, 1, 20)

    def curves(start, end):
        noise = rng.normal(0, 0.6, (10, 1)) + rng.normal(0, 0.3, (10, 20))
        return start + (end - start) * alpha**1.5 + noise

    rank = {"M1": curves(93, 81), "M2": curves(99.5, 81)}
    layers = np.arange(2, 9)
    fall = 82 - 50 / (1 + np.exp(-(layers - 6.5) * 1.6))
    depth = {
        eta: fall + 2 * np.sqrt(eta) * layers + rng.normal(0, 1, (10, 7)) for eta in (0.0, 0.4, 0.8)
    }
    scores = {
        name: {m: 80 + 2 * i + rng.normal(0, 0.5, 10) for i, m in enumerate(("GCN", "wGNN"))}
        for name in names
    }
    models = (f"base {graph}", "wGNN")

    def confusion():
        guess = np.where(correct, labels, own.integers(0, k, nodes))
        counts = {m: confusion_matrix(labels, guess, k) for m in models}
        return Confusion.of(names, counts, graph=graph)

    def training():
        rise = 80 * (1 - np.exp(-np.arange(40) / 8)) + own.normal(0, 2, (2, 5, 40))
        rise[1, 3, 30:] = np.nan  # one seed stopped early
        curves = [History(3 - one / 30, one + 9, one).stacked() for one in rise]
        found = map(History.of_stacked, curves)
        return TrainingCurves.of(dict(zip(models, found, strict=True)), graph=graph)

    def sure():
        prob = own.dirichlet(np.ones(k), (2, nodes))
        found = {m: reliability(p, labels, bins=7) for m, p in zip(models, prob, strict=True)}
        return ReliabilityDiagram.of(found, graph=graph)

    eta12, eta0 = np.arange(1, 9) / 10, np.array([0.2, 0.4, 0.6, 0.8])
    test = 80 + 3 * np.outer(np.sqrt(eta0), np.sin(3 * eta12)) + rng.normal(0, 0.3, (4, 8))
    test[0, 5:] = np.nan
    test = test + own.normal(0, 0.4, (5, *test.shape))
    val = test - 1 + rng.normal(0, 0.2, test.shape)
    chosen = np.unravel_index(np.nanargmax(val.mean(axis=0)), val.shape[1:])
    shared = {"graph": graph, "class_names": names, "selected": w < np.sort(w)[12]}
    node_names = [f"{names[c]} {i}" for i, c in enumerate(labels)]

    close = {
        "classes": np.where(np.arange(nodes) % 40 == 0, UNLABELLED, labels),
        "predicted": np.where(correct, labels, (labels + 1) % k),
        "w": w,
        "class_names": names,
        "node_names": node_names,
        "graph": graph,
    }
    belief = rng.dirichlet(np.full(k, 0.4), (2, nodes)).astype(np.float32)
    found = place(whole_graph(names, nodes), belief[0], belief[1], np.arange(nodes), 30)

    def bars(kind, series, x_label="Class", y_label="Number of nodes"):
        text = {
            "title": f"Nodes on {graph}",
            "caption": "How many of them there are" + " in all" * 4 + ".",
        }
        rows = {name: rng.integers(20, 99, k) for name in series}  # no place on an axis
        return kind.of(names, rows, x_label=x_label, y_label=y_label, **text)

    def grid(metric):
        cell = (int(chosen[0]), int(chosen[1]))
        return EtaGrid.of(
            eta12, eta0, val, test, base_test=81.0, graph=graph, metric=metric, chosen=cell
        )

    return {
        "accuracy-coverage": lambda: AccuracyCoverage.of(
            alpha,
            rank,
            graph=graph,
            bounds={"oracle": np.minimum(100, 81 / alpha), "random": np.full(20, 81.0)},
        ),
        "node-map": lambda: NodeMap.of(
            xy, edges, w, colour="w", top=2 * (1 - 1 / k), node_names=node_names, **shared
        ),
        "node-map polygon": lambda: NodeMap.of(
            found.points,
            [],
            labels,
            colour="class",
            rows=found.rows,
            node_names=node_names,
            **shared,
        ),
        "node-map faded": lambda: NodeMap.of(
            xy, edges, w, colour="w", graph=graph, selected=w > np.sort(w)[60]
        ),
        "node-map class": lambda: NodeMap.of(
            xy, edges, labels, colour="class", node_names=node_names, **shared
        ),
        "node-map correctness": lambda: NodeMap.of(
            xy, edges, correct, colour="correctness", graph=graph
        ),
        "node-map distance": lambda: NodeMap.of(
            xy, edges, distance, colour="distance", graph=graph
        ),
        "class-counts": lambda: bars(ClassCounts, ("train", "validation", "test")),
        "degrees": lambda: bars(Degrees, ("nodes",), "Number of neighbours"),
        "node-probabilities": lambda: bars(
            NodeProbabilities, ("μ(s)",), y_label="Probability μ(s)"
        ),
        "w-change": lambda: bars(WChange, ("base", "wGNN"), "w(v), lower end of the bin"),
        "w-histogram": lambda: WHistogram.of(w, correct, graph=graph, num_classes=k),
        "boundary-box": lambda: BoundaryBox.of(w, distance, graph=graph),
        "eta-grid": lambda: grid("test"),
        "eta-grid gain": lambda: grid("gain"),
        "confusion": confusion,
        "training-curves": training,
        "reliability": sure,
        "edge-drop": lambda: EdgeDropMap.of(edges, drop, **close),
        "edge-drop difference": lambda: EdgeDropMap.of(edges, drop, **close, second="difference"),
        "edge-drop whole": lambda: EdgeDropMap.of(edges, drop, **close, xy=xy),
        "comparison-bars": lambda: ComparisonBars.of(scores),
        "depth-curve": lambda: DepthCurve.of(layers, depth, graph=graph, model=graph),
        "harmonic-map": lambda: HarmonicMap.of(
            xy,
            edges,
            f,
            zeros=zeros,
            ones=ones,
            nodes={"chosen node": np.array([middle])},
            lines={"rising path": rising.edges["path"], "dropped": edges[:5]},
            statements=[rising],
            **between,
        ),
        "harmonic-map two layers": lambda: HarmonicMap.of(
            xy, edges, f, zeros=zeros, ones=ones, steps=(0, 0.3, 1), **between
        ),
        "rising-path": lambda: RisingPath.of(
            rising.nodes["path"], f[rising.nodes["path"]], through=middle, **between
        ),
        "level-parts": lambda: LevelParts.of(*level_parts(adjacency, flow), level=0.4, **between),
        "coupling": lambda: Coupling.of(names, belief[0, 0], node=0, graph=graph),
        "assumption-classes": lambda: bars(
            AssumptionClasses, ("of the values", "of the ranks"), y_label="Correlation of nodes"
        ),
        "assumption-distance": lambda: bars(
            AssumptionDistance, ("smooth interpolation", "network"), "Hops", "Mean w(v)"
        ),
    }
