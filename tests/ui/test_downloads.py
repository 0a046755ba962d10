"""What a button gives is there for the browser that asks, whatever other visitors do meanwhile."""

from __future__ import annotations

import time
from collections.abc import Callable

import pytest
from streamlit.runtime import media_file_manager
from streamlit.runtime.media_file_manager import MediaFileManager
from streamlit.runtime.media_file_storage import MediaFileStorageError
from streamlit.runtime.memory_media_file_storage import MemoryMediaFileStorage

from ui import downloads

LATER = 2 * downloads.FETCH_SECONDS


class Clock:
    now = 1000.0


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    """Time stands still unless it is told; Streamlit is as it was after the test."""
    found, method = Clock(), "_remove_orphaned_deferred_callables"
    monkeypatch.setattr(media_file_manager, "MediaFileMetadata", None)
    monkeypatch.setattr(MediaFileManager, method, getattr(MediaFileManager, method))
    downloads.keep_downloads()
    monkeypatch.setattr(time, "monotonic", lambda: found.now)
    return found


def draw(held: MediaFileManager, button: str = "a") -> str:
    """A button of this page is drawn once more; what a click on it asks for."""
    held.clear_session_refs()
    return held.add_deferred(lambda: b"content", "text/plain", "0.1", "a.txt", element_id=button)


def pressed(held: MediaFileManager) -> str:
    return held.execute_deferred(draw(held))


def pictured(held: MediaFileManager) -> str:
    return held.add(b"content", "image/png", "0.1")


@pytest.mark.parametrize("made", [pressed, pictured])
def test_a_file_waits_for_its_browser_whatever_others_do(
    made: Callable[[MediaFileManager], str], clock: Clock
) -> None:
    """Streamlit would delete it when one or two scripts of any visitor have ended."""
    storage = MemoryMediaFileStorage("/media")
    held = MediaFileManager(storage)
    name = made(held).rsplit("/", 1)[1]
    held.clear_session_refs()
    for _ in range(5):
        held.remove_orphaned_files()
    assert storage.get_file(name).content == b"content"
    clock.now += LATER
    for _ in range(2):
        held.remove_orphaned_files()
    with pytest.raises(MediaFileStorageError):
        storage.get_file(name)


def test_a_click_counts_while_the_page_is_drawn_anew(clock: Clock) -> None:
    """Streamlit would know the button no more if a script of any visitor ended meanwhile."""
    held = MediaFileManager(MemoryMediaFileStorage("/media"))
    button = draw(held)
    held.clear_session_refs()  # the page begins to be drawn
    held.remove_orphaned_files()  # another visitor's script ends
    assert held.execute_deferred(button)
    again = draw(held)
    held.remove_orphaned_files()
    assert held.execute_deferred(button) and held.execute_deferred(again)


def test_buttons_of_a_page_that_is_drawn_often_or_was_left_are_forgotten(clock: Clock) -> None:
    held = MediaFileManager(MemoryMediaFileStorage("/media"))
    other = draw(held, "b")
    drawn = [draw(held) for _ in range(downloads.BUTTONS + 4)]
    held.remove_orphaned_files()
    assert set(held._deferred_callables) == {other, *drawn[-downloads.BUTTONS :]}
    held.clear_session_refs()
    held.remove_orphaned_files()
    assert len(held._deferred_callables) == downloads.BUTTONS + 1
    clock.now += LATER
    held.remove_orphaned_files()
    assert not held._deferred_callables and not held._deferred_ids_by_session


def test_the_button_on_screen_stays_however_old_it_is(clock: Clock) -> None:
    held = MediaFileManager(MemoryMediaFileStorage("/media"))
    button = draw(held)
    clock.now += LATER
    held.remove_orphaned_files()
    assert held.execute_deferred(button)
