"""The table "What a change touches" of CONTRIBUTING.md: every change is made in a copy of the
source, in the files that the table names and no other, and one program then looks at what followed.

A second place that a change would need is not edited here, so what follows from it would be
missing, and the test fails.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from wgnn_core.intervention import Intervention
from wgnn_core.runs.config import RunConfig
from wgnn_core.runs.direct import run_here
from wgnn_core.runs.jobs import Jobs
from wgnn_core.runs.life import Driver, Here, Tell
from wgnn_core.runs.results import load_result
from wgnn_core.runs.store import Store

ROOT = Path(__file__).resolve().parents[1]
OLD_STORE = ROOT / "tests" / "runs" / "store_of_0_1"
HEADING = "## What a change touches"

Edits = dict[str, list[tuple[str, str]]]
"""By file: what is replaced by what; a new file has nothing to replace."""


def model_of_the_guide() -> str:
    section = (ROOT / "CONTRIBUTING.md").read_text().split("## Add a base model in one file")[1]
    return re.findall(r"```python\n(.*?)```", section, re.DOTALL)[0]


KNOB: Edits = {
    "wgnn_core/intervention.py": [
        (
            "    def __post_init__(self) -> None:\n        for name in ETAS:",
            "    shuffle: bool = hyper(\n"
            '        False, "Algorithm 1 adds test nodes by chance", title="By chance"\n'
            "    )\n\n"
            "    def __post_init__(self) -> None:\n        for name in ETAS:",
        ),
        ('ALGORITHM_1 = ("eta0", "ranker")', 'ALGORITHM_1 = ("eta0", "ranker", "shuffle")'),
        ("score(asked.ranker, prob", 'score("random" if asked.shuffle else asked.ranker, prob'),
    ]
}
MODEL: Edits = {
    "wgnn_core/models/sgc.py": [("", model_of_the_guide())],
    "wgnn_core/models/__init__.py": [
        (
            "from wgnn_core.models.maskgae import MaskGAE\n",
            "from wgnn_core.models.maskgae import MaskGAE\nfrom wgnn_core.models.sgc import SGC\n",
        ),
        ("(GCN, GAT,", "(GCN, SGC, GAT,"),
    ],
}
COLUMN: Edits = {
    "wgnn_core/wgnn.py": [
        (
            "    pseudo_unlabelled: int = 0\n",
            "    pseudo_unlabelled: int = 0\n    agreed: int = -1\n",
        ),
        (
            "        int((added & graph.unlabelled).sum()),\n",
            "        int((added & graph.unlabelled).sum()),\n"
            "        int((first == second).sum()),\n",
        ),
    ]
}
RANKER: Edits = {
    "wgnn_core/ranking.py": [
        (
            '    "margin": _margin,\n',
            '    "margin": _margin,\n    "backwards": lambda prob, seed: -nonuniformity(prob),\n',
        )
    ]
}
VENUE: Edits = {
    "wgnn_core/figures/style.py": [
        (
            "VENUES: dict[str, Venue] = {\n",
            'VENUES: dict[str, Venue] = {\n    "wall": Venue("Wall", 30, 40, 40),\n',
        )
    ]
}
DATASET: Edits = {
    "wgnn_core/datasets/builtin.py": [
        (
            "def karate() -> Graph:",
            "def ring() -> Graph:\n"
            '    """Forty nodes in a ring, in two halves."""\n'
            "    y = np.arange(40) // 20\n"
            "    edges = np.stack([np.arange(40), (np.arange(40) + 1) % 40], axis=1)\n"
            "    split = per_class_split(y, per_class=5, num_val=6)\n"
            '    return make_graph("ring", np.eye(40), edges, y, [split])\n\n\n'
            "def karate() -> Graph:",
        )
    ],
    "wgnn_core/datasets/known.py": [
        (
            "_BUILT_IN = (\n",
            "_BUILT_IN = (\n"
            '    DatasetSpec("ring", "A ring", "Forty nodes in a ring.", "5 / 6 / rest"),\n',
        )
    ],
    "wgnn_core/datasets/loading.py": [
        ("import digits, karate", "import digits, karate, ring"),
        ('    "karate": karate,\n', '    "karate": karate,\n    "ring": ring,\n'),
    ],
}
CHANGES = {
    "knob of the intervention": KNOB,
    "base model": MODEL,
    "result column": COLUMN,
    "ranker": RANKER,
    "venue": VENUE,
    "dataset": DATASET,
}

RUNS = [
    RunConfig("karate"),
    RunConfig("karate", seeds=(0, 1), interventions=(Intervention(0.8, 0.3, 0.4),)),
    RunConfig("karate", seeds=(0, 1), interventions=(Intervention(0.8, 0.3, 0.4, "test"),)),
    RunConfig("karate", seeds=(0, 1), search="two-stage", steps=(0.5,)),
    RunConfig("karate", interventions=(Intervention(0.1), Intervention(0.8, ranker="margin"))),
]

PROBE = """
import csv, io, json, sys
from dataclasses import asdict, replace
from pathlib import Path
from streamlit.testing.v1 import AppTest
from typer.testing import CliRunner
from ui.jobs import is_cheap
from wgnn_core import datasets, search
from wgnn_core.cli import app
from wgnn_core.comparators import METHODS
from wgnn_core.fields import words
from wgnn_core.figures import Style, figure_of
from wgnn_core.figures.references import references
from wgnn_core.intervention import Intervention
from wgnn_core.reports import command_of
from wgnn_core.runs.config import RunConfig
from wgnn_core.runs.direct import run_here
from wgnn_core.runs.results import load_result
from wgnn_core.runs.store import Store

