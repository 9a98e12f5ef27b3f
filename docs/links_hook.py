"""Names of functions below an equation, after "In Revolute:", are links to the reference."""

from __future__ import annotations

import re
from typing import Any

from revolute.published import FORMULATIONS

_LINE = re.compile(r"<p><strong>In Revolute:</strong>.*?</p>", re.DOTALL)
_NAME = re.compile(r"<code>([\w.]+)</code>")


def on_page_content(html: str, **_: Any) -> str:
    """A page with such links; a name that the reference does not have stays a name."""
    return _LINE.sub(lambda line: _NAME.sub(_linked, line[0]), html)


def _linked(code: re.Match[str]) -> str:
    name, formulation = code[1], FORMULATIONS.get(code[1].removeprefix("published."))
    place = f"{formulation.function.__module__}.{formulation.name}" if formulation else f"revolute.{name}"
    return f'<autoref optional identifier="{place}">{code[0]}</autoref>'
