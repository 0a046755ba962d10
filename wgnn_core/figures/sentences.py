"""Sentences of captions that are true of the numbers, with the numbers: words for `claims`.

A sentence that does not hold is replaced by what does, or by nothing.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from wgnn_core.boundary import class_boundary
from wgnn_core.claims import (
    LARGE_SHARE,
    TWO_CLASS_DOUBT,
    Reason,
    untrained,
    w_misses_doubt,
    w_rises_from_boundary,
    wrong_nodes_gather_at,
    wrong_nodes_have_small_w,
)
from wgnn_core.figures.scene import Scene
from wgnn_core.figures.text import count, share, signed
from wgnn_core.graph import BoolArray, FloatArray, Graph, IntArray
from wgnn_core.nonuniformity import max_nonuniformity

Floats = npt.NDArray[np.floating]

LEAST_NODES = 10
"""Fewer nodes on one side of a comparison are counted and not compared."""


def hardly_learned(w: FloatArray, num_classes: int) -> str:
    """A warning where the model has not learned; else nothing."""
    mean, top = float(w.mean()), max_nonuniformity(num_classes)
    if not untrained(mean, num_classes):
        return ""
    return f"The model has hardly learned: its mean w is {mean:.2f} of at most {top:.2f}."


def wrong_at_boundary(graph: Graph, test: BoolArray, predicted: IntArray) -> str:
    """Whether the wrong test nodes stand on the class boundary more often than the right ones."""
    right = (predicted == graph.y)[test]
    boundary = class_boundary(graph.edges, graph.y, graph.num_nodes)[test]
    claim = wrong_nodes_gather_at(right, boundary)
    if claim.reason is Reason.EMPTY:
        if right.all():
            return "No test node is wrong."
        if not boundary.any():
            return "No test node has a neighbour of another class."
        return ""
    shares = f"{share(claim.numbers['wrong'])} against {share(claim.numbers['right'])}"
    if claim.reason is Reason.HOLDS:
        return f"Wrong test nodes stand where classes meet more often than right ones: {shares}."
    if claim.reason is Reason.OPPOSITE:
        return f"Wrong test nodes stand where classes meet less often than right ones: {shares}."
    return (
        "Wrong test nodes do not gather where classes meet: "
        f"{share(claim.numbers['wrong'])} of them stand there, and "
        f"{share(claim.numbers['right'])} of the right ones."
    )


def w_at_boundary(w: Floats, distance: Floats) -> str:
    """Whether w rises with the distance to the class boundary."""
    claim = w_rises_from_boundary(w, distance)
    if claim.reason is Reason.EMPTY:
        return "" if np.isfinite(distance).any() else "No edge joins two classes."
    on, off = int((distance == 0).sum()), int((np.isfinite(distance) & (distance > 0)).sum())
    if min(on, off) < LEAST_NODES:
        of = count(len(distance), "node")
        return f"{on:,} of {of} stand on the class boundary and {off:,} off it: too few to compare."
    numbers = claim.numbers
    means = f"mean w {numbers['boundary']:.2f} on it and {numbers['inside']:.2f} off it"
    strength = f"rank correlation {signed(numbers['correlation'])}; {means}"
    if claim.reason is Reason.HOLDS:
        return f"w rises with the distance to the class boundary ({strength})."
    if claim.reason is Reason.OPPOSITE:
        return f"w falls with the distance to the class boundary ({strength})."
    return f"w does not visibly depend on the distance to the class boundary ({strength})."


def w_tells_wrong(w: Floats, right: BoolArray) -> str:
    """Whether w is smaller on wrong nodes."""
    claim = wrong_nodes_have_small_w(w, right)
    if claim.reason is Reason.EMPTY:
        return "There is nothing to tell apart." if right.all() or not right.any() else ""
    auroc = f"a right node has the larger w in {share(100 * claim.numbers['auroc'])} of the pairs"
    means = f"mean w {claim.numbers['right']:.2f} and {claim.numbers['wrong']:.2f}"
    if claim.reason is Reason.HOLDS:
        return f"w tells right from wrong nodes: {auroc}, where chance gives 50 % ({means})."
    if claim.reason is Reason.OPPOSITE:
        return f"w is larger on the wrong nodes: {auroc}, where chance gives 50 % ({means})."
    return f"w hardly tells right from wrong nodes: {auroc}, and chance gives 50 % ({means})."


def blind_spot(prob: FloatArray, w: Floats, right: BoolArray) -> str:
    """How many nodes waver between two classes although their w is large; else nothing."""
    claim = w_misses_doubt(prob, w, right)
    number = int(claim.numbers["nodes"])
    if not number:
        return ""
    top = max_nonuniformity(prob.shape[1])
    text = (
        f"w has a blind spot: {count(number, 'test node')} cannot decide between two classes "
        f"(their two largest probabilities differ by less than {TWO_CLASS_DOUBT:g}) and yet "
        f"{'has' if number == 1 else 'have'} a w over {LARGE_SHARE * top:.2f}, half of the largest"
    )
    if claim.holds:
        wrong, others = claim.numbers["wrong"], claim.numbers["others"]
        text += f"; {share(wrong)} of them are wrong, against {share(others)} of the others with it"
    return f"{text}."


def right_share(graph: Graph, test: BoolArray, predicted: IntArray) -> str:
    accuracy = 100 * float((predicted == graph.y)[test].mean())
    return f"{accuracy:.1f} % of the {count(int(test.sum()), 'test node')} are right."


def across(graph: Graph) -> str:
    """How many edges join two classes."""
    u, v = graph.y[graph.edges].T
    known = (u >= 0) & (v >= 0)
    if not known.any():
        return "It has no edge." if graph.num_edges == 0 else ""
    crossing = share(100 * float((u != v)[known].mean()))
    which = "" if known.all() else " between nodes with a label"
    return f"{crossing} of its edges{which} join two classes."


def of_boundary(distance: Floats) -> str:
    """How many nodes stand on the boundary, and how many reach none."""
    on, none = int((distance == 0).sum()), int((~np.isfinite(distance)).sum())
    if none == len(distance):
        return "No edge joins two classes, so there is no boundary."
    verb = "has" if on == 1 else "have"
    return f"{count(on, 'node')} {verb} a neighbour of another class." + (
        f" From {none:,} no boundary can be reached (grey)." if none else ""
    )


def of_scene(scene: Scene, predicted: IntArray, w: FloatArray) -> str:
    """What is true of a map of the chosen model in its chosen colour."""
    graph, test = scene.graph, scene.split.test
    warning = hardly_learned(w, graph.num_classes)
    if warning:
        return warning
    if scene.choices.colour == "w":
        return w_at_boundary(w, scene.distance)
    if scene.choices.colour == "correctness":
        return wrong_at_boundary(graph, test, predicted)
    return right_share(graph, test, predicted)