def cli(*arguments):
    made = CliRunner().invoke(app, list(arguments))
    assert made.exit_code == 0, (arguments, made.output, made.exception)
    return made.stdout

PAGE = "import streamlit as st; from ui.sidebar import sidebar; "
PAGE += "st.session_state['made'] = sidebar()[0]"

out = {"from": str(Path(datasets.__file__).parents[2])}
out["ids"] = [RunConfig.from_json(c).run_id for c in json.loads(sys.argv[1])]
out["help"] = {name: cli(name, "--help") for name in ("run", "sweep", "export")}
out["models"], out["data"] = cli("models"), cli("data", "list")

store = Store()
plain = Intervention(0.5, 0.6, 0.5)
knob = replace(plain, shuffle=True)
ranked = replace(plain, ranker="backwards")
config = RunConfig(
    "ring", model="sgc", hyper=(("epochs", 12),), seeds=(0, 1),
    interventions=(plain, knob, ranked, replace(knob, eta0=0.0)),
)
result = run_here(config, store)
again = load_result(Store(), result.summary.run_id)
out["trained"] = again.complete
out["interventions_read_back"] = again.config.interventions == config.interventions
out["json_read_back"] = RunConfig.from_json(json.loads(json.dumps(config.to_json()))) == config
out["written_and_read_back"] = Intervention.read(str(knob)) == knob
out["read_types"] = sorted({type(i.shuffle).__name__ for i in search.interventions(again.rows)})
out["ids_differ"] = len({replace(config, interventions=(i,)).run_id for i in (plain, knob, ranked)})
out["idle"] = knob.of("wgnn2").canonical == plain.of("wgnn2").canonical
out["words"], out["text"] = words(knob), knob.text
out["columns"] = list(again.rows.columns)
out["rows"] = [again.of(i).to_dict("list") for i in (plain, knob, ranked)]
cli("runs", "export", result.summary.run_id, "rows.csv")
out["csv"] = next(csv.reader(io.StringIO(Path("rows.csv").read_text())))
figure = figure_of("comparison-bars", [again], again.graph)
out["command"] = command_of("comparison-bars", [figure.scene], Style(venue="wall"))
out["bib"] = references(models=["sgc"])
out["cheap"] = is_cheap(again.graph, "sgc")
old = Store("old")
out["old"] = [load_result(old, run.run_id).rows.to_dict("list") for run in old.runs()]

