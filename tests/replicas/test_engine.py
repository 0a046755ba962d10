"""Training: replicas do not feel each other, the best epoch is kept, cancel works."""

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import psutil
import pytest
import torch

from wgnn_core.comparators import METHODS, make_method
from wgnn_core.errors import WGNNError
from wgnn_core.graph import HIDDEN, Graph, Split
from wgnn_core.models import make_model
from wgnn_core.replicas import engine
from wgnn_core.replicas.engine import (
    Cancelled,
    EngineOptions,
    Event,
    batch_size,
    batches,
    choose_device,
    replica_bytes,
    train,
    train_all,
)
from wgnn_core.replicas.train import train_batch
from wgnn_core.replicas.trainings import Trainings
from wgnn_core.replicas.view import Domain

ONE_THREAD = EngineOptions(threads=1)


@pytest.mark.parametrize("name", [name for name, model in METHODS.items() if model.exact])
def test_together_is_alone(csbm_small: Graph, name: str) -> None:
    """Five replicas in one batch give bit for bit what each gives by itself."""
    model = make_method(name, epochs=15)
    trainings = Trainings.of_seeds(csbm_small, np.asarray([3, 1, 4, 15, 9]))
    together = train_all(model, csbm_small, trainings, ONE_THREAD)
    for k in range(len(trainings)):
        alone = train_all(model, csbm_small, trainings.select(slice(k, k + 1)), ONE_THREAD)
        np.testing.assert_array_equal(alone.logits[0], together.logits[k])
        assert alone.best_epoch[0] == together.best_epoch[k]


def test_cut_by_memory_or_threads_changes_nothing(csbm_small: Graph) -> None:
    model = make_model("gcn", epochs=10)
    trainings = Trainings.of_seeds(csbm_small, np.arange(6))
    whole = train_all(model, csbm_small, trainings, ONE_THREAD)
    options = EngineOptions(threads=2, memory=2 * replica_bytes(model, csbm_small))
    cut = train_all(model, csbm_small, trainings, options)
    np.testing.assert_array_equal(whole.logits, cut.logits)


