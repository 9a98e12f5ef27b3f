"""Graphs as machine code, through LLVM: lanes, trigonometry, kernels, layout, module, march, fast, host."""

from revolute.targets.llvm.fast import CONTEXT
from revolute.targets.llvm.host import Host, Loaded, compile_object, host, load_object
from revolute.targets.llvm.lanes import Lanes
from revolute.targets.llvm.march import GROUP, WORDS, recurrence_text
from revolute.targets.llvm.module import LONG, module_text
from revolute.targets.llvm.recurrence import LoopForm, Recurrence, Stage, alike, following
from revolute.targets.llvm.shared_angles import with_shared_angles

__all__ = [
    "CONTEXT",
    "GROUP",
    "LONG",
    "WORDS",
    "Host",
    "Lanes",
    "Loaded",
    "LoopForm",
    "Recurrence",
    "Stage",
    "alike",
    "compile_object",
    "following",
    "host",
    "load_object",
    "module_text",
    "recurrence_text",
    "with_shared_angles",
]
