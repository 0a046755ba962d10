"""Settings of the documentation site; `make docs` builds it, without a network."""

import re

from sphinx.application import Sphinx

import wgnn_core

project = "wGNN Explorer"
version = release = wgnn_core.__version__
extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon"]
exclude_patterns = ["screenshots"]

html_theme = "furo"
html_static_path = ["_static"]
html_css_files = ["print.css"]
html_title = f"wGNN Explorer {version}"
html_copy_source = False
html_show_sphinx = False

myst_heading_anchors = 3
default_role = "literal"  # docstrings write `name`

autodoc_member_order = "bysource"
autodoc_typehints = "description"
autodoc_typehints_description_target = "documented"
napoleon_use_ivar = True


def plain_bars(
    _app: Sphinx, _what: str, _name: str, _object: object, _options: object, lines: list[str]
) -> None:
    """In docstrings |T| is the size of T, not a substitution."""
    for number, line in enumerate(lines):
        pieces = re.split("(``.*?``)", line)
        pieces[::2] = [piece.replace("|", r"\|") for piece in pieces[::2]]
        lines[number] = "".join(pieces)


def setup(app: Sphinx) -> None:
    app.connect("autodoc-process-docstring", plain_bars)
