"""Graphs as machine code, through LLVM: lanes, trigonometry, kernels, layout, module, fast, host."""

from revolute.targets.llvm.fast import CONTEXT
from revolute.targets.llvm.host import Host, Loaded, compile_object, host, load_object
from revolute.targets.llvm.lanes import Lanes
from revolute.targets.llvm.module import LONG, module_text
from revolute.targets.llvm.row import row_module_text

__all__ = [
    "CONTEXT",
    "LONG",
    "Host",
    "Lanes",
    "Loaded",
    "compile_object",
    "host",
    "load_object",
    "module_text",
    "row_module_text",
]
