"""Names of tests, such as `spatial/test_motion.py::test_brackets`, may break at their words: tables stay narrow."""

from __future__ import annotations

import re
from typing import Any

_NAME = re.compile(r"(?<=<code>)[\w/]+\.py::\w+(?=</code>)")
_END_OF_WORD = re.compile(r"::|[/_]")


def on_page_content(html: str, **_: Any) -> str:
    """A page with places where browsers may break these names."""
    return _NAME.sub(lambda name: _END_OF_WORD.sub(r"\g<0><wbr>", name[0]), html)
