"""`Choices`: what the user decides about a graph that was read."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

from wgnn_core.errors import WGNNError
from wgnn_core.fields import hyper

SplitRule = Literal["given", "per-class", "shares"]
NoFeatures = Literal["degree", "identity"]


@dataclass(frozen=True)
class Choices:
    """What the user decides; the defaults take what was recognised.

    Attributes:
        label: The label column; None takes the recognised one.
        unlabelled: The label that stands for "not known"; None takes -1 where it is a third label.
        features: The feature columns; None takes every column of numbers that is neither label
            nor split nor called like a label.
        no_features: What stands in for features where there are none: one column for each
            degree that occurs, or one for each node.
        split: ``given`` by the source, ``per-class`` (so many training nodes of each class) or
            ``shares`` of the labelled nodes; None takes the given one, else ``per-class``.
        per_class: Training nodes of each class.
        val: Validation nodes of a ``per-class`` split; None takes 500, less on small graphs.
        shares: Shares of training and validation set; the test set takes the rest.
        splits: How many splits are drawn.
        normalise: Whether each row of features is scaled to sum to 1 in absolute value.
    """

    label: str | None = None
    unlabelled: str | None = None
    features: tuple[str, ...] | None = None
    no_features: NoFeatures = hyper(  # noqa: RUF009
        "degree", "one column for each degree that occurs, or one for each node",
        choices=get_args(NoFeatures), title="Instead of features",
    )  # fmt: skip
    split: SplitRule | None = None
    per_class: int = hyper(20, "training nodes of each class", 1, 1_000_000)
    val: int | None = hyper(
        None, "validation nodes; 500 if empty, less on small graphs", 1, 1_000_000,
        title="Validation nodes",
    )  # fmt: skip
    shares: tuple[float, float] = (0.6, 0.2)
    splits: int = hyper(10, "how many splits are drawn", 1, 100)
    normalise: bool = hyper(
        False, "scale each row of features to sum 1", title="Row-normalise features"
    )

    def __post_init__(self) -> None:
        if self.split is not None and self.split not in get_args(SplitRule):
            allowed = ", ".join(get_args(SplitRule))
            raise WGNNError(f"The split is {self.split!r}; choose one of {allowed}.")
        if self.no_features not in get_args(NoFeatures):
            allowed = ", ".join(get_args(NoFeatures))
            raise WGNNError(f"no_features is {self.no_features!r}; choose one of {allowed}.")
        for name in ("per_class", "splits", "val"):
            value = getattr(self, name)
            if value is not None and value < 1:
                raise WGNNError(f"{name} is {value}; it must be at least 1.")
        train, val = self.shares
        if not (0 < train < 1 and 0 < val < 1 and train + val < 1):
            raise WGNNError(
                f"The shares are {train} and {val}; both must be positive and sum to less than 1."
            )
