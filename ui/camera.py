"""Zoom that stays: a map is drawn anew when a control changes, and this turns it back.

Streamlit makes a new chart of every new figure, so that plotly's `uirevision`, which would keep the
zoom, has nothing to keep. The script below remembers zoom and drag mode by `uirevision` and gives
them to the next chart that has the same. Plotly is not at hand on the page; the buttons of its mode
bar are, and they set what their event names.
"""

import streamlit as st

SCRIPT = """<script>
(() => {
  if (window.wgnnCamera) return;
  const kept = (window.wgnnCamera = {});
  const AXES = ["xaxis", "yaxis"];
  const set = (chart, name, value) => {
    const button = chart._fullLayout._modeBar.buttons.flat().find((b) => b.name === "pan2d");
    const told = { "data-attr": name, "data-val": value };
    if (button) button.click(chart, { currentTarget: { getAttribute: (key) => told[key] } });
  };
  const restore = (chart, look) => {
    AXES.forEach((axis) => look[axis] && set(chart, `${axis}.range`, look[axis]));
    if (look.dragmode) set(chart, "dragmode", look.dragmode);
  };
  const follow = (chart) => {
    const layout = chart._fullLayout;
    if (chart.wgnnFollowed || !layout || !layout._modeBar || !chart.on) return;
    chart.wgnnFollowed = true;
    if (!layout.uirevision) return;
    const look = (kept[layout.uirevision] ??= {});
    restore(chart, { ...look });
    chart.on("plotly_relayout", (change) => {
      if (change.dragmode) look.dragmode = change.dragmode;
      AXES.forEach((axis) => {
        if (change[`${axis}.autorange`]) delete look[axis];
        else if (Object.keys(change).some((key) => key.startsWith(`${axis}.range`)))
          look[axis] = [...chart._fullLayout[axis].range];
      });
    });
  };
  setInterval(() => document.querySelectorAll(".js-plotly-plot").forEach(follow), 100);
})();
</script>"""


def keep_camera() -> None:
    """Every map of the page keeps its zoom and its drag mode."""
    st.html(SCRIPT, unsafe_allow_javascript=True)
