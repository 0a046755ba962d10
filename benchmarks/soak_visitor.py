"""A visitor of the soak: a browser page that goes through the app, story after story.

A story never reloads to get out of trouble. When the worker is killed, it waits a little longer;
when the server is, the page has to come back by itself, and a story whose click was lost in
between is begun again. A page that is drawn anew may swallow a click on a download or a file that
was just given to it: after a while the visitor does it again, as anybody would, and counts it.
"""

from __future__ import annotations

import asyncio
import contextlib
import random
import re
import tempfile
import time
import zipfile
from collections import Counter
from collections.abc import Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

from playwright.async_api import Browser, ConsoleMessage, Download, Error, Locator, Page, WebSocket

from tests.browser.conftest import of_a_probe
from tests.datasets.own.writers import original, write
from wgnn_core.intervention import Intervention
from wgnn_core.runs.config import RunConfig

RECONNECTING = (
    "net::ERR_",
    "WebSocket",
    "Failed to fetch",
    "Unable to preload",
    "disconnected from server",
    "No response received",
    "Is Streamlit still running?",
)
"""Complaints of a browser whose server is away, and of Streamlit's frontend."""
ROW = 35
"""Height of a row of a table, in pixels."""
STILL = """addEventListener("DOMContentLoaded", () => {
  const style = document.createElement("style");
  style.textContent = "*, *::before, *::after { animation: none !important; "
    + "transition: none !important }";
  document.head.append(style);
});"""
"""Nothing moves: eight browsers that draw by software would take the time of app and worker."""
TRIES = 3
STEPS = tuple(round(0.1 * i, 1) for i in range(1, 10))


class Stuck(Exception):  # noqa: N818, a state of the page
    """What should show does not."""


@dataclass
class Soak:
    """What all visitors know, and where they write down what they met."""

    address: str
    end: float
    pause: tuple[float, float]
    patience: float
    """Seconds until something that should show has failed to: far more than it takes. A fifth of
    them a browser may take to find a server that is back."""
    shots: Path | None = None
    """Where a picture of every page in trouble goes."""
    outages: list[list[float]] = field(default_factory=list)
    """Beginning and end of each time without a server, by `time.monotonic`."""
    troubles: list[str] = field(default_factory=list)
    excused: Counter[str] = field(default_factory=Counter)
    """What a server that is not there explains: lost connections, stories begun again."""
    repeated: Counter[str] = field(default_factory=Counter)
    """Downloads and uploads that had to be asked for once more."""
    stories: Counter[str] = field(default_factory=Counter)
    seconds: dict[str, list[float]] = field(default_factory=dict)
    deleted: set[str] = field(default_factory=set)
    """Runs that a visitor has asked to delete."""

    @property
    def away(self) -> bool:
        """Whether there is no server just now."""
        return any(end == float("inf") for _, end in self.outages)

    def disturbed(self, since: float) -> bool:
        """Whether the server was away at some time since then, or has just come back."""
        return any(since < end + self.patience / 5 for _, end in self.outages)


