"""From a name to a `Graph`."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from wgnn_core.datasets import shelf
from wgnn_core.datasets.builtin import digits, karate
from wgnn_core.datasets.catalogue import spec
from wgnn_core.datasets.csbm import csbm
from wgnn_core.datasets.disease_sim import disease_sim
from wgnn_core.datasets.features import row_normalised
from wgnn_core.datasets.geom_gcn import parse_filtered, parse_geom_gcn
from wgnn_core.datasets.gnn_benchmark import parse_gnn_benchmark
from wgnn_core.datasets.hgcn import parse_airport, parse_disease, parse_disease_lp
from wgnn_core.datasets.known import SPLITS, DatasetSpec, Parameter, RawFile
from wgnn_core.datasets.planetoid import parse_planetoid
from wgnn_core.datasets.rawfiles import data_folder, read_checked
from wgnn_core.datasets.splits import authors_split
from wgnn_core.errors import WGNNError
from wgnn_core.graph import UNLABELLED, Graph, make_graph

_BUILDERS: dict[str, Callable[..., Graph]] = {
    "digits": digits,
    "karate": karate,
    "csbm": csbm,
    "disease-sim": disease_sim,
}
_PARSERS: dict[str, Callable[[DatasetSpec, Mapping[str, bytes]], Graph]] = {
    "cora": parse_planetoid,
    "citeseer": parse_planetoid,
    "pubmed": parse_planetoid,
    "photo": parse_gnn_benchmark,
    "cs": parse_gnn_benchmark,
    "airport": parse_airport,
    "disease": parse_disease,
    "texas": parse_geom_gcn,
    "chameleon": parse_geom_gcn,
    "disease_lp": parse_disease_lp,
    "chameleon_filtered": parse_filtered,
    "photo_1234": parse_gnn_benchmark,
    "cs_1234": parse_gnn_benchmark,
}


def load(name: str, /, *, normalise: bool | None = None, **parameters: float) -> Graph:
    """Build or read a graph of the catalogue; the same call always gives the same graph.

    Args:
        name: A name of the catalogue, or a pinned one (`DatasetSpec.pinned`).
        normalise: Whether each row of features is scaled to sum to 1 in absolute value; None
            does what the paper's sources do for this dataset (`DatasetSpec.row_normalised`).
        **parameters: Numbers for generated graphs and random splits, see `DatasetSpec.parameters`.

    Raises:
        WGNNError: Unknown name, parameter out of range, or a raw file missing or altered.
    """
    return made(name, parameters, normalise)


def made(name: str, parameters: Mapping[str, float], normalise: bool | None = None) -> Graph:
    """As `load`; whatever the parameters are called, none is taken for something else."""
    entry = spec(name)
    values = _checked(entry, parameters)
    if entry.imported is not None:
        graph = shelf.load(entry.name)
    elif entry.built_in:
        graph = _BUILDERS[entry.name](**values)
    else:
        graph = _PARSERS[entry.name](entry, _contents(entry))
    if values.get(SPLITS.name):
        graph = _redrawn(graph, int(values[SPLITS.name]))
    wanted = entry.row_normalised if normalise is None else normalise
    graph = _row_normalised(graph) if wanted else graph
    made_so = (entry.name, tuple(sorted((name, values[name]) for name in entry.told(values))))
    return replace(graph, title=entry.title, origin=made_so if normalise is None else None)


def generated_bytes(name: str, parameters: Mapping[str, Any]) -> float:
    """About how much memory a generated graph takes; 0 for those that are read."""
    known = {parameter.name: parameter.default for parameter in spec(name).parameters}
    values: dict[str, Any] = {**known, **parameters}
    nodes = float(values.get("nodes", 0))
    # a feature is a float and an index, an edge two long numbers
    return nodes * float(8 * values.get("features", 0) + 8 * values.get("average_degree", 0))


def _contents(entry: DatasetSpec) -> dict[str, bytes]:
    folder = data_folder()
    missing = [file for file in entry.files if not (folder / file.path).is_file()]
    if missing:
        names = ", ".join(file.path for file in missing)
        raise WGNNError(
            f"The dataset {entry.name} lacks {names} in the folder {folder}; "
            f"{_advice(entry, missing)}."
        )
    return {file.path.rsplit("/", 1)[1]: read_checked(file) for file in entry.files}


def _advice(entry: DatasetSpec, missing: list[RawFile]) -> str:
    by_hand = [file for file in missing if file.sha256 is None]
    steps = []
    if len(missing) > len(by_hand):
        steps.append(f"run `python -m wgnn_core data get {entry.name}`")
    steps += [
        f"put {file.path} there by hand (published at {file.url}; never downloaded, because its "
        "checksum is not known) or use disease-sim, a simulated graph of the same size"
        for file in by_hand
    ]
    return " and ".join(steps)


def _checked(entry: DatasetSpec, given: Mapping[str, float]) -> dict[str, float]:
    known = {parameter.name: parameter for parameter in entry.parameters}
    for key in given:
        if key not in known:
            allowed = ", ".join(known) or "none"
            raise WGNNError(
                f"The dataset {entry.name} has no parameter {key!r}; it takes: {allowed}."
            )
    return {
        key: _number(entry.name, parameter, given.get(key, parameter.default))
        for key, parameter in known.items()
    }


def _number(dataset: str, parameter: Parameter, value: object) -> float:
    whole = isinstance(parameter.default, int)
    fits = (
        isinstance(value, int | float)
        and not isinstance(value, bool)
        and math.isfinite(value)
        and parameter.low <= value <= parameter.high
        and (not whole or value == int(value))
    )
    if not fits:
        kind = "a whole number" if whole else "a number"
        raise WGNNError(
            f"The parameter {parameter.name} of {dataset} is {value!r}; it must be {kind} from "
            f"{parameter.low} to {parameter.high}."
        )
    assert isinstance(value, int | float)
    return int(value) if whole else float(value)


def _redrawn(graph: Graph, count: int) -> Graph:
    """The graph with random splits; nodes without features are in none: CiteSeer's have no label
    of their own."""
    bare = np.diff(graph.x.indptr) == 0
    y = np.where(bare, UNLABELLED, graph.y)
    splits = [authors_split(y, 20, 500, 1000, seed) for seed in range(count)]
    return make_graph(
        graph.name, graph.x, graph.edges, graph.y, splits, graph.class_names, graph.node_names
    )


def _row_normalised(graph: Graph) -> Graph:
    x = row_normalised(graph.x)
    for array in (x.data, x.indices, x.indptr):
        array.flags.writeable = False
    return replace(graph, x=x)
