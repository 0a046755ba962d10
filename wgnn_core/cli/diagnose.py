"""``diagnose`` and ``plan``: predictions of another program in, R' and G' for it out."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from wgnn_core.cli.console import out, print_json
from wgnn_core.cli.flags import Given, Parameter, flagged, run_config
from wgnn_core.cli.runs import Id, Json, describe
from wgnn_core.errors import WGNNError
from wgnn_core.handout import Handout
from wgnn_core.intervention import Intervention
from wgnn_core.predictions import read_predictions
from wgnn_core.runs.config import RunConfig
from wgnn_core.runs.diagnose import diagnose as store_predictions
from wgnn_core.runs.results import load_result
from wgnn_core.runs.store import Store


def diagnose(
    graph: Annotated[str, typer.Option(help="A name from `data list`.")],
    prob: Annotated[
        Path,
        typer.Option(help="A .npy, .npz or .csv file: probabilities or logits, nodes x classes."),
    ],
    label: Annotated[str, typer.Option(help="What the predictions are called.")] = "",
    parameter: Parameter = None,
    json: Json = False,
) -> None:
    """Take predictions of another program in as a run: every page and command then knows them."""
    run = run_config(Given({RunConfig: {"dataset": graph}}), [], parameter)
    found = read_predictions(prob, run.graph())
    result = store_predictions(run, found, Store(), label)
    if json:
        print_json(describe(result))
        return
    base = result.trained
    out.print(
        f"run {result.summary.run_id}: {len(base.seeds)} x {base.graph.num_nodes} nodes, "
        f"{'logits, made probabilities by a softmax' if found.were_logits else 'probabilities'}"
        f"{', rows put in order by node name' if found.by_name else ''}.",
    )
    out.print(
        f"accuracy {base.test.mean():.2f} % on the test nodes, {base.val.mean():.2f} % on the "
        f"validation nodes; mean w {base.w.mean():.3f}."
    )


@flagged(Intervention, panels=("wGNN",))
def plan(
    given: Given,
    run: Id,
    seed: Annotated[int | None, typer.Option(help="A seed of the run; its first if none.")] = None,
    folder: Annotated[Path, typer.Option("--out", help="Where to.")] = Path("plan"),
) -> None:
    """Write R' and G' of a run for another program: nodes, labels and edges as CSV, npz and PyG.

    Nothing is trained. Retrain with the files, then bring the new predictions back (`diagnose`).
    """
    store = Store()
    result = load_result(store, store.find(run))
    seeds = result.trained.seeds.tolist()
    if seed is not None and seed not in seeds:
        raise WGNNError(f"seed {seed} is no part of the run; it has {', '.join(map(str, seeds))}.")
    position = 0 if seed is None else seeds.index(seed)
    asked = Intervention(**given.of(Intervention))
    handout = Handout(result.graph, result.plan(asked, position))
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for name, content in handout.files().items():
            (folder / name).write_bytes(content)
    except OSError as error:
        raise WGNNError(f"{folder} cannot be written to: {error.strerror}.") from error
    drop = handout.plan.edge_drop.dropped
    added = handout.plan.supplement.added
    out.print(f"wrote {folder}: {added.sum()} nodes join, {drop.sum()} edges go.")
