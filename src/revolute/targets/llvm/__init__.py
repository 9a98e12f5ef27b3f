"""Graphs as machine code, through LLVM: lanes, trigonometry, kernels, layout, module, host."""

from revolute.targets.llvm.host import Host, Loaded, compile_object, host, load_object
from revolute.targets.llvm.lanes import Lanes
from revolute.targets.llvm.module import CONTEXT, module_text

__all__ = ["CONTEXT", "Host", "Lanes", "Loaded", "compile_object", "host", "load_object", "module_text"]
