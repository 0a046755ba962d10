"""The list of runs as a table."""

from __future__ import annotations

from dataclasses import replace

from wgnn_core.intervention import Intervention
from wgnn_core.reports.shelf import shelf_table
from wgnn_core.runs.config import RunConfig
from wgnn_core.runs.direct import run_here


def test_no_gain_has_no_minus() -> None:
    config = RunConfig("karate", hyper=(("epochs", 2),), seeds=(0,))
    run = run_here(replace(config, interventions=(Intervention(1.0),))).summary
    tiny = replace(run, base_accuracy=0.1 + 0.2, accuracy=0.3)
    assert tiny.gain is not None and tiny.gain < 0
    table = shelf_table([tiny, replace(run, accuracy=None)])
    assert f"{table['gain'][0]:+.2f}" == "+0.00"
    assert table["gain"].isna().tolist() == [False, True]