def test_batches_fit_the_cache_and_keep_splits_together(
    csbm_small: Graph, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In whatever order they are trained, results come in the order that was asked for."""
    model, number, first = make_model("gcn", epochs=10), 4, csbm_small.splits[0]
    turned = tuple(
        Split(*(np.roll(mask, 7 * i) for mask in (first.train, first.val, first.test)))
        for i in range(number)
    )
    csbm_small = replace(csbm_small, splits=turned)
    trainings = Trainings.of_seeds(csbm_small, np.arange(3 * number))
    whole = train_all(model, csbm_small, trainings, ONE_THREAD)
    monkeypatch.setattr(engine, "BATCH_BYTES", 3 * replica_bytes(model, csbm_small))
    parts = batches(model, csbm_small, trainings, 1, cached=True)
    assert [len(part) for part in parts] == [3] * number
    assert all(len(set(part % number)) == 1 for part in parts)
    cut = train_all(model, csbm_small, trainings, ONE_THREAD)
    np.testing.assert_array_equal(whole.logits, cut.logits)
    np.testing.assert_array_equal(whole.epochs, cut.epochs)
    assert whole.history is not None and cut.history is not None
    np.testing.assert_allclose(whole.history.loss, cut.history.loss, rtol=1e-6)
    inexact = make_model("graphcon", epochs=10)
    asked = batches(inexact, csbm_small, trainings, 1, cached=True)
    np.testing.assert_array_equal(np.concatenate(asked), np.arange(len(trainings)))


def test_compiled_and_torch_train_alike(csbm_small: Graph) -> None:
    model = make_model("gcn", epochs=5)
    trainings = Trainings.of_seeds(csbm_small, np.arange(3))
    domain = Domain.of(csbm_small, torch.device("cpu"))
    fast = train_batch(model, domain, trainings, lambda _: None)
    slow = train_batch(model, replace(domain, compiled=False), trainings, lambda _: None)
    np.testing.assert_allclose(fast.logits, slow.logits, rtol=1e-3, atol=1e-3)


def test_best_epoch_is_kept(csbm_small: Graph) -> None:
    """Stopping at the best epoch gives the logits a longer training kept."""
    trainings = Trainings.of_seeds(csbm_small, np.asarray([0]))
    long = train_all(make_model("gcn", epochs=40), csbm_small, trainings)
    until = int(long.best_epoch[0]) + 1
    short = train_all(make_model("gcn", epochs=until), csbm_small, trainings)
    np.testing.assert_array_equal(long.logits, short.logits)
    assert long.val_accuracy[0] == short.val_accuracy[0]


def test_validation_accuracy_is_the_percentage_of_the_kept_logits(csbm_small: Graph) -> None:
    trainings = Trainings.of_seeds(csbm_small, np.arange(3))
    out = train_all(make_model("gcn", epochs=10), csbm_small, trainings)
    for k, seed in enumerate(trainings.seeds):
        val = csbm_small.split(int(seed)).val
        right = (out.logits[k].argmax(-1) == csbm_small.y)[val]
        assert out.val_accuracy[k] == pytest.approx(100 * right.mean(), rel=1e-6)


def test_patience_stops_replicas_one_by_one(csbm_small: Graph) -> None:
    """Replicas that leave the batch take nothing along: the others go on as if alone."""
    model = make_model("gcn", epochs=60, patience=8)
    trainings = Trainings.of_seeds(csbm_small, np.arange(8))
    out = train_all(model, csbm_small, trainings, ONE_THREAD)
    assert len(set(out.epochs.tolist())) > 1
    stopped = out.epochs < 60
    assert (out.epochs - 1 - out.best_epoch)[stopped].tolist() == [8] * int(stopped.sum())
    last = int(out.epochs.argmax())
    alone = train_all(model, csbm_small, trainings.select(slice(last, last + 1)))
    np.testing.assert_array_equal(alone.logits[0], out.logits[last])


def test_the_last_epoch_is_kept_if_asked(csbm_small: Graph) -> None:
    """The authors' rule: patience looks only at epochs after the first `patience`."""
    model = make_model("gcn", epochs=60, patience=8, keep="last")
    trainings = Trainings.of_seeds(csbm_small, np.arange(8))
    out = train_all(model, csbm_small, trainings, ONE_THREAD)
    assert out.history is not None
    for k, curve in enumerate(out.history.val_accuracy):
        best = stopped = 8
        while stopped < 59 and stopped - best < 8:
            stopped += 1
            best = stopped if curve[stopped] > curve[best] else best
        assert out.epochs[k] == stopped + 1 and out.best_epoch[k] == stopped
        assert out.val_accuracy[k] == pytest.approx(curve[stopped], rel=1e-6)
        short = make_model("gcn", epochs=stopped + 1, keep="last")
        alone = train_all(short, csbm_small, trainings.select(slice(k, k + 1)), ONE_THREAD)
        np.testing.assert_array_equal(alone.logits[0], out.logits[k])
    assert len(set(out.epochs.tolist())) > 1 and out.epochs.min() < 60


def test_training_never_sees_a_test_label(csbm_small: Graph) -> None:
    trainings = Trainings.of_seeds(csbm_small, np.arange(3))
    for labels, seed in zip(trainings.labels, trainings.seeds, strict=True):
        assert (labels[csbm_small.split(int(seed)).test] == HIDDEN).all()


def test_progress_counts_up_and_false_cancels(csbm_small: Graph) -> None:
    events: list[Event] = []
    model = make_model("gcn", epochs=3000)
    trainings = Trainings.of_seeds(csbm_small, np.arange(4))

    def stop_at_once(event: Event) -> bool:
        events.append(event)
        return event.done == 0

    with pytest.raises(Cancelled):
        list(train(model, csbm_small, trainings, progress=stop_at_once))
    assert events[-1].total == 4
    assert 0 < events[-1].done < 1


def test_batches_fit_the_budget(csbm_small: Graph) -> None:
    model = make_model("gcn")
    one = replica_bytes(model, csbm_small)
    assert batch_size(model, csbm_small, 100, threads=2, memory=8 * one) == 4
    assert batch_size(model, csbm_small, 100, threads=2, memory=1) == 1
    assert batch_size(model, csbm_small, 6, threads=2, memory=1000 * one) == 3


def test_unknown_device_is_refused_by_name() -> None:
    with pytest.raises(WGNNError, match="no device 'tpu'"):
        choose_device("tpu")


def test_a_training_that_does_not_fit_is_refused_before_memory_is_taken(
    csbm_small: Graph, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = make_model("graphcon", epochs=1)
    trainings = Trainings.of_seeds(csbm_small, np.arange(2))
    needed = replica_bytes(model, csbm_small)
    there = SimpleNamespace(total=needed - 1, available=needed)
    monkeypatch.setattr(psutil, "virtual_memory", lambda: there)
    with monkeypatch.context() as closed, pytest.raises(WGNNError, match=r"GraphCON on .* GB: "):
        closed.setattr(Domain, "of", lambda *_: pytest.fail("was begun"))
        train_all(model, csbm_small, trainings)
    there.total = needed
    assert len(train_all(model, csbm_small, trainings).logits) == 2
