"""Cora, CiteSeer and PubMed from the eight files of the Planetoid collection."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from scipy import sparse

from wgnn_core.datasets.known import DatasetSpec
from wgnn_core.datasets.unpickling import safe_unpickle
from wgnn_core.graph import Graph, Split, make_graph


def parse_planetoid(spec: DatasetSpec, files: Mapping[str, bytes]) -> Graph:
    """Put the pieces together: `allx` then `tx`, with the test rows moved to their own numbers.

    CiteSeer's test numbers have gaps (isolated nodes without features); those nodes get zero
    features and class 0 and are in no set, as in every reader of this collection. The split is
    the public one: the rows of `x`, the next 500, and the test numbers.
    """
    raw = {file.removeprefix(f"ind.{spec.name}."): files[file] for file in files}
    part = {key: safe_unpickle(raw[key]) for key in ("y", "tx", "ty", "allx", "ally", "graph")}
    test = np.array(raw["test.index"].split(), dtype=np.int64)
    known = part["allx"].shape[0]
    n = int(test.max()) + 1
    # Row k of tx belongs to node test[k]; one sparse product places them all, gaps stay empty.
    place = sparse.csr_array(
        (np.ones(len(test)), (test - known, np.arange(len(test)))), shape=(n - known, len(test))
    )
    x = sparse.vstack([sparse.csr_array(part["allx"]), place @ sparse.csr_array(part["tx"])])
    one_hot = np.vstack([part["ally"], place @ part["ty"]])
    graph = part["graph"]
    sources = np.repeat(
        np.fromiter(graph, dtype=np.int64), [len(targets) for targets in graph.values()]
    )
    targets = np.concatenate([np.array(t, dtype=np.int64) for t in graph.values()])
    node = np.arange(n)
    num_train = part["y"].shape[0]
    split = Split(
        train=node < num_train,
        val=(node >= num_train) & (node < num_train + 500),
        test=np.isin(node, test),
    )
    return make_graph(
        spec.name,
        x.tocsr(),
        np.stack([sources, targets], axis=1),
        one_hot.argmax(axis=1),
        [split],
        spec.class_names,
    )
