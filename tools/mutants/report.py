"""The page of results: the score of every room, and the survivors with their explanations."""

from __future__ import annotations

import tomllib
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).resolve().parent
PAGE = HERE / "RESULTS.md"
EXPLANATIONS = HERE / "survivors.toml"

HEAD = """\
# How well the tests notice changes

Made by `make mutants`. A mutant is the source with one small change. It is killed when a test of `make test` fails on
it, and survives when none of those that run its line does. Each room has a share of the mutants by its number of lines.
`make mutants` prints how much of the source has changed since.
"""


@dataclass(frozen=True)
class Result:
    """A mutant and what became of it."""

    room: str
    file: str
    line: int
    what: str
    difference: str
    killed: bool
    by: str

    @property
    def key(self) -> tuple[str, str]:
        """What names a mutant, wherever its line is."""
        return self.file, self.difference


def explanations(what: str = "why") -> dict[tuple[str, str], str]:
    """Why survivors survive, by file and difference; with "test", the tests to try that coverage does not find."""
    entries = tomllib.loads(EXPLANATIONS.read_text(encoding="utf-8")).get("survivor", [])
    return {(entry["file"], entry["difference"].strip()): entry[what] for entry in entries if what in entry}


def score(results: list[Result]) -> str:
    """Killed of all, and per cent."""
    killed = sum(result.killed for result in results)
    return f"{killed} of {len(results)}, {100 * killed / max(len(results), 1):.1f} %"


def page(by_seed: dict[int, list[Result]], why: dict[tuple[str, str], str], state: str) -> str:
    """The page, in Markdown: results by seed, explanations, and the state of the source."""
    results = [result for each in by_seed.values() for result in each]
    survivors = [result for result in results if not result.killed]
    explained = sum(result.key in why for result in survivors)
    all_of, alive = Counter(result.room for result in results), Counter(result.room for result in survivors)
    lines = [
        HEAD,
        f"Made at {state}.\n",
        f"Killed: **{score(results)}**. Survivors: {len(survivors)}, explained: {explained}.\n",
        *(f"- seed {seed}: {score(each)}" for seed, each in by_seed.items()),
        "",
        "| room | mutants | killed |",
        "| --- | ---: | ---: |",
        *(f"| {room} | {all_of[room]} | {all_of[room] - alive[room]} |" for room in sorted(all_of)),
    ]
    if survivors:
        lines += ["", "## Survivors"]
    for result in survivors:
        note = why.get(result.key, "**not explained**")
        place = f"`{result.file}`, line {result.line}: {result.what}{f' ({result.by})' if result.by else ''}"
        lines += ["", f"{place}. {note}", "", "```diff", result.difference, "```"]
    return "\n".join(lines) + "\n"
