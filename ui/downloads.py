"""Files that a page gives, on a server that many use.

Streamlit makes such a file when its button is pressed, and forgets what no page shows any longer
whenever a script of any visitor ends. On a busy server that is too soon twice: between the click
and the browser that comes for the file, and while a page is drawn anew, when the browser still
shows the button of the time before. Both stay for a while here.
"""

from __future__ import annotations

import time
from collections import Counter
from typing import Any

from streamlit.runtime import media_file_manager
from streamlit.runtime.media_file_manager import MediaFileManager
from streamlit.runtime.media_file_storage import MediaFileKind

FETCH_SECONDS = 60.0
"""So long a file waits for its browser, and a button that is not shown for its click."""
BUTTONS = 3
"""So many times a button may be drawn before a click on its first picture comes to nothing."""


class _Fetched(media_file_manager.MediaFileMetadata):
    """A file, which stays until the browser that asked for it had time to come.

    Also a picture of a page: Streamlit would delete it at once.
    """

    def __init__(self, kind: MediaFileKind = MediaFileKind.MEDIA) -> None:
        super().__init__(MediaFileKind.DOWNLOADABLE)
        self._made = time.monotonic()

    def mark_for_delete(self) -> None:
        if time.monotonic() - self._made > FETCH_SECONDS:
            super().mark_for_delete()


def _forget_buttons(manager: MediaFileManager) -> None:
    """In place of `MediaFileManager._remove_orphaned_deferred_callables`; the lock is held."""
    shown = {
        one for files in manager._files_by_session_and_coord.values() for one in files.values()
    }
    drawn: Counter[tuple[str, str]] = Counter()
    now = time.monotonic()
    for file_id in reversed(list(manager._deferred_callables)):  # the youngest first
        entry: dict[str, Any] = manager._deferred_callables[file_id]  # type: ignore[assignment]
        button = entry["session_id"], entry["element_id"] or entry["coordinates"]
        drawn[button] += 1
        if file_id in shown:
            continue
        gone_since = entry.setdefault("gone_since", now)
        if drawn[button] > BUTTONS or now - gone_since > FETCH_SECONDS:
            manager._drop_deferred_id(file_id)


def keep_downloads() -> None:
    """Make Streamlit do so, in this process."""
    media_file_manager.MediaFileMetadata = _Fetched  # type: ignore[misc]
    MediaFileManager._remove_orphaned_deferred_callables = _forget_buttons  # type: ignore[method-assign, assignment]
