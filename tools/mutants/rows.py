"""For every row of the texts, small changes of its own functions: the row's tests must see each.

Of each row three changes of values are drawn by chance. One that raises an error, or stops the process, would be seen
by any test that runs the line; it is left, and another is drawn.
"""

from __future__ import annotations

import argparse
import inspect
import os
import queue
import re
import tempfile
import tomllib
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from pathlib import Path
from types import CodeType, FunctionType, ModuleType
from typing import Any

from revolute.texts import TEXTS
from revolute.texts.row import Row, parts
from tools.mutants.copies import copy_repository
from tools.mutants.coverage_map import Test
from tools.mutants.operators import Mutant, changes
from tools.mutants.sample import PACKAGE, chance, difference, is_another_program
from tools.mutants.trial import run_tests

WANTED = 3
"""Changes of each row."""
VALUES = {"arithmetic", "sign or not dropped", "function", "arguments swapped", "constant"}
EXPLAINED = Path(__file__).with_name("rows.toml")
"""Changes that change no result, each with its reason: {"what": "why"}."""


@dataclass(frozen=True)
class Outcome:
    """One change of a row's function: "seen", "raises" or "SURVIVED"."""

    place: str
    file: str
    change: str
    fate: str


def recursions(thing: Any) -> Iterator[Callable[..., Any]]:
    """The functions of Python behind what a row names."""
    if isinstance(thing, ModuleType):
        things = [x for x in vars(thing).values() if getattr(x, "__module__", "") == thing.__name__]
        yield from (f for x in things if isinstance(x, (FunctionType, type)) for f in recursions(x))
    elif isinstance(thing, type):
        own = (x for x in vars(thing).values() if isinstance(x, (FunctionType, classmethod)))
        yield from (f for x in own for f in recursions(x))
    elif hasattr(thing, "function"):
        yield thing.function.recursion
    elif callable(thing) or isinstance(thing, classmethod):
        yield inspect.unwrap(getattr(thing, "__func__", thing))


@cache
def source_of(file: str) -> bytes:
    """The text of a module."""
    return (PACKAGE / file).read_bytes()


@cache
def all_changes(file: str) -> list[Mutant]:
    """The changes of a module."""
    return changes(file, source_of(file))


def places(function: Callable[..., Any]) -> tuple[str, int, int] | None:
    """The module of a function, by its path in the package, and the first and last line of its body."""
    file = Path(function.__code__.co_filename)
    if not file.is_relative_to(PACKAGE):
        return None
    code = function.__code__
    own = [line for _, _, line in code.co_lines() if line is not None and line > code.co_firstlineno]
    return file.relative_to(PACKAGE).as_posix(), min(own, default=code.co_firstlineno), _last_line(code)


def _last_line(code: CodeType) -> int:
    inner = [_last_line(x) for x in code.co_consts if isinstance(x, CodeType)]
    return max([line for _, _, line in code.co_lines() if line is not None] + inner)


def called(function: Callable[..., Any]) -> Iterator[Callable[..., Any]]:
    """Functions of the same module that a function names, or has in a table or a closure, then those of others."""
    names = function.__code__.co_names
    found = [getattr(function, "__globals__", {}).get(name) for name in names]
    found += [cell.cell_contents for cell in getattr(function, "__closure__", None) or ()]
    found += [import_module(name) for name in names if name.startswith("revolute.")]  # inside of the function
    found += [getattr(module, name, None) for module in found if isinstance(module, ModuleType) for name in names]
    found += [x for table in found if isinstance(table, dict) for x in table.values()]
    ours = [f for f in found if isinstance(f, FunctionType) and f.__module__.startswith("revolute.")]
    yield from sorted(ours, key=lambda f: f.__module__ != function.__module__)


def candidates(row: Row, seed: int) -> Iterator[Mutant]:
    """Changes of a row's functions in random order, then those of the functions that they call, and so on."""
    waiting = [f for thing in row.functions for f in recursions(thing)]
    done: set[tuple[str, int, int]] = set()
    while waiting:
        found: list[Mutant] = []
        for function in waiting:
            place = places(function)
            if place is not None and place not in done:
                done.add(place)
                file, first, last = place
                found += [x for x in all_changes(file) if first <= x.line <= last and x.what in VALUES]
        yield from sorted(found, key=lambda x: chance(seed, row.place, difference(source_of(x.file), x)))
        waiting = list(dict.fromkeys(g for f in waiting for g in called(f) if places(g) not in done))


def judged(letters: str, row: Row, seed: int, place: Path) -> list[Outcome]:
    """The fates of changes of a row's functions, until enough of them change a value."""
    tests = [Test(f"tests/{name}", 0.0, True) for name in row.tests]
    outcomes: list[Outcome] = []
    for mutant in candidates(row, seed):
        source = source_of(mutant.file)
        if not is_another_program(source, mutant):
            continue
        verdict, output = run_tests(mutant, source, tests, place)
        seen = re.search(r"AssertionError|^E? *assert |Failed: DID NOT", output, re.MULTILINE)
        fate = "SURVIVED" if not verdict.killed else "seen" if seen else "raises"
        outcomes.append(Outcome(f"{letters} {row.place}", mutant.file, difference(source, mutant), fate))
        if sum(outcome.fate != "raises" for outcome in outcomes) == WANTED:
            break
    return outcomes


def main() -> None:
    """Try all rows, or those of some texts; prints what no test of a row sees."""
    parser = argparse.ArgumentParser(prog="python -m tools.mutants.rows", description=__doc__)
    parser.add_argument("--texts", nargs="*", default=[*TEXTS], help="letters of the texts (all)")
    parser.add_argument("--rows", nargs="*", help='places of rows, such as "Prop. 9.1" or 9.13 (all)')
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--workers", type=int, default=len(os.sched_getaffinity(0)))
    options = parser.parse_args()
    why = {entry["change"].strip(): entry["why"] for entry in tomllib.loads(EXPLAINED.read_text("utf-8"))["change"]}
    rows = [(letters, row) for letters in options.texts for row in TEXTS[letters] if row.tests]
    if options.rows:
        rows = [(letters, row) for letters, row in rows if {row.place, *parts(row.place)} & {*options.rows}]
    with tempfile.TemporaryDirectory(prefix="revolute-rows-") as folder, ThreadPoolExecutor(options.workers) as pool:
        free: queue.SimpleQueue[Path] = queue.SimpleQueue()
        for k in range(options.workers):
            copy_repository(Path(folder) / str(k) / "copy")
            free.put(Path(folder) / str(k))

        def judge(letters: str, row: Row) -> list[Outcome]:
            place = free.get()
            try:
                return judged(letters, row, options.seed, place)
            finally:
                free.put(place)

        total = seen = 0
        for (letters, row), outcomes in zip(rows, pool.map(lambda x: judge(*x), rows), strict=True):
            values = [x for x in outcomes if x.fate != "raises"]
            total, seen = total + len(values), seen + sum(x.fate == "seen" for x in values)
            print(f"{letters} {row.place}: {sum(x.fate == 'seen' for x in values)} of {len(values)} seen", flush=True)
            for outcome in values:
                if outcome.fate == "SURVIVED":
                    reason = why.get(outcome.change, "NOT EXPLAINED")
                    print(f"  {outcome.file}\n  {outcome.change}\n  {reason}", flush=True)
    print(f"{seen} of {total} changes of {len(rows)} rows are seen by the row's own tests")


if __name__ == "__main__":
    main()
