"""What the machine and the software are, without naming the machine."""

from __future__ import annotations

import os
import platform
from importlib.metadata import version
from pathlib import Path

from revolute.targets.llvm import host

__all__ = ["facts"]


def facts() -> dict[str, str]:
    """Processor, vector width and versions, for the report."""
    here = host()
    return {
        "processor": f"{_processor()} ({here.cpu}), {os.cpu_count()} cores, vectors of {here.vector_bits} bits",
        "system": f"{platform.system()} {platform.machine()}",
        "Python": platform.python_version(),
        "Revolute": version("revolute"),
        "NumPy": version("numpy"),
        "llvmlite": version("llvmlite"),
        "Pinocchio": version("pin"),
        "MuJoCo": version("mujoco"),
    }


def _processor() -> str:
    """The processor's name, where the system reports it."""
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        lines = []
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.processor() or "unknown"
