from __future__ import annotations

import io
import os
import pickle
from contextlib import suppress
from pathlib import Path

import networkx as nx
import numpy as np
import pytest

from wgnn_core import datasets
from wgnn_core.datasets import rawfiles
from wgnn_core.datasets.known import RawFile
from wgnn_core.datasets.rawfiles import read_checked, sha256
from wgnn_core.datasets.unpickling import safe_unpickle
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


ARRAY = b"cnumpy.core.multiarray\n_reconstruct\n(cnumpy\nndarray\n(K\x00tC\x01btR"
FLOAT = (
    b"cnumpy\ndtype\n(X\x02\x00\x00\x00f8K\x00K\x01tR(K\x03X\x01\x00\x00\x00<NNNK\x01K\x01K\x00tb"
)


@pytest.mark.parametrize(
    "content",
    [
        b"cnetworkx.classes.graph\nGraph\n}X\x05\x00\x00\x00nodesNsb.",  # a class is given a state
        b"cnetworkx.classes.graph\nGraph\n)\x81}X\x09\x00\x00\x00__class__Nsb.",
        ARRAY + b"(K\x01(K\x05t" + FLOAT + b"\x89C\x08\x00\x00\x00\x00\x00\x00\x00\x00tb.",  # short
        ARRAY + b"(K\x01(J\xff\xff\xff\xfft" + FLOAT + b"\x89C\x00tb.",  # of a negative size
        ARRAY + b"(K\x01(K\x01t" + FLOAT.replace(b"f8", b"O8") + b"\x89C\x08" + b"a" * 8 + b"tb.",
        b"cscipy.sparse.csr\ncsr_matrix\n)\x81}b.",
        b"P1\n.",
        b"\x80\x05",
        b"(" * 5 + b".",
        b"]" + b"]a" * 3 + b"a" * 9 + b".",
        b"",
    ],
)
def test_a_made_up_pickle_is_refused_and_changes_nothing(content):
    before = dict(vars(nx.Graph))
    with pytest.raises(WGNNError):
        safe_unpickle(content)
    assert dict(vars(nx.Graph)) == before


def test_an_array_and_a_matrix_survive(tmp_path):
    array = (
        ARRAY + b"(K\x01(K\x02t" + FLOAT + b"\x89C\x10" + np.array([1.5, 2.0]).tobytes() + b"tb."
    )
    assert safe_unpickle(array).tolist() == [1.5, 2.0]


@pytest.mark.parametrize("seed", range(3))
def test_no_change_of_a_real_pickle_does_more_than_fail(seed):
    rng = np.random.default_rng(seed)
    content = pickle.dumps(nx.path_graph(30), 2)
    for _ in range(200):
        changed = bytearray(content)
        for place in rng.integers(0, len(content), 3):
            changed[place] = rng.integers(0, 256)
        with suppress(WGNNError):
            safe_unpickle(bytes(changed))


def test_a_file_of_five_gigabytes_is_refused_unread(tmp_path, monkeypatch):
    monkeypatch.setenv("WGNN_DATA", str(tmp_path))
    file = RawFile("big.bin", "0" * 64, "https://nowhere/big.bin")
    with (tmp_path / "big.bin").open("wb") as out:
        out.truncate(5 * 10**9)
    monkeypatch.setattr(Path, "read_bytes", lambda _: pytest.fail("was read"))
    with pytest.raises(WGNNError, match="has 5000000000 bytes"):
        read_checked(file)
    assert rawfiles._check_file(file).state == "wrong checksum"
