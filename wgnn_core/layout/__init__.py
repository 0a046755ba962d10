"""Coordinates: of a whole graph, of a neighbourhood, by classes, and of what Algorithm 2 drops."""

from wgnn_core.layout.ego import ego_layout
from wgnn_core.layout.force import layout
from wgnn_core.layout.pieces import CloseUp, Piece, close_up
from wgnn_core.layout.polygon import ClassPolygon, Movers, class_polygon, corner_order, movers

__all__ = [
    "ClassPolygon",
    "CloseUp",
    "Movers",
    "Piece",
    "class_polygon",
    "close_up",
    "corner_order",
    "ego_layout",
    "layout",
    "movers",
]
