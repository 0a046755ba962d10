"""BibTeX of the paper, the datasets and the methods, so that an exported figure can be cited."""

from __future__ import annotations

from collections.abc import Iterable

from wgnn_core.errors import WGNNError

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
    "airport": _HGCN,
    "disease": _HGCN,
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
    "gcn": _entry(
        "inproceedings",
        "kipf2017gcn",
        "Kipf, Thomas N. and Welling, Max",
        "Semi-Supervised Classification with Graph Convolutional Networks",
        _ICLR,
        2017,
    ),
    "gat": _entry(
        "inproceedings",
        "velickovic2018gat",
        r"Veli{\v{c}}kovi{\'c}, Petar and Cucurull, Guillem and Casanova, Arantxa and "
        r"Romero, Adriana and Li{\`o}, Pietro and Bengio, Yoshua",
        "Graph Attention Networks",
        _ICLR,
        2018,
    ),
    "dropedge": _entry(
        "inproceedings",
        "rong2020dropedge",
        "Rong, Yu and Huang, Wenbing and Xu, Tingyang and Huang, Junzhou",
        "DropEdge: Towards Deep Graph Convolutional Networks on Node Classification",
        _ICLR,
        2020,
    ),
    "gil": _entry(
        "inproceedings",
        "zhu2020gil",
        "Zhu, Shichao and Pan, Shirui and Zhou, Chuan and Wu, Jia and Cao, Yanan and Wang, Bin",
        "Graph Geometry Interaction Learning",
        _NEURIPS,
        2020,
    ),
    "graphcon": _entry(
        "inproceedings",
        "rusch2022graphcon",
        "Rusch, T. Konstantin and Chamberlain, Ben and Rowbottom, James and Mishra, Siddhartha "
        "and Bronstein, Michael",
        "Graph-Coupled Oscillator Networks",
        _ICML,
        2022,
    ),
    "maskgae": _entry(
        "inproceedings",
        "li2023maskgae",
        "Li, Jintang and Wu, Ruofan and Sun, Wangbin and Chen, Liang and Tian, Sheng and "
        "Zhu, Liang and Meng, Changhua and Zheng, Zibin and Wang, Weiqiang",
        "What's Behind the Mask: Understanding Masked Graph Modeling for Graph Autoencoders",
        "ACM SIGKDD Conference on Knowledge Discovery and Data Mining",
        2023,
    ),
    "acmgcn": _entry(
        "inproceedings",
        "luan2022acmgcn",
        "Luan, Sitao and Hua, Chenqing and Lu, Qincheng and Zhu, Jiaqi and Zhao, Mingde and "
        "Zhang, Shuyuan and Chang, Xiao-Wen and Precup, Doina",
        "Revisiting Heterophily for Graph Neural Networks",
        _NEURIPS,
        2022,
    ),
    "renode": _entry(
        "inproceedings",
        "chen2021renode",
        "Chen, Deli and Lin, Yankai and Zhao, Guangxiang and Ren, Xuancheng and Li, Peng and "
        "Zhou, Jie and Sun, Xu",
        "Topology-Imbalance Learning for Semi-Supervised Node Classification",
        _NEURIPS,
        2021,
    ),
    "self_training": _entry(
        "inproceedings",
        "li2018deeper",
        "Li, Qimai and Han, Zhichao and Wu, Xiao-Ming",
        "Deeper Insights into Graph Convolutional Networks for Semi-Supervised Learning",
        "AAAI Conference on Artificial Intelligence",
        2018,
    ),
    "ptdnet": _entry(
        "inproceedings",
        "luo2021ptdnet",
        "Luo, Dongsheng and Cheng, Wei and Yu, Wenchao and Zong, Bo and Ni, Jingchao and "
        "Chen, Haifeng and Zhang, Xiang",
        "Learning to Drop: Robust Graph Neural Network via Topological Denoising",
        "ACM International Conference on Web Search and Data Mining",
        2021,
    ),
}
"""BibTeX entries by the names that datasets, models and comparators have in the library."""


def references(names: Iterable[str]) -> str:
    """The paper's entry and those of `names`, each once, as the text of a .bib file.

    Raises:
        WGNNError: A name has no entry. Own data has none to name: leave it out.
    """
    keys = [PAPER, *(name.lower() for name in names)]
    unknown = [key for key in keys if key not in ENTRIES]
    if unknown:
        raise WGNNError(
            f"no reference for {unknown[0]!r}; there are entries for {', '.join(sorted(ENTRIES))}."
        )
    return "\n".join(dict.fromkeys(ENTRIES[key] for key in keys))
