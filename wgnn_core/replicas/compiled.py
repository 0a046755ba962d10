"""How kernels are compiled (numba): its options, in one place."""

from __future__ import annotations

from typing import Any

import numba

numba.config.SLP_VECTORIZE = 1  # type: ignore[attr-defined]  # off by default, see `kernels`

_options: dict[str, Any] = {"nogil": True, "cache": True, "error_model": "numpy"}

# "contract" allows fused multiply-add; reassociation stays forbidden, or LLVM would vectorise
# over the stored entries with gathers instead of over the contiguous columns.
jit: Any = numba.njit(fastmath={"contract"}, **_options)
# for what is used once per row: LLVM would call it, which costs as much as ten stored entries
inlined: Any = numba.njit(fastmath={"contract"}, forceinline=True, **_options)

# A sum over a row vectorises only if its terms may be added in another order; the order is still
# the same for every replica.
jit_sums: Any = numba.njit(fastmath={"contract", "reassoc"}, **_options)
inlined_sums: Any = numba.njit(fastmath={"contract", "reassoc"}, forceinline=True, **_options)
