"""A user's module as a base model: its arguments, its file, its id, and what is refused."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
import torch

from wgnn_core.comparators import METHODS, make_method, register
from wgnn_core.errors import WGNNError
from wgnn_core.fields import knobs
from wgnn_core.models.own import own_model
from wgnn_core.runs.config import RunConfig
from wgnn_core.runs.direct import run_here

NET = """
import torch

class Net(torch.nn.Module):
    def __init__(self, in_channels, num_classes, hidden=8, deep=False, lr=0.5):
        super().__init__()
        self.a = torch.nn.Linear(in_channels, hidden)
        self.b = torch.nn.Linear(hidden, num_classes)
        self.wrong = {wrong}

    def forward(self, x, edge_index):
        out = self.b(self.a(x).relu())
        return out[1:] if self.wrong else out
"""


@pytest.fixture(autouse=True)
def own_models_go() -> Iterator[None]:
    """What a test registers is gone after it."""
    before = dict(METHODS)
    yield
    for name in METHODS.keys() - before.keys():
        del METHODS[name]


def write(folder: Path, wrong: bool = False, more: str = "") -> str:
    file = folder / "net.py"
    file.write_text(NET.format(wrong=wrong) + more, encoding="utf-8")
    return f"{file}:Net"


def test_arguments_become_hyperparameters(tmp_path: Path) -> None:
    name = write(tmp_path)
    model = make_method(name, hidden=4, net_lr=0.1)
    assert {k.name for k in knobs(type(model))} >= {"hidden", "deep", "net_lr", "lr", "epochs"}
    run = RunConfig("karate", model=name, hyper=(("epochs", 3), ("hidden", 4)), seeds=(0, 1))
    result = run_here(run)
    assert result.trained.prob.shape == (2, 34, 2)
    assert type(result.trained.model).title == "Net"
    with pytest.raises(WGNNError, match="no hyperparameter 'hiden'"):
        make_method(name, hiden=4)


def test_the_id_follows_the_source_and_not_the_folder(tmp_path: Path) -> None:
    ids = []
    for folder, more in (("a", ""), ("b", ""), ("c", "# other\n")):
        (tmp_path / folder).mkdir()
        run = RunConfig("karate", model=write(tmp_path / folder, more=more), seeds=(0,))
        ids.append(run.run_id)
    assert ids[0] == ids[1] != ids[2]


def test_what_is_wrong_is_said(tmp_path: Path) -> None:
    with pytest.raises(WGNNError, match="cannot be read"):
        make_method(str(tmp_path / "none.py:Net"))
    name = write(tmp_path, wrong=True)
    with pytest.raises(WGNNError, match="has no class 'Other'"):
        make_method(name.replace(":Net", ":Other"))
    with pytest.raises(WGNNError, match=r"returns \(33, 2\); it must return .* \(34, 2\)"):
        run_here(RunConfig("karate", model=name, seeds=(0,)))
    (tmp_path / "bad.py").write_text("import nothing_of_that_name\n", encoding="utf-8")
    with pytest.raises(WGNNError, match="cannot be run: ModuleNotFoundError"):
        make_method(str(tmp_path / "bad.py:Net"))

    class Needy(torch.nn.Module):
        def __init__(self, in_channels: int, mystery: object) -> None:
            super().__init__()

    with pytest.raises(WGNNError, match="'mystery' of the constructor has no default"):
        own_model(Needy)
    with pytest.raises(WGNNError, match="no class of torch modules"):
        own_model(int)  # type: ignore[arg-type]


def test_a_name_of_ours_is_not_taken_away() -> None:
    class gcn(torch.nn.Module):  # noqa: N801
        def __init__(self, in_channels: int) -> None:
            super().__init__()

    with pytest.raises(WGNNError, match="another name"):
        register(gcn)
    assert METHODS["gcn"].title == "GCN"


def test_a_revision_of_a_model_is_part_of_its_ids_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    def ids() -> list[str]:
        return [RunConfig("karate", model=name, seeds=(0,)).run_id for name in ("gcn", "gat")]

    before = ids()
    monkeypatch.setattr(METHODS["gcn"], "revision", 1)
    after = ids()
    assert before[0] != after[0] and before[1] == after[1]
