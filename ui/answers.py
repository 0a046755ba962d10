"""Answers to a browser, on a server that is busy.

A page asks where a file is to be uploaded, or for a file to be made. Streamlit queues the answer
behind what the page draws, and when the page is drawn anew before it is sent, it is thrown away
with the drawing: the upload never begins. Here it stays.
"""

from __future__ import annotations

from streamlit.runtime import app_session
from streamlit.runtime.forward_msg_queue import ForwardMsgQueue

ANSWERS = ("file_urls_response", "backend_operation_response", "heartbeat_ack")


class AnsweringQueue(ForwardMsgQueue):
    """What waits to be sent to a page."""

    def clear(
        self,
        retain_lifecycle_msgs: bool = False,
        fragment_ids_this_run: list[str] | None = None,
    ) -> None:
        """As Streamlit does it; where something is to be retained, answers are too."""
        answers = [one for one in self._queue if one.WhichOneof("type") in ANSWERS]
        super().clear(retain_lifecycle_msgs, fragment_ids_this_run)
        if retain_lifecycle_msgs:
            left = [one for one in self._queue if one.WhichOneof("type") not in ANSWERS]
            self._queue = answers + left


def keep_answers() -> None:
    """Make Streamlit do so, in this process."""
    app_session.ForwardMsgQueue = AnsweringQueue  # type: ignore[attr-defined]
