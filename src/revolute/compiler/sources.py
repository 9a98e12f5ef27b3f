"""A digest of the source code that determines kernels, so that kernels become invalid when this code changes.

All files are read, some 2 MB, which takes 5 ms of a first call. Modification times would not show every change.
"""

import hashlib
import os
import sys
from functools import cache
from pathlib import Path

SOURCES = (
    "arguments", "compiler", "control", "conventions", "dynamics", "graph", "machine", "model", "optimal", "published",
    "spatial", "symbolic", "targets",
)  # fmt: skip
"""Folders of the package whose source code affects kernels, in addition to the top-level modules."""


@cache
def source_digest() -> str:
    """The digest of this library's source code."""
    return package_digest(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


def package_digest(package: str) -> str:
    """The digest of the modules in a package folder, or of the archive that contains the package."""
    digest = hashlib.sha256()
    for path in _modules(package) or [_archive(package)]:
        with open(path, "rb", buffering=0) as file:
            digest.update(os.fsencode(f"{path.removeprefix(package)}\n") + file.read())
    return digest.hexdigest()


def _modules(package: str) -> list[str]:
    """Sorted paths of the modules that affect kernels; empty if the package is not a folder."""
    if not os.path.isdir(package):
        return []
    files = [os.path.join(package, name) for name in os.listdir(package)]
    for room in SOURCES:
        for folder, folders, names in os.walk(os.path.join(package, room), followlinks=True):
            folders[:] = [name for name in folders if name != "__pycache__"]
            files += [os.path.join(folder, name) for name in names]
    return sorted(file for file in files if file.endswith((".py", ".pyc")))


def _archive(package: str) -> str:
    """The file that contains a package which is not a folder: an archive, or the executable."""
    return str(next((path for path in Path(package).parents if path.is_file()), Path(sys.executable)))
