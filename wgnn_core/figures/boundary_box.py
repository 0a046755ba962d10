"""w against the distance to the class boundary, as boxes with counts."""

from __future__ import annotations

from dataclasses import replace
from typing import ClassVar

import numpy as np
import numpy.typing as npt
import pandas as pd
import plotly.graph_objects as go
from matplotlib.figure import Figure as PaperFigure

from wgnn_core.errors import WGNNError
from wgnn_core.figures.base import Figure, faded, page
from wgnn_core.figures.scene import OfModel, Scene
from wgnn_core.figures.sentences import hardly_learned, w_at_boundary
from wgnn_core.figures.style import CORRECT, Style
from wgnn_core.figures.text import label

X_LABEL = "Hops to the class boundary<br>(below: number of nodes)"
Y_LABEL = "Label non-uniformity w(v)"
NO_BOUNDARY = "none"


class BoundaryBox(Figure):
    """Five-number boxes of w for each distance to the boundary of the true class."""

    kind: ClassVar[str] = "boundary-box"
    drawn: ClassVar[tuple[str, ...]] = ("whisker_low", "q1", "median", "q3", "whisker_high")
    choices: ClassVar[type[OfModel]] = OfModel

    @classmethod
    def make(cls, scene: Scene) -> BoundaryBox:
        w = scene.outcome[1]
        figure = cls.of(w, scene.distance, graph=scene.name)
        told = hardly_learned(w, scene.graph.num_classes) or w_at_boundary(w, scene.distance)
        return replace(figure, caption=f"{figure.caption} {told} {scene.whose}")

    @classmethod
    def of(
        cls, w: npt.ArrayLike, distance: npt.ArrayLike, *, graph: str, last: int = 6
    ) -> BoundaryBox:
        """From w and hop distances.

        Args:
            w: Label non-uniformity, ``[n]``.
            distance: Hops from v to the boundary of its class, 0 on the boundary; inf or nan
                where no boundary can be reached, drawn as a box of its own.
            graph: Name of the graph.
            last: Distances of `last` and more share one box.
        """
        values, hops = np.asarray(w, dtype=float), np.asarray(distance, dtype=float)
        if values.shape != hops.shape or values.size == 0 or not np.isfinite(values).all():
            raise WGNNError(
                f"w has shape {values.shape} and distances {hops.shape}; both need the same "
                "non-zero number of nodes and w must be finite."
            )
        group = np.where(np.isfinite(hops), np.minimum(hops, last), last + 1)
        rows = []
        for key in np.unique(group):
            inside = values[group == key]
            q1, median, q3 = np.percentile(inside, [25, 50, 75])
            reach = 1.5 * (q3 - q1)
            name = NO_BOUNDARY if key > last else f"≥ {last}" if key == last else f"{key:.0f}"
            rows.append(
                {
                    "distance": name,
                    "count": len(inside),
                    "whisker_low": inside[inside >= q1 - reach].min(),
                    "q1": q1,
                    "median": median,
                    "q3": q3,
                    "whisker_high": inside[inside <= q3 + reach].max(),
                }
            )
        data = pd.DataFrame(rows)
        first, final = data["median"].iloc[0], data["median"].iloc[-1]
        reached = data[data["distance"] != NO_BOUNDARY]
        peak = ""
        if len(reached) > 1:
            top = reached.loc[reached["median"].idxmax(), "distance"]
            peak = f" Its median is highest at distance {top}."
        return cls(
            data,
            title=f"Non-uniformity and distance to the class boundary on {label(graph)}",
            caption=(
                "w of the nodes at each distance from the boundary of their class (box: quartiles, "
                "whiskers: 1.5 interquartile ranges); the theory expects w to rise with it." + peak
            ),
            alt=(
                f"Box plot on {label(graph)}: the median of w goes from {first:.2f} at distance "
                f"{data['distance'].iloc[0]} to {final:.2f} at {data['distance'].iloc[-1]}."
            ),
        )

    def to_plotly(self, dark: bool = False) -> go.Figure:
        data = self.data
        figure = page(self.title, dark, showlegend=False)
        figure.add_box(
            x=np.arange(len(data)),
            q1=data["q1"].to_numpy(),
            median=data["median"].to_numpy(),
            q3=data["q3"].to_numpy(),
            lowerfence=data["whisker_low"].to_numpy(),
            upperfence=data["whisker_high"].to_numpy(),
            line={"color": CORRECT, "width": 1.6},
            fillcolor=faded(CORRECT, 0.25),
            width=0.55,
            name="",
        )
        # the counts in a line of their own, upright however narrow the chart
        ticks = [f"{d}<br>{n}" for d, n in zip(data["distance"], data["count"], strict=True)]
        places = {"tickvals": np.arange(len(data)), "ticktext": ticks, "tickangle": 0}
        figure.update_xaxes(title_text=X_LABEL, **places)
        figure.update_yaxes(title_text=Y_LABEL, rangemode="tozero")
        return figure

    def _draw(self, style: Style) -> PaperFigure:
        data = self.data
        paper = PaperFigure(figsize=style.size(0.66), layout="constrained")
        axes = paper.add_subplot()
        axes.grid(axis="y")
        stats = [
            {
                "med": row["median"],
                "q1": row["q1"],
                "q3": row["q3"],
                "whislo": row["whisker_low"],
                "whishi": row["whisker_high"],
                "label": f"{row['distance']}\n({row['count']})",
            }
            for row in data.to_dict("records")
        ]
        thin = 0.8 * style.scale
        axes.bxp(
            stats,
            widths=0.55,
            showfliers=False,
            patch_artist=True,
            boxprops={"facecolor": (CORRECT, 0.25), "edgecolor": CORRECT, "linewidth": thin},
            medianprops={"color": CORRECT, "linewidth": 1.5 * style.scale},
            whiskerprops={"color": CORRECT, "linewidth": thin},
            capprops={"color": CORRECT, "linewidth": thin},
        )
        axes.set(xlabel="Distance to the class boundary in hops (nodes)", ylabel=Y_LABEL)
        axes.set_ylim(bottom=0)
        return paper
