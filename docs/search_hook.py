"""A small index for the search box: words of pages without their markup, code and formulas.

Every page fetches the index. The reference is in it with names and first sentences: the rest is on its pages.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

REFERENCE = 350
"""Characters of a text of the reference that are kept."""

_LEFT_OUT = re.compile(r"<(pre|math|svg)\b.*?</\1>", re.DOTALL)
_MARK = re.compile(r"</?[a-z][^>]*>")
_BLANKS = re.compile(r"\s+")


def on_post_build(config: Any, **_: Any) -> None:
    """Rewrite the index that the search plugin has written."""
    path = Path(config["site_dir"]) / "search" / "search_index.json"
    index = json.loads(path.read_text(encoding="utf-8"))
    for entry in index["docs"]:
        entry["text"] = plain(entry["text"], REFERENCE if entry["location"].startswith("reference/") else None)
    path.write_text(json.dumps(index, ensure_ascii=False, separators=(",", ":")), encoding="utf-8")


def plain(text: str, length: int | None = None) -> str:
    """The words of some HTML; of a long text its beginning, which ends with a whole word."""
    words = _BLANKS.sub(" ", _MARK.sub(" ", _LEFT_OUT.sub(" ", text))).strip()
    if length is None or len(words) <= length:
        return words
    return words[:length].rpartition(" ")[0]
