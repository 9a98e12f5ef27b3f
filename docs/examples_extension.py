"""Examples of docstrings in the reference: a section of code, not text whose prompts Markdown takes for quotations.

Docstrings assume `import numpy as np, revolute`, as NumPy's do. In the reference each example has its own imports, so
that it runs as it is copied.
"""

from __future__ import annotations

import re
from typing import Any

import griffe

_EXAMPLE = re.compile(r"^( *)Example:\n((?:(?:\1 .*)?(?:\n|$))*)", re.MULTILINE)
_ASSUMED = {"numpy as np": re.compile(r"\bnp\."), "revolute": re.compile(r"(?<!from )\brevolute\.")}


class Examples(griffe.Extension):
    """Read the heading "Example:" as "Examples:", which Griffe knows for a section of code, and add what is assumed."""

    def on_object(self, *, obj: griffe.Object, **_: Any) -> None:
        """Change a docstring's example once it is read."""
        if obj.docstring:
            obj.docstring.value = _EXAMPLE.sub(_stand_alone, obj.docstring.value)


def _stand_alone(example: re.Match[str]) -> str:
    """The section with the imports that its code needs and lacks."""
    indent, code = example[1], example[2]
    there = re.findall(r">>> import (.*)", code)
    names = [x for x, used in _ASSUMED.items() if used.search(code) and not any(x in line for line in there)]
    imports = f"{indent}    >>> import {', '.join(names)}\n" if names else ""
    return f"{indent}Examples:\n{imports}{code}"
