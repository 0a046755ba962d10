"""``python -m wgnn_core``."""

from wgnn_core.cli import main

main()
