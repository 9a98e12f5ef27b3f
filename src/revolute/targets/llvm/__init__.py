"""Translation of graphs to machine code by LLVM."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from revolute.targets.llvm.assembly import assembles
from revolute.targets.llvm.compile import CompiledPart, compile_object, compile_parts
from revolute.targets.llvm.host import Host, Loaded, cores, host, load_object
from revolute.targets.llvm.lanes import Lanes

if TYPE_CHECKING:
    from revolute.targets.llvm.module import module_parts, module_text, row_parts

__all__ = [
    "CompiledPart", "Host", "Lanes", "Loaded", "assembles", "compile_object", "compile_parts", "cores", "host",
    "load_object", "module_parts", "module_text", "row_parts",
]  # fmt: skip


def __getattr__(name: str) -> Any:
    """Import the modules that print code only when code is compiled: kernels from the disk cache do not need them."""
    if name in ("module_parts", "module_text", "row_parts"):
        from revolute.targets.llvm import module

        return getattr(module, name)
    raise AttributeError(f"module '{__name__}' has no attribute {name!r}")
