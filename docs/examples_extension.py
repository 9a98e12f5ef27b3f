"""Examples of docstrings in the reference: a section of code, not text whose prompts Markdown takes for quotations."""

from __future__ import annotations

import re
from typing import Any

import griffe

_HEADING = re.compile(r"^( *)Example:$", re.MULTILINE)


class Examples(griffe.Extension):
    """Read the heading "Example:" as "Examples:", which Griffe knows for a section of code."""

    def on_object(self, *, obj: griffe.Object, **_: Any) -> None:
        """Change a docstring's heading once it is read."""
        if obj.docstring:
            obj.docstring.value = _HEADING.sub(r"\1Examples:", obj.docstring.value)
