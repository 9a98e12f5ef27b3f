"""What the machine and the software are, without naming the machine."""

from __future__ import annotations

import os
import platform
from importlib.metadata import version
from pathlib import Path

import llvmlite.binding as llvm

from revolute.targets.llvm import host

__all__ = ["facts"]


def facts() -> dict[str, str]:
    """Processor, vector width and versions, for the report."""
    here = host()
    return {
        "processor": f"{_processor()} ({here.cpu} to LLVM), {os.cpu_count()} cores",
        "vector width": f"{here.vector_bits} bits, {here.vector_bits // 64} float64 rows at once",
        "system": f"{platform.system()} {platform.machine()}",
        "Python": f"{platform.python_implementation()} {platform.python_version()}",
        "Revolute": version("revolute"),
        "NumPy": version("numpy"),
        "llvmlite": f"{version('llvmlite')}, LLVM {'.'.join(map(str, llvm.llvm_version_info))}",
        "Pinocchio": f"{version('pin')}, as pip delivers it",
        "MuJoCo": f"{version('mujoco')}, as pip delivers it",
    }


def _processor() -> str:
    """The processor's name, where the system reports it."""
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        lines = []
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.processor() or "unknown"