at = AppTest.from_string(PAGE, default_timeout=60)
at.query_params["dataset"] = "A ring"
at.run()
assert not at.exception, at.exception
out["graphs"] = at.selectbox(key="dataset").options
out["graph"] = at.session_state["made"].run.dataset
out["offered"] = at.selectbox(key="model").options
out["rankers"] = at.selectbox(key="ranker").options
out["edge_models"] = at.selectbox(key="edge_model").options
out["toggle"] = at.toggle(key="shuffle").label
at.toggle(key="shuffle").set_value(True)
at.selectbox(key="ranker").set_value("backwards")
at.selectbox(key="model").set_value("sgc").run()
chosen = at.session_state["made"]
out["chosen"] = [chosen.like.shuffle, chosen.like.ranker, chosen.run.model]
out["hyper"] = [w.label for w in at.number_input]
print(json.dumps(out))
"""


def touched(row: str) -> set[str]:
    """The files that a row of the table names."""
    guide = (ROOT / "CONTRIBUTING.md").read_text().split(HEADING)[1].split("\n## ")[0]
    (found,) = re.findall(rf"^\| {re.escape(row)} \|([^|]*)\|", guide, re.MULTILINE)
    return set(re.findall(r"`([\w/.]+\.py)`", found))


def changed(folder: Path) -> set[str]:
    """The source files of a copy that are not those of this program."""
    files = {str(path.relative_to(folder)): path for path in folder.rglob("*.py")}
    return {
        name
        for name, path in files.items()
        if not (ROOT / name).is_file() or path.read_bytes() != (ROOT / name).read_bytes()
    }


@pytest.fixture(scope="module")
def after(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """What a program says in which every change of the table was made."""
    copy = tmp_path_factory.mktemp("changed")
    for name in ("wgnn_core", "ui", "pages"):
        shutil.copytree(ROOT / name, copy / name)  # with what numba has compiled
    for edits in CHANGES.values():
        for name, replacements in edits.items():
            path = copy / name
            for old, new in replacements:
                text = path.read_text() if old else ""
                assert text.count(old) == 1, f"{name} no longer has {old!r}"
                path.write_text(text.replace(old, new) if old else new)
    assert changed(copy) == {name for edits in CHANGES.values() for name in edits}
    shutil.copytree(OLD_STORE, copy / "old")
    done = subprocess.run(
        [sys.executable, "-c", PROBE, json.dumps([run.to_json() for run in RUNS])],
        cwd=copy,
        capture_output=True,
        text=True,
        env=os.environ
        | {
            "PYTHONPATH": str(copy),
            "WGNN_HOME": str(copy / "home"),
            "COLUMNS": "220",
            "OMP_NUM_THREADS": "1",
        },
        check=False,
    )
    assert done.returncode == 0, done.stderr[-3000:]
    out: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    assert out["from"] == str(copy), "the copy must speak, not this program"
    return out


@pytest.mark.parametrize("row", CHANGES)
def test_the_table_names_the_files_that_the_change_touches(row: str) -> None:
    expected = {name.replace("sgc", "NAME") for name in CHANGES[row]}
    assert touched(row) == expected


def test_no_change_of_these_changes_the_id_of_a_run(after: dict[str, Any]) -> None:
    assert after["ids"] == [run.run_id for run in RUNS]


def test_a_knob_of_the_intervention_is_one_field(after: dict[str, Any]) -> None:
    for name in ("run", "sweep", "export"):
        assert "--shuffle" in after["help"][name], name
        assert "Algorithm 1 adds test nodes by chance." in after["help"][name], name
    assert after["interventions_read_back"] and after["json_read_back"]
    assert after["written_and_read_back"]
    assert after["ids_differ"] == 3
    assert after["idle"], "without Algorithm 1 it decides nothing"
    assert after["words"][-2:] == ["--shuffle", "true"]
    assert after["text"].endswith("shuffle True")
    assert "shuffle=true" in after["command"]
    assert after["toggle"] == "By chance"
    assert after["chosen"][0] is True
    plain, knob, _ = after["rows"]
    assert set(plain["shuffle"]) == {False} and set(knob["shuffle"]) == {True}
    assert after["read_types"] == ["bool"]
    assert plain["pseudo_right"] != knob["pseudo_right"], "it changes which nodes are added"
    assert "shuffle" in after["csv"]
    for rows in after["old"]:
        assert not any(rows["shuffle"])


def test_a_base_model_is_one_file_and_its_line(after: dict[str, Any]) -> None:
    assert after["trained"]
    assert "sgc" in after["models"] and "A_sym^hops X W" in after["models"]
    assert "SGC" in after["offered"]
    assert after["chosen"][2] == "sgc"
    assert "Hops" in after["hyper"]
    assert "sgc" in after["edge_models"]
    assert "wu2019sgc" in after["bib"]
    assert after["cheap"]


def test_a_result_column_is_one_place(after: dict[str, Any]) -> None:
    assert after["columns"][-1] == after["csv"][-1] == "agreed"
    for rows in after["rows"]:
        assert all(0 < count <= 40 for count in rows["agreed"])
    assert len(after["old"]) == 7
    for rows in after["old"]:
        assert set(rows["agreed"]) <= {-1}, "stored before there was the column"
    assert any(rows["agreed"] for rows in after["old"])


def test_a_ranker_is_one_line(after: dict[str, Any]) -> None:
    assert "backwards" in after["rankers"]
    assert after["chosen"][1] == "backwards"
    for name in ("run", "sweep", "export"):
        assert "w, margin, backwards, max-softmax" in " ".join(after["help"][name].split()), name
    plain, _, ranked = after["rows"]
    assert set(ranked["ranker"]) == {"backwards"}
    assert plain["test"] != ranked["test"] or plain["pseudo_right"] != ranked["pseudo_right"]


def test_a_venue_is_one_line(after: dict[str, Any]) -> None:
    assert "wall" in after["help"]["export"]
    assert "--venue wall" in after["command"]


def test_a_dataset_is_one_function_and_its_entry(after: dict[str, Any]) -> None:
    assert "ring" in after["data"]
    assert "A ring" in after["graphs"]
    assert after["graph"] == "ring"
    assert "--dataset ring" in after["command"]


class Thread:
    """An executor of one's own: trains in the thread that asks, before `start` returns."""

    def __init__(self, store: Store, owner: str, seconds: float, tell: Tell) -> None:
        self._driver = Driver(store, owner, seconds, Here(), tell)

    def warm(self) -> None: ...

    def start(self, run_id: str) -> None:
        self._driver.add(run_id)
        while self._driver.busy:
            self._driver.step()

    def cancel(self, run_id: str) -> None:
        self._driver.cancel(run_id)

    def close(self) -> None:
        self._driver.close()


def test_an_executor_touches_nothing(tmp_path: Path) -> None:
    """It is handed to `Jobs`, and its numbers are those of the others."""
    assert touched("executor") == set()
    config = RunConfig(
        "karate", hyper=(("epochs", 5),), seeds=(0, 1), interventions=(Intervention(0.5, 0.6, 0.5),)
    )
    jobs = Jobs(Store(tmp_path), executor=Thread)
    run_id = jobs.submit(config)
    assert jobs.status(run_id).state == "done"
    jobs.close()
    assert load_result(Store(tmp_path), run_id).rows.equals(run_here(config).rows)
