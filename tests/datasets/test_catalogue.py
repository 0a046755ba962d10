from __future__ import annotations

import pytest

from wgnn_core import datasets
from wgnn_core.errors import WGNNError

BUILT_IN = ("digits", "karate", "csbm", "disease-sim")
PAPER = ("cora", "citeseer", "pubmed", "photo", "cs", "airport", "disease", "texas", "chameleon")


NEAR = ("disease_lp", "chameleon_filtered", "photo_1234", "cs_1234")


def test_built_in_graphs_come_first_then_the_nine():
    assert tuple(entry.name for entry in datasets.catalogue()) == BUILT_IN + PAPER + NEAR
    assert all(datasets.spec(name).built_in for name in BUILT_IN)
    assert not any(datasets.spec(name).built_in for name in PAPER)
    assert all(datasets.spec(name).paper for name in PAPER)


def test_every_file_but_one_has_a_checksum_and_an_https_address():
    files = [file for entry in datasets.catalogue() for file in entry.files]
    unchecked = [file.path for file in files if file.sha256 is None]
    assert unchecked == ["Disease/raw/disease_nc.feats.npz"]
    assert all(len(file.sha256) == 64 for file in files if file.sha256 is not None)
    assert all(file.url.startswith("https://raw.githubusercontent.com/") for file in files)
    assert all(file.url.rsplit("/", 1)[1] == file.path.rsplit("/", 1)[1] for file in files)
    assert len({file.path for file in files}) == len(set(files)) == 58


def test_names_are_found_in_any_case_and_unknown_ones_list_the_allowed():
    assert datasets.spec("Cora").name == "cora"
    with pytest.raises(WGNNError, match=r"no dataset 'coral'; choose one of digits, .*chameleon"):
        datasets.spec("coral")


def test_only_the_planetoid_three_are_row_normalised():
    normalised = {entry.name for entry in datasets.catalogue() if entry.row_normalised}
    assert normalised == {"cora", "citeseer", "pubmed"}


def test_defaults_of_parameters_are_in_range():
    for entry in datasets.catalogue():
        for parameter in entry.parameters:
            assert parameter.low <= parameter.default <= parameter.high
