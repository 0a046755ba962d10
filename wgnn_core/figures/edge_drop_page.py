"""The close-up of Algorithm 2 as a page of its own: two vis.js networks with one camera."""

from __future__ import annotations

import html
import json
import re
from functools import cache
from typing import Any

import numpy as np

from wgnn_core.figures.base import ink
from wgnn_core.figures.edge_drop_drawing import (
    COLOUR,
    DARK_COLOUR,
    DIFFERENCE,
    FAINT,
    NAMES,
    EdgeDropDrawing,
)
from wgnn_core.figures.edge_drop_words import DROPPED, FOREST, KEPT, piece_lines
from wgnn_core.figures.maps import nodes_of, points_of

SHAPES = {"dot": "●", "square": "■", "triangle": "▲", "diamond": "◆", "triangleDown": "▼"}
SHAPES |= {"star": "★", "hexagon": "⬢"}
"""Shapes of vis.js for the classes, one after another, and their look in the legend."""
RADIUS, RADIUS_AROUND = 5.0, 3.5
EDGE_PIXELS = {KEPT: 1.0, FOREST: 2.6, DROPPED: 2.4}
OPTIONS: dict[str, Any] = {
    "physics": {"enabled": False},
    "edges": {"smooth": False},
    "interaction": {"dragNodes": False, "selectable": False, "hover": True, "tooltipDelay": 80},
}


def close_up_html(figure: EdgeDropDrawing, dark: bool = False) -> str:
    """The two panels as one page that loads nothing from outside.

    Dragging moves both panels, and so do the buttons and the wheel while Ctrl is held; the wheel
    alone scrolls the page around.
    """
    from pyvis.network import Network  # slow to import, and few processes need it

    net = Network(width="100%", bgcolor=ink(dark).background, cdn_resources="in_line")
    net.templateEnv = _templates()
    net.options = OPTIONS
    # filled directly: add_edge looks through all edges for each one
    net.nodes = _nodes(figure, dark)
    colours = DARK_COLOUR if dark else COLOUR
    for state in (KEPT, FOREST, DROPPED):
        look = {"color": colours[state], "width": EDGE_PIXELS[state], "state": state}
        look |= {"dashes": [5, 4] if state == DROPPED else False, "title": NAMES[state]}
        net.edges += [{"from": int(u), "to": int(v), **look} for u, v in figure.pairs(state)]
    return _two_panels(_offline(net.generate_html(notebook=False)), figure, dark)


def _nodes(figure: EdgeDropDrawing, dark: bool) -> list[dict[str, Any]]:
    table, points = nodes_of(figure.data), points_of(figure.data)
    found = []
    for i, row in enumerate(table.to_dict("records")):
        name = f" {row['node_name']}" if "node_name" in row else ""
        hover = (
            f"node {row['node']}{name}\nclass: {row['class_name']}\n"
            f"prediction: {row['predicted_name']}\nw = {row['w']:.3f}"
        )
        found.append(
            {
                "id": i,
                "shape": _shape(int(row["class"])),
                "title": _vis_title(hover),
                "x": float(points[i, 0]),
                "y": -float(points[i, 1]),  # screens count downwards
                "size": RADIUS if row["inside"] else RADIUS_AROUND,
                "color": figure.mark(int(row["class"]), dark=dark).colour,
                "opacity": 1.0 if row["inside"] else FAINT,
            }
        )
    return found


def _shape(index: int) -> str:
    return "dot" if index < 0 else list(SHAPES)[index % len(SHAPES)]


@cache
def _templates() -> Any:
    """Compiled once: pyvis compiles its templates for every network, most of a panel's time."""
    from pyvis.network import Network

    return Network().templateEnv


def _vis_title(text: str) -> str:
    """pyvis sets a title as HTML as soon as one of them holds ``href``: none may."""
    return re.sub(
        "href", lambda m: m[0][:2] + "\N{ZERO WIDTH NON-JOINER}" + m[0][2:], text, flags=re.I
    )


def _offline(page_source: str) -> str:
    """Without the tags by which pyvis loads Bootstrap and others from outside, and its headings."""
    outside = r"<(link|script)\b[^>]*\b(?:href|src)\s*=[^>]*>(?:\s*</script>)?"
    return re.sub(outside, "", page_source)


