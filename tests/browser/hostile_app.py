"""Serves the app with a karate club whose every name attacks; the hostile_server fixture runs it.

The worker trains the real karate club: names are no part of a graph's content.
"""

import sys
from dataclasses import replace

from streamlit.web import cli

from wgnn_core.datasets import loading
from wgnn_core.graph import Graph

NAMES = (
    "<script>window.hacked=1</script><img src=x onerror=window.hacked=1>",
    "\"'><a href='javascript:window.hacked=1'>$\\frac{1}{2}$ [x](javascript:alert(1)) 😀 "
    + "x" * 5000,
)

real = loading._BUILDERS["karate"]


def hostile() -> Graph:
    graph = real()
    nodes = tuple(f"{NAMES[i % 2]} {i}" for i in range(graph.num_nodes))
    return replace(graph, class_names=NAMES, node_names=nodes)


loading._BUILDERS["karate"] = hostile
sys.argv = ["streamlit", "run", "app.py", *sys.argv[1:]]
cli.main()
