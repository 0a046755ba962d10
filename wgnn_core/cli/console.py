"""What every command prints with: results on stdout, everything else on stderr."""

from __future__ import annotations

import json
from typing import Any

from rich.console import Console
from rich.text import Text

CONTROL = dict.fromkeys({*range(32), *range(127, 160)} - {ord("\n"), ord("\t")})
"""Characters that a terminal would obey."""


class Plain(Console):
    """Prints text as it is: brackets and colons mean nothing, and no character is a command.

    Notes, messages and names of files come from users, and runs of a backup from strangers.
    """

    def __init__(self, stderr: bool = False) -> None:
        super().__init__(stderr=stderr, highlight=False, soft_wrap=True, markup=False, emoji=False)

    def render_str(self, text: str, **settings: Any) -> Text:
        return super().render_str(text.translate(CONTROL), **settings)


out, err = Plain(), Plain(stderr=True)


def fail(message: str) -> int:
    """Print an error as one line and return the exit code for it."""
    err.print(f"error: {message}", style="red")
    return 2


def print_json(value: Any) -> None:
    """Machine-readable output, nothing else on stdout."""
    out.file.write(json.dumps(value, indent=1, allow_nan=False) + "\n")
