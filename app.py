"""The app: `streamlit run app.py`. One page a file in `pages/`, the frame in `ui/shell.py`."""

from ui.shell import run_app

run_app()
