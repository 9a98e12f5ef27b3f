"""Examples of pages: without what only tests need, and with buttons that copy what one types.

Tests need marks of empty lines and options of doctest. The button of a block with prompts copies its commands, without
prompts and without output: the theme copies the attribute `data-copy` if there is one.
"""

from __future__ import annotations

import html
import re
from typing import Any

_BLOCK = re.compile(r"^( *)```pycon\b.*?^\1```$", re.DOTALL | re.MULTILINE)
_MARK = re.compile(r"^ *<BLANKLINE>$|[ \t]*# doctest:.*$", re.MULTILINE)
_SHOWN = re.compile(r'<div class="(?P<kind>[^"]*\bhighlight)">(?P<rest><pre>.*?</pre>)', re.DOTALL)
_TAG = re.compile(r"<[^>]+>")
_PYTHON = re.compile(r"^(?:>>>|\.\.\.)(?: (.*)|)$", re.MULTILINE)
_SHELL = re.compile(r"^\$ ((?:.*\\\n)*.*)$", re.MULTILINE)


def on_page_markdown(markdown: str, **_: Any) -> str:
    """A page whose examples show as they look in a session."""
    return _BLOCK.sub(lambda block: _MARK.sub("", block[0]), markdown)


def on_page_content(content: str, **_: Any) -> str:
    """A page whose blocks with prompts say what a button copies of them."""
    return _SHOWN.sub(_with_commands, content)


def _with_commands(block: re.Match[str]) -> str:
    code = html.unescape(_TAG.sub("", block["rest"]))
    prompt = _PYTHON if code.startswith(">>> ") else _SHELL
    commands = "\n".join(found[1] or "" for found in prompt.finditer(code))
    if not commands:
        return block[0]
    return f'<div class="{block["kind"]}" data-copy="{html.escape(commands)}">{block["rest"]}'
