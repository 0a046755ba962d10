"""Damage files of every format at random and import them: only `WGNNError` may come out.

    PYTHONPATH=. python benchmarks/fuzz_import.py SECONDS [FORMAT ...] [--json FILE] [--keep FOLDER]

Each format of `FORMATS` runs for SECONDS in a process of its own, so that a crash of a parser is
seen as well. What counts as a finding: an exception other than `WGNNError`, a refusal that is not
one sentence, a file that takes longer than 20 seconds, memory that runs out (3 GiB of addresses) or
a peak of more than 1 GiB, the end of the process. The first file of each finding is kept with its
traceback. Ends with 1 if there are findings.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import random
import re
import resource
import signal
import struct
import sys
import tempfile
import time
import traceback
import warnings
import zipfile
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field
from io import BytesIO
from pathlib import Path
from typing import Any

from tests.datasets.own.writers import original, write
from wgnn_core.datasets import own
from wgnn_core.errors import WGNNError

FORMATS = {
    "csv": ("csv", "semicolon", "tab", "sparse csv", "utf-16", "headerless"),
    "parquet": ("parquet",),
    "graphml": ("graphml",),
    "gexf": ("gexf",),
    "gml": ("gml",),
    "npz": ("npz gnn-benchmark", "npz heterophilous", "npz plain"),
    "pt": ("pt",),
    "zip": ("zip",),
}
"""The formats, and how `tests/datasets/own/writers.py` writes each."""

MAX_BYTES = 2**30
MAX_ADDRESSES = 3 * 2**30
MAX_SECONDS = 20
LONGEST = 4 * 2**20
WINDOW = 4096
TIMES = (1,) * 10 + (2,) * 10 + (10,) * 10 + (100,) * 5 + (10_000,)
TOKEN = re.compile(rb"[A-Za-z_]+|-?\d+(?:\.\d+)?|[^\sA-Za-z_\d]")
HUGE = (
    b"0", b"-1", b"-0.0", b"1e999", b"-1e999", b"1e308", b"nan", b"inf", b"2147483648",
    b"4294967296", b"9223372036854775807", b"9223372036854775808", b"-9223372036854775809",
    b"18446744073709551616", b"1" * 400, b"9" * 5000, b"1e-400", b"0x10", b"1_000", b"NaN", b"true",
)  # fmt: skip
WORDS = (
    b"\0", b"\xff", b"\n", b"\r", b"\r\n", b",", b";", b"\t", b"|", b'"', b"'", b"\\", b"=1+1",
    b"<", b">", b"/>", b"&amp;", b"&#0;", b"&#x110000;", b"<!DOCTYPE x>", b"<![CDATA[", b"<!--",
    b"[", b"]", b"{", b"}", b"#", b"\xef\xbb\xbf", b"\xff\xfe", b"\xfe\xff", b"\xed\xa0\x80",
    b"0:1 5:2", b"50001:1", b"-3:1", b"1:nan", b"source", b"target", b"id", b"label", b"split",
    b"node", b"edge", b"graph", b"name", b"train", b"directed 1", b"multigraph 1", b"None", b"",
)  # fmt: skip
LENGTHS = tuple(
    struct.pack(kind, number)
    for kind, numbers in {
        "<H": (0, 1, 0x7FFF, 0xFFFF),
        "<I": (0, 1, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF),
        "<Q": (0, 1, 2**31, 2**40, 2**63 - 1, 2**63, 2**64 - 1),
    }.items()
    for number in numbers
)

Damage = Callable[[bytearray, random.Random], None]


class TooSlow(BaseException):
    """Not an `Exception`: nobody on the way may take it for a fault of the file."""


def flip(data: bytearray, rng: random.Random) -> None:
    for _ in range(rng.choice((1, 1, 4, 32))):
        if data:
            data[rng.randrange(len(data))] ^= 1 << rng.randrange(8)


def truncate(data: bytearray, rng: random.Random) -> None:
    at = rng.randrange(len(data) + 1)
    data[:] = data[:at] if rng.random() < 0.7 else data[at:]


def cut(data: bytearray, rng: random.Random) -> None:
    at = rng.randrange(len(data) + 1)
    del data[at : at + rng.choice((1, 2, 8, 64, 512))]


def repeat(data: bytearray, rng: random.Random) -> None:
    at, size = rng.randrange(len(data) + 1), rng.choice((1, 8, 64, 512, 4096))
    data[at:at] = bytes(data[at : at + size]) * rng.choice(TIMES)


def splice(data: bytearray, rng: random.Random) -> None:
    """A piece of the file over another place of it."""
    size = rng.choice((2, 8, 64, 512))
    a, b = rng.randrange(len(data) + 1), rng.randrange(len(data) + 1)
    data[b : b + size] = data[a : a + size]


def insert(data: bytearray, rng: random.Random) -> None:
    at = rng.randrange(len(data) + 1)
    data[at:at] = rng.choice(WORDS + HUGE)


def noise(data: bytearray, rng: random.Random) -> None:
    at = rng.randrange(len(data) + 1)
    data[at : at + rng.choice((1, 4, 16))] = rng.randbytes(rng.choice((1, 4, 16)))


def length(data: bytearray, rng: random.Random) -> None:
    """Another number where a binary format may keep a length."""
    number = rng.choice(LENGTHS)
    ends = (min(len(data), 128), len(data))
    at = rng.randrange(max(1, rng.choice(ends)))
    data[at : at + len(number)] = number


def near_the_end(data: bytearray, rng: random.Random) -> None:
    """Another byte in the footer: of Parquet, or the directory of a zip archive."""
    if data:
        data[-rng.randrange(1, min(len(data), 600) + 1)] = rng.choice((0, 1, 127, 128, 255))


def token(data: bytearray, rng: random.Random) -> None:
    """Another word or number in the place of one, everywhere or once."""
    start = rng.randrange(len(data) + 1) - WINDOW // 2
    found = list(TOKEN.finditer(data, max(0, start), max(0, start) + WINDOW))
    if not found:
        return
    old = rng.choice(found)
    pool = HUGE if old[0].strip(b"-")[:1].isdigit() and rng.random() < 0.7 else WORDS + HUGE
    new = rng.choice(found)[0] if rng.random() < 0.3 else rng.choice(pool)
    if rng.random() < 0.1 and len(old[0]) > 1:
        data[:] = data.replace(old[0], new)[:LONGEST]
    else:
        data[old.start() : old.end()] = new


def lines(data: bytearray, rng: random.Random) -> None:
    """Lines in another order, one missing, or one many times."""
    rows = bytes(data).splitlines(keepends=True)
    if not rows:
        return
    at, kind = rng.randrange(len(rows)), rng.randrange(4)
    if kind == 0:
        rng.shuffle(rows)
    elif kind == 1:
        del rows[at]
    elif kind == 2:
        rows[at:at] = [rows[at]] * rng.choice(TIMES)
    else:
        other = rng.randrange(len(rows))
        rows[at], rows[other] = rows[other], rows[at]
    data[:] = b"".join(rows)[:LONGEST]


ANY: tuple[Damage, ...] = (flip, truncate, cut, repeat, splice, insert, noise)
BINARY: tuple[Damage, ...] = (*ANY, length, length, near_the_end, near_the_end)
TEXT: tuple[Damage, ...] = (*ANY, token, token, token, lines)


def damaged(content: bytes, rng: random.Random) -> bytes:
    """A few random changes."""
    data = bytearray(content)
    text = b"\0" not in content[:4096] or content.startswith((b"\xff\xfe", b"\xfe\xff"))
    for _ in range(rng.choice((1, 1, 2, 3, 8))):
        rng.choice(TEXT if text else BINARY)(data, rng)
        del data[LONGEST:]
    return bytes(data)


def header(content: bytes, rng: random.Random) -> bytes:
    """Another word or number in the header of a ``.npy`` member, which keeps its length."""
    if not content.startswith(b"\x93NUMPY"):
        return damaged(content, rng)
    size = struct.unpack("<H", content[8:10])[0]
    words = bytearray(content[10 : 10 + size])
    token(words, rng)
    return content[:10] + bytes(words)[:size].ljust(size) + content[10 + size :]


def inside(content: bytes, rng: random.Random) -> bytes:
    """Damage one member of a zip archive and pack it again, so that the damage gets read."""
    out = BytesIO()
    with zipfile.ZipFile(BytesIO(content)) as archive, zipfile.ZipFile(out, "w") as fresh:
        names = archive.namelist()
        chosen, kind = rng.choice(names), rng.random()
        how = zipfile.ZIP_DEFLATED if rng.random() < 0.5 else zipfile.ZIP_STORED
        for name in names:
            member = archive.read(name)
            if name == chosen and kind < 0.75:
                member = rng.choice((header, damaged))(member, rng)
            elif name == chosen and kind < 0.85:
                member = archive.read(rng.choice(names))
            elif name == chosen and kind < 0.9:
                continue
            elif name == chosen:
                name = rng.choice((name.upper(), f"x/{name}", f"../{name}", rng.choice(names), "."))
            fresh.writestr(name, member, how)
    return out.getvalue()


def victims(name: str) -> list[list[own.File]]:
    """The sound files of a format, one list for each way to write it."""
    found = []
    for kind in FORMATS[name]:
        with tempfile.TemporaryDirectory() as folder:
            paths = write(original(), kind, Path(folder))
            found.append([own.File(path.name, path.read_bytes()) for path in paths])
    return found


def one_case(sound: Sequence[own.File], rng: random.Random) -> list[own.File]:
    files = list(sound)
    for at in {rng.randrange(len(files)) for _ in range(rng.choice((1, 1, 1, 2)))}:
        content = files[at].content
        packed = content.startswith(b"PK") and rng.random() < 0.8
        with warnings.catch_warnings(action="ignore"):
            broken = (inside if packed else damaged)(content, rng)
        files[at] = own.File(files[at].name, broken)
    return files


@dataclass
class Tally:
    """What is known of a format so far; `findings` counts each kind."""

    format: str
    seed: int
    seconds: float = 0.0
    cpu_seconds: float = 0.0
    cases: int = 0
    accepted: int = 0
    refused: int = 0
    start_mib: int = 0
    peak_mib: int = 0
    slowest_seconds: float = 0.0
    findings: dict[str, int] = field(default_factory=dict)


def fault(error: BaseException) -> str:
    """What an exception is counted as; empty for a proper refusal."""
    text = str(error)
    if isinstance(error, WGNNError):
        if isinstance(error.__cause__, MemoryError):
            return "memory ran out"
        return "" if "\n" not in text and text.endswith((".", "?")) else "not one sentence"
    last = traceback.extract_tb(error.__traceback__)[-1]
    return f"{type(error).__name__} in {Path(last.filename).name}:{last.lineno}"


def peak_mib() -> int:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024


def fuzz(name: str, seconds: float, seed: int, log: Path, keep: Path) -> None:
    """Try damaged files of one format for some time; the log is written anew every second."""
    warnings.simplefilter("ignore")
    rng, sound = random.Random(seed), victims(name)
    for files in sound:  # parsers are loaded and memory is measured before addresses are limited
        own.read_files(files).preview(own.Choices(per_class=5))
    resource.setrlimit(resource.RLIMIT_AS, (MAX_ADDRESSES, MAX_ADDRESSES))
    signal.signal(signal.SIGALRM, _too_slow)
    choices = [own.Choices(per_class=5), own.Choices(split="shares", no_features="identity")]
    tally, start, written = Tally(name, seed, start_mib=peak_mib()), time.monotonic(), 0.0
    cpu = time.process_time()
    while tally.seconds < seconds:
        tried = one_case(rng.choice(sound), rng)
        for file in tried:  # where a crash finds them
            (keep / f"now-{name}-{file.name}").write_bytes(file.content)
        begun, before, seen = time.monotonic(), tally.peak_mib, None
        signal.alarm(MAX_SECONDS)
        try:
            own.read_files(tried).preview(rng.choice(choices))
        except BaseException as error:
            signal.alarm(0)
            if isinstance(error, KeyboardInterrupt | SystemExit):
                raise
            seen = error
        signal.alarm(0)
        now = time.monotonic()
        tally.cases += 1
        tally.accepted += seen is None
        tally.refused += isinstance(seen, WGNNError)
        tally.slowest_seconds = round(max(tally.slowest_seconds, now - begun), 2)
        tally.peak_mib, tally.seconds = peak_mib(), round(now - start, 1)
        tally.cpu_seconds = round(time.process_time() - cpu, 1)
        found = fault(seen) if seen else ""
        if not found and tally.peak_mib > MAX_BYTES >> 20 and tally.peak_mib > before:
            found = "more than 1 GiB"
        if found:
            _keep(keep / f"{name}-{re.sub(r'[^A-Za-z0-9]+', '-', found)}", tried, seen)
            tally.findings[found] = tally.findings.get(found, 0) + 1
        if found or now - written > 1:
            log.write_text(json.dumps(asdict(tally)), encoding="utf-8")
            written = now
    log.write_text(json.dumps(asdict(tally)), encoding="utf-8")


def _too_slow(_signal: int, _frame: object) -> None:
    raise TooSlow


def _keep(folder: Path, files: Sequence[own.File], error: BaseException | None) -> None:
    if folder.exists():
        return
    folder.mkdir(parents=True)
    for file in files:
        (folder / file.name).write_bytes(file.content)
    said = "".join(traceback.format_exception(error)) if error else "accepted"
    (folder / "traceback.txt").write_text(said, encoding="utf-8", errors="replace")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])  # type: ignore[union-attr]
    parser.add_argument("seconds", type=float)
    parser.add_argument("formats", nargs="*", metavar="format", help=", ".join(FORMATS))
    parser.add_argument("--json", type=Path, help="a file for the numbers of all formats")
    parser.add_argument("--keep", type=Path, default=Path("fuzz"), help="a folder for findings")
    asked = parser.parse_args()
    if unknown := set(asked.formats) - set(FORMATS):
        parser.error(f"no format {', '.join(sorted(unknown))}; formats are {', '.join(FORMATS)}")
    asked.keep.mkdir(parents=True, exist_ok=True)
    results: list[dict[str, Any]] = []
    for name in asked.formats or FORMATS:
        log = asked.keep / f"{name}.json"
        log.unlink(missing_ok=True)
        process = multiprocessing.get_context("spawn").Process(
            target=fuzz, args=(name, asked.seconds, time.time_ns(), log, asked.keep)
        )
        process.start()
        process.join()
        result = json.loads(log.read_text(encoding="utf-8")) if log.exists() else {"format": name}
        result.setdefault("findings", {})
        if process.exitcode:
            result["findings"][f"the process ended with {process.exitcode}"] = 1
        else:
            for left in asked.keep.glob(f"now-{name}-*"):
                left.unlink()
        print(json.dumps(result), flush=True)
        results.append(result)
        if asked.json:
            asked.json.write_text(json.dumps(results, indent=1), encoding="utf-8")
    if any(result["findings"] for result in results):
        sys.exit(1)


if __name__ == "__main__":
    main()
