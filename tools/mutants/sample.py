"""A seeded sample of mutants: every room, a folder or module right under the package, gets its share."""

from __future__ import annotations

import ast
import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from tools.mutants.copies import ROOT
from tools.mutants.operators import Mutant, changes

PACKAGE = ROOT / "src" / "revolute"


def room(file: str) -> str:
    """The room of a module, by its path in the package."""
    return file.partition("/")[0].removesuffix(".py")


def modules() -> dict[str, bytes]:
    """The source of every module, by its path in the package."""
    return {path.relative_to(PACKAGE).as_posix(): path.read_bytes() for path in sorted(PACKAGE.rglob("*.py"))}


def shares(lines: dict[str, int], count: int) -> dict[str, int]:
    """Divide a count by numbers of lines: one at least for each room, the rest by largest remainders."""
    total, spare = sum(lines.values()), max(count - len(lines), 0)
    exact = {name: spare * n / total for name, n in lines.items()}
    result = {name: 1 + int(x) for name, x in exact.items()}
    by_remainder = sorted(lines, key=lambda name: (int(exact[name]) - exact[name], name))
    for name in by_remainder[: max(count - sum(result.values()), 0)]:
        result[name] += 1
    return result


@dataclass(frozen=True)
class Sample:
    """The mutants drawn, and the source that they change."""

    mutants: list[Mutant]
    sources: dict[str, bytes]


def sample(count: int, seed: int, rooms: list[str] | None = None) -> Sample:
    """Mutants of all rooms, or of some. In each room, a larger sample holds a smaller one of the same seed."""
    sources = modules()
    by_room: dict[str, dict[tuple[str, int], list[Mutant]]] = {}
    unknown = set(rooms or ()) - {room(file) for file in sources}
    if unknown:
        known = ", ".join(sorted({room(file) for file in sources}))
        raise SystemExit(f"no room is called {', '.join(sorted(unknown))}; there are {known}")
    for file, source in sources.items():
        for mutant in changes(file, source) if not rooms or room(file) in rooms else ():
            by_room.setdefault(room(file), {}).setdefault((file, mutant.line), []).append(mutant)
    wanted = shares({name: len(by_room[name]) for name in rooms or sorted(by_room)}, count)
    drawn: list[Mutant] = []
    for name in wanted:
        stream = _draw(by_room[name], sources, seed)
        drawn += [mutant for mutant, _ in zip(stream, range(wanted[name]), strict=False)]
    return Sample(drawn, sources)


def _draw(lines: dict[tuple[str, int], list[Mutant]], sources: dict[str, bytes], seed: int) -> Iterator[Mutant]:
    """Mutants in random order, no line twice before all had their turn; only those that are another program.

    The order comes from the seed and the text of each line, so that most of a sample stays when other lines change.
    """
    ranked = []
    for (file, number), mutants in lines.items():
        begin = sources[file].rfind(b"\n", 0, mutants[0].start) + 1
        line = sources[file][begin : sources[file].find(b"\n", begin)].decode()
        own = sorted(mutants, key=lambda mutant: chance(seed, line, mutant.start - begin, mutant.text))
        ranked += [(turn, chance(seed, file, line), number, mutant) for turn, mutant in enumerate(own)]
    for *_, mutant in sorted(ranked, key=lambda entry: entry[:3]):
        if is_another_program(sources[mutant.file], mutant):
            yield mutant


def chance(*what: object) -> bytes:
    """A number by chance, the same for the same text."""
    return hashlib.sha256(repr(what).encode()).digest()


def is_another_program(source: bytes, mutant: Mutant) -> bool:
    """Whether a mutant parses, and to something else."""
    try:
        return ast.dump(ast.parse(mutant.apply(source))) != ast.dump(ast.parse(source))
    except SyntaxError:
        return False


def difference(source: bytes, mutant: Mutant) -> str:
    """The lines that change, before and after, as a diff shows them."""
    first = source.rfind(b"\n", 0, mutant.start) + 1
    end = source.find(b"\n", mutant.end)
    after = mutant.apply(source)
    old, new = source[first:end], after[first : end + len(after) - len(source)]
    return "\n".join(
        f"{sign} {line.strip()}" for sign, text in (("-", old), ("+", new)) for line in text.decode().splitlines()
    )


def path(copy: Path, file: str) -> Path:
    """A module in a copy of the repository."""
    return copy / "src" / "revolute" / file
