"""Real graphs that ship inside the dependencies, so no network is ever needed for them."""

from __future__ import annotations

import networkx as nx
import numpy as np
from scipy import sparse
from sklearn.datasets import load_digits
from sklearn.neighbors import kneighbors_graph

from wgnn_core.datasets.splits import SPLIT_SEED, per_class_split
from wgnn_core.graph import Graph, make_graph

DIGITS_NEIGHBOURS = 7
CLUBS = ("Mr. Hi", "Officer")


def digits() -> Graph:
    """1797 handwritten digits; each is joined to its 7 nearest neighbours by cosine distance.

    An edge exists when either end counts the other among its nearest. Features are the 8 x 8
    pixels, scaled from 0..16 to 0..1.
    """
    images = load_digits()
    neighbours = kneighbors_graph(images.data, DIGITS_NEIGHBOURS, metric="cosine").tocoo()
    y = images.target.astype(np.int64)
    return make_graph(
        "digits",
        images.data / 16,
        np.stack([neighbours.row, neighbours.col], axis=1),
        y,
        [per_class_split(y, per_class=20, num_val=300)],
        class_names=[str(i) for i in range(10)],
    )


def karate() -> Graph:
    """Zachary's karate club: 34 members, 78 friendships, the two clubs after it broke apart.

    Members have no attributes, so features are the identity matrix. Ten splits with 2 training
    members of each club, 6 for validation and 24 for test.
    """
    club = nx.karate_club_graph()
    y = np.array([CLUBS.index(club.nodes[v]["club"]) for v in range(len(club))], dtype=np.int64)
    return make_graph(
        "karate",
        sparse.eye_array(len(club), format="csr"),
        np.array(list(club.edges), dtype=np.int64),
        y,
        [per_class_split(y, per_class=2, num_val=6, seed=SPLIT_SEED + i) for i in range(10)],
        class_names=CLUBS,
    )
