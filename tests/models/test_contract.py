"""What every base model and every comparator must do, whatever it computes."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import fields, replace
from typing import Any

import numpy as np
import pytest
import torch

from wgnn_core.comparators import METHODS, make_method
from wgnn_core.errors import WGNNError
from wgnn_core.graph import Graph
from wgnn_core.intervention import Intervention
from wgnn_core.replicas.model import Model
from wgnn_core.replicas.random import Noise
from wgnn_core.replicas.train import Trained
from wgnn_core.replicas.trainings import Trainings
from wgnn_core.replicas.view import Batch, Domain, View
from wgnn_core.wgnn import Trial, retrain, train_base

VARIANTS: list[Model] = [
    *map(make_method, METHODS),
    make_method("acmgcn", variant="acmii"),
    make_method("dropedge", per_layer=True),
    make_method("gat", layers=4),
    make_method("graphcon", "texas", hidden=16),
    make_method("maskgae", mask="edge"),
    make_method("gil", "airport"),
]


LIGHT: dict[str, dict[str, Any]] = {
    "graphcon": {"time": 4.0, "attention_width": 16, "hidden": 32},
    "maskgae": {"hidden": 64},
    "ptdnet": {"hidden": 32, "passes": 2, "lr": 0.01},
}
"""Smaller forms where only learning at all is asked for."""
EPOCHS = {"gil": 40}
"""GIL's strong dropout makes it slow to start."""


def label(model: Model) -> str:
    default = make_method(type(model).name)
    changed = [f.name for f in fields(model) if getattr(model, f.name) != getattr(default, f.name)]
    return "-".join([type(model).name, *changed[:1]])


@pytest.fixture(scope="session")
def three(irregular_graph: Graph) -> Trainings:
    """Three replicas that differ in seed, graph and training set."""
    rng = np.random.default_rng(2)
    base = Trainings.of_seeds(irregular_graph, np.array([4, 0, 9]))
    kept = rng.random((3, irregular_graph.num_edges)) < np.array([[1.0], [0.8], [0.6]])
    weight, labels = base.weight.copy(), base.labels.copy()
    weight[1, 13], labels[1, 13] = 0.5, 2
    return replace(base, kept_edges=kept, weight=weight, labels=labels)


@pytest.mark.parametrize("model", VARIANTS, ids=label)
def test_replicas_together_equal_replicas_alone(
    model: Model,
    three: Trainings,
    irregular_graph: Graph,
    shortened: Callable[[Model, int], Model],
    train_now: Callable[..., Trained],
) -> None:
    short = shortened(model, 4)
    together = train_now(short, irregular_graph, three)
    for k in range(3):
        alone = train_now(short, irregular_graph, three.select(slice(k, k + 1)))
        if type(model).exact:
            np.testing.assert_array_equal(together.logits[k], alone.logits[0])
        else:
            np.testing.assert_allclose(together.logits[k], alone.logits[0], rtol=2e-3, atol=2e-4)
    spread = np.abs(together.logits - together.logits[:1]).max(axis=(1, 2))
    assert (spread[1:] > 1e-3).all(), "replicas that differ must come out different"


@pytest.mark.parametrize("model", VARIANTS, ids=label)
def test_compiled_and_plain_torch_agree(
    model: Model,
    three: Trainings,
    irregular_graph: Graph,
    shortened: Callable[[Model, int], Model],
    parameters: Callable[[Model, Graph, int], dict[str, torch.Tensor]],
) -> None:
    """A loss with all its random draws, and its gradient."""
    model = shortened(model, 3)
    p = parameters(model, irregular_graph, 3)
    fast = Domain.of(irregular_graph, torch.device("cpu"))
    prepared = model.prepare(Batch(fast, three.kept_edges), three.seeds, lambda: None)
    noise = Noise.of_epoch(three.seeds, 1)
    targets = np.any(three.weight > 0, axis=0)
    outcomes = []
    for domain in (fast, replace(fast, compiled=False)):
        batch = Batch(domain, three.kept_edges, prepared)
        view = View(batch, domain.field(targets, model.depth))
        labels = torch.from_numpy(three.labels[:, targets].clip(0))
        weight = torch.from_numpy(three.weight[:, targets])
        loss = model.loss(p, view, noise, labels, weight)[0].sum()
        outcomes.append((loss.detach(), *torch.autograd.grad(loss, list(p.values()))))
    for name, mine, theirs in zip(["loss", *p], *outcomes, strict=True):
        # distances in the Poincare ball magnify rounding, hence measured against the largest entry
        assert (mine - theirs).abs().max() <= 5e-3 * theirs.abs().max() + 1e-6, name


