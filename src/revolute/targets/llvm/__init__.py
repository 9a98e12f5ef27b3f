"""Graphs as machine code, through LLVM: lanes, trigonometry, kernels, layout, module, march, fast, host."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from revolute.targets.llvm.compile import compile_object
from revolute.targets.llvm.context import CONTEXT
from revolute.targets.llvm.host import Host, Loaded, cores, host, load_object
from revolute.targets.llvm.lanes import Lanes

if TYPE_CHECKING:
    from revolute.targets.llvm.module import module_text
    from revolute.targets.llvm.row import row_module_text

__all__ = [
    "CONTEXT", "Host", "Lanes", "Loaded", "compile_object", "cores", "host", "load_object", "module_text",
    "row_module_text",
]  # fmt: skip


def __getattr__(name: str) -> Any:
    """Import what prints modules when something is compiled: kernels from the disk cache do without it."""
    if name == "module_text":
        from revolute.targets.llvm import module

        return getattr(module, name)
    if name == "row_module_text":
        from revolute.targets.llvm import row

        return row.row_module_text
    raise AttributeError(f"module '{__name__}' has no attribute {name!r}")
