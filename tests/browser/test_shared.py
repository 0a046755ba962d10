"""A server for several people, with a real log-in at a provider on this machine."""

from __future__ import annotations

import http.client
import secrets
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect
from websockets.exceptions import InvalidStatus
from websockets.sync.client import connect

from tests.browser.conftest import Visit, serve
from tests.browser.test_shelf import settled, tick
from tests.runs.run_helpers import until
from ui.pages import PAGES
from wgnn_core.home import APP_SHARED
from wgnn_core.runs.config import RunConfig
from wgnn_core.runs.store import Store

pytest.importorskip("authlib")
from tests.browser.oidc import CLIENT, SECRET, Provider, provider

pytestmark = [pytest.mark.browser, pytest.mark.xdist_group("browser")]

QUICK = "dataset=Karate+club&seeds=2&gcn_epochs=15"
RUN = RunConfig("karate", hyper=(("epochs", 15),), seeds=(0, 1))


def write_secrets(folder: Path, issuer: str) -> None:
    said = {
        "redirect_uri": "http://localhost:{port}/oauth2callback",
        "cookie_secret": secrets.token_hex(32),
        "client_id": CLIENT,
        "client_secret": SECRET,
        "server_metadata_url": f"{issuer}/.well-known/openid-configuration",
    }
    (folder / ".streamlit").mkdir(parents=True)
    lines = [f'{key} = "{value}"' for key, value in said.items()]
    (folder / ".streamlit/secrets.toml").write_text("\n".join(["[auth]", *lines]))


@dataclass(frozen=True)
class Shared:
    address: str
    home: Path
    issuer: Provider
    new_context: Callable[[], BrowserContext]

    def store_of(self, who: str) -> Store:
        """The store in which the runs of a user are, found without the code that names it."""
        marked = [f for f in (self.home / "users").iterdir() if (f / f"{who}.mark").exists()]
        assert len(marked) == 1
        return Store(marked[0])

    def enter(self, who: str) -> Page:
        """A browser of its own, in which the user has logged in."""
        before = set((self.home / "users").iterdir())
        context = self.new_context()
        context.add_cookies([{"name": "who", "value": who, "url": self.issuer.issuer}])
        page = context.new_page()
        page.set_default_timeout(30_000)
        page.goto(self.address)
        page.get_by_role("button", name="Log in").click()
        expect(page.get_by_text(f"Logged in as {who}")).to_be_visible(timeout=90_000)
        (new,) = set((self.home / "users").iterdir()) - before
        (new / f"{who}.mark").touch()
        return page


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory, browser: Browser) -> Iterator[Shared]:
    home, account = tmp_path_factory.mktemp("shared"), tmp_path_factory.mktemp("account")
    with provider() as issuer, pytest.MonkeyPatch.context() as patch:
        write_secrets(account, issuer.issuer)
        patch.setenv("HOME", str(account))
        patch.setenv(APP_SHARED, "1")
        with serve(home, home / "data") as server:
            patch.undo()
            made: list[BrowserContext] = []

            def new_context() -> BrowserContext:
                made.append(browser.new_context(viewport={"width": 1280, "height": 1000}))
                return made[-1]

            yield Shared(server.address, home, issuer, new_context)
            for context in made:
                context.close()


def socket_status(address: str, **headers: str) -> int:
    try:
        with connect(
            address.replace("http", "ws") + "/_stcore/stream",
            origin=address,  # type: ignore[arg-type]
            subprotocols=["streamlit"],  # type: ignore[list-item]
            additional_headers=headers,
        ):
            return 101
    except InvalidStatus as error:
        return error.response.status_code


def test_a_stranger_gets_one_page_with_one_button(shared: Shared) -> None:
    page = shared.new_context().new_page()
    visit = Visit(page)
    for path in ["", *(page.name for page in PAGES), "_stcore/health", "_stcore/host-config"]:
        answer = page.goto(f"{shared.address}/{path}?run={RUN.run_id}")
        assert answer is not None and answer.status == 401, path
        assert page.locator("body").inner_text().split() == ["wGNN", "Explorer", "Log", "in"]
    assert {url for url in visit.requests if url.startswith("ws")} == set()
    assert not any("/static/" in url for url in visit.requests)