def _two_panels(page_source: str, figure: EdgeDropDrawing, dark: bool) -> str:
    """The page with its legend, a second panel of the same nodes, and what joins their cameras."""
    pieces = figure.pieces.to_dict("records")
    width = max(one["x"] + one["width"] for one in pieces)
    height = max(one["y"] + one["height"] for one in pieces)
    colours = ink(dark)
    (first, _), (second, states) = figure.panels
    told = {
        "width": width,
        "height": height,
        "boxes": [[one["x"], -one["y"] - one["height"], one["width"], one["height"]]
            for one in pieces],
        "lines": [piece_lines(one) for one in pieces],
        "states": states,
        "lost": np.flatnonzero(figure.lost).tolist() if figure.second == DIFFERENCE else None,
        "faint": FAINT,
        "frame": colours.grid,
        "text": colours.muted,
        "options": OPTIONS,
    }  # fmt: skip
    inside = json.dumps(told).replace("<", "\\u003c")
    style = _CSS % {"ratio": f"{width:g} / {height:g}", "text": colours.text}
    body = (
        f'<div id="legend">{_legend(figure, dark)}<span id="zoom">'
        '<button id="in" aria-label="Zoom in">+</button>'
        '<button id="out" aria-label="Zoom out">−</button>'
        '<button id="all" aria-label="Show all">⤢</button></span></div>'
        f'<div id="panels"><figure><figcaption>{first}</figcaption><div id="mynetwork"></div>'
        f'</figure><figure><figcaption>{second}</figcaption><div id="second"></div>'
        "</figure></div>"
    )
    head, _, rest = page_source.partition('<div class="card"')
    _, _, rest = rest.partition('<script type="text/javascript">')
    script = f"<script>const told = {inside};\n{_SCRIPT}</script></body>"
    return (
        head.replace("</head>", f"<style>{style}</style></head>")
        + body
        + '<script type="text/javascript">'
        + rest.replace("</body>", script)
    )


def _legend(figure: EdgeDropDrawing, dark: bool) -> str:
    colours = DARK_COLOUR if dark else COLOUR
    items = [
        f'<span><i class="line" style="border-top: {EDGE_PIXELS[state]}px '
        f'{"dashed" if state == DROPPED else "solid"} {colours[state]}"></i>{name}</span>'
        for state, name in figure.lines.items()
    ]
    for index, name in figure.told():
        colour, shape = figure.mark(index, dark=dark).colour, SHAPES[_shape(index)]
        mark = f'<b style="color: {colour}">{shape}</b>'
        items.append(f"<span>{mark}{html.escape(name)}</span>")
    return "".join(items)


_CSS = """
h1 { display: none }
body { margin: 0; color: %(text)s; font: 13px "Source Sans", "Source Sans Pro", sans-serif }
#legend { display: flex; flex-wrap: wrap; gap: 2px 14px; align-items: center; padding: 0 0 6px }
#legend span { max-width: 22em; overflow: hidden; text-overflow: ellipsis; white-space: nowrap }
#legend b { margin-right: 5px; font-size: 14px }
.line { display: inline-block; width: 22px; margin: 0 6px 3px 0; vertical-align: middle }
#zoom { margin-left: auto }
#zoom button { width: 26px; height: 24px; margin-left: 3px; color: inherit; background: none;
  border: 1px solid rgba(128, 128, 128, 0.4); border-radius: 5px; cursor: pointer }
#panels { display: flex; flex-wrap: wrap; gap: 10px }
figure { flex: 1 1 400px; min-width: 0; margin: 0 }
figcaption { font-weight: 600; padding-bottom: 3px }
#panels figure > div { box-sizing: border-box; float: none; width: 100%%; height: auto;
  aspect-ratio: %(ratio)s; border: 1px solid rgba(128, 128, 128, 0.35); border-radius: 8px }
div.vis-tooltip { white-space: pre-line; font: inherit }
"""

_SCRIPT = """
var second = new vis.Network(
  document.getElementById("second"),
  {
    nodes: told.lost === null ? nodes : new vis.DataSet(nodes.map((node) => (
      { ...node, opacity: told.lost.includes(node.id) ? 1 : told.faint }))),
    edges: new vis.DataSet(edges.get({ filter: (edge) => told.states.includes(edge.state) })),
  },
  told.options
);
const both = [network, second];
function fits(text, room, ctx) { return ctx.measureText(text).width <= room; }
function frames(ctx) {
  ctx.save();
  ctx.lineWidth = 1;
  ctx.strokeStyle = told.frame;
  ctx.fillStyle = told.text;
  ctx.font = '11px "Source Sans", sans-serif';
  ctx.textBaseline = "top";
  told.boxes.forEach(([x, y, width, height], i) => {
    ctx.strokeRect(x, y, width, height);
    const line = told.lines[i].find((text) => fits(text, width - 12, ctx));
    if (line) ctx.fillText(line, x + 6, y + 4);
  });
  ctx.restore();
}
function look(position, scale) {
  both.forEach((one) => one.moveTo({ position, scale }));
}
function all() {
  const box = document.getElementById("second");
  look({ x: told.width / 2, y: -told.height / 2 }, 0.985 * box.clientWidth / told.width);
}
function zoom(by) { look(network.getViewPosition(), network.getScale() * by); }
both.forEach((one, i) => {
  const follow = () => both[1 - i].moveTo(
    { position: one.getViewPosition(), scale: one.getScale() });
  ["zoom", "dragging", "dragEnd"].forEach((event) => one.on(event, follow));
  one.on("beforeDrawing", frames);
  one.on("resize", all);
});
document.getElementById("in").onclick = () => zoom(1.4);
document.getElementById("out").onclick = () => zoom(1 / 1.4);
document.getElementById("all").onclick = all;
// before vis.js sees it, which would keep the page around from scrolling
document.getElementById("panels").addEventListener("wheel", (event) => {
  if (!event.ctrlKey && !event.metaKey) event.stopPropagation();
}, { capture: true });
all();
"""
