"""With a token: the printed address opens the app, another visitor gets nothing."""

from __future__ import annotations

import pytest
from playwright.sync_api import Browser, expect

from tests.browser.conftest import Visit, serve
from wgnn_core.home import APP_TOKEN

pytestmark = [pytest.mark.browser, pytest.mark.xdist_group("browser")]


@pytest.mark.timeout(180)
def test_the_printed_address_opens_the_app(
    tmp_path_factory: pytest.TempPathFactory, browser: Browser, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(APP_TOKEN, "a-token-of-some-length")
    home = tmp_path_factory.mktemp("token")
    with serve(home, home / "data") as server:
        invited, stranger = browser.new_context(), browser.new_context()
        refused = stranger.new_page().goto(server.address)
        assert refused is not None and refused.status == 403
        visit = Visit(invited.new_page())
        visit.page.goto(f"{server.address}/?token=a-token-of-some-length")
        expect(visit.page).to_have_title("wGNN Explorer", timeout=90_000)
        expect(visit.page.get_by_role("heading", level=1)).to_be_visible(timeout=90_000)
        assert "token" not in visit.page.url
        assert visit.problems == [] and visit.outside == []
        invited.close()
        stranger.close()
