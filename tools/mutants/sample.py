"""A seeded sample of mutants: every room, a folder or module right under the package, gets its share."""

from __future__ import annotations

import ast
import contextlib
import hashlib
from collections.abc import Iterator
from functools import cache
from itertools import islice

from tools.mutants.operators import Mutant, changes
from tools.mutants.runs import PACKAGE


def room(file: str) -> str:
    """The room of a module, by its path in the package."""
    return file.partition("/")[0].removesuffix(".py")


@cache
def modules() -> dict[str, bytes]:
    """The source of every module, by its path in the package."""
    return {path.relative_to(PACKAGE).as_posix(): path.read_bytes() for path in sorted(PACKAGE.rglob("*.py"))}


def shares(lines: dict[str, int], count: int) -> dict[str, int]:
    """Divide a count by numbers of lines: one at least for each room, the rest by largest remainders."""
    spare = max(count - len(lines), 0) / sum(lines.values())
    exact = {name: 1 + spare * n for name, n in lines.items()}
    missing = max(count - sum(map(int, exact.values())), 0)
    rounded_up = sorted(lines, key=lambda name: (int(exact[name]) - exact[name], name))[:missing]
    return {name: int(x) + (name in rounded_up) for name, x in exact.items()}


def sample(count: int, seed: int, rooms: list[str] | None = None) -> list[Mutant]:
    """Mutants of all rooms, or of some. In each room, a larger sample holds a smaller one of the same seed."""
    by_room: dict[str, dict[tuple[str, int], list[Mutant]]] = {}
    known = {room(file) for file in modules()}
    if unknown := set(rooms or ()) - known:
        raise SystemExit(f"no room is called {', '.join(sorted(unknown))}; there are {', '.join(sorted(known))}")
    for file, source in modules().items():
        for mutant in changes(file, source) if not rooms or room(file) in rooms else ():
            by_room.setdefault(room(file), {}).setdefault((file, mutant.line), []).append(mutant)
    wanted = shares({name: len(by_room[name]) for name in rooms or sorted(by_room)}, count)
    return [mutant for name in wanted for mutant in islice(_draw(by_room[name], seed), wanted[name])]


def _draw(lines: dict[tuple[str, int], list[Mutant]], seed: int) -> Iterator[Mutant]:
    """Mutants in random order, no line twice before all had their turn; only those that are another program.

    The order comes from the seed and the text of each line, so that most of a sample stays when other lines change.
    """
    ranked, sources = [], modules()
    for (file, number), mutants in lines.items():
        begin = sources[file].rfind(b"\n", 0, mutants[0].start) + 1
        line = sources[file][begin : sources[file].find(b"\n", begin)].decode()
        own = sorted(mutants, key=lambda mutant: _chance(seed, line, mutant.start - begin, mutant.text))
        ranked += [(turn, _chance(seed, file, line), number, mutant) for turn, mutant in enumerate(own)]
    for *_, mutant in sorted(ranked, key=lambda entry: entry[:3]):
        with contextlib.suppress(SyntaxError):
            if ast.dump(ast.parse(mutant.apply(sources[mutant.file]))) != ast.dump(ast.parse(sources[mutant.file])):
                yield mutant


def _chance(*what: object) -> bytes:
    """A number by chance, the same for the same text."""
    return hashlib.sha256(repr(what).encode()).digest()


def difference(mutant: Mutant, source: bytes | None = None) -> str:
    """The lines that change, before and after, as a diff shows them."""
    source = source or modules()[mutant.file]
    first = source.rfind(b"\n", 0, mutant.start) + 1
    end = source.find(b"\n", mutant.end)
    after = mutant.apply(source)
    old, new = source[first:end], after[first : end + len(after) - len(source)]
    return "\n".join(
        f"{sign} {line.strip()}" for sign, text in (("-", old), ("+", new)) for line in text.decode().splitlines()
    )
