"""Which tests run which lines: one run of the tests under coverage.py, with one context for each test."""

from __future__ import annotations

import hashlib
import json
import shutil
import tempfile
from dataclasses import dataclass, field
from pathlib import Path

import coverage

from tools.mutants.copies import BUILD, ROOT, copy_repository, environment, pytest_command, run
from tools.mutants.tracing import COLLECTED

SETTINGS = """\
[run]
source = {copy}/src/revolute
data_file = {data}
parallel = true
relative_files = true
context = ${{PYTEST_CURRENT_TEST-}}
disable_warnings = no-data-collected,module-not-imported,module-not-measured
"""
"""Processes started by a test find its name in PYTEST_CURRENT_TEST, and take it for their context."""
PHASES = (" (setup)", " (call)", " (teardown)")


def digest(*folders: Path) -> str:
    """A name for the content of the Python files of folders."""
    total = hashlib.sha256()
    for path in sorted(path for folder in folders for path in folder.rglob("*.py")):
        total.update(f"{path.relative_to(ROOT)}\n".encode() + path.read_bytes())
    return total.hexdigest()[:16]


@dataclass(frozen=True)
class Test:
    """A test's name, normal duration under coverage, and success."""

    name: str
    seconds: float
    passed: bool

    @property
    def file(self) -> str:
        return self.name.partition("::")[0]


@dataclass
class Map:
    """Tests by line of the source."""

    tests: dict[str, Test]
    data: coverage.CoverageData
    _lines: dict[str, dict[int, list[str]]] = field(default_factory=dict)

    def contexts(self, file: str, line: int) -> list[str]:
        """Names of tests, and files whose import is noted, that run a line of src/revolute/FILE."""
        if file not in self._lines:
            self._lines[file] = self.data.contexts_by_lineno(f"src/revolute/{file}")
        return [name.removesuffix(next(filter(name.endswith, PHASES), "")) for name in self._lines[file].get(line, [])]

    def covering(self, file: str, first: int, last: int) -> tuple[set[str], set[str]]:
        """Tests that run lines in functions, and files of tests whose import does."""
        names = {name for line in range(first, last + 1) for name in self.contexts(file, line)}
        collected = {name.removeprefix(COLLECTED) for name in names if name.startswith(COLLECTED)}
        return names & self.tests.keys(), collected

    def covering_module(self, file: str) -> set[str]:
        """Tests that run any line of a module after its import."""
        self.contexts(file, 0)
        return {name for line in self._lines[file] for name in self.contexts(file, line)} & self.tests.keys()


def load(workers: int) -> Map:
    """The map of this source: made anew when the source changed, mended for files of tests that did."""
    BUILD.mkdir(parents=True, exist_ok=True)
    notes_path = BUILD / "map.json"
    notes = json.loads(notes_path.read_text(encoding="utf-8")) if notes_path.exists() else {}
    source = digest(ROOT / "src")
    files = {str(path.relative_to(ROOT)): hashlib.sha256(path.read_bytes()).hexdigest()[:16]
             for path in sorted((ROOT / "tests").rglob("test_*.py"))}  # fmt: skip
    if notes.get("source") != source:
        notes = {"source": source, "files": {}, "tests": {}}
        (BUILD / "coverage").unlink(missing_ok=True)
    changed = [name for name, content in files.items() if notes["files"].get(name) != content]
    if changed:
        print(f"tracing {len(changed)} files of tests", flush=True)
        traced = _trace(changed, workers)
        kept = {name: test for name, test in notes["tests"].items()
                if (file := name.partition("::")[0]) in files and file not in changed}  # fmt: skip
        notes = {"source": source, "files": files, "tests": kept | traced}
        notes_path.write_text(json.dumps(notes, indent=0), encoding="utf-8")
    tests = {name: Test(name, **test) for name, test in notes["tests"].items()}
    data = coverage.CoverageData(str(BUILD / "coverage"))
    data.read()
    return Map(tests, data)


def _trace(files: list[str], workers: int) -> dict[str, dict[str, object]]:
    """Run files of tests under coverage; add what they cover to the data; their durations and success."""
    with tempfile.TemporaryDirectory(prefix="revolute-mutants-") as folder:
        place = Path(folder)
        copy, data, settings, diary = (place / name for name in ("copy", "data", "coveragerc", "diary.json"))
        copy_repository(copy)
        data.mkdir()
        settings.write_text(SETTINGS.format(copy=copy, data=data / "part"), encoding="utf-8")
        with environment(copy, place / "scratch") as variables:
            variables |= {"COVERAGE_PROCESS_START": str(settings), "MUTANTS_DIARY": str(diary)}
            command = pytest_command("-p", "tools.mutants.tracing", "-m", "not slow", "-n", str(workers), *files)
            with (BUILD / "tracing.log").open("w") as log:
                run(command, copy, variables, log).wait()
        combined = coverage.Coverage(data_file=str(place / "all"), config_file=str(settings))
        combined.combine([str(part) for part in data.iterdir()], keep=True)
        combined.save()
        total = coverage.CoverageData(str(BUILD / "coverage"))
        if (BUILD / "coverage").exists():
            total.read()
        total.update(combined.get_data())
        total.write()
        traced: dict[str, dict[str, object]] = json.loads(diary.read_text(encoding="utf-8"))
    shutil.rmtree(place, ignore_errors=True)
    return traced
