"""A real Ray cluster of two nodes on this machine, one of them killed in mid-sweep."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import pytest

from tests.runs.run_helpers import PAIRED, train_here, until
from wgnn_core.errors import WGNNError
from wgnn_core.runs import cluster as module
from wgnn_core.runs.config import RunConfig
from wgnn_core.runs.jobs import Jobs, make_executor
from wgnn_core.runs.life import Life
from wgnn_core.runs.local import LocalExecutor
from wgnn_core.runs.results import load_result
from wgnn_core.runs.store import Store

try:
    from ray.cluster_utils import Cluster
except ImportError:
    Cluster = None

needs_ray = pytest.mark.skipif(
    Cluster is None, reason="needs Ray: pip install -r requirements-cluster.txt"
)


@pytest.fixture
def two_nodes() -> Iterator[Any]:
    cluster = Cluster(
        initialize_head=True, head_node_args={"num_cpus": 1, "include_dashboard": False}
    )
    yield cluster, cluster.add_node(num_cpus=1)
    cluster.shutdown()


@needs_ray
@pytest.mark.timeout(600)
def test_a_node_killed_in_the_middle(two_nodes: Any, store: Store, sweep: RunConfig) -> None:
    cluster, node = two_nodes
    long = replace(sweep, hyper=(("epochs", 100),))
    here = Store(store.path.parent / "here")
    undisturbed = load_result(here, train_here(here, long))
    stored: Counter[tuple[str, int]] = Counter()
    put = Store.put_cell

    def counted(self: Store, run: str, owner: str, cell: Any, *rest: Any) -> bool:
        stored[run, cell.number] += 1
        return put(self, run, owner, cell, *rest)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Store, "put_cell", counted)
        jobs = Jobs(store, executor=make_executor(cluster.address))
        try:
            run = jobs.submit(long)
            until(lambda: len(store.cells(run)) >= 3, 300)
            cluster.remove_node(node, allow_graceful=False)
            assert jobs.wait(run, 300).state == "done"
            small = replace(sweep, interventions=PAIRED[:2], seeds=(0, 1))
            bad = replace(small, seeds=(2,), device="abacus")
            jobs.submit(replace(sweep, hyper=(("epochs", 5000),)))
            until(lambda: jobs.store.get(jobs.list()[0].run_id).state == "running")
            jobs.cancel(jobs.list()[0].run_id)
            assert jobs.wait(jobs.submit(small), 120).state == "done"
            failed = jobs.wait(jobs.submit(bad), 120)
            assert "no device 'abacus'" in failed.message
            assert "Traceback" not in failed.message
        finally:
            jobs.close()
    result = load_result(store, run)
    pd.testing.assert_frame_equal(result.rows, undisturbed.rows)
    assert result.base is not None and undisturbed.base is not None
    assert (result.base.prob == undisturbed.base.prob).all()
    assert (result.base.joined == undisturbed.base.joined).all()
    assert result.chosen == undisturbed.chosen
    assert set(stored.values()) == {1}
    assert {number for key, number in stored if key == run} == store.cells(run)


def test_without_an_address_it_is_this_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("WGNN_RAY_ADDRESS", raising=False)
    assert make_executor(None) is LocalExecutor
    assert make_executor("") is LocalExecutor
    monkeypatch.setenv("WGNN_RAY_ADDRESS", "far:1")
    assert make_executor().keywords == {"address": "far:1"}  # type: ignore[attr-defined]
    assert make_executor("near:1").keywords == {"address": "near:1"}  # type: ignore[attr-defined]


@pytest.mark.skipif(Cluster is not None, reason="Ray is installed")
def test_without_ray_the_error_says_what_to_install(store: Store) -> None:
    with pytest.raises(WGNNError, match=r"requirements-cluster\.txt"):
        Jobs(store, executor=make_executor("auto"))


@needs_ray
def test_no_cluster_there(store: Store) -> None:
    for address in ("127.0.0.1:1", "ray://127.0.0.1:1", "here:there"):
        with pytest.raises(WGNNError, match=f"there is no Ray cluster at '{address}'"):
            Jobs(store, executor=make_executor(address))


def test_a_task_is_the_cell_the_worker_would_train(store: Store, config: RunConfig) -> None:
    asked = tuple(replace(i, edge_model="gcn") for i in config.interventions)
    mixed = replace(config, model="self-training", interventions=asked)
    run = train_here(store, mixed)
    life = Life(store, run, "nobody")
    assert [cell.edge_model for cell in life._first if cell.positions] == ["", "gcn"]
    for cell in life._first:
        task = life.task(cell)
        result = module.train_cell(task.config, task.graph, task.bases, cell)
        stored = store.arrays(run, cell.number)
        assert result.arrays.keys() == stored.keys()
        for name, array in stored.items():
            if name == "curves":  # the loss is a sum, whose order follows the batch
                np.testing.assert_allclose(result.arrays[name], array, rtol=1e-5)
            else:
                np.testing.assert_array_equal(result.arrays[name], array)
        mine = [row for number, _, row in store.rows(run) if number == cell.number]
        assert result.rows == mine
    joined = load_result(store, run).trained.joined
    assert joined.any(), "a cluster once forgot how many nodes a model added by itself"
