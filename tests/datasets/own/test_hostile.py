"""Hostile files of each kind: one sentence, and nothing is left behind."""

from __future__ import annotations

import io
import os
import pickle
import stat
import struct
import zipfile
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import torch
from torch_geometric.data import Data

from tests.datasets.own.writers import original, write, zipped
from wgnn_core import datasets
from wgnn_core.datasets import own
from wgnn_core.errors import WGNNError

NODES = b"id,label\n" + b"".join(b"n%d,%s\n" % (i, b"ab"[i % 2 : i % 2 + 1]) for i in range(60))
EDGES = b"source,target\nn0,n1\n"


class Evil:
    def __init__(self, trace: Path) -> None:
        self.trace = trace

    def __reduce__(self):
        return (os.mkdir, (str(self.trace),))


def pickled(trace: Path) -> np.ndarray:
    array = np.empty(1, dtype=object)
    array[0] = Evil(trace)
    return array


def npz(**arrays: np.ndarray) -> bytes:
    out = io.BytesIO()
    np.savez(out, **arrays)
    return out.getvalue()


def promised(shape: str, dtype: str = "<i8") -> bytes:
    """A .npy file whose header promises more than there is."""
    header = f"{{'descr': '{dtype}', 'fortran_order': False, 'shape': {shape}, }}".encode()
    header += b" " * (118 - len(header)) + b"\n"
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header


def saved(value: object) -> bytes:
    out = io.BytesIO()
    torch.save(value, out)
    return out.getvalue()


def linked() -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        link = zipfile.ZipInfo("edges.csv")
        link.external_attr = (stat.S_IFLNK | 0o777) << 16
        archive.writestr(link, "/etc/passwd")
    return out.getvalue()


def parquet(frame: pd.DataFrame, **how: object) -> bytes:
    out = io.BytesIO()
    pq.write_table(pa.Table.from_pandas(frame, preserve_index=False), out, **how)
    return out.getvalue()


BOMB = (
    b'<?xml version="1.0"?><!DOCTYPE x [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;&a;">]>'
    b"<graphml><graph><node id='&b;'/></graph></graphml>"
)
OUTSIDE = (
    b'<!DOCTYPE gexf SYSTEM "file:///etc/passwd"><gexf><graph><nodes><node id="a"/></nodes></graph>'
    b"</gexf>"
)
EYE = np.eye(3)
SMALL = {"edge_index": np.array([[0], [1]]), "y": np.array([0, 1, 0])}
ZEROS = b"\0" * 30_000_000


