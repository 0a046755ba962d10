"""`Draft`: what was understood of a source, and the graph that choices make of it."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property

from wgnn_core.datasets import shelf
from wgnn_core.datasets.features import row_normalised
from wgnn_core.datasets.known import DatasetSpec
from wgnn_core.datasets.own.caps import Caps
from wgnn_core.datasets.own.choices import Choices
from wgnn_core.datasets.own.columns import classes, guess_label, guess_splits
from wgnn_core.datasets.own.content import Change, Content, shown
from wgnn_core.datasets.own.findings import edge_changes, listed, node_changes
from wgnn_core.datasets.own.matrix import features
from wgnn_core.datasets.own.splitting import splits
from wgnn_core.errors import WGNNError
from wgnn_core.graph import Graph, make_graph


@dataclass(frozen=True, eq=False)
class Preview:
    """What a draft becomes with its choices.

    Attributes:
        graph: The graph.
        understood: Pairs (what, value): format, encoding, columns.
        changes: Everything that was done to the data.
        split_rule: The split, in words.
    """

    graph: Graph
    understood: tuple[tuple[str, str], ...]
    changes: tuple[Change, ...]
    split_rule: str


@dataclass(frozen=True, eq=False)
class Draft:
    """A source that was read. Nothing is kept until `save`."""

    content: Content
    caps: Caps = field(default_factory=Caps)

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns of the node table: what `Choices.label` and `.features` may name."""
        return tuple(str(name) for name in self.content.table.columns)

    @cached_property
    def label(self) -> str | None:
        """The recognised label column."""
        return guess_label(self.content.table)

    @cached_property
    def split_columns(self) -> tuple[str, ...]:
        """The recognised split columns."""
        return guess_splits(self.content.table)

    @property
    def split_given(self) -> bool:
        """Whether the source says which nodes train, validate and test."""
        return bool(self.content.splits or self.split_columns)

    def graph(self, choices: Choices | None = None, name: str = "draft") -> Graph:
        """The graph that the choices make."""
        return self.preview(choices, name).graph

    def save(
        self, name: str, choices: Choices | None = None, title: str = "", description: str = ""
    ) -> DatasetSpec:
        """Keep the graph in the catalogue under `name`."""
        shelf.check_free(name)
        return self.keep(self.preview(choices, name), title, description)

    def keep(self, made: Preview, title: str = "", description: str = "") -> DatasetSpec:
        """As `save`, for a preview that was shown already."""
        return shelf.put(
            made.graph,
            title=title,
            description=description,
            split_rule=made.split_rule,
            source=f"{self.content.source} ({self.content.kind})",
            changes=[change.text for change in made.changes],
        )

    def preview(self, choices: Choices | None = None, name: str = "draft") -> Preview:
        """The graph, with every change named and counted.

        Raises:
            WGNNError: A choice does not fit the data, or the data breaks a rule.
        """
        chosen, content = choices or Choices(), self.content
        drawn = max(chosen.splits, len(content.splits), len(self.split_columns))
        self.caps.check("splits", drawn, content.source)
        label = self._label(chosen)
        where = f"{content.source}: the label column {shown(label)}"
        y, names, missing = classes(content.table[label], chosen.unlabelled, self.caps, where)
        if content.class_names is not None:
            names = tuple(_class_name(content.class_names, number) for number in names)
        taken = {label, *self.split_columns}
        x, made_features, used = features(content, chosen, taken, self.caps)
        parts, rule, taken_out = splits(content, chosen, self.split_columns, y, names)
        x = row_normalised(x) if chosen.normalise else x
        graph = make_graph(name, x, content.edges, y, parts, names, content.ids)
        return Preview(
            graph,
            (
                ("format", content.kind),
                *content.understood,
                ("label", f"{label}, {len(names)} classes: {listed(names)}"),
                ("features", used + (", each row scaled to sum 1" if chosen.normalise else "")),
                ("split", rule),
            ),
            (
                *content.changes,
                *edge_changes(content),
                *node_changes(graph, missing, taken_out),
                *made_features,
            ),
            rule,
        )

    def _label(self, chosen: Choices) -> str:
        label = chosen.label if chosen.label is not None else self.label
        there = listed(self.columns) or "none"
        if label is None:
            raise WGNNError(
                f"{self.content.source}: no label column was recognised; choose one of the columns "
                f"{there}."
            )
        if label not in self.columns:
            raise WGNNError(
                f"{self.content.source} has no column {shown(label)} for the label; its columns "
                f"are {there}."
            )
        return label


def _class_name(given: tuple[str, ...], number: str) -> str:
    return given[int(number)] if number.isdecimal() and int(number) < len(given) else number
