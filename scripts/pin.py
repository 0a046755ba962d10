"""Write constraints.txt: the version of every package that `ASKED` leads to.

Versions alone, as they are installed here: an index may have another file of the same version.
Run it in a new environment after a change of a pin: `make pins`.
"""

from __future__ import annotations

from importlib.metadata import distribution
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from packaging.version import Version

ROOT = Path(__file__).resolve().parents[1]
FILE = ROOT / "constraints.txt"
ASKED = ("requirements-dev.txt", "requirements-docs.txt")


def wanted(file: Path) -> list[Requirement]:
    """The requirements of a file and of those it names."""
    found = []
    for line in file.read_text(encoding="utf-8").splitlines():
        if line.startswith("-r "):
            found += wanted(file.parent / line[3:].strip())
        elif line.strip() and not line.startswith("#"):
            found.append(Requirement(line))
    return found


def closure(asked: list[Requirement]) -> dict[str, str]:
    """Name and version of every package that the asked ones need here, extras included."""
    seen: dict[str, set[str]] = {}
    versions: dict[str, str] = {}
    waiting = list(asked)
    while waiting:
        one = waiting.pop()
        name = canonicalize_name(one.name)
        extras = {"", *one.extras}
        if name in seen and extras <= seen[name]:
            continue
        seen[name] = seen.get(name, set()) | extras
        found = distribution(name)
        versions[name] = Version(found.version).public
        waiting += [
            need
            for need in map(Requirement, found.requires or ())
            if need.marker is None or any(need.marker.evaluate({"extra": e}) for e in extras)
        ]
    return versions


def main() -> None:
    found = closure([one for name in ASKED for one in wanted(ROOT / name)])
    head = f"# Made by `make pins` from {' and '.join(ASKED)}; do not edit.\n"
    FILE.write_text(
        head + "".join(f"{name}=={found[name]}\n" for name in sorted(found)), encoding="utf-8"
    )


if __name__ == "__main__":
    main()
