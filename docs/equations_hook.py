"""Equations of the documentation, $...$ and $$...$$, as MathML: browsers show it without scripts or requests."""

from __future__ import annotations

import re
from typing import Any

from latex2mathml.converter import convert as _convert

_CODE_OR_EQUATION = re.compile(
    r"(?P<code>```.*?```|`[^`\n]+`) | \$\$(?P<block>.+?)\$\$ | \$(?P<inline>[^$\n]+)\$", re.DOTALL | re.VERBOSE
)

_ALIGNED = re.compile(r'columnalign="(left|right)"')
_BRACKET = re.compile(
    r"<mo>(?P<left>&#x0005B;|&#x00028;)</mo>(?=<mtable>) | (?<=</mtable>)<mo>(?P<right>&#x0005D;|&#x00029;)</mo>",
    re.VERBOSE,
)


def convert(equation: str, display: str = "inline") -> str:
    """MathML of an equation, in what browsers follow: CSS to align cells, brackets of matrices that say that they grow."""

    def growing(found: re.Match[str]) -> str:
        form = "prefix" if found["left"] else "postfix"
        return f'<mo form="{form}" stretchy="true" fence="true">{found["left"] or found["right"]}</mo>'

    aligned = _ALIGNED.sub(r'style="text-align: \1; padding-\1: 0"', _convert(equation, display=display))
    return _BRACKET.sub(growing, aligned)


def on_page_markdown(markdown: str, **_: Any) -> str:
    """A page with its equations converted, and its code as it is."""

    def converted(found: re.Match[str]) -> str:
        if found["code"]:
            return found["code"]
        if found["block"]:
            return convert(found["block"].strip(), display="block")
        return f"<span>{convert(found['inline'])}</span>"  # a line that begins with <math> would end its paragraph

    return _CODE_OR_EQUATION.sub(converted, markdown)
