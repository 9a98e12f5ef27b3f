"""Which tests run the statements of mutants: one run of all tests, in a copy whose modules note each test that does."""

from __future__ import annotations

import hashlib
import json
import shutil
import tempfile
from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path

from tools.mutants.copies import BUILD, ROOT, copy_repository, environment, pytest_command, run
from tools.mutants.operators import Mutant
from tools.mutants.probes import compile_with_probes
from tools.mutants.tracing import COLLECTED


def digest(*folders: Path) -> str:
    """A name for the content of the Python files of folders."""
    total = hashlib.sha256()
    for path in sorted(path for folder in folders for path in folder.rglob("*.py")):
        total.update(f"{path.relative_to(ROOT)}\n".encode() + path.read_bytes())
    return total.hexdigest()[:16]


@dataclass(frozen=True)
class Test:
    """A test's name, normal duration, and success."""

    name: str
    seconds: float
    passed: bool

    @property
    def file(self) -> str:
        return self.name.partition("::")[0]


@dataclass(frozen=True)
class Map:
    """All tests, and the names of those that run a statement, or anything in a module after its import."""

    tests: dict[str, Test]
    places: dict[str, set[str]]

    def covering(self, mutant: Mutant) -> tuple[set[str], set[str]]:
        """Tests that run a mutant's statement, and files of tests whose import does."""
        names = self.places.get(f"{mutant.file}:{mutant.first}", set())
        collected = {name.removeprefix(COLLECTED) for name in names if name.startswith(COLLECTED)}
        return names & self.tests.keys(), collected

    def covering_module(self, file: str) -> set[str]:
        """Tests that run any function of a module."""
        return self.places.get(file, set()) & self.tests.keys()


def load(mutants: list[Mutant], workers: int) -> Map:
    """The map for these mutants; that of the last run if neither they, nor the source, nor the tests have changed."""
    BUILD.mkdir(parents=True, exist_ok=True)
    statements: dict[str, set[int]] = defaultdict(set)
    for mutant in mutants:
        statements[mutant.file].add(mutant.first)
    named = json.dumps({file: sorted(lines) for file, lines in sorted(statements.items())})
    key = f"{digest(ROOT / 'src', ROOT / 'tests')} {hashlib.sha256(named.encode()).hexdigest()[:16]}"
    kept = BUILD / "map.json"
    notes = json.loads(kept.read_text(encoding="utf-8")) if kept.exists() else {}
    if notes.get("key") != key:
        print("running all tests once, to see which run what", flush=True)
        notes = {"key": key} | _trace(statements, workers)
        kept.write_text(json.dumps(notes, indent=0), encoding="utf-8")
    tests = {name: Test(name, **test) for name, test in notes["tests"].items()}
    return Map(tests, {place: set(names) for place, names in notes["places"].items()})


def _trace(statements: dict[str, set[int]], workers: int) -> dict[str, object]:
    """Run all tests: their durations and success, and for each place the tests that pass it."""
    with tempfile.TemporaryDirectory(prefix="revolute-mutants-") as folder:
        place = Path(folder)
        copy, passed, diary = (place / name for name in ("copy", "passed", "diary.json"))
        copy_repository(copy)
        for file, lines in statements.items():
            compile_with_probes(copy / "src" / "revolute" / file, file, lines)
        passed.mkdir()
        with environment(copy, place / "scratch") as variables:
            variables |= {"MUTANTS_PASSED": str(passed), "MUTANTS_DIARY": str(diary)}
            command = pytest_command("-p", "tools.mutants.tracing", "-n", str(workers), "--dist", "worksteal")
            with (BUILD / "tracing.log").open("w") as log:
                run(command, copy, variables, log).wait()
        places: dict[str, set[str]] = defaultdict(set)
        for notes in passed.iterdir():
            for line in notes.read_text(encoding="utf-8").splitlines():
                context, _, name = line.rpartition("\t")
                places[name].add(context)
        result = {
            "tests": json.loads(diary.read_text(encoding="utf-8")),
            "places": {name: sorted(contexts) for name, contexts in sorted(places.items())},
        }
    shutil.rmtree(place, ignore_errors=True)
    return result
