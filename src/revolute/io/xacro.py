"""Xacro, the macro language of URDF, expanded by the package xacro.

A xacro file may evaluate expressions and include other files. So a separate process expands it, with limits on time,
memory and output.
"""

from __future__ import annotations

import contextlib
import importlib.util
import json
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from typing import Any

from revolute.errors import ModelError
from revolute.io.source import LARGEST, Source
from revolute.model.mesh_files import package_folder

SECONDS = 60
"""Time limit of an expansion by xacro [s]."""
MEMORY = 2 << 30
"""Memory limit of an expansion by xacro [bytes]."""


def is_xacro(source: Source) -> bool:
    """Whether a file is to be expanded: its name ends in .xacro, and the package xacro is installed."""
    return source.path.endswith(".xacro") and importlib.util.find_spec("xacro") is not None


def expanded(source: Source, arguments: Mapping[str, Any]) -> Source:
    """The URDF expansion of a xacro file, with values of <xacro:arg> by name."""
    path = os.path.abspath(source.path)
    code = "from revolute.io.xacro import _expand; _expand()"
    values = {name: str(x).lower() if isinstance(x, bool) else str(x) for name, x in arguments.items()}
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    with tempfile.TemporaryFile() as output, tempfile.TemporaryFile() as errors:
        try:
            done = subprocess.run(
                [sys.executable, "-c", code, path, json.dumps(values)],
                stdout=output, stderr=errors, env=environment, timeout=SECONDS,
            )  # fmt: skip
        except subprocess.TimeoutExpired:
            raise ModelError(f"{source.path}: xacro took longer than {SECONDS} s; does it include itself?") from None
        output.seek(0)
        errors.seek(0)
        content, reasons = output.read(LARGEST + 1), errors.read(1 << 20).decode(errors="replace").strip().splitlines()
    if done.returncode or not content or len(content) > LARGEST:
        reason = reasons[-1] if reasons else "it was stopped: it used too much time, memory or output"
        raise ModelError(f"{source.path}: xacro cannot expand it: {reason}{_remedy(reason)}")
    return Source(content, source.where, source.path, expanded=True)


def _remedy(reason: str) -> str:
    """Advice about an argument that a xacro file lacks; "" for any other error."""
    lacking = re.search(r"Undefined substitution argument (\w+)", reason)
    if lacking is None:
        return ""
    return f'; give it: load(path, arguments={{"{lacking[1]}": ...}}), or --arg {lacking[1]}=... in a shell'


def _expand() -> None:
    """Expand the file named on the command line, and print the result."""
    _bound_resources()
    import xacro
    from xacro import substitution_args

    path = sys.argv[1]

    def find(package: str) -> str:
        folder = package_folder(package, os.path.dirname(path))
        if folder is None:
            raise substitution_args.SubstitutionException(f"$(find {package}): there is no such package")
        return str(folder)

    substitution_args._eval_find = find
    try:
        text = xacro.process_file(path, mappings=json.loads(sys.argv[2])).toxml()
    except (Exception, SystemExit) as error:  # xacro raises exceptions of any type
        message = " ".join(str(error).split()) or type(error).__name__
        sys.exit(message[:1000])
    sys.stdout.buffer.write(text.encode())  # UTF-8, whatever the encoding of the console


def _bound_resources() -> None:
    """Limit this process's memory, time and output, as far as the system allows; on Windows only the time."""
    with contextlib.suppress(ImportError):
        import resource

        for name, most in (("RLIMIT_AS", MEMORY), ("RLIMIT_CPU", SECONDS), ("RLIMIT_FSIZE", LARGEST + 1)):
            with contextlib.suppress(ValueError):  # macOS rejects a limit below the memory in use
                resource.setrlimit(getattr(resource, name), (most, most))
