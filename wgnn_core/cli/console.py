"""What every command prints with: results on stdout, everything else on stderr."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

from wgnn_core.replicas.engine import Event
from wgnn_core.replicas.engine import Progress as Hook

out = Console(highlight=False, soft_wrap=True)
err = Console(stderr=True, highlight=False, soft_wrap=True)


def fail(message: str) -> int:
    """Print an error as one line and return the exit code for it."""
    err.print(f"error: {message}", style="red", markup=False)
    return 2


def print_json(value: Any) -> None:
    """Machine-readable output, nothing else on stdout."""
    out.file.write(json.dumps(value, indent=1, allow_nan=False) + "\n")


@contextmanager
def training_bar() -> Iterator[Hook]:
    """A progress hook that draws one bar a stage: trainings done, rate, time left."""
    columns = (
        TextColumn("{task.description:>8}"),
        BarColumn(),
        TextColumn("{task.completed:.0f} of {task.total:.0f} trainings"),
        TimeElapsedColumn(),
        TextColumn("left"),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=err, transient=True) as bars:
        tasks: dict[str, Any] = {}

        def hook(event: Event) -> bool:
            if event.stage not in tasks:
                tasks[event.stage] = bars.add_task(event.stage, total=event.total)
            bars.update(tasks[event.stage], completed=event.done, total=event.total)
            return True

        yield hook
