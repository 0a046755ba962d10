"""A graph of which every other node has no label, as a user would bring it."""

from __future__ import annotations

import numpy as np
import pandas as pd

from wgnn_core import datasets
from wgnn_core.datasets import own
from wgnn_core.graph import Graph

SIZES = {"nodes": 160, "classes": 3, "features": 6, "average_degree": 5.0}
CHOICES = own.Choices(split="shares", shares=(0.3, 0.3), splits=2)


def draft() -> own.Draft:
    whole = datasets.load("csbm", **SIZES)
    nodes = pd.DataFrame(whole.x.toarray(), columns=[f"f{j}" for j in range(whole.num_features)])
    nodes.insert(0, "id", [f"n{i}" for i in range(whole.num_nodes)])
    named = np.array(["ant", "bee", "cat"], dtype=object)[whole.y]
    named[1::2] = ""
    nodes["label"] = named
    return own.read(
        pd.DataFrame(whole.edges, columns=["source", "target"]).map("n{}".format), nodes
    )


def graph() -> Graph:
    return draft().graph(CHOICES, "half")
