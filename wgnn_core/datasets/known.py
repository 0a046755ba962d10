"""What is known about each dataset of the program before any file is opened."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache
from importlib import resources

_UPSTREAM = "https://raw.githubusercontent.com"
_PLANETOID = f"{_UPSTREAM}/kimiyoung/planetoid/master/data"
_GNN_BENCHMARK = f"{_UPSTREAM}/shchur/gnn-benchmark/master/data/npz"
_HGCN = f"{_UPSTREAM}/HazyResearch/hgcn/master/data"
_GEOM_GCN = f"{_UPSTREAM}/graphdml-uiuc-jlu/geom-gcn/master"
_HETEROPHILOUS = f"{_UPSTREAM}/yandex-research/heterophilous-graphs/main/data"


PINNED_DIGITS = 16


@dataclass(frozen=True)
class RawFile:
    """One file as its authors published it.

    Attributes:
        path: Where it belongs, relative to the data folder.
        sha256: Its checksum; None for the one file whose checksum is not known to us, which is
            therefore never downloaded, only read from where the user put it.
        url: Where its authors publish it.
    """

    path: str
    sha256: str | None
    url: str


@dataclass(frozen=True)
class PaperNumbers:
    """A row of the paper's dataset table (Table 4), as printed."""

    nodes: int
    edges: int
    classes: int
    features: int


@dataclass(frozen=True)
class Parameter:
    """A number that a graph is made with; whole if its default is whole.

    One that is `optional` is said only where it differs from its default: ids of runs were made
    before there was such a number.
    """

    name: str
    default: int | float
    low: int | float
    high: int | float
    help: str
    optional: bool = False


@dataclass(frozen=True)
class Imported:
    """What is known about a graph of the user's own.

    Attributes:
        content_hash: `Graph.content_hash` of the graph as it was saved.
        nodes: Its sizes, as the four that follow.
        source: Names of the files it was read from, and their format.
        changes: Each change the import made, as a sentence.
        created: When it was imported, ISO 8601 in UTC.
        problem: Why it cannot be read, if so; the other values are then empty.
    """

    content_hash: str = ""
    nodes: int = 0
    edges: int = 0
    features: int = 0
    classes: int = 0
    unlabelled: int = 0
    source: str = ""
    changes: tuple[str, ...] = ()
    created: str = ""
    problem: str = ""


@dataclass(frozen=True)
class DatasetSpec:
    """One entry of the catalogue; `imported` is None but for graphs of the user's own."""

    name: str
    title: str
    description: str
    split_rule: str
    row_normalised: bool = False
    paper: PaperNumbers | None = None
    files: tuple[RawFile, ...] = ()
    class_names: tuple[str, ...] | None = None
    parameters: tuple[Parameter, ...] = ()
    imported: Imported | None = None

    @property
    def built_in(self) -> bool:
        return not self.files and self.imported is None

    def told(self, given: Mapping[str, float | str]) -> dict[str, float | str]:
        """Every parameter with its value, in their order; optional ones where they differ."""
        known = {p.name: p.default for p in self.parameters}
        silent = {p.name for p in self.parameters if p.optional}
        values = known | dict(given)
        return {k: v for k, v in values.items() if k not in silent or v != known[k]}

    @property
    def by_hand(self) -> str:
        """The file that a user must bring, since its checksum is not known; mostly none."""
        return next((file.path for file in self.files if file.sha256 is None), "")

    @property
    def pinned(self) -> str:
        """The name under which this very content is found, also after an imported graph was
        renamed or another one took its name: ``name@hash``; the plain name of other graphs."""
        if self.imported is None:
            return self.name
        return f"{self.name}@{self.imported.content_hash[:PINNED_DIGITS]}"


def known() -> tuple[DatasetSpec, ...]:
    """Every dataset of the program: built-in, the nine of the paper, and four near them."""
    return _BUILT_IN + _paper_datasets() + _near_the_paper()


_SEED = Parameter("seed", 0, 0, 2**32 - 1, "Seed of the random draw")
SPLITS = Parameter(
    "splits", 0, 0, 1000,
    "Random splits of 20 per class / 500 / 1000, drawn as the authors draw theirs: run i uses the "
    "draw of seed i; 0 keeps the one split of the graph",
    optional=True,
)  # fmt: skip
_TEN = "one of ten seeded draws: run i uses draw i mod 10"

