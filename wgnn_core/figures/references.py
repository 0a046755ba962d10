"""BibTeX of the paper, the datasets and the models, so that an exported figure can be cited."""

from __future__ import annotations

from collections.abc import Iterable

from wgnn_core.comparators import METHODS

PAPER = "wgnn"


def _entry(kind: str, key: str, author: str, title: str, venue: str, year: int, **more: str) -> str:
    place = {"inproceedings": "booktitle", "article": "journal", "misc": "howpublished"}[kind]
    fields = {"author": author, "title": f"{{{title}}}", place: venue, "year": str(year)}
    body = ",\n".join(f"  {name} = {{{value}}}" for name, value in (fields | more).items())
    return f"@{kind}{{{key},\n{body}\n}}\n"


_ICML = "International Conference on Machine Learning"
_ICLR = "International Conference on Learning Representations"
_NEURIPS = "Advances in Neural Information Processing Systems"
_PLANETOID = _entry(
    "inproceedings",
    "yang2016planetoid",
    "Yang, Zhilin and Cohen, William W. and Salakhutdinov, Ruslan",
    "Revisiting Semi-Supervised Learning with Graph Embeddings",
    _ICML,
    2016,
)
_PITFALLS = _entry(
    "misc",
    "shchur2018pitfalls",
    "Shchur, Oleksandr and Mumme, Maximilian and Bojchevski, Aleksandar and "
    r"G{\"u}nnemann, Stephan",
    "Pitfalls of Graph Neural Network Evaluation",
    "Relational Representation Learning Workshop, NeurIPS",
    2018,
)
_HGCN = _entry(
    "inproceedings",
    "chami2019hgcn",
    r"Chami, Ines and Ying, Zhitao and R{\'e}, Christopher and Leskovec, Jure",
    "Hyperbolic Graph Convolutional Neural Networks",
    _NEURIPS,
    2019,
)

ENTRIES: dict[str, str] = {
    PAPER: _entry(
        "inproceedings",
        "ji2023nonuniformity",
        "Ji, Feng and Lee, See Hian and Meng, Hanyang and Zhao, Kai and Yang, Jielong "
        "and Tay, Wee Peng",
        "Leveraging Label Non-Uniformity for Node Classification in Graph Neural Networks",
        _ICML,
        2023,
    ),
    "cora": _PLANETOID,
    "citeseer": _PLANETOID,
    "pubmed": _PLANETOID,
    "photo": _PITFALLS,
    "cs": _PITFALLS,
    "photo_1234": _PITFALLS,
    "cs_1234": _PITFALLS,
    "airport": _HGCN,
    "disease": _HGCN,
    "disease_lp": _HGCN,
    "chameleon_filtered": _entry(
        "inproceedings",
        "platonov2023heterophily",
        "Platonov, Oleg and Kuznedelev, Denis and Diskin, Michael and Babenko, Artem and "
        "Prokhorenkova, Liudmila",
        "A Critical Look at the Evaluation of GNNs under Heterophily: Are We Really Making "
        "Progress?",
        _ICLR,
        2023,
    ),
    "texas": _entry(
        "inproceedings",
        "pei2020geomgcn",
        "Pei, Hongbin and Wei, Bingzhe and Chang, Kevin Chen-Chuan and Lei, Yu and Yang, Bo",
        "Geom-GCN: Geometric Graph Convolutional Networks",
        _ICLR,
        2020,
    ),
    "chameleon": _entry(
        "article",
        "rozemberczki2021multiscale",
        "Rozemberczki, Benedek and Allen, Carl and Sarkar, Rik",
        "Multi-Scale Attributed Node Embedding",
        "Journal of Complex Networks",
        2021,
        volume="9",
        number="2",
    ),
    "karate": _entry(
        "article",
        "zachary1977karate",
        "Zachary, Wayne W.",
        "An Information Flow Model for Conflict and Fission in Small Groups",
        "Journal of Anthropological Research",
        1977,
        volume="33",
        number="4",
        pages="452--473",
    ),
    "csbm": _entry(
        "inproceedings",
        "deshpande2018csbm",
        "Deshpande, Yash and Sen, Subhabrata and Montanari, Andrea and Mossel, Elchanan",
        "Contextual Stochastic Block Models",
        _NEURIPS,
        2018,
    ),
    "digits": _entry(
        "misc",
        "alpaydin1998digits",
        "Alpaydin, Ethem and Kaynak, Cenk",
        "Optical Recognition of Handwritten Digits",
        "UCI Machine Learning Repository",
        1998,
    ),
}
"""BibTeX of the paper, and of datasets by their names in the catalogue; models carry their own."""


def references(datasets: Iterable[str] = (), models: Iterable[str] = ()) -> str:
    """The paper's entry and those of the datasets and models, each once, as a .bib file.

    A dataset without an entry is simulated or the user's own and has nothing to cite.
    """
    found = [ENTRIES[PAPER], *(ENTRIES[name] for name in datasets if name in ENTRIES)]
    return "\n".join(dict.fromkeys([*found, *(METHODS[name].citation for name in models)]))
