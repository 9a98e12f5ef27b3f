"""Table of docs/renames.md: old names, new names and reasons."""

from __future__ import annotations

from revolute.arguments.renamed import RENAMED
from tools.pages import Files, completed


def pages() -> Files:
    """The page with its table."""
    rows = [f"| `{old}` | `{new}` | {why} |" for old, (new, why) in RENAMED.items()]
    return {"renames.md": completed("renames.md", ["| old | new | why |", "| --- | --- | --- |", *rows])}
