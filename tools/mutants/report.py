"""The page of results: the score of every room, and the survivors with their explanations."""

from __future__ import annotations

import subprocess
import tomllib
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

from tools.mutants.sample import room

HERE = Path(__file__).resolve().parent
PAGE = HERE / "RESULTS.md"
EXPLANATIONS = HERE / "survivors.toml"

HEAD = """\
# How well the tests notice changes

Made by `make mutants`. A mutant is the source with one small change. It is killed when a test of `make test` fails on
it, and survives when none of those that run its line does. Each room has a share of the mutants by its number of lines.
"""


@dataclass(frozen=True)
class Result:
    """A mutant and what became of it."""

    file: str
    line: int
    what: str
    difference: str
    killed: bool
    by: str


def explanations(what: str = "why") -> dict[tuple[str, str], str]:
    """Why survivors survive, by file and difference; with "test", the tests to try that coverage does not find."""
    entries = tomllib.loads(EXPLANATIONS.read_text(encoding="utf-8")).get("survivor", [])
    return {(entry["file"], entry["difference"].strip()): entry[what] for entry in entries if what in entry}


def score(results: list[Result]) -> str:
    """Killed of all, and per cent."""
    killed = sum(result.killed for result in results)
    return f"{killed} of {len(results)}, {100 * killed / max(len(results), 1):.1f} %"


def source_state(sources: dict[str, bytes]) -> str:
    """The commit that mutants were drawn from, and the lines of all modules."""
    lines = sum(source.count(b"\n") for source in sources.values())
    commit = subprocess.run(["git", "describe", "--always", "--dirty"], cwd=HERE, capture_output=True, text=True).stdout
    return f"commit {commit.strip() or 'unknown'}, {lines:,} lines of source"


def page(by_seed: dict[int, list[Result]], why: dict[tuple[str, str], str], state: str) -> str:
    """The page, in Markdown: results by seed, explanations, and the state of the source."""
    results = [result for each in by_seed.values() for result in each]
    survivors = [result for result in results if not result.killed]
    explained = sum((result.file, result.difference) in why for result in survivors)
    all_of, alive = (Counter(room(result.file) for result in part) for part in (results, survivors))
    lines = [
        HEAD,
        f"Made at {state}.\n",
        f"Killed: **{score(results)}**. Survivors: {len(survivors)}, explained: {explained}. Killed of those without "
        f"explanation: {100 * (len(results) - len(survivors)) / max(len(results) - explained, 1):.1f} %.\n",
        *(f"- seed {seed}: {score(each)}" for seed, each in by_seed.items()),
        "",
        "| room | mutants | killed |",
        "| --- | ---: | ---: |",
        *(f"| {name} | {count} | {count - alive[name]} |" for name, count in sorted(all_of.items())),
    ]
    if survivors:
        lines += ["", "## Survivors"]
    for result in survivors:
        note = why.get((result.file, result.difference), "**not explained**")
        place = f"`{result.file}`, line {result.line}: {result.what}{f' ({result.by})' if result.by else ''}"
        lines += ["", f"{place}. {note}", "", "```diff", result.difference, "```"]
    return "\n".join(lines) + "\n"
