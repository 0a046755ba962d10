"""What a program and its worker tell each other, one JSON line each."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from typing import get_args

from wgnn_core.runs.summaries import State


@dataclass(frozen=True)
class Ready:
    """The worker can train."""

    pid: int


@dataclass(frozen=True)
class Beat:
    """The worker is alive, whatever else it has to tell."""


@dataclass(frozen=True)
class Asks:
    """The worker has something to train and waits for `Go`; if it had a turn, that is over."""


@dataclass(frozen=True)
class Yields:
    """The worker's turn is over, and it has nothing more to train."""


@dataclass(frozen=True)
class Taken:
    """The run is looked at; whatever kills the worker from here on is its doing."""

    run_id: str


@dataclass(frozen=True)
class Started:
    """A cell is being trained; None where several are at once."""

    run_id: str
    cell: int | None


@dataclass(frozen=True)
class Progressed:
    """Trainings done of the cell under way, fractions included."""

    run_id: str
    done: float


@dataclass(frozen=True)
class Stored:
    """A cell is finished and on the disk."""

    run_id: str
    cell: int


@dataclass(frozen=True)
class Ended:
    """The run will not be trained any more."""

    run_id: str
    state: State
    message: str = ""


@dataclass(frozen=True)
class Hello:
    """The first line to a worker: whose runs it trains, and for how many seconds each.

    `home` is where the owner keeps things, imported graphs among them.
    """

    home: str
    store: str
    owner: str
    seconds: float


@dataclass(frozen=True)
class Train:
    """Train a run."""

    run_id: str


@dataclass(frozen=True)
class Cancel:
    """Stop training a run."""

    run_id: str


@dataclass(frozen=True)
class Go:
    """It is the worker's turn, for one cell."""


Event = Ready | Beat | Asks | Yields | Taken | Started | Progressed | Stored | Ended
Order = Hello | Train | Cancel | Go
_NAMED = {kind.__name__: kind for kind in (*get_args(Event), *get_args(Order))}


def to_line(message: Event | Order) -> str:
    return json.dumps([type(message).__name__, asdict(message)]) + "\n"


def from_line(line: str) -> Event | Order:
    name, values = json.loads(line)
    made: Event | Order = _NAMED[name](**values)
    return made
