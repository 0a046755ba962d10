"""Does the assumption of Section 3 hold for a trained network? The smooth interpolation beside it,
as a classifier and as a ranker."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from wgnn_core.coverage import quality
from wgnn_core.graph import HIDDEN
from wgnn_core.intervention import Base
from wgnn_core.ranking import order
from wgnn_core.theory.assumption import (
    Agreement,
    harmonic_classes,
    harmonic_nonuniformity,
    nonuniformity_agreement,
)
from wgnn_core.theory.harmonic import interpolate


@dataclass(frozen=True)
class Assumption:
    """What is measured for one seed.

    Attributes:
        w: How the two kinds of w agree outside the training set.
        harmonic_accuracy: Of the class of largest f~ on the test nodes, percent.
        network_accuracy: Of the network on them, percent.
        harmonic_aurc: AURC of the network's predictions ranked by w of f~, times 1000.
        network_aurc: The same ranked by the network's own w.
        test: How many test nodes there are.
        unreached: How many of them no observed node reaches; f~ is wrong there.
    """

    w: Agreement
    harmonic_accuracy: float
    network_accuracy: float
    harmonic_aurc: float
    network_aurc: float
    test: int
    unreached: int


def assumption(base: Base, position: int) -> Assumption:
    """The comparison for the seed at `position`.

    Raises:
        WGNNError: Fewer than two nodes outside the training set can be compared.
    """
    graph = base.graph
    split = graph.split(int(base.seeds[position]))
    labels = np.where(split.train, graph.y, HIDDEN)
    weights = interpolate(graph.adjacency, labels, graph.num_classes).weights
    prob, test = base.prob[position], split.test
    right = base.predicted[position] == graph.y
    harmonic, network = harmonic_nonuniformity(weights), base.w[position]
    classes = harmonic_classes(weights)
    return Assumption(
        w=nonuniformity_agreement(weights, prob, ~split.train),
        harmonic_accuracy=100 * float((classes == graph.y)[test].mean()),
        network_accuracy=100 * float(right[test].mean()),
        harmonic_aurc=1000 * quality(right[order(harmonic, test)], [1.0]).aurc,
        network_aurc=1000 * quality(right[order(network, test)], [1.0]).aurc,
        test=int(test.sum()),
        unreached=int((classes == HIDDEN)[test].sum()),
    )
