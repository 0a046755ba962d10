"""A statement of Section 3 on a page: what it says, what it asks, both sides as numbers."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from fractions import Fraction

import pandas as pd
import streamlit as st

from ui.text import md
from wgnn_core.theory.statement import Hypothesis, Statement, Term, symbols, verdict

LARGEST_DENOMINATOR = 400
RELATIONS = {"=": "=", "<=": "≤", "<": "<"}
CONSTANTS = ("zero", "one")


def number(value: float) -> str:
    """A number as it is read best: a count, a fraction of small numbers, or four digits."""
    if math.isnan(value):
        return "not defined"
    if value == round(value) and abs(value) < 1e9:
        return f"{value:,.0f}"
    near = Fraction(value).limit_denominator(LARGEST_DENOMINATOR)
    if near and abs(float(near) - value) < 1e-12 * abs(value):
        return f"{value:.4g} ({near})"
    return f"{value:.4g}"


def show_statement(statement: Statement, key: str, terms: bool = True) -> None:
    """Title, words, hypotheses with ticks and crosses, both sides, and the verdict."""
    with st.container(border=True, key=f"{key}_card", gap="small"):
        st.markdown(f"**{md(symbols(statement.title))}**")
        st.markdown(md(symbols(statement.words), 400))
        st.markdown("  \n".join(hypothesis(one) for one in statement.hypotheses))
        left, right = (_side(one) for one in (statement.left, statement.right))
        mark = ":material/check_circle:" if statement.holds else ":material/cancel:"
        if not statement.decided:
            mark = ":material/help:"
        relation = f"{'' if statement.holds else 'should be '}{RELATIONS[statement.relation]}"
        st.markdown(f"{left} {md(relation)} {right}")
        st.markdown(f"{mark} {md(verdict(statement), 200)}")
        if terms and statement.terms:
            with st.expander("Every term", expanded=False):
                term_table({"": statement.terms}, f"{key}_terms")


def hypothesis(one: Hypothesis) -> str:
    """Its words, after whether it holds; said in words, and not by a colour alone."""
    mark = ":material/check: **holds**" if one.holds else ":material/close: **fails**"
    beside = "" if one.needed else " (asked for, not needed)"
    return f"{mark}{beside}: {md(symbols(one.text), 200)}"


def _side(term: Term) -> str:
    """Name and value; a constant is its value."""
    if term.name in CONSTANTS:
        return f"**{md(number(term.value))}**"
    return f"{md(symbols(term.name))}: **{md(number(term.value))}**"


def term_table(columns: Mapping[str, Sequence[Term]], key: str) -> None:
    """Terms by name; several columns, such as before and after, stand side by side."""
    names = list(dict.fromkeys(term.name for terms in columns.values() for term in terms))
    table = pd.DataFrame({"": [symbols(name) for name in names]})
    for title, terms in columns.items():
        held = {term.name: number(term.value) for term in terms}
        table[title or "value"] = [held.get(name, "") for name in names]
    by = {term.name: term.by for terms in columns.values() for term in terms}
    if any(by.values()):
        table["found by"] = [by[name] for name in names]
    st.dataframe(table, hide_index=True, key=key, height="content")
