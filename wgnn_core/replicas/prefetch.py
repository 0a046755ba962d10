"""Ask the memory for a row before it is needed (numba).

On graphs whose hidden rows do not fit in the cache, a propagation waits for memory most of the
time. Asking for the rows some slots ahead cuts a propagation to about half (benchmarks/NOTES.md).
"""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba import types
from numba.extending import intrinsic

AHEAD = 48
"""How many slots ahead."""
WORTH_BYTES = 4 << 20
"""Rows that take less than this together stay in the cache anyway."""


def _prefetch(typing_context, array, index):  # type: ignore[no-untyped-def]
    """Start loading the cache line that holds `array[index]`."""

    def codegen(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        values = context.make_array(signature.args[0])(context, builder, arguments[0])
        address = builder.bitcast(
            builder.gep(values.data, [arguments[1]]), ir.IntType(8).as_pointer()
        )
        number = ir.IntType(32)
        kind = ir.FunctionType(ir.VoidType(), [address.type, number, number, number])
        function = builder.module.declare_intrinsic("llvm.prefetch", [address.type], kind)
        read, keep, data = number(0), number(3), number(1)
        builder.call(function, [address, read, keep, data])
        return context.get_dummy_value()

    return types.void(array, index), codegen


prefetch: Any = intrinsic(_prefetch)
