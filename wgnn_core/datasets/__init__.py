"""Every graph the project knows: built-in ones and the nine benchmarks of the paper."""

from wgnn_core.datasets.catalogue import (
    DatasetSpec,
    PaperNumbers,
    Parameter,
    RawFile,
    catalogue,
    spec,
)
from wgnn_core.datasets.fetching import fetch
from wgnn_core.datasets.loading import load
from wgnn_core.datasets.rawfiles import FileCheck, check, data_folder, status

__all__ = [
    "DatasetSpec",
    "FileCheck",
    "PaperNumbers",
    "Parameter",
    "RawFile",
    "catalogue",
    "check",
    "data_folder",
    "fetch",
    "load",
    "spec",
    "status",
]
