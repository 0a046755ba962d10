"""Damage files of every format at random and import them: only `WGNNError` may come out.

    PYTHONPATH=. python benchmarks/fuzz_import.py [seconds per format] [format ...]

Prints, for each format, how many files were tried, accepted and refused, and the peak of memory.
Ends with 1 where a file raises another exception or takes long, and keeps that file in the current
folder.
Each format runs in a process of its own, so that a crash of a parser is seen as well.
"""

from __future__ import annotations

import multiprocessing
import random
import resource
import sys
import tempfile
import time
import traceback
import warnings
import zipfile
from io import BytesIO
from pathlib import Path

from tests.datasets.own.writers import FORMATS, original, write
from wgnn_core.datasets import own
from wgnn_core.errors import WGNNError

SECONDS = 60.0
MAX_GIB = 1.0
MAX_SECONDS = 10.0
WORDS = (
    b"\0", b"\xff", b"\n", b"\r", b",", b";", b"\t", b'"', b"'", b"nan", b"inf", b"-1", b"1e999",
    b"99999999999999999999", b"=1+1", b"<", b">", b"&amp;", b"<!DOCTYPE x>", b"[", b"]", b"{", b"}",
    b"\xef\xbb\xbf", b"\xff\xfe", b"0:1 5:2", b"true", b"source", b"id", b"label", b"node", b"edge",
)  # fmt: skip


def damaged(content: bytes, rng: random.Random) -> bytes:
    """A few random cuts, copies, flips and insertions."""
    data = bytearray(content)
    for _ in range(rng.choice((1, 1, 2, 4, 16))):
        at, size = rng.randrange(len(data) + 1), rng.choice((1, 2, 8, 64, 512))
        kind = rng.randrange(5)
        if kind == 0:
            del data[at : at + size]
        elif kind == 1:
            data[at:at] = data[at : at + size]
        elif kind == 2 and data:
            data[at % len(data)] ^= 1 << rng.randrange(8)
        elif kind == 3:
            data[at:at] = rng.choice(WORDS)
        else:
            data[at : at + size] = rng.randbytes(min(size, 8))
    return bytes(data)


def inside(content: bytes, rng: random.Random) -> bytes:
    """Damage one member of a zip archive and pack it again, so that the damage gets read."""
    out = BytesIO()
    with zipfile.ZipFile(BytesIO(content)) as archive, zipfile.ZipFile(out, "w") as fresh:
        chosen = rng.choice(archive.namelist())
        for name in archive.namelist():
            member = archive.read(name)
            fresh.writestr(name, damaged(member, rng) if name == chosen else member)
    return out.getvalue()


def fuzz(kind: str, seconds: float, seed: int) -> None:
    warnings.simplefilter("ignore")
    rng = random.Random(seed)
    with tempfile.TemporaryDirectory() as folder:
        files = [own.File(p.name, p.read_bytes()) for p in write(original(), kind, Path(folder))]
    choices = [own.Choices(per_class=5), own.Choices(split="shares", no_features="identity")]
    start, accepted, refused, slowest = time.monotonic(), 0, 0, 0.0
    while time.monotonic() - start < seconds:
        victim = rng.randrange(len(files))
        content = files[victim].content
        packed = content.startswith(b"PK") and rng.random() < 0.8
        broken = own.File(files[victim].name, (inside if packed else damaged)(content, rng))
        tried = [broken if i == victim else file for i, file in enumerate(files)]
        begun = time.monotonic()
        try:
            own.read_files(tried, caps=own.Caps()).preview(rng.choice(choices))
            accepted += 1
        except WGNNError as error:
            refused += 1
            if "\n" in str(error) or not str(error).endswith((".", "?")):
                sys.exit(f"{kind}: not one sentence: {error!r}")
        except Exception:
            traceback.print_exc()
            Path(f"fuzz-{broken.name}").write_bytes(broken.content)
            sys.exit(f"{kind}: fuzz-{broken.name} raises something else")
        slowest = max(slowest, time.monotonic() - begun)
        if slowest > MAX_SECONDS:
            Path(f"fuzz-{broken.name}").write_bytes(broken.content)
            sys.exit(f"{kind}: fuzz-{broken.name} takes {slowest:.0f} s")
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    print(
        f"{kind}: {accepted + refused} files, {accepted} accepted, {refused} refused, "
        f"{peak:.2f} GiB, at most {slowest:.1f} s",
        flush=True,
    )
    if peak > MAX_GIB:
        sys.exit(f"{kind}: more than {MAX_GIB} GiB")


def main() -> None:
    seconds = float(sys.argv[1]) if len(sys.argv) > 1 else SECONDS
    failed = []
    for kind in sys.argv[2:] or FORMATS:
        process = multiprocessing.get_context("spawn").Process(
            target=fuzz, args=(kind, seconds, time.time_ns())
        )
        process.start()
        process.join()
        if process.exitcode:
            failed.append(f"{kind} ({process.exitcode})")
    if failed:
        sys.exit(f"failed: {', '.join(failed)}")


if __name__ == "__main__":
    main()
