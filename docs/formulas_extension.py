"""Formulas of docstrings in the reference: $...$ as MathML, as on pages."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import Any

import griffe

sys.path.insert(0, str(Path(__file__).parent))  # Griffe loads this file alone

from equations_hook import on_page_markdown

_EXAMPLES = re.compile(r"^ *Examples?:$", re.MULTILINE)


class Formulas(griffe.Extension):
    """Convert a docstring's formulas once it is read; code between backticks and examples stay as they are."""

    def on_object(self, *, obj: griffe.Object, **_: Any) -> None:
        """Change a docstring's text."""
        if obj.docstring and "$" in obj.docstring.value:
            text = obj.docstring.value
            heading = _EXAMPLES.search(text)
            end = heading.start() if heading else len(text)
            obj.docstring.value = on_page_markdown(text[:end]) + text[end:]
