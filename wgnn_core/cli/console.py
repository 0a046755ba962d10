"""What every command prints with: results on stdout, everything else on stderr."""

from __future__ import annotations

import json
from typing import Any

from rich.console import Console

out = Console(highlight=False, soft_wrap=True)
err = Console(stderr=True, highlight=False, soft_wrap=True)


def fail(message: str) -> int:
    """Print an error as one line and return the exit code for it."""
    err.print(f"error: {message}", style="red", markup=False)
    return 2


def print_json(value: Any) -> None:
    """Machine-readable output, nothing else on stdout."""
    out.file.write(json.dumps(value, indent=1, allow_nan=False) + "\n")
