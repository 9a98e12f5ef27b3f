"""Xacro, the macro language of URDF, expanded by the package xacro.

A xacro file may evaluate expressions and include other files. So a separate process expands it, with limits on time,
memory and output. It checks every expression and every file that is read, unless the caller trusts the file.
"""

import importlib.util
import json
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from typing import Any

from revolute.arguments import instance
from revolute.errors import ModelError
from revolute.io.source import LARGEST, Source

SECONDS = 60  # time limit of an expansion by xacro [s]
MEMORY = 2 << 30  # memory limit of an expansion by xacro [bytes]


def is_xacro(source: Source) -> bool:
    """Whether a file is to be expanded: its name ends in .xacro, and the package xacro is installed."""
    return source.path.endswith(".xacro") and importlib.util.find_spec("xacro") is not None


def expanded(source: Source, arguments: Mapping[str, Any], trusted: bool = False) -> Source:
    """The URDF expansion of a xacro file, with values of <xacro:arg> by name."""
    path = os.path.abspath(source.path)
    code = f"from revolute.io.xacro_process import main; main({SECONDS}, {MEMORY})"
    values = {name: str(x).lower() if isinstance(x, bool) else str(x) for name, x in arguments.items()}
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    with tempfile.TemporaryFile() as output, tempfile.TemporaryFile() as errors:
        try:
            done = subprocess.run(
                [sys.executable, "-P", "-c", code, path, json.dumps([values, instance("trusted", trusted, bool)])],
                stdout=output, stderr=errors, env=environment, timeout=SECONDS,
            )  # fmt: skip
        except subprocess.TimeoutExpired:
            raise ModelError(f"{source.path}: xacro took longer than {SECONDS} s; does it include itself?") from None
        output.seek(0)
        errors.seek(0)
        content, reasons = output.read(LARGEST + 1), errors.read(1 << 20).decode(errors="replace").strip().splitlines()
    if done.returncode or not content or len(content) > LARGEST:
        reason = reasons[-1] if reasons else "it was stopped: it used too much time, memory or output"
        raise ModelError(f"{source.path}: xacro cannot expand it: {reason}{_remedy(reason, source, values)}")
    return Source(content, source.where, source.path, expanded=True)


def _remedy(reason: str, source: Source, given: Mapping[str, str]) -> str:
    """Advice about the arguments that a xacro file lacks; "" for any other error."""
    if (lacking := re.search(r"Undefined substitution argument (\w+)", reason)) is None:
        return ""
    content = source.content if isinstance(source.content, str) else source.content.decode(errors="replace")
    text = re.sub(r"(?s)<!--.*?-->", "", content)
    known = {*given, *re.findall(r"<xacro:arg\s[^>]*name=[\"'](\w+)", text)}
    names = dict.fromkeys(x for x in (lacking[1], *re.findall(r"\$\(arg\s+(\w+)", text)) if x not in known)
    values, options = ", ".join(f'"{x}": ...' for x in names), " ".join(f"--arg {x}=..." for x in names)
    return f"; give {'them' if len(names) > 1 else 'it'}: load(path, arguments={{{values}}}), or {options} in a shell"
