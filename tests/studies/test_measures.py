"""Which eta counts: by validation, per split where there are several; what is scored with it."""

from __future__ import annotations

import numpy as np
import pytest

from wgnn_core.runs.results import RunResult
from wgnn_core.search import choose
from wgnn_core.statistics import overlap_of
from wgnn_core.studies.measures import first_stage_rows, fixed, model, tuned
from wgnn_core.studies.published import Published

KNOBS = ["eta0", "eta1", "eta2"]


def test_one_split_has_one_eta_for_all_seeds(one_split: RunResult) -> None:
    record = tuned(one_split, "GCN", "g", Published())
    best = one_split.rows.groupby(KNOBS)["val"].mean().sort_index().idxmax()
    mine = one_split.rows[(one_split.rows[KNOBS] == list(best)).all(axis=1)]
    assert record.etas == (str(choose(one_split.rows)),) and record.splits == 1
    assert one_split.chosen == choose(one_split.rows)
    assert record.tally == pytest.approx(mine["test"].tolist(), abs=1e-6)
    assert record.retrained == pytest.approx(mine["test_retrained"].tolist(), abs=1e-6)
    assert record.base == pytest.approx(one_split.trained.test.tolist(), abs=1e-6)
    assert record.shared == () and record.overlap == 0


def test_several_splits_choose_each_for_itself(karate: RunResult) -> None:
    record = tuned(karate, "GCN", "g", Published())
    rows = karate.rows
    for i, seed in enumerate((0, 1, 2)):  # ten splits: each seed has one of its own
        mine = rows[rows["seed"] == seed]
        best = mine.groupby(KNOBS)["val"].mean().sort_index().idxmax()
        row = mine[(mine[KNOBS] == list(best)).all(axis=1)].iloc[0]
        assert record.tally[i] == pytest.approx(row["test"], abs=1e-6)
        assert record.val[i] == pytest.approx(mine["val"].max(), abs=1e-6)
    assert record.splits == len(record.etas) == 3
    shared = rows.groupby(KNOBS)["val"].mean().sort_index().idxmax()
    common = rows[(rows[KNOBS] == list(shared)).all(axis=1)]
    assert record.shared == pytest.approx(common["test"].tolist(), abs=1e-6)
    assert record.overlap == overlap_of(karate.graph, (0, 1, 2)) > 0


def test_test_accuracy_has_no_part_in_the_choice(karate: RunResult) -> None:
    record = tuned(karate, "GCN", "g", Published())
    flipped = karate.rows.assign(
        test=100 - karate.rows["test"], test_retrained=100 - karate.rows["test_retrained"]
    )
    other = tuned(karate, "GCN", "g", Published(), rows=flipped)
    assert (record.etas, record.shared_etas, record.val) == (
        other.etas, other.shared_etas, other.val
    )  # fmt: skip
    assert record.best_etas != other.best_etas


def test_best_on_test_is_a_bound_of_every_shared_choice(one_split: RunResult) -> None:
    record = tuned(one_split, "GCN", "g", Published())
    means = one_split.rows.groupby(KNOBS)[["test", "test_retrained"]].mean()
    assert np.mean(record.best) == pytest.approx(means["test"].max(), abs=1e-5)
    assert np.mean(record.best_retrained) == pytest.approx(means["test_retrained"].max(), abs=1e-5)
    assert np.mean(record.best) >= np.mean(record.tally) - 1e-6


def test_wgnn2_is_tuned_among_rows_without_added_nodes(one_split: RunResult) -> None:
    rows = first_stage_rows(one_split)
    record = tuned(one_split, "GCN", "g", Published(), "wGNN2", rows)
    assert record.etas[0].startswith("0,")
    best = rows.groupby(KNOBS)["val"].mean().max()
    assert np.mean(record.val) == pytest.approx(best, abs=1e-5)


def test_fixed_and_model_compare_what_they_say(one_split: RunResult) -> None:
    at = one_split.chosen
    assert at is not None
    record = fixed(one_split, at, "row", "column")
    assert record.tally == pytest.approx(one_split.of(at)["test"].tolist(), abs=1e-6)
    same = model(one_split, one_split, "row", "column", Published())
    assert same.comparison.difference == 0 and same.retrained == ()