def hostile(trace: Path) -> dict[str, tuple[dict[str, bytes], str]]:
    """Files and a piece of the sentence that refuses them."""
    both = {"edges.csv": EDGES, "nodes.csv": NODES}
    return {
        "pickle in npz": (
            {"g.npz": npz(edge_index=SMALL["edge_index"], y=pickled(trace))},
            "the array 'y' holds pickled Python objects, which are never opened",
        ),
        "pickle called npz": (
            {"g.npz": pickle.dumps(Evil(trace))},
            "g.npz is a Python pickle by its first bytes, not .npz",
        ),
        "pickle in pt": ({"g.pt": saved([Evil(trace)])}, "g.pt asks for posix.mkdir"),
        "pickle in Data": (
            {"g.pt": saved(Data(y=torch.zeros(2), extra=Evil(trace)))},
            "g.pt asks for posix.mkdir",
        ),
        "old pt": (
            {"g.pt": pickle.dumps({"y": Evil(trace)}, protocol=2)},
            "g.pt is a Python pickle by its first bytes",
        ),
        "zip slip": (
            {"g.zip": zipped({"../edges.csv": EDGES, "nodes.csv": NODES})},
            "g.zip has the member '../edges.csv', which leads out of the archive",
        ),
        "absolute zip slip": (
            {"g.zip": zipped({"/tmp/edges.csv": EDGES, "nodes.csv": NODES})},
            "which leads out of the archive",
        ),
        "slip in npz": ({"g.npz": zipped({"..\\y.npy": b""})}, "which leads out of the archive"),
        "nameless member in zip": (
            {"g.zip": zipped({"edges.csv": EDGES, "nod.csv": NODES}).replace(b"nod.", b"\0od.")},
            "g.zip has a member without a name",
        ),
        "link in zip": ({"g.zip": linked()}, "the member 'edges.csv', which is a link"),
        "zip bomb": (
            {"g.zip": zipped({"edges.csv": ZEROS, "nodes.csv": NODES})},
            "bytes; the cap on bytes is 20000000",
        ),
        "npz bomb": (
            {"g.npz": zipped({"y.npy": promised("(3750000,)") + ZEROS})},
            "bytes; the cap on bytes is 20000000",
        ),
        "entity bomb": ({"g.graphml": BOMB}, "g.graphml declares a document type"),
        "entity bomb in utf-16": (
            {"g.graphml": BOMB.decode().replace("?>", " encoding='utf-16'?>").encode("utf-16")},
            "g.graphml declares a document type",
        ),
        "external entity": ({"g.gexf": OUTSIDE}, "g.gexf declares a document type"),
        "promise of 10^9 nodes in npz": (
            {"g.npz": zipped({"y.npy": promised("(1000000000,)"), "edge_index.npy": b""})},
            "the array 'y' has 1000000000 nodes; the cap on nodes is 1000000",
        ),
        "promise of 10^9 features in npz": (
            {"g.npz": zipped({"x.npy": promised("(1, 1000000000)", "<f4")})},
            "the array 'x' has 1000000000 features; the cap on features is 50000",
        ),
        "promise of 10^9 nodes in a shape": (
            {
                "g.npz": npz(
                    adj_data=EYE[0], adj_indices=np.arange(3), adj_indptr=np.arange(4),
                    adj_shape=np.array([10**9, 10**9]), labels=np.arange(3),
                )
            },
            "adj_shape has 1000000000 nodes; the cap on nodes is 1000000",
        ),
        "promise of 10^9 nodes in pt": (
            {"g.pt": saved({"edge_index": torch.zeros(2, 1).long(),
                            "y": torch.zeros(1).long().expand(10**9)})},
            "y has 1000000000 nodes; the cap on nodes is 1000000",
        ),
        "promise of 10^9 features in a column": (
            both | {"nodes.csv": NODES.replace(b"\n", b",9:1\n") + b"m,a,999999999:1\n"},
            "has 1000000000 features; the cap on features is 50000",
        ),
        "indices outside of a sparse matrix": (
            {
                "g.npz": npz(
                    adj_data=EYE[0], adj_indices=np.array([0, 1, 10**6]), adj_indptr=np.arange(4),
                    adj_shape=np.array([3, 3]), labels=np.arange(3),
                )
            },
            "g.npz: adj is no sparse matrix: its columns are 0 to 2",
        ),
        "pointers that lead out of a sparse matrix": (  # SciPy's check lets them pass, and crashes
            {
                "g.npz": npz(
                    adj_data=EYE[0][:0], adj_indices=np.arange(0),
                    adj_indptr=np.array([0, 10**9, 0, 0]), adj_shape=np.array([3, 3]),
                    labels=np.arange(3),
                )
            },
            "g.npz: adj is no sparse matrix: indptr must rise from 0 to 0 over 3 rows",
        ),
        "a sparse tensor with an index outside": (
            {
                "g.pt": saved({
                    "edge_index": torch.zeros(2, 1).long(), "y": torch.arange(3),
                    "x": torch.sparse_coo_tensor(
                        torch.tensor([[0], [9**9]]), torch.ones(1), (3, 3), check_invariants=False
                    ),
                })
            },
            "g.pt",
        ),
        "a list of any length in parquet": (
            {
                "edges.csv": EDGES,
                "nodes.parquet": parquet(
                    pd.DataFrame({"id": ["n0", "n1"], "x": [[0.0] * 5_000_000] * 2})
                ),
            },
            "no label column was recognised",
        ),
        "one long text a million times in parquet": (
            {
                "edges.csv": EDGES,
                "nodes.parquet": parquet(
                    pd.DataFrame({"id": np.arange(5000), "label": ["x" * 5000] * 5000})
                ),
            },
            "bytes; the cap on bytes is 20000000",
        ),
        "records in the place of features": (
            {"g.npz": npz(**SMALL, x=np.zeros((3, 2), dtype=[("f0", "<f4")]))},
            "g.npz: the features have shape (3, 2) of [('f0', '<f4')]",
        ),
        "text in parquet that is no UTF-8": (
            {"edges.csv": EDGES, "nodes.parquet": parquet(
                pd.DataFrame({"id": [f"id-{i}" for i in range(9)], "label": list("abcabcabc")}),
                compression="none",
            ).replace(b"id-5", b"id\xff5")},
            "nodes.parquet cannot be read as Parquet",
        ),
        "text that is no Unicode in npz": (
            {"g.npz": npz(**SMALL, node_names=np.array([0x7FFFFFFF] * 3, dtype="<u4").view("<U1"))},
            "g.npz: the array 'node_names' holds text that is not Unicode",
        ),
        "NUL bytes": (
            both | {"edges.csv": b"source,target\nn0,\0n1\n"},
            "edges.csv holds a NUL byte at character 17",
        ),
        "NUL bytes in GML": ({"g.gml": b"graph [\0]"}, "g.gml holds a NUL byte at character 7"),
        "wrong encoding": (
            both | {"nodes.csv": b"id,label\nn\x81,a\n"},
            "nodes.csv is not text in utf-8 or cp1252 (byte 10 does not fit)",
        ),
        "utf-16 without mark": (
            both | {"nodes.csv": NODES.decode().encode("utf-16-le")},
            "nodes.csv holds a NUL byte",
        ),
        "formula in an id": (
            both | {"nodes.csv": NODES + b"=cmd|' /C calc'!A0,a\n"},
            "holds a spreadsheet formula, which is never imported",
        ),
        "formula in a class": (
            both | {"nodes.csv": NODES.replace(b",a", b",@SUM(A1)")},
            "the class name '@SUM(A1)' holds a spreadsheet formula",
        ),
        "deep XML": (
            {"g.graphml": b"<graphml>" + b"<graph>" * 60 + b"</graph>" * 60 + b"</graphml>"},
            "g.graphml nests elements deeper than 50 levels",
        ),
        "deep GML": ({"g.gml": b"graph [" + b" a [" * 5000}, "g.gml cannot be read as GML"),
        "control characters": (
            both | {"nodes.csv": NODES + b"\"a\x1b[31m\",a\n"},
            "holds a control character",
        ),
    }  # fmt: skip


