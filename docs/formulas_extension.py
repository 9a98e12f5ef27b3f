"""Formulas of docstrings in the reference, $...$ as MathML, and places of the texts, such as LP 9.53, as links."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import Any

import griffe

sys.path.insert(0, str(Path(__file__).parent))  # Griffe loads this file alone

from equations_hook import on_page_markdown

from revolute.errors import UnknownNameError
from revolute.texts import find
from revolute.texts.passage import anchor

_EXAMPLES = re.compile(r"^ *Examples?:$", re.MULTILINE)
_CITATION = re.compile(
    r"`[^`\n]*`|\b(?P<text>LP|BP|JIN|GOA|SHV) (?P<place>(?:[A-Z][a-z]+\.? )?(?:[A-C][.-])?\d+(?:\.\d+)*)[a-z]?\b"
)


class Formulas(griffe.Extension):
    """Convert a docstring once it is read; code between backticks and examples stay as they are."""

    def on_object(self, *, obj: griffe.Object, **_: Any) -> None:
        """Change a docstring's text."""
        if obj.docstring:
            text = obj.docstring.value
            heading = _EXAMPLES.search(text)
            end = heading.start() if heading else len(text)
            head = on_page_markdown(text[:end]) if "$" in text[:end] else text[:end]
            obj.docstring.value = _CITATION.sub(_linked, head) + text[end:]


def _linked(found: re.Match[str]) -> str:
    """A citation as a link; one of something that has no row, such as a chapter, stays as it is."""
    try:
        if not found["text"]:
            return found[0]
        number = find(f"{found['text']} {found['place']}").number
    except UnknownNameError:
        return found[0]
    return f'<autoref optional identifier="{anchor(*number.split(" ", 1))}">{found[0]}</autoref>'
