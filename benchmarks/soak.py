"""Mixed load on the real app while its processes are killed: is anything lost, does anything grow?

    PYTHONPATH=. python benchmarks/soak.py [--minutes 60] [--sessions 8] [--kill-minutes 5]
                                           [--out benchmarks/soak.json]

Visitors (`soak_visitor.py`) import graphs, slide, retrain, run grids, cancel, export and delete.
The worker is killed (SIGKILL) every `--kill-minutes` while it trains. The server is killed once,
after a sixth of the time, and started again on the same port; the browsers have to find it.

What must hold, and is in the report under `verdict`:

- **No run lost.** A witness notes the numbers of every finished cell within seconds. At the end
  each is there with equal numbers, but for the runs that a visitor deleted. No run is `failed`,
  and a sample of the finished ones, trained again undisturbed, gives the same numbers.
- **No error page**: no exception and no error box on any page, no complaint in the console of the
  browser but lost connections while the server is away, no traceback in the logs.
- **Flat.** From the moment the server is back, the time is cut into quarters. The median of the
  last quarter exceeds that of the second by at most `LIMITS`: the memory of server and worker
  together, and the server's descriptors and threads.
- **Nothing left**: after Ctrl-C no process, no port, no temporary file.

Writes the report (JSON) and a plot beside it; ends with 1 if something does not hold.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import shutil
import signal
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import psutil
from playwright.async_api import async_playwright

from benchmarks.soak_visitor import Soak, Visitor
from benchmarks.soak_watch import LIMITS, SLACK, Samples, Witness, workers_of
from tests.browser.conftest import CHROMIUMS, FLAGS, free_port
from wgnn_core.versions import versions

ROOT = Path(__file__).resolve().parents[1]
START_SECONDS, ORPHAN_SECONDS, END_SECONDS = 120, 10, 20
WAIT_SECONDS = 30
"""So long a kill waits for the worker to train."""


@dataclass(frozen=True)
class Config:
    minutes: float
    sessions: int
    kill_minutes: float
    sample_seconds: float
    pause: tuple[float, float]
    patience: float


@dataclass
class Server:
    """`wgnn app`, on one port for the whole soak."""

    home: Path
    port: int = field(default_factory=free_port)
    process: subprocess.Popen[bytes] | None = None

    @property
    def log(self) -> Path:
        return self.home.with_name("server.log")

    async def start(self) -> None:
        temporary = self.home.with_name("tmp")
        temporary.mkdir(exist_ok=True)
        places = {"WGNN_HOME": str(self.home), "TMPDIR": str(temporary), "PYTHONPATH": str(ROOT)}
        with self.log.open("ab") as log:
            self.process = subprocess.Popen(
                [sys.executable, "-m", "wgnn_core", "app", "--port", str(self.port)],
                env=os.environ | places | {"OMP_NUM_THREADS": "1"},
                stdout=log,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
        end = time.monotonic() + START_SECONDS
        while not self.listens():
            if self.process.poll() is not None or time.monotonic() > end:
                sys.exit(f"the server did not come up:\n{self.log.read_text()[-2000:]}")
            await asyncio.sleep(0.1)

    def listens(self) -> bool:
        with socket.socket() as asking:
            return asking.connect_ex(("127.0.0.1", self.port)) == 0

    @property
    def pid(self) -> int:
        assert self.process is not None
        return self.process.pid


class Story:
    """One soak."""

    def __init__(self, config: Config, folder: Path, shots: Path | None) -> None:
        self.config, self.folder, self.shots = config, folder, shots
        (folder / "home").mkdir()
        self.server = Server(folder / "home")
        self.samples = Samples()
        self.kills: list[dict[str, Any]] = []
        self.began = time.monotonic()

    @property
    def now(self) -> float:
        return time.monotonic() - self.began

    async def run(self) -> dict[str, Any]:
        await self.server.start()
        self.began = time.monotonic()
        self.witness = Witness(self.server.home)
        end = self.began + 60 * self.config.minutes
        address = f"http://localhost:{self.server.port}"
        self.soak = Soak(address, end, self.config.pause, self.config.patience, self.shots)
        async with async_playwright() as playwright:
            found = next(filter(None, map(shutil.which, CHROMIUMS)), None)
            flags = [flag for flag in FLAGS if "swiftshader" not in flag]
            browser = await playwright.chromium.launch(
                executable_path=found, args=[*flags, "--disable-3d-apis"]
            )
            visitors = [Visitor(self.soak, browser, i) for i in range(self.config.sessions)]
            watching = [asyncio.create_task(self.watch()), asyncio.create_task(self.disturb())]
            await asyncio.gather(*(visitor.live() for visitor in visitors))
            for task in watching:
                task.cancel()
            for ended in await asyncio.gather(*watching, return_exceptions=True):
                if isinstance(ended, Exception):
                    raise ended
            await browser.close()
        left = self.stop()
        return self.report(left)

    async def watch(self) -> None:
        said = 0.0
        while True:
            self.witness.note()
            runs = len({run for run, _ in self.witness.seen})
            self.samples.take(self.now, self.server.pid, runs)
            if self.now > said:
                told, troubles = sum(self.soak.stories.values()), len(self.soak.troubles)
                said += 60.0
                print(f"{self.now / 60:3.0f} min: {told} stories, {troubles} troubles", flush=True)
            await asyncio.sleep(self.config.sample_seconds)

    async def disturb(self) -> None:
        """The worker every few minutes, the server once."""
        server_at, every = 60 * self.config.minutes / 6, 60 * self.config.kill_minutes
        worker_at, last = every, 60 * self.config.minutes - 30
        while True:
            await asyncio.sleep(0.5)
            if self.now > server_at:
                server_at = float("inf")
                await self.kill_server()
            if worker_at < self.now < last and self.kill_worker(
                self.now - worker_at > WAIT_SECONDS
            ):
                worker_at += every

    def kill_worker(self, now: bool) -> bool:
        """While it trains, or `now`; False if it was not killed."""
        training = any(run.state == "running" for run in self.witness.store.runs())
        workers = workers_of(self.server.pid)
        if not workers or not (training or now):
            return False
        workers[0].kill()
        at = round(self.now, 1)
        self.kills.append({"seconds": at, "what": "worker", "training": training})
        return True

    async def kill_server(self) -> None:
        workers = workers_of(self.server.pid)
        outage = [time.monotonic(), float("inf")]
        self.soak.outages.append(outage)
        assert self.server.process is not None
        self.server.process.kill()
        self.server.process.wait()
        at = round(self.now, 1)
        _, alive = await asyncio.to_thread(psutil.wait_procs, workers, ORPHAN_SECONDS)
        if alive:
            self.soak.troubles.append(f"{len(alive)} workers outlive the server")
        await self.server.start()
        outage[1] = time.monotonic()
        self.kills.append({"seconds": at, "what": "server", "back": round(self.now, 1)})

    def stop(self) -> list[str]:
        """Ctrl-C; what is left then."""
        family = [psutil.Process(self.server.pid), *workers_of(self.server.pid)]
        family[0].send_signal(signal.SIGINT)
        _, alive = psutil.wait_procs(family, END_SECONDS)
        left = [f"process {process.pid}" for process in alive]
        left += [f"port {self.server.port}"] if self.server.listens() else []
        left += [str(file) for file in (self.folder / "tmp").iterdir()]
        left += [str(file) for file in self.server.home.rglob("*.tmp")]
        return left

    def report(self, left: list[str]) -> dict[str, Any]:
        soak = self.soak
        self.witness.note()
        lost = self.witness.lost(soak.deleted)
        summaries = self.witness.store.runs()
        failed = [f"{run.run_id}: {run.message}" for run in summaries if run.state == "failed"]
        trained, differing = self.witness.differing()
        logs = [self.server.log, self.server.home / "worker.log"]
        tracebacks = sum(log.read_text(errors="replace").count("Traceback") for log in logs)
        back = next((kill["back"] for kill in self.kills if "back" in kill), 0.0)
        growth = self.samples.growth(back)
        verdict = {
            "no run lost": not lost and not failed and not differing,
            "no error page": not soak.troubles and not tracebacks,
            "nothing left": not left,
        } | {f"{name} flat": found["flat"] for name, found in growth.items()}
        return {
            "date": datetime.now(UTC).isoformat(timespec="seconds"),
            "config": asdict(self.config),
            "versions": versions(("streamlit", "torch", "numpy", "playwright")),
            "machine": {"cores": os.cpu_count(), "system": sys.platform},
            "verdict": verdict,
            "stories": dict(soak.stories),
            "median_seconds": {k: round(statistics.median(v), 1) for k, v in soak.seconds.items()},
            "kills": self.kills,
            "runs": {
                "cells_seen": len(self.witness.seen),
                "runs_seen": len({run for run, _ in self.witness.seen}),
                "deleted_by_visitors": len(soak.deleted),
                "lost": lost,
                "failed": failed,
                "trained_again": trained,
                "differing": differing,
            },
            "troubles": soak.troubles,
            "tracebacks": tracebacks,
            "repeated": dict(soak.repeated),
            "excused": dict(soak.excused.most_common()),
            "left": left,
            "rule": {"limits": LIMITS, "slack": SLACK, "quarters_begin": back},
            "growth": growth,
            "samples": asdict(self.samples),
        }


def plot(report: dict[str, Any], file: Path) -> None:
    samples = report["samples"]
    minutes = [seconds / 60 for seconds in samples["seconds"]]
    figure, axes = plt.subplots(3, 1, figsize=(7, 5), sharex=True, layout="constrained")
    axes[0].plot(minutes, samples["server_mb"], label="server", color="#0072b2")
    axes[0].plot(minutes, samples["worker_mb"], label="worker", color="#e69f00")
    axes[0].set_ylabel("memory (MB)")
    axes[0].legend(frameon=False, ncols=2, fontsize=8)
    axes[1].plot(minutes, samples["descriptors"], color="#0072b2")
    axes[1].set_ylabel("descriptors")
    axes[2].plot(minutes, samples["threads"], color="#0072b2")
    axes[2].set_ylabel("threads")
    axes[2].set_xlabel("minutes; dashed: the server is killed, dotted: the worker")
    for axis in axes:
        axis.set_ylim(bottom=0)
        axis.spines[["top", "right"]].set_visible(False)
        for kill in report["kills"]:
            style = "--" if kill["what"] == "server" else ":"
            axis.axvline(kill["seconds"] / 60, color="#999999", linestyle=style, linewidth=0.8)
    figure.savefig(file, dpi=90)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--minutes", type=float, default=60.0)
    parser.add_argument("--sessions", type=int, default=8)
    parser.add_argument("--kill-minutes", type=float, default=5.0)
    parser.add_argument("--sample-seconds", type=float, default=5.0)
    parser.add_argument("--pause", type=float, nargs=2, default=(2.0, 8.0))
    parser.add_argument(
        "--patience", type=float, default=240.0, help="seconds; more on a busy machine"
    )
    parser.add_argument("--out", type=Path, default=ROOT / "benchmarks" / "soak.json")
    parser.add_argument("--shots", type=Path, help="a folder for pictures of pages in trouble")
    given = parser.parse_args()
    config = Config(
        given.minutes,
        given.sessions,
        given.kill_minutes,
        given.sample_seconds,
        tuple(given.pause),
        given.patience,
    )
    for stop in (signal.SIGINT, signal.SIGTERM):  # in the background the first is ignored
        signal.signal(stop, signal.default_int_handler)
    with tempfile.TemporaryDirectory(prefix="wgnn-soak-") as folder:
        story = Story(config, Path(folder), given.shots)
        try:
            report = asyncio.run(story.run())
        finally:
            process = story.server.process
            if process is not None and process.poll() is None:
                process.kill()
                process.wait()
    given.out.write_text(json.dumps(report, indent=1) + "\n")
    plot(report, given.out.with_suffix(".png"))
    for name, holds in report["verdict"].items():
        print(f"{'yes' if holds else 'NO ':4}{name}")
    print(f"stories: {report['stories']}; report: {given.out}")
    for text in [*report["troubles"], *report["left"], *report["runs"]["lost"]][:20]:
        print(f"  {text}")
    return 0 if all(report["verdict"].values()) else 1


if __name__ == "__main__":
    sys.exit(main())
