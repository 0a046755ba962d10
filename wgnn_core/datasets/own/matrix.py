"""The feature matrix of a draft: from columns, from a matrix, or from nothing but the graph."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse

from wgnn_core.datasets.features import degree_one_hot
from wgnn_core.datasets.own.caps import Caps
from wgnn_core.datasets.own.choices import Choices
from wgnn_core.datasets.own.columns import label_like, matrix_of
from wgnn_core.datasets.own.content import Change, Content, shown
from wgnn_core.datasets.own.findings import listed, plural
from wgnn_core.errors import WGNNError
from wgnn_core.graph import distinct

STAND_INS = {
    "degree": "the degree of each node, one column per degree",
    "identity": "one column per node",
}


def features(
    content: Content, chosen: Choices, taken: set[str], caps: Caps
) -> tuple[sparse.csr_array, list[Change], str]:
    """The matrix, what was done to make it, and what it is in words.

    Args:
        content: What was read.
        chosen: The user's choices.
        taken: The columns that are label or split.
        caps: Largest sizes.
    """
    names = [str(name) for name in content.table.columns]
    wanted = chosen.features
    if wanted is None:
        wanted = tuple(c for c in names if c not in taken and not label_like(c))
    for name in wanted:
        if name not in names or name in taken:
            kind = "label or split already" if name in taken else "not a column"
            raise WGNNError(f"{content.source}: the feature {shown(name)} is {kind}.")
    caps.check("features", len(wanted), content.source)
    caps.check("values", len(wanted) * content.num_nodes, content.source)
    blocks = [] if content.x is None else [content.x]
    columns, text, gaps = _columns(content, wanted, caps)
    if text and chosen.features is not None:
        raise WGNNError(
            f"{content.source}: the column {shown(text[0])} holds text; features are numbers."
        )
    dense = [part for part in columns.values() if not sparse.issparse(part)]
    blocks += [part for part in columns.values() if sparse.issparse(part)]
    if dense:  # one block for all dense columns: one for each would take minutes
        blocks.append(sparse.csr_array(np.hstack(dense)))
    changes = _changes([c for c in names if c not in taken and c not in columns], gaps)
    if not blocks:
        words = STAND_INS[chosen.no_features]
        said = f"There are no features: {words}, instead."
        changes.append(Change("no features", content.num_nodes, said))
        return _stand_in(content, chosen, caps), changes, words
    x = sparse.csr_array(sparse.hstack(blocks, format="csr", dtype=np.float32))
    caps.check("features", x.shape[1], content.source)
    constant = int((x.min(axis=0).toarray() == x.max(axis=0).toarray()).sum())
    if constant:
        said = f"{plural(constant, 'feature')} with one value in all nodes (kept)."
        changes.append(Change("constant features", constant, said))
    origin = [] if content.x is None else [f"a matrix of {content.x.shape[1]}"]
    origin += [listed(list(columns))] if columns else []
    return x, changes, f"{x.shape[1]}: {', '.join(origin)}"


def _columns(
    content: Content, wanted: tuple[str, ...], caps: Caps
) -> tuple[dict[str, Any], list[str], int]:
    """The columns of numbers as matrices, the names of the others, the values that were missing."""
    found: dict[str, Any] = {}
    text, missing = [], 0
    for name in wanted:
        where = f"{content.source}: the column {shown(name)}"
        part = matrix_of(content.table[name], caps, where)
        if part is None:
            text.append(name)
            continue
        if not sparse.issparse(part):
            gaps = np.isnan(part)
            missing += int(gaps.sum())
            part = np.where(gaps, 0.0, part)
        with np.errstate(over="ignore"):
            part = part.astype(np.float32)
        if not np.isfinite(part.data if sparse.issparse(part) else part).all():
            raise WGNNError(
                f"{where} holds an infinite value or one too large to compute with; features are "
                "finite numbers."
            )
        found[name] = part
    return found, text, missing


def _changes(left: list[str], gaps: int) -> list[Change]:
    changes = []
    if left:
        said = f"{plural(len(left), 'column')} not used as features: {listed(left)}."
        changes.append(Change("columns left out", len(left), said))
    if gaps:
        said = f"{plural(gaps, 'missing feature value')} set to 0."
        changes.append(Change("missing feature values", gaps, said))
    return changes


def _stand_in(content: Content, chosen: Choices, caps: Caps) -> sparse.csr_array:
    n, (u, v) = content.num_nodes, content.edges.T
    if chosen.no_features == "identity":
        caps.check("features", n, f"{content.source}: one column per node")
        return sparse.csr_array(sparse.eye_array(n, format="csr", dtype=np.float32))
    keys = distinct((np.minimum(u, v) * n + np.maximum(u, v))[u != v])
    return degree_one_hot(np.stack([keys // n, keys % n], axis=1), n)