@dataclass
class Visitor:
    """One of them; `number` is a seed and decides its epochs, so that its runs are its own."""

    soak: Soak
    browser: Browser
    number: int
    page: Page = field(init=False)
    story: str = ""
    done: list[str] = field(default_factory=list)
    """Its finished grids, for the story that deletes."""
    lines: list[str] = field(default_factory=list)
    """When connections of the page were opened and closed."""

    def __post_init__(self) -> None:
        self.random = random.Random(self.number)

    # -- life ---------------------------------------------------------------------------------

    async def live(self) -> None:
        """Tell stories in an order of its own until the time is up, each in a new tab."""
        stories = [self.slide, self.grid, self.own, self.export, self.cancel, self.delete]
        while True:
            self.random.shuffle(stories)
            for story in stories:
                while self.soak.away:
                    await asyncio.sleep(0.5)
                if time.monotonic() > self.soak.end:
                    return
                await self.tell(story)
                await asyncio.sleep(self.random.uniform(*self.soak.pause))

    async def tell(self, story: Callable[[], Awaitable[None]]) -> None:
        self.story, began = story.__name__, time.monotonic()
        try:
            async with self.tab():
                try:
                    await story()
                    await self.look()
                except (Error, Stuck):
                    await self.picture()
                    raise
        except (Error, Stuck) as error:
            if self.soak.disturbed(began):
                self.soak.excused[f"begun again: {self.story}"] += 1
            else:
                self.trouble(f"{str(error)[:2000]} [{', '.join(self.lines)}]")
            return
        self.soak.stories[self.story] += 1
        self.soak.seconds.setdefault(self.story, []).append(time.monotonic() - began)

    @asynccontextmanager
    async def tab(self) -> Any:
        context = await self.browser.new_context(
            viewport={"width": 1100, "height": 1400}, reduced_motion="reduce"
        )
        await context.add_init_script(STILL)
        context.set_default_timeout(1000 * self.soak.patience)
        self.page = await context.new_page()
        self.page.on("console", self.complained)
        self.page.on("websocket", self.connected)
        self.lines = []
        self.page.on("pageerror", lambda error: self.trouble(f"script error: {error}"))
        try:
            yield
        finally:
            await context.close()

    def connected(self, line: WebSocket) -> None:
        began = time.monotonic()
        self.lines.append(f"line {len(self.lines)} opened at {began:.0f}")
        line.on("close", lambda _: self.lines.append(f"one closed at {time.monotonic():.0f}"))

    async def picture(self) -> None:
        if self.soak.shots is not None:
            name = f"visitor-{self.number}-{self.story}-{time.monotonic():.0f}.png"
            with contextlib.suppress(Error):
                await self.page.screenshot(path=self.soak.shots / name, full_page=True)

    def complained(self, message: ConsoleMessage) -> None:
        if message.type != "error" or of_a_probe(message.text, message.location["url"]):
            return
        lost = any(word in message.text for word in RECONNECTING)
        if lost and self.soak.disturbed(time.monotonic()):
            self.soak.excused[message.text.splitlines()[0].split("http://")[0]] += 1
        else:
            self.trouble(f"console: {message.text[:300]} at {message.location['url']}")

    def trouble(self, text: str) -> None:
        self.soak.troubles.append(f"visitor {self.number}, {self.story}: {text}")
        print(f"  {self.soak.troubles[-1]}", flush=True)

    # -- looking ------------------------------------------------------------------------------

    async def look(self) -> None:
        """No error may stand on the page: neither an exception nor a sentence about one."""
        for box in ("stException", "stAlertContentError"):
            for text in await self.page.get_by_test_id(box).all_inner_texts():
                raise Stuck(f"the page shows: {text[:300]}")

    async def reach(self, there: Locator) -> None:
        """Wait for something; what an ended server has interrupted is resumed on the way."""
        began, resume = time.monotonic(), self.page.get_by_role("button", name="Resume")
        while not await there.count() or not await there.first.is_visible():
            await self.look()
            late = time.monotonic() - began > self.soak.patience
            for _, end in self.soak.outages:  # a click may have been lost with the connection
                late = late or began < end < time.monotonic() - self.soak.patience / 5
            if late:
                text = await self.page.get_by_test_id("stMain").inner_text()
                raise Stuck(f"{there} does not show at {self.page.url}: {text[:1500]!r}")
            if self.soak.disturbed(began) and await resume.count() == 1:
                await resume.click()
                await asyncio.sleep(1.0)
            await asyncio.sleep(0.25)

    async def one(self, there: Locator) -> Locator:
        """Wait for something of which a page that is being drawn may have two for a moment."""
        end = time.monotonic() + self.soak.patience
        while await there.count() != 1:
            await self.look()
            if time.monotonic() > end:
                raise Stuck(f"{there} is there {await there.count()} times")
            await asyncio.sleep(0.1)
        return there.first

    async def settled(self) -> None:
        """Nothing is running, and what should be shown is."""
        status = self.page.get_by_test_id("stStatusWidget")
        end = time.monotonic() + self.soak.patience
        while await status.count():
            if time.monotonic() > end:
                raise Stuck("the page is drawn for ever")
            await asyncio.sleep(0.1)

    async def go(self, name: str, graph: str = "Karate club", **query: Any) -> None:
        words = {"dataset": graph, "seeds": 2, "gcn_epochs": 20 + self.number} | query
        await self.page.goto(f"{self.soak.address}/{name}?{urlencode(words, doseq=True)}")

    def text(self, text: str) -> Locator:
        return self.page.get_by_text(text)

    def key(self, key: str) -> Locator:
        return self.page.locator(f".st-key-{key}")

    # -- stories ------------------------------------------------------------------------------

    async def slide(self) -> None:
        """η moves a few steps and every new one is retrained; the page shows what came out."""
        etas = {f"eta{i}": self.random.choice(STEPS) for i in range(3)}
        await self.playground(etas)

    async def playground(self, etas: dict[str, float], graph: str = "Karate club") -> None:
        page, retrained = self.page, self.text("Retrained: see the results below.")
        await self.go("playground", graph, **etas)
        await self.reach(retrained)
        await self.settled()
        name = self.random.choice(("η₀", "η₁", "η₂"))
        for _ in range(self.random.randint(1, 3)):
            await (await self.one(page.get_by_role("slider", name=name))).focus()
            await page.keyboard.press(self.random.choice(("ArrowLeft", "ArrowRight")))
            await asyncio.sleep(0.3)
        await self.settled()
        await self.reach(retrained)
        await self.reach(page.get_by_role("heading", name="After retraining with"))

    def some_grid(self) -> tuple[RunConfig, dict[str, Any]]:
        """A grid of three by two cells on digits, and its address."""
        xs = sorted(self.random.sample(STEPS, 3))
        ys = sorted(self.random.sample(STEPS, 2))
        base = RunConfig("digits", hyper=(("epochs", 20 + self.number),), seeds=(0, 1))
        config = replace(base, interventions=tuple(Intervention(y, x, x) for y in ys for x in xs))
        return config, {"graph": "Digits", "grid_x": xs, "grid_y": ys}

    async def run_grid(self) -> tuple[str, Locator]:
        config, query = self.some_grid()
        finished = self.text("Look into a cell")
        await self.go("grid", **query)
        button = self.page.get_by_role("button", name="Run the grid")
        await self.reach(button)
        await self.settled()
        if not await button.is_disabled():  # else it was trained before
            await button.click()
        return config.run_id, finished

    async def grid(self) -> None:
        """A grid is trained to its end."""
        run_id, finished = await self.run_grid()
        await self.reach(finished)
        self.done.append(run_id)

    async def cancel(self) -> None:
        """A grid is cancelled as soon as it has begun, and resumed every other time."""
        run_id, finished = await self.run_grid()
        button = self.key(f"cancel_{run_id}").get_by_role("button")
        await self.reach(button.or_(finished))
        with contextlib.suppress(Error):  # it may have ended
            await button.click(timeout=10_000)
        kept = self.text("what is finished is kept")
        await self.reach(kept.or_(finished))
        if await kept.count() and self.random.random() < 0.5:
            await self.page.get_by_role("button", name="Resume").click()
            await self.reach(finished)
            self.done.append(run_id)

    async def own(self) -> None:
        """A graph is imported, explored in the playground and deleted."""
        seed = self.random.randrange(10**6)  # its own content, so that its runs are its own
        page, name = self.page, f"mine-{self.number}-{seed}"
        await self.go("own")
        await self.reach(self.text("Template: edges.csv"))
        await self.settled()
        with tempfile.TemporaryDirectory() as folder:
            files = write(
                original(seed), self.random.choice(("csv", "zip", "graphml")), Path(folder)
            )
            understood = self.text("What was understood")
            for _ in range(TRIES):
                upload = await self.one(page.locator("[class*='_files'] input[type=file]"))
                await upload.set_input_files(files)
                with contextlib.suppress(Error):
                    await understood.first.wait_for(timeout=1000 * self.soak.patience / 4)
                    break
                self.soak.repeated["upload"] += 1
            await self.reach(understood)
        field = page.get_by_label("Name", exact=True)
        await self.reach(field)
        await field.fill(name)
        await field.press("Enter")
        await self.settled()
        save = self.key("own_save").get_by_role("button")
        await self.reach(save)
        await save.click()
        await self.reach(self.text("Every page knows it now"))
        await self.playground({"eta0": 0.5}, name)
        await self.go("own", name)
        shelf = page.get_by_role("radio", name="Imported graphs")
        await self.reach(shelf)
        await self.settled()
        await shelf.click()
        await self.reach(self.key("own_graph"))
        await self.key("own_graph").get_by_role("combobox").click()
        await page.get_by_role("option", name=name, exact=True).click()
        await self.reach(page.locator(f"[class*='own_delete_box_{name}_']"))
        await self.settled()
        await page.locator(f"[class*='own_delete_box_{name}_']").get_by_role("button").click()
        question = self.text(f"Delete {name} for good?")
        await self.reach(question)
        await self.key("own_delete").get_by_role("button").click()
        await question.wait_for(state="hidden")
        await self.settled()

    async def export(self) -> None:
        """A figure of the map is taken along as a zip file."""
        await self.go("map")
        await self.reach(self.key("map_histogram_export"))
        await self.settled()
        await self.key("map_histogram_export").get_by_role("button").click()
        await self.reach(self.key("map_histogram_download").get_by_role("button"))
        download = await self.downloaded("map_histogram")
        with zipfile.ZipFile(await download.path()) as archive:
            if archive.testzip() is not None or "figure.pdf" not in archive.namelist():
                raise Stuck(f"the zip file holds {archive.namelist()}")

    async def downloaded(self, figure: str) -> Download:
        button, wait = self.key(f"{figure}_download").get_by_role("button"), self.soak.patience / 4
        for left in reversed(range(TRIES)):
            try:
                # the box with the button hangs below its export control, wherever the page scrolls
                await self.key(f"{figure}_export").scroll_into_view_if_needed()
                async with self.page.expect_download(timeout=1000 * wait) as waiting:
                    await (await self.one(button)).click(timeout=1000 * wait)
                return await waiting.value
            except Error:
                if not left:
                    raise
                self.soak.repeated["download"] += 1
        raise AssertionError("tried at least once")

    async def delete(self) -> None:
        """One of its finished grids is deleted on the page of the runs."""
        if not self.done:
            return
        run_id = self.done.pop()
        self.soak.deleted.add(run_id)
        await self.go("runs", runs_text=run_id)
        none, one = (self.page.get_by_text(re.compile(rf"^{n} of [\d,]+ run")) for n in (0, 1))
        await self.reach(one.or_(none))
        if await none.count():  # the click before the server was killed got through
            return
        table = self.page.locator('[class*="st-key-runs_table"]').get_by_test_id("stDataFrame")
        box = self.key("runs_delete_box")
        await self.reach(table)
        for _ in range(10):  # a picture takes no click before it is painted, and nothing says when
            await self.settled()
            if await box.count():
                break
            await table.click(position={"x": 17, "y": ROW * 1.5})
            with contextlib.suppress(Error):  # a second click too soon would undo the first
                await box.wait_for(timeout=1000 * self.soak.patience / 12)
        await self.reach(box)
        await box.get_by_role("button").click()
        await self.reach(self.text("Delete 1 run for good?"))
        await self.key("runs_delete").get_by_role("button").click()
        await self.reach(none)
