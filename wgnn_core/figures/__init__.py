"""Figures as values: numbers once, a page renderer (plotly) and a paper renderer (matplotlib)."""

from wgnn_core.figures.accuracy_coverage import AccuracyCoverage
from wgnn_core.figures.base import Figure
from wgnn_core.figures.boundary_box import BoundaryBox
from wgnn_core.figures.comparison_bars import ComparisonBars
from wgnn_core.figures.depth_curve import DepthCurve
from wgnn_core.figures.edge_drop import EdgeDropMap
from wgnn_core.figures.eta_grid import EtaGrid
from wgnn_core.figures.harmonic_map import HarmonicMap
from wgnn_core.figures.node_map import NodeMap
from wgnn_core.figures.style import VENUES, Style
from wgnn_core.figures.w_histogram import WHistogram

KINDS: dict[str, type[Figure]] = {
    figure.kind: figure
    for figure in (
        AccuracyCoverage,
        NodeMap,
        WHistogram,
        BoundaryBox,
        EtaGrid,
        EdgeDropMap,
        ComparisonBars,
        DepthCurve,
        HarmonicMap,
    )
}
"""Every kind of figure by the name the command line uses."""

__all__ = ["KINDS", "VENUES", "Figure", "Style", *sorted(c.__name__ for c in KINDS.values())]
