"""Print the levels of x86-64 that this machine runs, as names for REVOLUTE_CPU; none on other processors."""

import llvmlite.binding as llvm

from revolute.targets.llvm.processors import levels_of

print(*levels_of(llvm.get_host_cpu_features()))
