"""Studies: every table and figure of the paper as a declaration, one module each, and beyond."""

from __future__ import annotations

from wgnn_core.errors import WGNNError
from wgnn_core.studies import (
    appendix,
    dataset_statistics,
    depth,
    m1_m2,
    mismatch,
    parameter_study,
    rankers,
    table_1,
    table_2,
    table_3,
)
from wgnn_core.studies.plan import Study as Study

STUDIES: dict[str, Study] = {
    module.STUDY.name: module.STUDY
    for module in (
        table_1,
        table_2,
        table_3,
        appendix,
        m1_m2,
        parameter_study,
        mismatch,
        depth,
        dataset_statistics,
        rankers,
    )
}
"""By name, in the order in which they are shown."""


def study(name: str) -> Study:
    """The study of that name.

    Raises:
        WGNNError: There is none; lists the names.
    """
    if name not in STUDIES:
        raise WGNNError(f"there is no study {name!r}; choose one of {', '.join(STUDIES)}.")
    return STUDIES[name]
