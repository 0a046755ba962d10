from __future__ import annotations

import io
import os
import pickle

import networkx as nx
import numpy as np
import pytest

from wgnn_core import datasets
from wgnn_core.datasets.known import RawFile
from wgnn_core.datasets.rawfiles import read_checked, safe_unpickle, sha256
from wgnn_core.errors import WGNNError


def test_data_folder_is_the_variable_or_the_users_own(monkeypatch, tmp_path):
    monkeypatch.setenv("WGNN_DATA", str(tmp_path))
    assert datasets.data_folder() == tmp_path
    monkeypatch.delenv("WGNN_DATA")
    monkeypatch.setenv("WGNN_HOME", str(tmp_path / "home"))
    assert datasets.data_folder() == tmp_path / "home/raw"
    monkeypatch.delenv("WGNN_HOME")
    assert datasets.data_folder().parts[-2:] == ("wgnn-explorer", "raw")


def test_content_is_handed_on_only_if_the_checksum_matches(tmp_path, monkeypatch):
    monkeypatch.setenv("WGNN_DATA", str(tmp_path))
    file = RawFile("a/raw/b.txt", sha256(b"right"), "https://nowhere/b.txt")
    with pytest.raises(WGNNError, match=r"b\.txt is missing or cannot be read"):
        read_checked(file)
    path = tmp_path / file.path
    path.parent.mkdir(parents=True)
    path.write_bytes(b"right")
    assert read_checked(file) == b"right"
    path.write_bytes(b"wrong")
    with pytest.raises(WGNNError, match=r"b\.txt has SHA-256 .* where .* is expected"):
        read_checked(file)


class Payload:
    def __init__(self, target):
        self.target = target

    def __reduce__(self):
        return (os.mkdir, (str(self.target),))


@pytest.mark.parametrize("protocol", [0, 2, 4, 5])
def test_a_hostile_pickle_is_refused_without_effect(tmp_path, protocol):
    target = tmp_path / "owned"
    content = pickle.dumps(Payload(target), protocol)
    with pytest.raises(WGNNError, match=r"asks for (posix|nt)\.mkdir"):
        safe_unpickle(content)
    assert not target.exists()
    pickle.loads(content)
    assert target.exists(), "the payload was harmless, so the test proved nothing"


@pytest.mark.parametrize(
    "name",
    [
        b"builtins\neval",
        b"os\nsystem",
        b"numpy\nload",
        b"numpy.core.multiarray\nfromfile",
        b"builtins\ngetattr",
        b"networkx\nread_gpickle",
    ],
)
def test_only_listed_constructors_are_found(name):
    with pytest.raises(WGNNError, match="only plain arrays"):
        safe_unpickle(b"c" + name + b"\n.")


def test_a_graph_survives_the_restricted_unpickler():
    # In the files, the attribute maps are plain; what Python 2 called __builtin__ is accepted.
    graph = nx.path_graph(3)
    graph.nodes[1]["feat"] = [0.5, 1.0]
    back = safe_unpickle(pickle.dumps(graph))
    assert list(back.edges) == [(0, 1), (1, 2)] and back.nodes[1]["feat"] == [0.5, 1.0]
    assert safe_unpickle(b"c__builtin__\nlist\n)R.") == []


def test_status_and_check_follow_the_files(monkeypatch, tmp_path):
    monkeypatch.setenv("WGNN_DATA", str(tmp_path))
    assert datasets.status("digits") == "built in" and datasets.check("digits") == []
    assert datasets.status("cora") == "can be fetched"
    assert datasets.status("disease") == "incomplete", "its features cannot be fetched"
    first = tmp_path / "Cora/raw/ind.cora.x"
    first.parent.mkdir(parents=True)
    first.write_bytes(b"junk")
    assert datasets.status("cora") == "incomplete"
    states = {c.path.name: c.state for c in datasets.check("cora")}
    assert states["ind.cora.x"] == "wrong checksum" and states["ind.cora.y"] == "missing"
    assert len(states) == 8


@pytest.mark.dataset
def test_the_known_files_are_on_disk_and_right(raw_data):
    for entry in datasets.catalogue():
        if entry.name == "disease" or entry.built_in:
            continue
        assert {c.state for c in datasets.check(entry.name)} == {"ok"}, entry.name
        assert datasets.status(entry.name) == "on disk"


@pytest.mark.dataset
def test_a_flipped_byte_in_any_file_is_refused_by_name_and_nothing_is_written(
    raw_data, monkeypatch, tmp_path
):
    monkeypatch.setenv("WGNN_DATA", str(tmp_path))
    for entry in datasets.catalogue():
        for altered in entry.files:
            if altered.sha256 is None:
                continue
            for file in entry.files:
                (tmp_path / file.path).parent.mkdir(parents=True, exist_ok=True)
                (tmp_path / file.path).unlink(missing_ok=True)
                if file.sha256 is None:
                    np.savez(tmp_path / file.path, placeholder=np.zeros(1))
                else:
                    (tmp_path / file.path).symlink_to(raw_data / file.path)
            content = bytearray((raw_data / altered.path).read_bytes())
            content[len(content) // 2] ^= 1
            (tmp_path / altered.path).unlink()
            (tmp_path / altered.path).write_bytes(content)
            before = sorted(tmp_path.rglob("*"))
            with pytest.raises(WGNNError, match=altered.path.rsplit("/", 1)[1]):
                datasets.load(entry.name)
            assert sorted(tmp_path.rglob("*")) == before


def test_object_arrays_are_never_unpickled_from_npz(tmp_path):
    """What the readers of .npz rely on: numpy refuses objects when told to."""
    buffer = io.BytesIO()
    np.savez(buffer, labels=np.array([Payload(tmp_path / "owned")], dtype=object))
    buffer.seek(0)
    with np.load(buffer, allow_pickle=False) as arrays, pytest.raises(ValueError, match="pickle"):
        arrays["labels"]
    assert not (tmp_path / "owned").exists()
