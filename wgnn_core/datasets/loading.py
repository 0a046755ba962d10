"""From a name to a `Graph`."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import replace

from scipy import sparse
from sklearn.preprocessing import normalize

from wgnn_core.datasets.builtin import digits, karate
from wgnn_core.datasets.catalogue import DatasetSpec, Parameter, spec
from wgnn_core.datasets.csbm import csbm
from wgnn_core.datasets.disease_sim import disease_sim
from wgnn_core.datasets.planetoid import parse_planetoid
from wgnn_core.datasets.rawfiles import read_checked
from wgnn_core.errors import WGNNError
from wgnn_core.graph import Graph

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
}


def load(name: str, *, normalise: bool | None = None, **parameters: float) -> Graph:
    """Build or read a graph of the catalogue; the same call always gives the same graph.

    Args:
        name: A name of the catalogue.
        normalise: Whether each row of features is scaled to sum to 1 in absolute value; None
            does what the paper's sources do for this dataset (`DatasetSpec.row_normalised`).
        **parameters: Numbers for the generated graphs, see `DatasetSpec.parameters`.

    Raises:
        WGNNError: Unknown name, parameter out of range, or a raw file missing or altered.
    """
    entry = spec(name)
    values = _checked(entry, parameters)
    if entry.built_in:
        graph = _BUILDERS[entry.name](**values)
    else:
        graph = _PARSERS[entry.name](entry, _contents(entry))
    wanted = entry.row_normalised if normalise is None else normalise
    return _row_normalised(graph) if wanted else graph


def _contents(entry: DatasetSpec) -> dict[str, bytes]:
    return {file.path.rsplit("/", 1)[1]: read_checked(file) for file in entry.files}


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


def _row_normalised(graph: Graph) -> Graph:
    x = sparse.csr_array(normalize(graph.x, norm="l1"))
    for array in (x.data, x.indices, x.indptr):
        array.flags.writeable = False
    return replace(graph, x=x)