_BUILT_IN = (
    DatasetSpec(
        "digits",
        "Digits",
        "1797 handwritten digits, each joined to its 7 nearest neighbours by cosine distance.",
        "20 per class / 300 / rest, one seeded draw",
    ),
    DatasetSpec(
        "karate",
        "Karate club",
        "34 members of a karate club that broke in two, joined by friendship.",
        f"2 per class / 6 / rest, {_TEN}",
    ),
    DatasetSpec(
        "csbm",
        "Contextual block model",
        "A random graph with classes, homophily and feature signal of your choice.",
        "20 per class / 500 / rest, less on small graphs, one draw seeded with the graph",
        parameters=(
            Parameter("nodes", 1000, 20, 1_000_000, "Number of nodes"),
            Parameter("classes", 4, 2, 20, "Number of classes, of equal size"),
            Parameter("features", 16, 1, 2000, "Number of Gaussian features"),
            Parameter("average_degree", 6.0, 0.0, 200.0, "Mean number of neighbours of a node"),
            Parameter("homophily", 0.7, 0.0, 1.0, "Share of edges that join nodes of one class"),
            Parameter("separation", 1.0, 0.0, 10.0, "Length of a class mean, in noise units"),
            _SEED,
        ),
    ),
    DatasetSpec(
        "disease-sim",
        "Disease (simulated)",
        "An SIR epidemic on a random tree with the sizes of the paper's Disease graph.",
        f"stratified 30 / 10 / 60 %, {_TEN}",
        parameters=(_SEED,),
    ),
)


@cache
def _checksums() -> dict[str, str]:
    text = resources.files("wgnn_core.datasets").joinpath("checksums.txt").read_text("utf-8")
    return {path: digest for digest, path in (line.split("  ", 1) for line in text.splitlines())}


def _files(folder: str, urls: list[str]) -> tuple[RawFile, ...]:
    paths = [f"{folder}/raw/{url.rsplit('/', 1)[1]}" for url in urls]
    return tuple(
        RawFile(path, _checksums().get(path), url) for path, url in zip(paths, urls, strict=True)
    )


def _planetoid(folder: str, name: str) -> tuple[RawFile, ...]:
    parts = ("x", "y", "tx", "ty", "allx", "ally", "graph", "test.index")
    return _files(folder, [f"{_PLANETOID}/ind.{name}.{part}" for part in parts])


def _geom_gcn(folder: str, name: str) -> tuple[RawFile, ...]:
    tables = ("out1_node_feature_label.txt", "out1_graph_edges.txt")
    urls = [f"{_GEOM_GCN}/new_data/{name}/{table}" for table in tables]
    urls += [f"{_GEOM_GCN}/splits/{name}_split_0.6_0.2_{i}.npz" for i in range(10)]
    return _files(folder, urls)


