"""Results that were really run, as files: written by ``study --save``, read by page and report."""

from __future__ import annotations

import json
import os
import platform
import shlex
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from functools import cache
from importlib import resources
from pathlib import Path
from typing import Any

from wgnn_core.errors import WGNNError
from wgnn_core.runs.config import RunConfig
from wgnn_core.studies import STUDIES
from wgnn_core.studies.plan import Cell, Study
from wgnn_core.studies.records import Claim, Missing, Record, answers, by_cell, with_holm
from wgnn_core.studies.running import NOT_YET, Found, RunNote
from wgnn_core.versions import versions

FORMAT = 1


@dataclass(frozen=True)
class Saved:
    """A file of results: what was found, when and on what."""

    found: Found
    date: str
    machine: dict[str, Any]
    versions: dict[str, str]


def machine() -> dict[str, Any]:
    """What the numbers and seconds depend on, and nothing that names the machine."""
    return {
        "cores": os.cpu_count(),
        "system": platform.system(),
        "architecture": platform.machine(),
    }


def save(study: Study, found: Found, folder: Path) -> tuple[Path, list[Missing]]:
    """Write ``NAME.json``; what a file there has of other cells stays in it, see `joined`.

    Returns:
        The file, and what it had of cells that are planned otherwise today: that is left out.

    Raises:
        WGNNError: The folder cannot be written to, there is nothing to write, or the file there is
            of another size.
    """
    path, dropped = folder / f"{found.study}.json", list[Missing]()
    if path.is_file():
        earlier = read(path.read_text("utf-8")).found
        if earlier.size != found.size:
            raise WGNNError(
                f"{path} has results of the {earlier.size} size, these are of the {found.size} "
                "one: save them to another folder."
            )
        found, dropped = joined(study, found, earlier)
    if not found.records and not found.claims:
        raise WGNNError(f"nothing of {found.study} was run, so nothing is written.")
    content = {
        "format": FORMAT,
        "study": found.study,
        "size": found.size,
        "date": datetime.now(UTC).strftime("%Y-%m-%d"),
        "machine": machine(),
        "versions": versions(),
        "claims": [asdict(claim) for claim in found.claims],
        "records": [record.to_json() for record in found.records],
        "missing": [asdict(one) for one in found.missing],
        "runs": {run_id: asdict(note) for run_id, note in found.runs.items()},
    }
    try:
        folder.mkdir(parents=True, exist_ok=True)
        path.write_text(_text(content) + "\n", encoding="utf-8")
    except OSError as error:
        raise WGNNError(f"{path} cannot be written: {error.strerror}.") from error
    return path, dropped


def joined(study: Study, found: Found, earlier: Found) -> tuple[Found, list[Missing]]:
    """What was found now, and before of all other cells, as one; and what is no longer planned so.

    An earlier result stays if the same cell would be the same run today: same settings, same graph,
    same versions of everything that can change a number.
    """
    now, before = by_cell(found.records), by_cell(earlier.records)
    reasons = {(one.row, one.column): one.why for one in (*earlier.missing, *found.missing)}
    records: list[Record] = []
    missing, dropped = list[Missing](), list[Missing]()
    for cell in study.cells(found.size):
        place = cell.row, cell.column
        if place in now:
            records += now[place]
            continue
        if place in before:
            ids = {run_id for record in before[place] for run_id in record.runs}
            if all(_same_today(cell, run_id, earlier.runs[run_id]) for run_id in ids):
                records += before[place]
                continue
            dropped.append(Missing(*place, "it would be another run today"))
        missing.append(Missing(*place, reasons.get(place, NOT_YET)))
    used = {run_id for record in records for run_id in record.runs}
    notes = {i: note for i, note in (earlier.runs | found.runs).items() if i in used}
    records = with_holm(records)
    made = Found(found.study, found.size, records, study.claims(records), missing, notes)
    return made, dropped


def _same_today(cell: Cell, run_id: str, note: RunNote) -> bool:
    run = RunConfig.from_json(note.config)
    return run.run_id == run_id and cell.plans(run)


def _text(value: Any, indent: int = 0) -> str:
    """JSON with a line for each entry, but lists of numbers on one."""
    pad = " " * (indent + 1)
    if isinstance(value, dict) and value:
        inner = ",\n".join(
            f"{pad}{json.dumps(str(key))}: {_text(item, indent + 1)}" for key, item in value.items()
        )
        return f"{{\n{inner}\n{' ' * indent}}}"
    if isinstance(value, list) and any(isinstance(item, dict | list) for item in value):
        inner = ",\n".join(f"{pad}{_text(item, indent + 1)}" for item in value)
        return f"[\n{inner}\n{' ' * indent}]"
    return json.dumps(value, ensure_ascii=False, allow_nan=False)


def read(text: str) -> Saved:
    """What `save` wrote.

    Raises:
        WGNNError: It is no file of results.
    """
    try:
        values = json.loads(text)
        found = Found(
            values["study"],
            values["size"],
            [Record.from_json(one) for one in values["records"]],
            [Claim(**one) for one in values["claims"]],
            [Missing(**one) for one in values["missing"]],
            {run_id: RunNote(**note) for run_id, note in values["runs"].items()},
        )
        return Saved(found, values["date"], values["machine"], values["versions"])
    except (ValueError, KeyError, TypeError) as error:
        raise WGNNError(f"this is no file of results of a study: {error}.") from error


@cache
def shipped(study: str) -> Saved | None:
    """The results that came with the program; None where none were run."""
    file = resources.files("wgnn_core.studies").joinpath("results", f"{study}.json")
    return read(file.read_text("utf-8")) if file.is_file() else None


def verdict_of_all() -> dict[str, list[tuple[str, Claim]]]:
    """What the shipped results say of the whole paper, question by question."""
    there = {study.title: shipped(name) for name, study in STUDIES.items()}
    return answers({t: saved.found.claims for t, saved in there.items() if saved is not None})


def command(study: Study, row: str, column: str, quick: bool = False) -> str:
    """The line for a shell that runs one cell again, or a column of them if `row` is empty."""
    words = ["wgnn", "study", study.name, *(["--row", row] if row else []), "--column", column]
    return shlex.join([*words, *(["--quick"] if quick else [])])
