"""Pages of the benchmark: tables in Markdown, and the section that describes the machine."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from bench.machine import facts

__all__ = ["cells", "machine", "number", "table", "yes"]


def table(header: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table in Markdown."""
    return "\n".join(f"| {' | '.join(row)} |" for row in (header, ["---"] * len(header), *rows))


def cells(line: str) -> tuple[str, ...]:
    """The cells of a line of a table."""
    return tuple(x.strip() for x in line.strip().removeprefix("|").removesuffix("|").split(" | "))


def machine(known: Mapping[str, str] | None = None) -> str:
    """The section that describes machine and software, in one line."""
    return "## Machine\n\n" + "; ".join(f"{name}: {fact}" for name, fact in (known or facts()).items())


def yes(met: bool) -> str:
    """Whether a target is met."""
    return "yes" if met else "**no**"


def number(x: float) -> str:
    """Three figures at least."""
    return f"{x:,.0f}" if abs(x) >= 100 else f"{x:.1f}" if abs(x) >= 10 else f"{x:.2f}"
