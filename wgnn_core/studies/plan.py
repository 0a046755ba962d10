"""What a study is: a frozen declaration that becomes runs, and what is measured of them.

Sizes. *full*: ten seeds and the two-stage search in steps of 0.1 for the plain models on the graphs
where that takes minutes to hours. Elsewhere it is *coarse*: steps of 0.2, five seeds (ten on Photo
and CS, one per random split), and for every model but GCN the paper's own compromise (its Section
on model mismatch): Algorithm 2 asks GCN, with the eta1 and eta2 that validation chose for GCN on
that graph, and only eta0 is searched. *quick*: three seeds, three values of each eta.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

from wgnn_core.datasets.known import SPLITS
from wgnn_core.intervention import Intervention
from wgnn_core.runs.config import Pairs, RunConfig
from wgnn_core.runs.results import RunResult
from wgnn_core.search import STEPS, choose
from wgnn_core.studies.measures import first_stage_rows
from wgnn_core.studies.records import Claim, Record

Size = Literal["quick", "full"]
QUICK_STEPS, COARSE_STEPS = (0.2, 0.5, 0.8), (0.2, 0.4, 0.6, 0.8, 1.0)
QUICK_SEEDS, COARSE_SEEDS, SEEDS = 3, 5, 10
HEAVY = ("gil", "graphcon", "maskgae")
TEN_DRAWS: Pairs = ((SPLITS.name, SEEDS),)

GRAPHS: dict[str, tuple[str, Pairs]] = {
    "Cora": ("cora", ()),
    "Citeseer": ("citeseer", ()),
    "Pubmed": ("pubmed", ()),
    "Photo": ("photo", TEN_DRAWS),
    "CS": ("cs", TEN_DRAWS),
    "Photo, draw 1234": ("photo_1234", ()),
    "CS, draw 1234": ("cs_1234", ()),
    "Airport": ("airport", ()),
    "Disease": ("disease", ()),
    "Disease tree": ("disease_lp", ()),
    "Texas": ("texas", ()),
    "Chameleon": ("chameleon", ()),
    "Chameleon, filtered": ("chameleon_filtered", ()),
}
"""The paper's name of a graph, or ours where the paper has none: dataset and parameters."""
BIG = ("cs", "photo", "cs_1234", "photo_1234", "airport", "disease", "disease_lp")
MODELS = {
    "GCN": "gcn",
    "GAT": "gat",
    "DropEdge": "dropedge",
    "MaskGAE": "maskgae",
    "GIL": "gil",
    "GraphCON": "graphcon",
    "ACM-GCN": "acmgcn",
}

Measure = Callable[[Sequence[RunResult]], list[Record]]


@dataclass(frozen=True)
class Cell:
    """Some runs that are measured together.

    Attributes:
        row: Its first name, what `--row` picks.
        column: Its second name, what `--column` picks.
        configs: The runs.
        measure: Records of their results.
        leader: A run whose first stage decides eta1 and eta2 of `configs`; None if they say their
            own.
    """

    row: str
    column: str
    configs: tuple[RunConfig, ...]
    measure: Measure = field(repr=False, compare=False)
    leader: RunConfig | None = None

    def settled(self, led: RunResult | None) -> tuple[RunConfig, ...]:
        """The runs, with eta1 and eta2 of the finished `leader` where there is one."""
        if self.leader is None:
            return self.configs
        assert led is not None
        winner = choose(first_stage_rows(led))
        return tuple(_led(config, winner) for config in self.configs)

    def plans(self, run: RunConfig) -> bool:
        """Whether a run is one of these, whatever eta1 and eta2 the leader chose."""
        chosen = [one for one in run.interventions if one.edge_model != "same"]
        led = self.leader is not None and chosen
        wanted = [_led(one, chosen[0]) if led else one for one in self.configs]
        return run.run_id in {one.run_id for one in wanted}


def _led(config: RunConfig, winner: Intervention) -> RunConfig:
    made = [
        one.at(one.eta0, winner.eta1, winner.eta2) if one.edge_model != "same" else one
        for one in config.interventions
    ]
    return replace(config, interventions=tuple(made))


@dataclass(frozen=True)
class Study:
    """An item of the paper, or one beyond it.

    Attributes:
        name: What the command line calls it.
        title: What it is.
        says: What the paper says of it, in a sentence.
        cells: Its cells at a size, graph by graph.
        claims: Sentences of the paper beside the records; of none where cells have verdicts.
        axes: What rows and columns are.
        beyond: Whether the paper has no such item.
    """

    name: str
    title: str
    says: str
    cells: Callable[[Size], list[Cell]] = field(repr=False)
    claims: Callable[[Sequence[Record]], list[Claim]] = field(
        default=lambda records: [], repr=False
    )
    axes: tuple[str, str] = ("Model", "Graph")
    beyond: bool = False


def seeds_of(dataset: str, model: str, size: Size) -> tuple[int, ...]:
    """The seeds of a search, see the top of the module."""
    if size == "quick":
        return tuple(range(QUICK_SEEDS))
    fewer = model in HEAVY or (dataset in BIG and dataset not in ("cs", "photo"))
    return tuple(range(COARSE_SEEDS if fewer else SEEDS))


def is_coarse(dataset: str, model: str) -> bool:
    return model in HEAVY or dataset in BIG


def steps_of(dataset: str, model: str, size: Size) -> tuple[float, ...]:
    """The values of each eta, see the top of the module."""
    if size == "quick":
        return QUICK_STEPS
    return COARSE_STEPS if is_coarse(dataset, model) else STEPS


def search(model: str, graph: str, size: Size) -> tuple[RunConfig, RunConfig | None]:
    """The run that finds eta for a model on a graph, and its leader if it has one."""
    dataset, parameters = GRAPHS[graph]
    seeds, steps = seeds_of(dataset, model, size), steps_of(dataset, model, size)
    own = RunConfig(dataset, parameters, model, seeds=seeds, search="two-stage", steps=steps)
    if model == "gcn" or not is_coarse(dataset, model):
        return own, None
    leader = search("gcn", graph, size)[0]
    tried = [Intervention(), *(Intervention(eta0, edge_model="gcn") for eta0 in (0.0, *steps))]
    return replace(own, search="list", steps=STEPS, interventions=tuple(tried)), leader


def eta0_alone(model: str, graph: str, size: Size) -> RunConfig:
    """The run that finds eta0 of wGNN1, Algorithm 1 alone; the base model is a candidate."""
    dataset, parameters = GRAPHS[graph]
    seeds, steps = seeds_of(dataset, model, size), steps_of(dataset, model, size)
    tried = (Intervention(), *(Intervention(eta0) for eta0 in steps))
    return RunConfig(dataset, parameters, model, seeds=seeds, interventions=tried)


def base_alone(model: str, graph: str, size: Size) -> RunConfig:
    """The run of a model that is not retrained."""
    dataset, parameters = GRAPHS[graph]
    seeds = range(QUICK_SEEDS if size == "quick" else SEEDS)
    return RunConfig(dataset, parameters, model, seeds=tuple(seeds))
