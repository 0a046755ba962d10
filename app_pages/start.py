"""Start: what w is, and one run of wGNN beside its base model.

Training takes seconds to minutes, so it happens in a process of its own, through the command line;
the page only watches it.
"""

import json
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path
from statistics import mean, stdev
from typing import IO, Any

import pandas as pd
import streamlit as st

PROJECT = Path(__file__).resolve().parents[1]


def new_file() -> IO[str]:
    """A nameless file that lives as long as the run that holds it."""
    return tempfile.TemporaryFile("w+", encoding="utf-8")


@dataclass
class Run:
    """A training process; its output goes to files, as a full pipe would stop it."""

    dataset: str
    command: list[str]
    output: IO[str] = field(default_factory=new_file)
    errors: IO[str] = field(default_factory=new_file)
    began: float = field(default_factory=time.monotonic)
    cancelled: bool = False

    def __post_init__(self) -> None:
        self.process = subprocess.Popen(
            self.command, stdout=self.output, stderr=self.errors, cwd=PROJECT
        )

    def cancel(self) -> None:
        self.cancelled = True
        self.process.terminate()
        try:
            self.process.wait(timeout=5)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()


def text_of(file: IO[str]) -> str:
    file.seek(0)
    return file.read().strip()


def start(dataset: str, etas: tuple[float, float, float], seeds: int) -> None:
    options = {"dataset": dataset, "model": "gcn", "seeds": seeds}
    options |= {f"eta{i}": eta for i, eta in enumerate(etas)}
    command = [sys.executable, "-m", "wgnn_core", "run", "--json"]
    for name, value in options.items():
        command += [f"--{name}", str(value)]
    st.session_state["start_run"] = Run(dataset, command)


@st.fragment(run_every=0.5)
def watch(run: Run) -> None:
    if run.process.poll() is not None:
        st.rerun()
    st.info(f"Training on {run.dataset}: {time.monotonic() - run.began:.0f} s", icon="⏳")
    st.button("Cancel", on_click=run.cancel, key="start_cancel")


def show_end(run: Run) -> None:
    code = run.process.returncode
    if run.cancelled:
        st.warning("Cancelled: there is no result.")
    elif code == 2:
        st.error(text_of(run.errors))
    elif code != 0:
        st.error(f"The training process stopped with code {code}. In a terminal, this says why:")
        st.code(" ".join(["python", *run.command[1:]]), language=None)
    else:
        show_result(json.loads(text_of(run.output)))


def show_result(result: dict[str, Any]) -> None:
    rows = {
        f"{result['model']} (base)": result["base"]["test"],
        "wGNN": result["wgnn"]["test"],
        "wGNN, retrained model alone": result["wgnn"]["test_retrained"],
    }
    base, wgnn = result["base"]["test"], result["wgnn"]["test"]
    p_value = result["p_value"]
    left, middle, right = st.columns(3)
    left.metric("Base, test accuracy", f"{mean(base):.1f} %")
    gain = mean(wgnn) - mean(base)
    middle.metric("wGNN, test accuracy", f"{mean(wgnn):.1f} %", f"{gain:+.2f} points")
    right.metric("p-value, paired by seed", "none" if p_value is None else f"{p_value:.2g}")
    st.dataframe(
        pd.DataFrame(
            {
                "test accuracy, mean (%)": [mean(values) for values in rows.values()],
                "standard deviation": [stdev(values) for values in rows.values()],
                "n": [len(values) for values in rows.values()],
            },
            index=pd.Index(rows, name=result["dataset"]),
        ).style.format(precision=2)
    )
    eta0, eta1, eta2 = result["eta"]
    st.caption(
        f"{result['dataset']}, η0 = {eta0}, η1 = {eta1}, η2 = {eta2}, {len(base)} seeds, "
        f"{result['seconds']:.1f} s. In wGNN the added nodes keep their first prediction (the "
        "paper's tally); the retrained model alone predicts every test node anew."
    )


st.title("wGNN Explorer")
st.markdown(
    r"""
A trained network gives each node $v$ a probability $\mu_v(s)$ for each of the $C$ classes.
Its **label non-uniformity** $w(v) = \sum_s |\mu_v(s) - 1/C|$ is 0 when the network has no opinion
and $2(1 - 1/C)$ when it is certain; nodes of small $w$ tend to lie near class boundaries
and are the ones it gets wrong most often. **wGNN** uses $w$ twice, then trains again:
the share η0 of the test nodes with the largest $w$ joins the training set with its
*predicted* labels (Algorithm 1), and among the share η1 of nodes with the smallest $w$, the
share η2 of the edges outside a spanning forest is dropped (Algorithm 2).
"""
)

run: Run | None = st.session_state.get("start_run")
running = run is not None and run.process.poll() is None
with st.expander("η and seeds"):
    etas = (
        st.slider("η0: test nodes added", 0.0, 1.0, 0.8, 0.05, key="start_eta0"),
        st.slider("η1: nodes near a boundary", 0.0, 1.0, 0.3, 0.05, key="start_eta1"),
        st.slider("η2: edges dropped among them", 0.0, 1.0, 0.4, 0.05, key="start_eta2"),
    )
    seeds = st.slider("Seeds", 2, 20, 10, key="start_seeds")
st.button(
    "Run wGNN",
    type="primary",
    disabled=running,
    on_click=start,
    args=(st.session_state["dataset"], etas, seeds),
    key="start_button",
)
if run is not None and running:
    watch(run)
elif run is not None:
    show_end(run)
