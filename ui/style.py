"""The few rules of the page's look that Streamlit has no setting for."""

import streamlit as st

NARROW = 960
"""Below this width (pixels) columns stand one under the other: beside the sidebar two have no
room. Streamlit itself does so from 640 pixels on."""

CSS = f"""<style>
[data-testid="stMainBlockContainer"] {{ padding: 2.75rem 2.5rem 3rem; }}
[data-testid="stSidebarHeader"] {{ height: 2.75rem; margin-bottom: 0; }}
[class*="st-key-"][class*="_head"] {{ flex-wrap: nowrap; }}
@media (max-width: {NARROW}px) {{
  [data-testid="stMainBlockContainer"] {{ padding: 2.75rem 1.25rem 3rem; }}
  [data-testid="stSidebar"][aria-expanded="true"] {{
    width: 14.5rem !important; min-width: 14.5rem !important; max-width: 14.5rem !important;
  }}
  [data-testid="stColumn"] {{ min-width: 100%; }}
}}
</style>"""


def style_page() -> None:
    st.html(CSS)
