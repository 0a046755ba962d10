"""Versions of what can change a number."""

import platform

import numpy as np
import torch

from wgnn_core.versions import versions


def test_versions_are_those_of_what_runs() -> None:
    found = versions()
    assert list(found) == ["python", "torch", "numpy", "scipy", "numba"]
    assert found["python"] == platform.python_version()
    assert found["numpy"] == np.__version__
    assert torch.__version__.startswith(found["torch"])


def test_a_package_that_is_not_there_is_named() -> None:
    assert versions(["numpy", "no-such-package"]) == {
        "python": platform.python_version(),
        "numpy": np.__version__,
        "no-such-package": "not installed",
    }
