"""The app: `streamlit run app.py`. One page a file in `pages/`, the frame in `ui/shell.py`.

Streamlit imports this file once, for `app`, the server; then it runs it for every look at a page.
"""

if __name__ == "__main__":
    from wgnn_core.runs.process import spawn_ahead

    spawn_ahead()  # the worker and this process then load their libraries at the same time

    from ui.shell import run_app

    run_app()
else:
    import streamlit as st

    from ui.guard import guarded

    app = st.App(__file__, **guarded())
