"""The app: `streamlit run app.py`. One page a file in `pages/`, the frame in `ui/shell.py`."""

from wgnn_core.runs.process import spawn_ahead

spawn_ahead()  # the worker and this process then load their libraries at the same time

from ui.shell import run_app  # noqa: E402

run_app()
