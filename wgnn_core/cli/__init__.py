"""The command line: ``python -m wgnn_core``."""

from __future__ import annotations

import sys

import typer

from wgnn_core.errors import WGNNError
from wgnn_core.home import keep_compiled_here

keep_compiled_here()  # before anything below loads torch

from wgnn_core.cli import (  # noqa: E402
    bench,
    data,
    diagnose,
    export,
    models,
    run,
    runs,
    serve,
    study,
)
from wgnn_core.cli.console import fail  # noqa: E402
from wgnn_core.cli.flags import GENERATED_FLAGS  # noqa: E402

app = typer.Typer(
    name="wgnn_core",
    help="Label non-uniformity for node classification: datasets, training, the eta search.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)
app.add_typer(data.app, name="data")
app.command("models")(models.models)
app.command("run", context_settings=GENERATED_FLAGS)(run.run)
app.command("sweep", context_settings=GENERATED_FLAGS)(runs.sweep)
app.add_typer(runs.app, name="runs")
app.command("study")(study.study)
app.command("export", context_settings=GENERATED_FLAGS)(export.export)
app.command("diagnose")(diagnose.diagnose)
app.command("plan")(diagnose.plan)
app.command("bench")(bench.bench)
app.command("app")(serve.app)


def main() -> None:
    """Run a command; what a user got wrong is one line on stderr and exit code 2."""
    try:
        app()
    except WGNNError as error:
        sys.exit(fail(str(error)))
