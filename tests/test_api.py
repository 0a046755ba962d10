"""The library as a Python call: a dozen names, imported late, that do what they say."""

import subprocess
import sys
import zipfile
from collections.abc import Iterator
from pathlib import Path

import networkx as nx
import numpy as np
import pandas as pd
import pytest
import torch
from torch_geometric.data import Data
from torch_geometric.data.data import DataEdgeAttr, DataTensorAttr
from torch_geometric.data.storage import GlobalStorage
from torch_geometric.nn import GCNConv
from torch_geometric.utils import to_networkx

import wgnn_core as wgnn
from wgnn_core.comparators import METHODS
from wgnn_core.handout import Handout
from wgnn_core.runs.config import RunConfig
from wgnn_core.runs.direct import run_here

SHORT = {"epochs": 8}


@pytest.fixture(autouse=True)
def own_models_go() -> Iterator[None]:
    """What a test registers is gone after it."""
    yield
    METHODS.pop("Net", None)
    METHODS.pop("Convolutions", None)


class Net(torch.nn.Module):
    """A network that looks at no edge."""

    def __init__(self, in_channels: int, out_channels: int, scale: float = 1.0) -> None:
        super().__init__()
        self.layer = torch.nn.Linear(in_channels, out_channels)
        self.scale = scale

    def forward(self, x: torch.Tensor, edge_index: torch.Tensor) -> torch.Tensor:
        return self.scale * self.layer(x)


def test_importing_it_imports_nothing_heavy() -> None:
    code = (
        "import sys, wgnn_core; heavy = {'torch', 'pandas', 'numpy'} & set(sys.modules);"
        "assert not heavy, heavy; assert 'run' in dir(wgnn_core); print(wgnn_core.__version__)"
    )
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert out.returncode == 0, out.stderr
    assert out.stdout.strip() == wgnn.__version__


def test_every_name_is_there() -> None:
    for name in wgnn.__all__:
        assert getattr(wgnn, name) is not None
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        _ = wgnn.nothing


def test_a_graph_is_a_name_a_path_or_an_object(tmp_path: Path) -> None:
    named = wgnn.load("karate")
    assert wgnn.load(named) is named
    data = wgnn.load(named.to_pyg())
    np.testing.assert_array_equal(data.edges, named.edges)
    np.testing.assert_array_equal(data.y, named.y)
    known = nx.karate_club_graph()
    nx.set_node_attributes(known, {v: str(known.nodes[v]["club"]) for v in known}, "label")
    assert wgnn.load(known, label="label", split="shares").num_edges == named.num_edges
    edges = pd.DataFrame({"source": ["a", "b", "c"] * 9, "target": ["b", "c", "a"] * 9})
    nodes = pd.DataFrame({"id": ["c", "a", "b"], "label": ["x", "y", "x"], "f": [1.0, 2.0, 3.0]})
    nodes.to_csv(tmp_path / "nodes.csv", index=False)
    edges.to_csv(tmp_path / "edges.csv", index=False)
    with pytest.raises(wgnn.WGNNError):  # three nodes are too few for a split, and it says so
        wgnn.load(tmp_path / "edges.csv", tmp_path / "nodes.csv")
    with pytest.raises(wgnn.WGNNError, match="cannot be read from int"):
        wgnn.load(3)


def test_a_run_is_the_run_of_every_other_way(tmp_path: Path) -> None:
    result = wgnn.run("karate", seeds=2, hyper=SHORT, eta0=0.5, eta1=0.6, eta2=1.0, ablation=True)
    asked = wgnn.Intervention(0.5, 0.6, 1.0)
    config = RunConfig(
        "karate",
        hyper=tuple(SHORT.items()),
        seeds=(0, 1),
        interventions=(asked, asked.of("wgnn1"), asked.of("wgnn2")),
    )
    pd.testing.assert_frame_equal(result.run.rows, run_here(config).rows)
    assert list(result.table()["method"]) == ["GCN", "wGNN", "wGNN1", "wGNN2"]
    assert r"\begin{table}" in result.latex()
    assert result.comparison(asked).n == 2
    assert {"node-map", "accuracy-coverage"} <= set(result.kinds)
    assert result.figure("node-map", colour="class").data["node"].nunique() == 34
    file = result.save(tmp_path / "out")
    with zipfile.ZipFile(file) as inside:
        assert "tables/results.tex" in inside.namelist()


