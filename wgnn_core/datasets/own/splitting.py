"""The splits of a draft: given by the source, or drawn from the labelled nodes."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from wgnn_core.datasets.own.choices import Choices
from wgnn_core.datasets.own.columns import labelled_only, splits_of
from wgnn_core.datasets.own.content import Content, shown
from wgnn_core.datasets.own.findings import plural
from wgnn_core.datasets.splits import SPLIT_SEED, per_class_split, stratified_split
from wgnn_core.errors import WGNNError
from wgnn_core.graph import UNLABELLED, IntArray, Split

SMALLEST_SHARE = 3


def splits(
    content: Content,
    chosen: Choices,
    columns: Sequence[str],
    y: IntArray,
    names: tuple[str, ...],
) -> tuple[list[Split], str, int]:
    """The splits, their rule in words, and how many unlabelled nodes were taken out of them.

    Args:
        content: What was read.
        chosen: The user's choices.
        columns: The recognised split columns.
        y: Class numbers, ``[N]``.
        names: Names of the classes.
    """
    given = bool(content.splits or columns)
    rule = chosen.split or ("given" if given else "per-class")
    if rule == "given":
        if not given:
            raise WGNNError(f"{content.source} gives no split; choose per-class or shares.")
        found = list(content.splits) or splits_of(content.table, columns, content.source)
        kept, out = labelled_only(found, y != UNLABELLED)
        return kept, f"given by the source, {plural(len(kept), 'split')}", out
    _require_sizes(content.source, rule, chosen, y, names)
    draws = plural(chosen.splits, "seeded draw")
    seeds = range(SPLIT_SEED, SPLIT_SEED + chosen.splits)
    if rule == "shares":
        return _by_shares(content.source, chosen, y, seeds), f"{_shares(chosen)}, {draws}", 0
    rest = int((y != UNLABELLED).sum()) - chosen.per_class * len(names)
    num_val = chosen.val if chosen.val is not None else max(1, min(500, rest // 3))
    if rest <= num_val:
        raise WGNNError(
            f"{content.source}: {rest} labelled nodes are left after {chosen.per_class} of each "
            f"class, too few for {num_val} validation nodes and a test set; take fewer."
        )
    made = [per_class_split(y, chosen.per_class, num_val, seed=seed) for seed in seeds]
    return made, f"{chosen.per_class} per class / {num_val} / rest, {draws}", 0


def _require_sizes(
    source: str, rule: str, chosen: Choices, y: IntArray, names: tuple[str, ...]
) -> None:
    sizes = np.bincount(y[y != UNLABELLED], minlength=len(names))
    smallest = int(sizes.argmin())
    least = chosen.per_class if rule == "per-class" else SMALLEST_SHARE
    if sizes[smallest] < least:
        raise WGNNError(
            f"{source}: the class {shown(names[smallest])} has {plural(sizes[smallest], 'node')}, "
            f"but the split needs {least} of each class; choose another split or a smaller number."
        )


def _by_shares(source: str, chosen: Choices, y: IntArray, seeds: range) -> list[Split]:
    train, val = chosen.shares
    try:
        return [stratified_split(y, train, val, seed) for seed in seeds]
    except ValueError as error:
        why = " ".join(str(error).split()).rstrip(".")
        raise WGNNError(
            f"{source}: {(y != UNLABELLED).sum()} labelled nodes cannot be split by the shares "
            f"{train} and {val} ({why})."
        ) from error


def _shares(chosen: Choices) -> str:
    train, val = chosen.shares
    parts = " / ".join(f"{100 * share:g}" for share in (train, val, round(1 - train - val, 9)))
    return f"stratified {parts} %"
