"""The few rules of the page's look that Streamlit has no setting for."""

import streamlit as st

NARROW = 960
"""Below this width (pixels) columns stand one under the other: beside the sidebar two have no
room. Streamlit itself does so from 640 pixels on."""

CSS = f"""<style>
[data-testid="stMainBlockContainer"] {{ padding: 2.75rem 2.5rem 3rem; }}
[data-testid="stSidebarHeader"] {{ height: 2.75rem; margin-bottom: 0; }}
[class*="st-key-"][class*="_head"] {{ flex-wrap: nowrap; }}
.st-key-notices:has([data-testid="stAlert"]) {{ margin-top: 1.2rem; }}
@media (max-width: {NARROW}px) {{
  [data-testid="stMainBlockContainer"] {{ padding: 2.75rem 1.25rem 3rem; }}
  [data-testid="stSidebar"][data-collapsed="false"] {{
    width: 14.5rem !important; min-width: 14.5rem !important; max-width: 14.5rem !important;
  }}
  [data-testid="stColumn"] {{ min-width: 100%; }}
}}
</style>"""


COLLAPSE = f"""<script>
(() => {{
  if (window.wgnnOpened) return;
  window.wgnnOpened = true;
  (function close(tries) {{
    if (window.innerWidth > {NARROW} || tries === 0) return;
    const button = document.querySelector('[data-testid="stSidebarCollapseButton"] button');
    const open = document.querySelector('[data-testid="stSidebar"][data-collapsed="false"]');
    if (button && open) button.click(); else setTimeout(() => close(tries - 1), 100);
  }})(50);
}})();
</script>"""
"""On a narrow page the sidebar would leave no room; it is closed once, when the app is opened."""


def style_page() -> None:
    """Draw the same elements every time: one that is drawn only at first would move all that follow
    it, and Streamlit no longer writes the value of a moved widget into the address."""
    st.html(CSS)
    st.html(COLLAPSE, unsafe_allow_javascript=True)
