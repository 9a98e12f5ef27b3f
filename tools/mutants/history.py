"""The commit of the source that mutants were drawn from, its size, and what has changed in it since the last page."""

from __future__ import annotations

import re
import subprocess

from tools.mutants.copies import ROOT
from tools.mutants.report import PAGE

__all__ = ["changed_since", "source_state"]


def source_state(sources: dict[str, bytes]) -> str:
    """The commit, and the lines of all modules."""
    lines = sum(source.count(b"\n") for source in sources.values())
    changed = " with uncommitted changes" if _git("status", "--porcelain", "src") else ""
    return f"commit {_git('rev-parse', '--short=10', 'HEAD') or 'unknown'}{changed}, {lines:,} lines of source"


def changed_since() -> str:
    """What has changed in the source since the commit that the page names."""
    commit = re.search(r"commit ([0-9a-f]{10})", PAGE.read_text(encoding="utf-8"))
    if commit is None:
        return "The last page of results names no commit."
    change = _git("diff", "--shortstat", commit[1], "--", "src")
    if change is None:
        return f"The last page of results was made at commit {commit[1]}, which this repository does not have."
    return f"Since the last page of results, at commit {commit[1]}: {change or 'no change of the source'}."


def _git(*arguments: str) -> str | None:
    """What git prints; None if it fails, or if there is none."""
    try:
        return subprocess.run(["git", *arguments], cwd=ROOT, capture_output=True, text=True, check=True).stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        return None
