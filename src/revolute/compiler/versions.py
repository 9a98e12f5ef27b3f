"""Versions, processor, threads, settings and cache folder of this installation, for error reports."""

import os
import platform
import re
from collections.abc import Iterator
from importlib import metadata
from pathlib import Path

from revolute.compiler import cache
from revolute.targets.llvm import cores, host

SETTINGS = ("REVOLUTE_CACHE_DIR", "REVOLUTE_CPU", "REVOLUTE_OPT", "REVOLUTE_PROGRESS")
"""Environment variables read by Revolute."""


def show_versions() -> None:
    """Print the versions of Revolute and its packages, the processor, threads, settings and the cache folder.

    Add the output to error reports. It lists those of Revolute's dependencies and extras that are installed.

    Raises:
        InputError: REVOLUTE_CPU names a processor for which kernels cannot be compiled.

    Example:
        >>> import revolute
        >>> revolute.show_versions()  # doctest: +ELLIPSIS
        revolute ...
        Python ...
        system ...
        processor ...
        settings ...
    """
    lines = {
        "revolute": _version("revolute") or f"not installed, from {Path(__file__).parents[1]}",
        "Python": f"{platform.python_version()} ({platform.python_implementation()})",
        "system": f"{platform.platform()}, {platform.machine()}",
        "processor": processor_line(),
        "settings": ", ".join(f"{x}={os.environ[x]}" for x in SETTINGS if x in os.environ) or "none",
        "threads": str(cores()),
        "cache folder": str(cache.folder() or "none: see the warning"),
        **dict(_packages()),
    }
    width = max(map(len, lines)) + 2
    print("\n".join(f"{name:{width}}{text}" for name, text in lines.items()))


def processor_line() -> str:
    """The processor for which kernels are compiled, and its vector extensions."""
    here = host()
    source = "by REVOLUTE_CPU" if os.environ.get("REVOLUTE_CPU") else "this machine's"
    fused = "with" if here.fma else "without"
    return f"{here.cpu} ({source}), vectors of {here.vector_bits} bits, {fused} fused multiply-add"


def _packages() -> Iterator[tuple[str, str]]:
    """Names and versions of installed packages that Revolute requires or that its extras name, sorted by name."""
    try:
        required = metadata.requires("revolute") or []
    except metadata.PackageNotFoundError:
        required = ["numpy", "llvmlite", "sympy"]
    names = {re.split(r"[^\w.-]", line, maxsplit=1)[0] for line in required} - {"revolute"}
    for name in sorted(names, key=str.lower):
        if version := _version(name):
            yield name, version


def _version(package: str) -> str | None:
    """The version of an installed package; None if it is not installed."""
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return None
