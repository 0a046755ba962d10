"""A page that is drawn anew does not throw away what its browser has asked for."""

from __future__ import annotations

import pytest
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.runtime import app_session
from streamlit.runtime.forward_msg_queue import ForwardMsgQueue

from ui.answers import ANSWERS, AnsweringQueue, keep_answers


def queued(queue: ForwardMsgQueue) -> ForwardMsgQueue:
    """Some drawing, every kind of answer in between, and the end of a script."""
    for kind in ("navigation", *ANSWERS, "logo", "script_finished"):
        message = ForwardMsg()
        if kind in ("heartbeat_ack", "script_finished"):
            setattr(message, kind, 1)
        else:
            getattr(message, kind).SetInParent()
        queue.enqueue(message)
    return queue


def sent(queue: ForwardMsgQueue) -> list[str | None]:
    return [message.WhichOneof("type") for message in queue.flush()]


def test_answers_outlive_the_drawing_they_wait_behind() -> None:
    queue = queued(AnsweringQueue())
    queue.clear(retain_lifecycle_msgs=True)
    assert sent(queue) == [*ANSWERS, "script_finished"]
    assert queue.is_empty()
    queued(queue).clear()
    assert queue.is_empty()


def test_a_part_that_is_drawn_anew_doubles_no_answer() -> None:
    queue = queued(AnsweringQueue())
    queue.clear(retain_lifecycle_msgs=True, fragment_ids_this_run=["part"])
    assert sorted(map(str, sent(queue))) == sorted(
        (*ANSWERS, "navigation", "logo", "script_finished")
    )


def test_streamlit_still_needs_it() -> None:
    queue = queued(ForwardMsgQueue())
    queue.clear(retain_lifecycle_msgs=True)
    assert not set(sent(queue)) & set(ANSWERS), "it keeps answers now: delete ui/answers.py"


def test_sessions_have_such_a_queue(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(app_session, "ForwardMsgQueue", ForwardMsgQueue)
    keep_answers()
    assert app_session.ForwardMsgQueue is AnsweringQueue
