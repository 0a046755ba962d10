"""Label non-uniformity for node classification (Ji et al., ICML 2023).

    import wgnn_core as wgnn

    result = wgnn.run("cora", "gcn", seeds=10)      # or a PyG Data, a networkx graph, a file
    result.table()                                  # base model and wGNN, gain, p
    result.figure("node-map").to_plotly()
    result.save("figures")

The names below are all that most programs need; each is imported when it is first used.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from wgnn_core.api import Result as Result
    from wgnn_core.api import diagnose as diagnose
    from wgnn_core.api import load as load
    from wgnn_core.api import run as run
    from wgnn_core.api import sweep as sweep
    from wgnn_core.errors import WGNNError as WGNNError
    from wgnn_core.graph import Graph as Graph
    from wgnn_core.intervention import Intervention as Intervention
    from wgnn_core.runs.store import Store as Store
    from wgnn_core.transforms import AddPseudoLabels as AddPseudoLabels
    from wgnn_core.transforms import DropBoundaryEdges as DropBoundaryEdges

__version__ = "0.2.0"
_HOMES = {
    "AddPseudoLabels": "transforms",
    "DropBoundaryEdges": "transforms",
    "Graph": "graph",
    "Intervention": "intervention",
    "Result": "api",
    "Store": "runs.store",
    "WGNNError": "errors",
    "diagnose": "api",
    "load": "api",
    "run": "api",
    "sweep": "api",
}
__all__ = ["__version__", *_HOMES]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'wgnn_core' has no attribute {name!r}")
    return getattr(import_module(f"wgnn_core.{_HOMES[name]}"), name)


def __dir__() -> list[str]:
    return sorted(__all__)
