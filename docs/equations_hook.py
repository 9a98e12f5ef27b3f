"""Equations of the documentation, $...$ and $$...$$, as MathML: browsers show it without scripts or requests."""

from __future__ import annotations

import re
from typing import Any

from latex2mathml.converter import convert as _convert

_CODE_OR_EQUATION = re.compile(
    r"(?P<code>```.*?```|`[^`\n]+`) | \$\$(?P<block>.+?)\$\$ | \$(?P<inline>[^$\n]+)\$", re.DOTALL | re.VERBOSE
)

_ALIGNED = re.compile(r'columnalign="(left|right)"')


def convert(equation: str, display: str = "inline") -> str:
    """MathML of an equation; cells that are to stand left or right say so in CSS, which browsers follow."""
    return _ALIGNED.sub(r'style="text-align: \1; padding-\1: 0"', _convert(equation, display=display))


def on_page_markdown(markdown: str, **_: Any) -> str:
    """A page with its equations converted, and its code as it is."""

    def converted(found: re.Match[str]) -> str:
        if found["code"]:
            return found["code"]
        if found["block"]:
            return convert(found["block"].strip(), display="block")
        return f"<span>{convert(found['inline'])}</span>"  # a line that begins with <math> would end its paragraph

    return _CODE_OR_EQUATION.sub(converted, markdown)
