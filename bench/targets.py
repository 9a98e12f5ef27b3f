"""`python -m bench.targets`: every figure that the library has set itself, measured; writes `bench/TARGETS.md`.

Parts can be measured apart, `--only threads`: the other rows of the table stay as they were.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from bench.goals import PARTS, Goal
from bench.tables import cells, machine, table

__all__ = ["page", "rows"]

RESULTS = Path(__file__).with_name("TARGETS.md")
HEADER = ("part", "figure", "target", "measured", "met")
INTRODUCTION = """# Targets

Written by `python -m bench.targets`; `--only PART` measures the rows of one part again. Ratios are those of medians of
calls that take turns in one run; `METHOD.md` describes the method.
"""

Part = StrEnum("Part", {name: name for name in PARTS})  # type: ignore[misc]


def rows(text: str) -> dict[str, list[tuple[str, ...]]]:
    """The rows of a page's table, by part."""
    found: dict[str, list[tuple[str, ...]]] = {}
    for line in text.splitlines():
        part, *rest = cells(line)
        if part in PARTS and len(rest) == len(HEADER) - 1:
            found.setdefault(part, []).append(tuple(rest))
    return found


def page(measured: Mapping[str, Sequence[tuple[str, ...]]]) -> str:
    """The page of these rows, by part."""
    lines = [(part, *row) for part in PARTS for row in measured.get(part, ())]
    return f"{INTRODUCTION}\n{table(HEADER, lines)}\n\n{machine()}\n"


def main(
    only: Annotated[list[Part] | None, typer.Option(help="Measure this part alone.")] = None,
    quick: Annotated[bool, typer.Option(help="Rough figures of smaller work, to see that it runs.")] = False,
    output: Annotated[Path, typer.Option(help="Where the table goes.")] = RESULTS,
) -> None:
    """Measure every figure, and write the table; what is there of other parts stays."""
    console = Console(soft_wrap=True)
    for part in only or Part:
        console.print(f"[bold]{part}[/]")
        found: list[Goal] = []
        for goal in PARTS[part](0.02 if quick else 1.0):
            found.append(goal)
            console.print(" | ".join(goal.cells))
        old = rows(output.read_text(encoding="utf-8")) if output.exists() else {}
        output.write_text(page(old | {str(part): [x.cells for x in found]}), encoding="utf-8")
    console.print(f"written to {output}")


if __name__ == "__main__":
    typer.run(main)
