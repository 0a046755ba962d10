"""R′ and G′ of a plan, to be taken along to another program."""

from __future__ import annotations

from ui.show import download
from wgnn_core.handout import Handout
from wgnn_core.intervention import Intervention
from wgnn_core.runs.results import RunResult


def take_along(result: RunResult, at: Intervention, position: int, key: str) -> None:
    """The button: nodes that join, edges that go and those that stay, as CSV, npz and PyG data."""
    seed = int(result.trained.seeds[position])
    download(
        "R′ and G′ as files",
        lambda: Handout(result.graph, result.plan(at, position)).zip(),
        f"plan-{result.config.dataset}-seed{seed}.zip",
        "application/zip",
        f"{key}_plan",
        ":material/folder_zip:",
        "Nodes that join with their labels, edges that go, the new edge list, as CSV, npz and "
        "a PyG Data: retrain with your own program, then bring its predictions to Your own.",
    )
