"""What leaves the program of a run: bundles with their commands, and tables."""

from wgnn_core.reports.bundles import figure_bundle, paper_latex, run_bundle
from wgnn_core.reports.command import command_of
from wgnn_core.reports.tables import table_of, tables_of

__all__ = ["command_of", "figure_bundle", "paper_latex", "run_bundle", "table_of", "tables_of"]