def test_a_stranger_gets_nothing_by_other_ways(shared: Shared) -> None:
    def status(method: str, path: str, **headers: str) -> int:
        talk = http.client.HTTPConnection(shared.address.removeprefix("http://"), timeout=20)
        talk.request(method, path, b"x" if method != "GET" else None, headers)
        found = talk.getresponse().status
        talk.close()
        return found

    forged = "_streamlit_user=" + '"eyJpc3MiOiJ4Iiwic3ViIjoieSJ9.aaaa.bbbb"'
    assert socket_status(shared.address) == 403
    assert socket_status(shared.address, Cookie=forged) == 403
    assert socket_status(shared.address, Cookie="_streamlit_user=\xff; ;=") == 403
    for path in ("/media/x.csv", "/_stcore/upload_file/a/b", "/component/x", "/auth/login/", "//"):
        assert status("GET", path) == status("GET", path, Cookie=forged) == 401, path
        assert status("PUT", path) == status("POST", path) == 401
    for name in ("X-Forwarded-Host", "X-Forwarded-For", "Forwarded", "X-Forwarded-User"):
        assert status("GET", "/", **{name: "localhost"}) == 401
    public = shared.address.removeprefix("http://")
    assert status("GET", "/", Host="evil.example", **{"X-Forwarded-Host": public}) == 403


@pytest.mark.timeout(400)
def test_two_users_do_not_see_or_stop_each_other(shared: Shared) -> None:
    ada = shared.enter("ada")
    ada.goto(f"{shared.address}/model?{QUICK}")
    store = shared.store_of("ada")
    until(lambda: store.has(RUN.run_id) and store.get(RUN.run_id).state == "done", 120)
    store.note(RUN.run_id, "a word of ada's")
    ada.goto(f"{shared.address}/runs?{QUICK}&runs_dataset=karate&runs_text=word")
    expect(ada.get_by_text("1 of ")).to_be_visible(timeout=60_000)

    bob = shared.enter("bob")
    assert not shared.store_of("bob").has(RUN.run_id)
    bob.goto(f"{shared.address}/runs?{QUICK}&runs_text={RUN.run_id[:12]}")
    expect(bob.get_by_role("heading", name="Runs", exact=True)).to_be_visible(timeout=60_000)
    settled(bob)
    expect(bob.get_by_text("1 of ")).to_have_count(0)

    # Bob asks the same question: he trains it himself, writes and deletes, and that is his alone.
    bob.goto(f"{shared.address}/model?{QUICK}")
    other = shared.store_of("bob")
    until(lambda: other.has(RUN.run_id) and other.get(RUN.run_id).state == "done", 120)
    assert other.get(RUN.run_id).note == ""
    bob.goto(f"{shared.address}/runs?{QUICK}&runs_text={RUN.run_id[:12]}")
    expect(bob.get_by_text("1 of ")).to_be_visible(timeout=60_000)
    settled(bob)
    tick(bob, 0)
    with bob.expect_download(timeout=60_000) as waiting:  # made in a thread of no session
        bob.get_by_role("button", name="Settings as JSON").click()
    text = Path(waiting.value.path()).read_text()
    assert RUN.run_id in text and "ada" not in text
    bob.locator(".st-key-runs_delete_box").get_by_role("button").click()
    bob.locator(".st-key-runs_delete").get_by_role("button").click()
    until(lambda: not other.has(RUN.run_id), 30)
    assert store.get(RUN.run_id).state == "done" and store.get(RUN.run_id).note != ""

    # Ada's long run is none of Bob's business.
    ada.goto(f"{shared.address}/model?dataset=Karate+club&seeds=20&gcn_epochs=5000")
    cancel = ada.get_by_test_id("stSidebar").get_by_role("button", name="Cancel")
    expect(cancel).to_be_visible(timeout=60_000)
    bob.goto(f"{shared.address}/dataset?{QUICK}")
    expect(bob.get_by_text("Logged in as bob")).to_be_visible(timeout=60_000)
    settled(bob)
    expect(bob.get_by_role("button", name="Cancel")).to_have_count(0)
    cancel.first.click()

    # Logging out ends every tab of Ada's, and none of Bob's.
    second = ada.context.new_page()
    second.goto(f"{shared.address}/theory")
    expect(second.get_by_text("Logged in as ada")).to_be_visible(timeout=60_000)
    settled(second)
    ada.get_by_role("button", name="Log out").click()
    expect(ada.get_by_role("button", name="Log in")).to_be_visible(timeout=60_000)
    second.get_by_role("link", name="Runs").click()  # the tab is still there, and dead
    second.wait_for_timeout(3000)
    expect(second.get_by_role("heading", name="Runs", exact=True)).to_have_count(0)
    answer = ada.goto(f"{shared.address}/runs?{QUICK}")
    assert answer is not None and answer.status == 401
    second.reload()
    expect(second.get_by_role("button", name="Log in")).to_be_visible(timeout=60_000)
    bob.reload()
    expect(bob.get_by_text("Logged in as bob")).to_be_visible(timeout=60_000)


def test_names_of_users_are_no_paths(shared: Shared) -> None:
    shared_home = shared.home / "users"
    assert shared_home.stat().st_mode & 0o077 == 0
    for folder in shared_home.iterdir():
        assert len(folder.name) == 32 and set(folder.name) <= set("0123456789abcdef")
        assert folder.stat().st_mode & 0o077 == 0
    assert not (shared.home / "runs.sqlite").exists(), "nobody's runs"
