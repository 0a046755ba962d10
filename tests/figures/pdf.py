"""Just enough of a PDF reader to see widths, fonts and type sizes."""

from __future__ import annotations

import re
import zlib


def streams(document: bytes) -> list[bytes]:
    """Every stream of the file, inflated where it is deflated."""
    found = []
    # deflated data may end in a carriage return of its own, so none is taken for a line end
    for raw in re.findall(rb"stream\r?\n(.*?)\nendstream", document, re.S):
        try:
            found.append(zlib.decompressobj().decompress(raw))
        except zlib.error:
            found.append(raw)
    return found


def width(document: bytes) -> float:
    """Width of the page in points."""
    box = re.search(rb"/MediaBox \[ *([\d.]+) ([\d.]+) ([\d.]+) ([\d.]+) *\]", document)
    assert box, "no MediaBox"
    return float(box[3]) - float(box[1])


def fonts(document: bytes) -> tuple[set[bytes], int, int]:
    """(subtypes of the fonts, descriptors, embedded TrueType programs)."""
    subtypes = set()
    for body in re.findall(rb"\d+ 0 obj\s*(<<.*?>>)\s*(?:stream|endobj)", document, re.S):
        if re.search(rb"/Type\s*/Font\b(?!Descriptor)", body):
            subtypes |= set(re.findall(rb"/Subtype\s*/(\w+)", body))
    descriptors = len(re.findall(rb"/Type\s*/FontDescriptor", document))
    return subtypes, descriptors, len(re.findall(rb"/FontFile2\b", document))


def type_sizes(document: bytes) -> set[float]:
    """Sizes at which text is set. matplotlib never scales text by its matrix."""
    sizes = set()
    for content in streams(document):
        if b" Tf" not in content:
            continue
        for a, b, c, d in re.findall(
            rb"([-\d.]+) ([-\d.]+) ([-\d.]+) ([-\d.]+) [-\d.]+ [-\d.]+ Tm", content
        ):
            assert abs(abs(float(a) * float(d) - float(b) * float(c)) - 1) < 1e-3
        sizes |= {float(size) for size in re.findall(rb"/\S+ ([\d.]+) Tf", content)}
    return sizes
