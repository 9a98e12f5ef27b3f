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
    r"<mo>(?P<left>&[#]x0005B;|&[#]x00028;)</mo>(?=<mtable>)"
    r"|(?<=</mtable>)<mo>(?P<right>&[#]x0005D;|&[#]x00029;)</mo>"
)
_DOTS = re.compile(r"<mover>(?=(?:(?!<mover|</mover>).)*<mo>&[#]x00(?:2D9|0A8);</mo></mover>)")


def convert(equation: str, display: str = "inline") -> str:
    """MathML of an equation, in what browsers follow: CSS to align cells, brackets that grow, dots of full size."""

    def growing(found: re.Match[str]) -> str:
        form = "prefix" if found["left"] else "postfix"
        return f'<mo form="{form}" stretchy="true" fence="true">{found["left"] or found["right"]}</mo>'

    def aligned(found: re.Match[str]) -> str:
        side = found[1]
        return f'style="text-align: {side}; text-align: -webkit-{side}; padding-{side}: 0"'

    equation = _ALIGNED.sub(aligned, _convert(equation, display=display))
    return _DOTS.sub('<mover accent="true">', _BRACKET.sub(growing, equation))


def on_page_markdown(markdown: str, **_: Any) -> str:
    """A page with its equations converted, and its code as it is."""

    def converted(found: re.Match[str]) -> str:
        if found["code"]:
            return found["code"]
        if found["block"]:
            return convert(found["block"].strip(), display="block")
        return f"<span>{convert(found['inline'])}</span>"  # a line that begins with <math> would end its paragraph

    return _CODE_OR_EQUATION.sub(converted, markdown)
