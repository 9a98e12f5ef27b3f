"""The processor named by `REVOLUTE_CPU`: its features, and whether this machine has all of them."""

from __future__ import annotations

import difflib
import inspect
import re
import subprocess
import sys
from collections.abc import Mapping

from revolute.errors import InputError
from revolute.targets.llvm import named_processor

__all__ = ["LEVELS", "features_of", "levels_of"]

_V2 = ("crc32", "popcnt", "sse3", "sse4.1", "sse4.2", "ssse3")
_V3 = (*_V2, "avx", "avx2", "bmi", "bmi2", "f16c", "fma", "lzcnt", "movbe", "xsave")
LEVELS = {
    "x86-64": (),
    "x86-64-v2": _V2,
    "x86-64-v3": _V3,
    "x86-64-v4": (*_V3, "avx512bw", "avx512cd", "avx512dq", "avx512f", "avx512vl"),
}
"""The levels of the x86-64 psABI and the features that they add to the first. LLVM is not asked for these."""


def levels_of(available: Mapping[str, bool]) -> list[str]:
    """The levels of x86-64 supported by a machine with given features; none on other processors."""
    there = {name for name, present in available.items() if present}
    return [level for level, needed in LEVELS.items() if there.issuperset(("sse2", *needed))]


def features_of(name: str, available: Mapping[str, bool]) -> frozenset[str]:
    """The features of a processor known to LLVM by name.

    Args:
        name: LLVM's name of the processor.
        available: all features that LLVM tests, and whether this machine has them.

    Raises:
        InputError: the processor is unknown, or this machine lacks one of its features.
    """
    usual = ["native", *levels_of(available)]
    features = frozenset(LEVELS[name] if name in LEVELS and "x86-64" in usual else _asked(name, usual))
    if missing := sorted(x for x in features if not available.get(x)):
        raise InputError(
            f"REVOLUTE_CPU is '{name}', but this machine's processor lacks {', '.join(missing)}. "
            f"Name another processor: {', '.join(usual)}"
        )
    return features


def _asked(name: str, usual: list[str]) -> list[str]:
    """The features of a processor, from a process that asks LLVM."""
    # the module's source in place of an import: the other process need not find this library
    program = f"{inspect.getsource(named_processor)}\nprint(*features({name!a}))"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    listed, _, _ = done.stderr.partition("Available features")
    # LLVM lists processors, then features, as lines of help
    names = re.findall(r"^  (\S+) +- Select the", listed, re.MULTILINE)
    if name not in names:
        near = difflib.get_close_matches(name.lower(), names, n=4) or usual
        raise InputError(f"REVOLUTE_CPU is '{name}'; LLVM knows no such processor. Near names: {', '.join(near)}")
    if done.returncode:
        reason = "\n".join(line for line in done.stderr.splitlines() if "error" in line.lower())
        raise InputError(f"REVOLUTE_CPU is '{name}'; LLVM cannot compile for that processor here: {reason}")
    return done.stdout.split()

