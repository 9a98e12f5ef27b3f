"""The tests that run a mutant's line, by coverage.py, run in a copy of the repository until one fails."""

from __future__ import annotations

import hashlib
import re
import tempfile
from itertools import accumulate
from pathlib import Path
from typing import NamedTuple
from xml.etree import ElementTree

from coverage import CoverageData

from tools.mutants.operators import Mutant
from tools.mutants.runs import BUILD, ROOT, copy_repository, run_pytest
from tools.mutants.sample import modules

SETTINGS = "[run]\nparallel = true\ncontext = ${PYTEST_CURRENT_TEST-}\n"
"""Of coverage.py, in processes that tests start too: what they run is that of the test."""


BUDGET = 300.0
"""Seconds of tests on one mutant, at most."""


class KnownTest(NamedTuple):
    """A test's name, file, normal duration, and success."""

    name: str
    file: str
    seconds: float
    passed: bool


def digest() -> str:
    """A name for the content of the source and the tests."""
    total = hashlib.sha256()
    for path in sorted(path for folder in ("src", "tests") for path in (ROOT / folder).rglob("*.py")):
        total.update(f"{path.relative_to(ROOT)}\n".encode() + path.read_bytes())
    return total.hexdigest()[:16]


class Map:
    """All tests, and which run each line; from the last run, if neither the source nor the tests have changed."""

    def __init__(self, workers: int) -> None:
        data, report, state = (BUILD / name for name in ("coverage", "tests.xml", "state"))
        if not state.exists() or state.read_text() != digest():
            print("running all tests once, to see which run what", flush=True)
            with tempfile.TemporaryDirectory(prefix="revolute-mutants-", ignore_cleanup_errors=True) as folder:
                copy_repository(Path(folder) / "copy")
                settings = Path(folder) / "settings"
                settings.write_text(SETTINGS)
                options = ["--cov=revolute", "--cov-context=test", "--cov-report=", f"--cov-config={settings}"]
                options += [f"-n{workers}", "--dist=worksteal", f"--junitxml={report}", "-ojunit_family=xunit1"]
                variables = {"COVERAGE_FILE": str(data), "COVERAGE_PROCESS_START": str(settings)}
                (BUILD / "tests.log").write_text(run_pytest(Path(folder), *options, variables=variables)[1])
            state.write_text(digest())
        self.data = CoverageData(str(data))
        self.data.read()
        self.files = {path.partition("/copy/src/revolute/")[2]: path for path in self.data.measured_files()}
        self.tests = []
        for case in ElementTree.parse(report).iter("testcase"):
            file, passed = case.get("file", ""), case.find("failure") is None is case.find("error")
            self.tests.append(KnownTest(f"{file}::{case.get('name')}", file, float(case.get("time", 0)), passed))

    def lines(self, file: str) -> dict[int, set[str]]:
        """By line of a module, the names of the tests that run it, or "" where the import of the module does."""
        contexts = self.data.contexts_by_lineno(self.files.get(file, ""))
        return {line: {re.sub(r"( \(\w+\))?(\|\w+)?$", "", x) for x in found} for line, found in contexts.items()}


def chosen(mutant: Mutant, covered: Map) -> list[KnownTest]:
    """The tests to run, best first, of a limited duration; none if none reaches the line.

    First come tests that run the statement; for one that runs when its module is imported, then those that run anything
    in the module; then others of the same files, which may look at what was computed once for all, and of the folder
    named like its room. Among these come first tests in files named like the module, and quick ones.
    """
    lines = covered.lines(mutant.file)
    direct = set().union(*(names for line, names in lines.items() if mutant.first <= line <= mutant.last))
    imported = "" in direct or mutant.at_import  # perhaps by a test that was the first to import the module
    nearly = direct.union(*lines.values()) if imported else direct
    files = {name.partition("::")[0] for name in nearly}
    parts = Path(mutant.file).with_suffix("").parts
    names = [name for name in parts if len(name) > 2 and name != "__init__"]

    def order(test: KnownTest) -> tuple[bool, bool, bool, float]:
        strange = not any(name in test.file for name in names)
        return test.name not in direct, test.name not in nearly, strange, test.seconds

    own = f"tests/{parts[0]}/" if imported else "no folder"
    candidates = [x for x in covered.tests if x.passed and (x.file in files or x.file.startswith(own))]
    best = sorted(candidates, key=order)
    return [test for test, spent in zip(best, accumulate(x.seconds for x in best), strict=True) if spent <= BUDGET]


def killer(mutant: Mutant, tests: list[KnownTest], place: Path) -> str | None:
    """The test that fails first on a mutant, or how pytest ends; None if all pass. The copy is as it was afterwards.

    First run those of few files, as these take long to import, and of ten seconds: most mutants die of them.
    """
    files = list(dict.fromkeys(test.file for test in tests))[:3]
    best = [test for test in tests if test.file in files]
    few = best[: max(sum(x <= 10 for x in accumulate(test.seconds for test in best)), 1)]
    path, source = place / "copy" / "src" / "revolute" / mutant.file, modules()[mutant.file]
    path.write_bytes(mutant.apply(source))
    try:
        return _first_failure(few, place) or _first_failure([test for test in tests if test not in few], place)
    finally:
        path.write_bytes(source)


def _first_failure(tests: list[KnownTest], place: Path) -> str | None:
    if not tests:
        return None
    names = place / "tests.txt"
    names.write_text("\n".join(test.name for test in tests), encoding="utf-8")
    seconds = 150 + 10 * sum(test.seconds for test in tests)
    options = ("--hypothesis-profile=ci", "-p", "no:xdist", "-x", "--tb=line", "-o", "faulthandler_timeout=60")
    code, output = run_pytest(place, *options, f"@{names}", seconds=seconds)
    if code == 4:  # names of tests are made from what the source says: run their whole files
        code, output = run_pytest(place, *options, *sorted({test.file for test in tests}), seconds=seconds)
    failed = re.search(r"^(?:FAILED|ERROR) (\S+)", output, re.MULTILINE)
    return None if code == 0 else failed[1] if failed else "ran too long" if code in (1, -9) else f"status {code}"
