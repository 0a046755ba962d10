"""From a stored run to figures, tables and bundles: numbers that are there, no training."""

from wgnn_core.reports.bundles import figure_bundle, paper_latex, run_bundle, view_bundle
from wgnn_core.reports.command import command_of
from wgnn_core.reports.compared import compared_runs
from wgnn_core.reports.kinds import Choices, figure_of, kinds_of, missing
from wgnn_core.reports.tables import scores_of, table_of, tables_of

__all__ = [
    "Choices",
    "command_of",
    "compared_runs",
    "figure_bundle",
    "figure_of",
    "kinds_of",
    "missing",
    "paper_latex",
    "run_bundle",
    "scores_of",
    "table_of",
    "tables_of",
    "view_bundle",
]
