"""Every graph there is: built-in ones, the nine benchmarks of the paper, the user's own.

`wgnn_core.datasets.own` reads graphs from files and objects; it is imported when needed, since it
brings pandas with it.
"""

from wgnn_core.datasets.catalogue import catalogue, names, spec
from wgnn_core.datasets.fetching import fetch
from wgnn_core.datasets.known import DatasetSpec, Imported, PaperNumbers, Parameter, RawFile
from wgnn_core.datasets.loading import load
from wgnn_core.datasets.rawfiles import FileCheck, check, data_folder, status
from wgnn_core.datasets.shelf import delete, describe, rename

__all__ = [
    "DatasetSpec",
    "FileCheck",
    "Imported",
    "PaperNumbers",
    "Parameter",
    "RawFile",
    "catalogue",
    "check",
    "data_folder",
    "delete",
    "describe",
    "fetch",
    "load",
    "names",
    "rename",
    "spec",
    "status",
]