@cache
def _paper_datasets() -> tuple[DatasetSpec, ...]:
    public = "public Planetoid split: 20 per class / 500 / 1000"
    drawn = "20 per class / 500 / 1000, one seeded draw"
    masks = "48 / 32 / 20 %, the ten published masks: run i uses mask i mod 10"
    disease = [f"{_HGCN}/disease_nc/disease_nc.{end}" for end in ("edges.csv", "labels.npy")]
    return (
        DatasetSpec(
            "cora",
            "Cora",
            "Machine-learning papers joined by citation; features are words.",
            public,
            row_normalised=True,
            paper=PaperNumbers(2708, 5429, 7, 1433),
            files=_planetoid("Cora", "cora"),
            parameters=(SPLITS,),
            class_names=(
                "Theory",
                "Reinforcement Learning",
                "Genetic Algorithms",
                "Neural Networks",
                "Probabilistic Methods",
                "Case Based",
                "Rule Learning",
            ),
        ),
        DatasetSpec(
            "citeseer",
            "CiteSeer",
            "Computer-science papers joined by citation; features are words.",
            public,
            row_normalised=True,
            paper=PaperNumbers(3327, 4732, 6, 3703),
            files=_planetoid("CiteSeer", "citeseer"),
            parameters=(SPLITS,),
            class_names=("AI", "ML", "IR", "DB", "Agents", "HCI"),
        ),
        DatasetSpec(
            "pubmed",
            "PubMed",
            "Papers on diabetes joined by citation; features are weighted words.",
            public,
            row_normalised=True,
            paper=PaperNumbers(19717, 44338, 3, 500),
            files=_planetoid("PubMed", "pubmed"),
            parameters=(SPLITS,),
            class_names=("Experimental", "Type 1", "Type 2"),
        ),
        DatasetSpec(
            "photo",
            "Amazon Photo",
            "Products bought together (largest component); features are words of reviews.",
            drawn,
            paper=PaperNumbers(7487, 119043, 8, 745),
            files=_files("Photo", [f"{_GNN_BENCHMARK}/amazon_electronics_photo.npz"]),
            parameters=(SPLITS,),
            class_names=(
                "Film Photography",
                "Digital Cameras",
                "Binoculars & Scopes",
                "Lenses",
                "Tripods & Monopods",
                "Video Surveillance",
                "Lighting & Studio",
                "Flashes",
            ),
        ),
        DatasetSpec(
            "cs",
            "Coauthor CS",
            "Authors joined when they wrote a paper together; features are keywords.",
            drawn,
            paper=PaperNumbers(18333, 81894, 15, 6805),
            files=_files("CS", [f"{_GNN_BENCHMARK}/ms_academic_cs.npz"]),
            parameters=(SPLITS,),
            class_names=(
                "bioinformatics",
                "machine learning",
                "computer vision",
                "NLP",
                "graphics",
                "networks",
                "security",
                "databases",
                "data mining",
                "game theory",
                "HCI",
                "information theory",
                "medical informatics",
                "robotics",
                "theoretical CS",
            ),
        ),
        DatasetSpec(
            "airport",
            "Airport",
            "Airports joined by flight routes; the class is a population level of the country.",
            f"stratified 70 / 15 / 15 %, {_TEN}",
            paper=PaperNumbers(3188, 18631, 4, 4),
            files=_files("Airport", [f"{_HGCN}/airport/airport.p"]),
        ),
        DatasetSpec(
            "disease",
            "Disease",
            "A simulated epidemic on a tree; its features file has no known checksum and is read "
            "unchecked.",
            f"stratified 30 / 10 / 60 %, {_TEN}",
            paper=PaperNumbers(1044, 1043, 2, 1000),
            files=_files("Disease", [*disease, f"{_HGCN}/disease_nc/disease_nc.feats.npz"]),
        ),
        DatasetSpec(
            "texas",
            "Texas",
            "Web pages of a university joined by links; unlike pages link (heterophily).",
            masks,
            paper=PaperNumbers(183, 309, 5, 1703),
            files=_geom_gcn("texas", "texas"),
        ),
        DatasetSpec(
            "chameleon",
            "Chameleon",
            "Wikipedia pages on chameleons joined by links; classes are levels of traffic. Many "
            "pages are duplicates, in training and test set alike: see chameleon_filtered.",
            masks,
            paper=PaperNumbers(2277, 36101, 4, 2325),
            files=_geom_gcn("chameleon/geom_gcn", "chameleon"),
        ),
    )


@cache
def _near_the_paper() -> tuple[DatasetSpec, ...]:
    """Beside the paper's: one in place of Disease, Chameleon without its duplicates, and Photo and
    CS with the one split of the authors' release."""
    tree = [
        f"{_HGCN}/disease_lp/disease_lp.{end}" for end in ("edges.csv", "labels.npy", "feats.npz")
    ]
    return (
        DatasetSpec(
            "disease_lp",
            "Disease tree (link prediction)",
            "A simulated epidemic on a tree, from the source of the paper's Disease graph, but "
            "another one: it has more nodes and eleven features.",
            f"stratified 30 / 10 / 60 %, {_TEN}",
            files=_files("disease_lp", tree),
        ),
        DatasetSpec(
            "chameleon_filtered",
            "Chameleon (filtered)",
            "Chameleon without its duplicate pages (Platonov et al., 2023).",
            "48 / 32 / 20 %, the ten published masks: run i uses mask i mod 10",
            files=_files("chameleon_filtered", [f"{_HETEROPHILOUS}/chameleon_filtered.npz"]),
        ),
        _authors_split(
            "photo", "Amazon Photo with all its nodes, those outside its largest component too."
        ),
        _authors_split("cs", "Coauthor CS with another split."),
    )


def _authors_split(name: str, description: str) -> DatasetSpec:
    entry = next(entry for entry in _paper_datasets() if entry.name == name)
    return replace(
        entry,
        name=f"{name}_1234",
        title=f"{entry.title} (authors' split)",
        description=description,
        split_rule="20 per class / 500 / 1000, drawn as in the authors' release, with seed 1234",
        paper=None,
        parameters=(),
    )
