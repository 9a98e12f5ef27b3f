"""One mutant: the tests that may notice it run in a copy of the repository until one fails."""

from __future__ import annotations

import contextlib
import json
import os
import re
import resource
import signal
import time
from dataclasses import dataclass, replace
from itertools import accumulate
from pathlib import Path

from tools.mutants.copies import environment, pytest_command, run
from tools.mutants.coverage_map import Map, Test
from tools.mutants.operators import Mutant
from tools.mutants.sample import path

MEMORY = 12 * 2**30
"""Bytes of addresses that a test may take: a mutant that asks for more fails."""


@dataclass(frozen=True)
class Verdict:
    """What became of a mutant: killed by a test, by running too long, or alive after `tests` tests."""

    killed: bool
    by: str
    tests: int
    seconds: float


def chosen(mutant: Mutant, covered: Map, budget: float) -> list[Test]:
    """The tests to run, best first, of a normal duration of `budget` seconds at most; none if none reaches the line.

    First come tests that run the statement; for one that runs when its module is imported, then those that run anything
    in the module; then others of the same files, which may look at what was computed once for all, and of the folder
    named like its room. Among these come first tests in files named like the module, and quick ones.
    """
    direct, collected = covered.covering(mutant)
    nearly = covered.covering_module(mutant.file) if collected else set()
    files = {name.partition("::")[0] for name in direct | nearly} | collected
    parts = Path(mutant.file).with_suffix("").parts
    names = [name for name in parts if len(name) > 2 and name != "__init__"]

    def order(test: Test) -> tuple[int, bool, float]:
        tier = 0 if test.name in direct else 1 if test.name in nearly else 2
        return tier, not any(name in test.file for name in names), test.seconds

    own = f"tests/{parts[0]}/" if collected else "no folder"
    candidates = [x for x in covered.tests.values() if x.name in nearly or x.file in files or x.file.startswith(own)]
    result, spent = [], 0.0
    for test in sorted((test for test in candidates if test.passed), key=order):
        if spent + test.seconds <= budget:
            result.append(test)
            spent += test.seconds
    return result


def _limit_memory() -> None:
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))


def tried(mutant: Mutant, source: bytes, tests: list[Test], place: Path) -> Verdict:
    """Run tests on a mutant in the copy at PLACE/copy, which is as it was before afterwards: some, then the others."""
    if not tests:
        return Verdict(False, "no test runs it", 0, 0.0)
    few = _few(tests)
    first, _ = run_tests(mutant, source, few, place)
    others = [test for test in tests if test not in few]
    if first.killed or not others:
        return first
    rest, _ = run_tests(mutant, source, others, place)
    return replace(rest, tests=len(tests), seconds=first.seconds + rest.seconds)


def _few(tests: list[Test], files: int = 3, seconds: float = 10.0) -> list[Test]:
    """The best tests, of few files, as these take long to import, and of few seconds: most mutants die of them."""
    wanted = list(dict.fromkeys(test.file for test in tests))[:files]
    best = [test for test in tests if test.file in wanted]
    spent = accumulate(test.seconds for test in best)
    return best[: max(sum(x <= seconds for x in spent), 1)]


def run_tests(mutant: Mutant, source: bytes, tests: list[Test], place: Path) -> tuple[Verdict, str]:
    """Run tests on a mutant until one fails; returns also what they print."""
    copy = place / "copy"
    listed, limits = place / "tests.txt", place / "seconds.json"
    listed.write_text("\n".join(test.name for test in tests), encoding="utf-8")
    limits.write_text(json.dumps({test.name: test.seconds for test in tests}), encoding="utf-8")
    began = time.monotonic()
    path(copy, mutant.file).write_bytes(mutant.apply(source))
    try:
        code, output = _pytest(copy, place, [f"@{listed}"], limits)
        if code == 4:  # names of tests are made from what the source says: run their whole files
            code, output = _pytest(copy, place, sorted({test.file for test in tests}), limits)
    finally:
        path(copy, mutant.file).write_bytes(source)
    seconds = time.monotonic() - began
    killer = _killer(code, output) if code else ""
    return Verdict(code != 0, killer, len(tests), seconds), output


def _pytest(copy: Path, place: Path, what: list[str], limits: Path) -> tuple[int, str]:
    with (
        environment(copy, place / "scratch", place / "caches") as variables,
        (place / "output.txt").open("w+") as output,
    ):
        variables |= {"MUTANTS_SECONDS": str(limits)}
        own_limits = ("-p", "tools.mutants.watching", "-o", "faulthandler_timeout=0")
        command = pytest_command(*own_limits, "-p", "no:xdist", "-x", "--tb=line")
        process = run([*command, *what], copy, variables, output, _limit_memory)
        try:
            code = process.wait()
        finally:
            _end_group(process.pid)
        output.seek(0)
        return code, output.read()


def _end_group(leader: int) -> None:
    """End what a run left behind: processes that its tests started."""
    with contextlib.suppress(ProcessLookupError):
        os.killpg(leader, signal.SIGKILL)


def _killer(code: int, output: str) -> str:
    """The test that failed first, or how the process ended."""
    failed = re.search(r"^(?:FAILED|ERROR) (\S+)", output, re.MULTILINE)
    if failed:
        return failed.group(1)
    return {1: "ran too long"}.get(code, f"status {code}" if code > 0 else f"signal {-code}")
