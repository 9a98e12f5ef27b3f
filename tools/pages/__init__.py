"""Pages and pictures of the site that are generated: `python -m tools.pages` writes them to build/pages/.

`docs/built_hook.py` adds that folder to docs/. A page of docs/ with the line `MARK` is completed there: the built
page takes its place. It omits the lines between `<!-- checkout -->` and `<!-- /checkout -->`, for readers of docs/.
"""

import re
from collections.abc import Iterable
from pathlib import Path

__all__ = ["BUILT", "DOCS", "MARK", "Files", "completed"]

ROOT = Path(__file__).parents[2]
DOCS, BUILT = ROOT / "docs", ROOT / "build" / "pages"
MARK = "*`make docs` writes the tables here.*\n"

Files = dict[str, str | bytes]
"""Generated files: contents by path below docs/."""


def completed(page: str, lines: Iterable[str]) -> str:
    """Text of a page of docs/ with generated lines in place of the mark."""
    text = (DOCS / page).read_text(encoding="utf-8")
    if text.count(MARK) != 1:
        raise ValueError(f"docs/{page} needs one line {MARK.strip()!r}, where its generated lines go")
    text = re.sub(r"<!-- checkout -->\n.*?<!-- /checkout -->\n", "", text, flags=re.DOTALL)
    return text.replace(MARK, "\n".join(lines) + "\n")