@pytest.mark.parametrize("name", METHODS)
def test_learns_the_digits(
    name: str, digits: Graph, shortened: Callable[[Model, int], Model]
) -> None:
    """Ten classes: chance is 10 %, the most frequent class about as much."""
    model = shortened(replace(make_method(name), **LIGHT.get(name, {})), 30)
    assert (train_base(digits, model, 2).test > 50).all()


@pytest.mark.parametrize("name", METHODS)
def test_wgnn_wraps_it(
    name: str, csbm_small: Graph, shortened: Callable[[Model, int], Model]
) -> None:
    model = shortened(make_method(name, **LIGHT.get(name, {})), EPOCHS.get(name, 15))
    base = train_base(csbm_small, model, 2)
    trials = [Trial(Intervention(0.3, 0.5, 0.5), position) for position in range(2)]
    for before, out in zip(base.w, retrain(base, trials), strict=True):
        assert np.isfinite(out.w).all()
        assert out.row.pseudo_labels > 0
        assert out.row.edges_dropped > 0
        assert np.abs(out.w - before).max() > 1e-4
        assert out.row.test > 100 / 3


@pytest.mark.parametrize("name", METHODS)
def test_every_hyperparameter_has_help_and_every_recipe_is_valid(name: str) -> None:
    for item in fields(METHODS[name]):
        assert item.metadata["help"], item.name
        ranged = item.metadata["low"] is not None and item.metadata["high"] is not None
        assert ranged or item.metadata["choices"] or item.type in ("bool", bool), item.name
    for dataset in METHODS[name].for_dataset:
        make_method(name, dataset)
    for preset in METHODS[name].presets:
        make_method(name, preset=preset)


def bibtex_key(entry: str) -> str:
    """The key of a BibTeX entry; fails on anything that is not one entry with its main fields."""
    head = re.match(r"@(?:inproceedings|article|misc)\{(\w+),\n", entry)
    assert head, "no entry with a key"
    depth = 0
    for place, character in enumerate(entry):
        depth += {"{": 1, "}": -1}.get(character, 0)
        closed = depth == 0 and place >= head.end()
        assert closed == (place >= len(entry) - 2), "the braces do not balance"
    for item in ("author", "title", "year"):
        assert len(re.findall(rf"^  {item} = \{{.", entry, re.M)) == 1, item
    return head[1]


@pytest.mark.parametrize("name", METHODS)
def test_it_says_whom_to_cite_and_what_it_costs(name: str) -> None:
    """In its own class: a method that extends another has a paper and a cost of its own."""
    own = vars(METHODS[name])
    assert bibtex_key(own["citation"])
    assert own["cost"] in ("cheap", "dear")


def test_no_two_methods_cite_the_same_paper() -> None:
    assert len({bibtex_key(method.citation) for method in METHODS.values()}) == len(METHODS)


@pytest.mark.parametrize(
    "entry",
    [
        "kipf2017gcn",
        "@misc{a,\n  author = {A},\n  title = {T},\n  year = {1}\n",
        "@misc{a,\n  author = {A},\n  title = {T}},\n  year = {1}\n}\n",
        "@misc{a,\n  author = {A},\n  title = {T}\n}\n",
        "@misc{a,\n  author = {A},\n  title = {T},\n  year = {1}\n}\n@misc{b,\n}\n",
    ],
)
def test_a_broken_entry_is_noticed(entry: str) -> None:
    with pytest.raises(AssertionError):
        bibtex_key(entry)


@pytest.mark.parametrize("name", METHODS)
def test_values_out_of_range_are_refused(name: str) -> None:
    with pytest.raises(WGNNError, match="epochs is 0"):
        replace(make_method(name), epochs=0)