CASES = list(hostile(Path("unused")))
LIMITS = own.Caps(bytes=20_000_000)


def everything(folder: Path) -> list[Path]:
    return sorted(folder.rglob("*"))


@pytest.mark.parametrize("case", CASES)
def test_hostile_files_are_refused_and_leave_no_trace(case, tmp_path, home):
    files, message = hostile(tmp_path / "trace")[case]
    before = everything(tmp_path)
    with pytest.raises(WGNNError) as seen:
        own.read_files([own.File(n, c) for n, c in files.items()], caps=LIMITS).save("mine")
    assert message in str(seen.value)
    assert str(seen.value).count("\n") == 0
    assert everything(tmp_path) == before
    assert "mine" not in datasets.names()


def test_torch_keeps_its_own_list_of_safe_classes(tmp_path):
    before = set(torch.serialization.get_safe_globals())
    assert Data in before  # PyG put it there
    own.read(*write(original(), "pt", tmp_path))
    assert set(torch.serialization.get_safe_globals()) == before


def test_the_trap_works(tmp_path):
    """The hostile pickle does leave a trace where it is unpickled."""
    pickle.loads(pickle.dumps(Evil(tmp_path / "trace")))
    assert (tmp_path / "trace").is_dir()


@pytest.mark.parametrize(
    ("cap", "kind", "message"),
    [
        ("nodes=59", "csv", "nodes.csv has 60 nodes; the cap on nodes is 59"),
        ("nodes=59", "parquet", "nodes.parquet has 60 nodes; the cap on nodes is 59"),
        ("nodes=59", "graphml", "graph.graphml has 60 nodes; the cap on nodes is 59"),
        ("nodes=59", "gml", "graph.gml has 60 nodes; the cap on nodes is 59"),
        ("nodes=59", "pt", "graph.pt: x has 60 nodes; the cap on nodes is 59"),
        ("edges=100", "csv", "edges.csv has 140 edges; the cap on edges is 100"),
        ("edges=100", "gexf", "graph.gexf has 101 edges; the cap on edges is 100"),
        ("edges=100", "npz plain", "the array 'edge_index' has 280 edges; the cap on edges is 100"),
        ("features=3", "npz plain", "the array 'x' has 4 features; the cap on features is 3"),
        ("features=3", "zip", "nodes.csv has 7 features; the cap on features is 3"),
        ("classes=2", "csv", "the label column 'label' has 3 classes; the cap on classes is 2"),
        ("bytes=100", "csv", "bytes; the cap on bytes is 100"),
        ("bytes=100", "zip", "bytes; the cap on bytes is 100"),
        ("values=100", "parquet", "values; the cap on values is 100"),
        ("text=3", "csv", "column name 1 has 5 characters in a name; the cap on text is 3"),
        ("splits=5", "csv", "has 10 splits; the cap on splits is 5"),
    ],
)  # fmt: skip
def test_a_cap_is_named_with_the_value(cap, kind, message, tmp_path, monkeypatch):
    monkeypatch.setenv("WGNN_CAPS", cap)
    with pytest.raises(WGNNError) as seen:
        own.read(*write(original(), kind, tmp_path)).preview()
    assert message in str(seen.value)
    assert str(seen.value).endswith(" (WGNN_CAPS raises it).")


@pytest.mark.parametrize("text", ["nodes", "nodes=x", "knots=5", "nodes=-5", "nodes=0"])
def test_caps_that_make_no_sense_are_refused(text):
    with pytest.raises(WGNNError, match=r"cap"):
        own.Caps().with_text(text)