def test_knobs_and_searches() -> None:
    plain = wgnn.run("karate", seeds=2, hyper=SHORT, eta0=0.5)
    other = wgnn.run("karate", seeds=2, hyper=SHORT, eta0=0.5, ranker="random")
    assert plain.run.config.run_id != other.run.config.run_id
    found = wgnn.sweep("karate", seeds=2, hyper=SHORT, steps=(0.5,), pool="test")
    assert found.chosen is not None
    assert found.run.rows["pool"].eq("test").all()
    listed = wgnn.sweep("karate", seeds=2, hyper=SHORT, interventions=[wgnn.Intervention(0.3)])
    assert listed.chosen == wgnn.Intervention(0.3)
    with pytest.raises(wgnn.WGNNError, match="ranker is 'luck'"):
        wgnn.run("karate", ranker="luck")


def test_a_module_is_a_model(csbm_small: wgnn.Graph) -> None:
    """Trained by hand with the same seed it gives the same numbers."""
    result = wgnn.run(csbm_small, Net, seeds=2, hyper={"epochs": 5, "scale": 0.5})
    base = result.run.trained
    split = csbm_small.split(1)
    torch.manual_seed(1)
    net = Net(csbm_small.num_features, csbm_small.num_classes, 0.5)
    adam = torch.optim.Adam(net.parameters(), lr=0.01, weight_decay=5e-4)
    x, y = torch.from_numpy(csbm_small.x.toarray()), torch.from_numpy(csbm_small.y.copy())
    train, val = torch.from_numpy(split.train.copy()), torch.from_numpy(split.val.copy())
    best, kept = -1.0, None
    for _ in range(5):
        adam.zero_grad()
        torch.nn.functional.cross_entropy(net(x, None)[train], y[train]).backward()
        adam.step()
        out = net(x, None).detach()
        now = float((out[val].argmax(-1) == y[val]).double().mean())
        if now > best:
            best, kept = now, out
    assert kept is not None
    np.testing.assert_allclose(base.prob[1], kept.softmax(-1).numpy(), atol=1e-6)
    assert base.val[1] == pytest.approx(100 * best)
    assert base.history is not None and base.history.loss.shape == (2, 5)


class Convolutions(torch.nn.Module):
    """A GCN as PyG's users write it."""

    def __init__(self, in_channels: int, out_channels: int, hidden: int = 16) -> None:
        super().__init__()
        self.first = GCNConv(in_channels, hidden)
        self.second = GCNConv(hidden, out_channels)

    def forward(self, x: torch.Tensor, edge_index: torch.Tensor) -> torch.Tensor:
        return self.second(self.first(x, edge_index).relu(), edge_index)


@pytest.mark.parametrize("model", ["gcn", Convolutions])
def test_predictions_give_the_numbers_of_the_run_itself(
    model: str | type[torch.nn.Module], csbm_small: wgnn.Graph, tmp_path: Path
) -> None:
    """Saved with numpy and diagnosed: w, curves and plans, and the G' that is handed out."""
    asked = wgnn.Intervention(0.5, 0.8, 1.0)
    result = wgnn.run(csbm_small, model, seeds=2, hyper=SHORT, eta0=0.5, eta1=0.8, eta2=1.0)
    base = result.run.trained
    np.save(tmp_path / "prob.npy", base.prob)
    for given in (base.prob, tmp_path / "prob.npy"):
        seen = wgnn.diagnose(csbm_small, given)
        mine = seen.run.trained
        np.testing.assert_array_equal(mine.w, base.w)
        np.testing.assert_array_equal(mine.test, base.test)
        np.testing.assert_allclose(mine.val, base.val, rtol=1e-6)  # single precision
        curves = [one.figure("accuracy-coverage").data for one in (seen, result)]
        pd.testing.assert_frame_equal(*curves)
        for position in range(2):
            plans = [one.run.plan(asked, position) for one in (seen, result)]
            assert plans[0].supplement.added.any() and plans[0].edge_drop.dropped.any()
            np.testing.assert_array_equal(plans[0].supplement.added, plans[1].supplement.added)
            np.testing.assert_array_equal(plans[0].supplement.labels, plans[1].supplement.labels)
            np.testing.assert_array_equal(plans[0].edge_drop.kept, plans[1].edge_drop.kept)
            (tmp_path / "data.pt").write_bytes(Handout(csbm_small, plans[0]).pt())
            listed = [DataEdgeAttr, DataTensorAttr, GlobalStorage]  # PyG has listed Data itself
            with torch.serialization.safe_globals(listed):
                data = torch.load(tmp_path / "data.pt", weights_only=True)
            assert data.num_edges == 2 * plans[1].edge_drop.kept.sum() < 2 * csbm_small.num_edges
            assert components(data) == components(csbm_small.to_pyg())


def components(data: Data) -> int:
    found: int = nx.number_connected_components(to_networkx(data, to_undirected=True))
    return found
