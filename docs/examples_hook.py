"""Examples of pages without what only tests need: marks of empty lines, and options of doctest."""

from __future__ import annotations

import re
from typing import Any

_BLOCK = re.compile(r"^( *)```pycon\b.*?^\1```$", re.DOTALL | re.MULTILINE)
_MARK = re.compile(r"^ *<BLANKLINE>$|[ \t]*# doctest:.*$", re.MULTILINE)


def on_page_markdown(markdown: str, **_: Any) -> str:
    """A page whose examples show as they look in a session."""
    return _BLOCK.sub(lambda block: _MARK.sub("", block[0]), markdown)
