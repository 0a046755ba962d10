"""The router: page settings, the shared sidebar, one page a file in `app_pages/`."""

import streamlit as st

from wgnn_core import datasets

# An emoji is drawn by the browser; a Material icon here would be fetched from outside.
st.set_page_config(page_title="wGNN Explorer", page_icon="🕸️", layout="wide")

page = st.navigation(
    [st.Page("app_pages/start.py", title="Start", icon=":material/play_circle:", default=True)]
)

specs = {spec.name: spec for spec in datasets.catalogue()}
ready = [name for name in specs if datasets.status(name) in ("built in", "on disk")]
with st.sidebar:
    st.selectbox(
        "Graph",
        ready,
        index=ready.index("cora" if "cora" in ready else "digits"),
        format_func=lambda name: specs[name].title,
        key="dataset",
    )
    st.caption(specs[st.session_state["dataset"]].description)
    if absent := [name for name in specs if name not in ready]:
        st.caption(f"Not on this machine: {', '.join(absent)}. Get one with")
        st.code(f"python -m wgnn_core data get {absent[0]}", language=None, wrap_lines=True)

page.run()
