"""Draw mutants, run the tests on each, and write the page of results."""

from __future__ import annotations

import argparse
import ast
import hashlib
import json
import os
import queue
import tempfile
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import asdict, replace
from functools import cache
from pathlib import Path

from tools.mutants import coverage_map, report
from tools.mutants.copies import BUILD, ROOT, copy_repository
from tools.mutants.history import changed_since, source_state
from tools.mutants.operators import Mutant
from tools.mutants.report import Result
from tools.mutants.sample import Sample, difference, modules, room, sample
from tools.mutants.trial import chosen, tried

RESULTS = BUILD / "results.jsonl"


def arguments() -> argparse.Namespace:
    """What the command line says."""
    parser = argparse.ArgumentParser(prog="python -m tools.mutants", description=__doc__)
    parser.add_argument("--count", type=int, default=300, help="number of mutants of each seed (300)")
    parser.add_argument("--seeds", type=int, nargs="+", default=[1, 2], help="seeds of the samples (1 2)")
    parser.add_argument("--rooms", nargs="*", default=[], help="rooms to draw from: folders and modules of the package")
    parser.add_argument("--workers", type=int, default=len(os.sched_getaffinity(0)), help="mutants tested at a time")
    parser.add_argument("--budget", type=float, default=300, help="seconds of tests on one mutant, at most (300)")
    parser.add_argument("--again", action="store_true", help="forget earlier results")
    return parser.parse_args()


class Earlier:
    """Results of earlier runs: a kill holds while the module and the test are the same, a survival while all tests are.

    That a test is the same is seen by its own text, without that of functions which it calls. `--again` forgets all.

    A line is added for each mutant when it is done, so a run that was interrupted goes on where it was.
    """

    def __init__(self, sources: dict[str, bytes]) -> None:
        self.sources = sources
        self.tests = coverage_map.digest(ROOT / "tests")
        lines = RESULTS.read_text(encoding="utf-8").splitlines() if RESULTS.exists() else []
        self.known = {line["key"]: line for line in map(json.loads, lines)}

    def key(self, mutant: Mutant) -> str:
        content = hashlib.sha256(self.sources[mutant.file]).hexdigest()[:16]
        return f"{content} {mutant.file} {mutant.start} {mutant.end} {mutant.text}"

    def result(self, mutant: Mutant) -> Result | None:
        line = self.known.get(self.key(mutant))
        if line is None:
            return None
        result = Result(**line["result"])
        same = line["test"] == _content(result.by) if result.killed else line["tests"] == self.tests
        return result if same else None

    def add(self, mutant: Mutant, result: Result) -> None:
        line = {"key": self.key(mutant), "tests": self.tests, "test": _content(result.by), "result": asdict(result)}
        with RESULTS.open("a", encoding="utf-8") as file:
            file.write(json.dumps(line) + "\n")


@cache
def _content(test: str) -> str:
    """A name for the text of a test, or of the whole file where no test is named; empty if there is none."""
    path, _, name = test.partition("::")
    if not test or not (ROOT / path).is_file():
        return ""
    text = (ROOT / path).read_text(encoding="utf-8")
    own = [f for f in ast.parse(text).body if isinstance(f, ast.FunctionDef) and f.name == name.partition("[")[0]]
    kept = "".join(map(ast.unparse, own)) or text
    return hashlib.sha256(kept.encode()).hexdigest()[:16]


def results(drawn: Sample, covered: coverage_map.Map, options: argparse.Namespace) -> list[Result]:
    """What becomes of all mutants; prints each when it is known."""
    earlier = Earlier(drawn.sources)
    found, named = {mutant: earlier.result(mutant) for mutant in drawn.mutants}, report.explanations("test")
    waiting = [mutant for mutant, result in found.items() if result is None]
    print(f"{len(drawn.mutants)} mutants, {len(drawn.mutants) - len(waiting)} known from earlier runs", flush=True)
    with tempfile.TemporaryDirectory(prefix="revolute-mutants-") as folder, ThreadPoolExecutor(options.workers) as pool:
        places: queue.SimpleQueue[Path] = queue.SimpleQueue()
        for k in range(options.workers if waiting else 0):
            places.put(Path(folder) / str(k))
            copy_repository(Path(folder) / str(k) / "copy")

        def judge(mutant: Mutant) -> tuple[Mutant, Result, str]:
            place, text = places.get(), difference(drawn.sources[mutant.file], mutant)
            try:
                tests = chosen(mutant, covered, options.budget)
                if name := named.get((mutant.file, text)):
                    tests.insert(0, coverage_map.Test(name, 0.0, True))
                verdict = tried(mutant, drawn.sources[mutant.file], tests, place)
            finally:
                places.put(place)
            result = Result(
                room(mutant.file), mutant.file, mutant.line, mutant.what, text, verdict.killed, verdict.by
            )
            return mutant, result, f"{verdict.seconds:.0f} s, {verdict.tests} tests"

        jobs = [pool.submit(judge, mutant) for mutant in waiting]
        try:
            for number, job in enumerate(as_completed(jobs), 1):
                mutant, result, effort = job.result()
                earlier.add(mutant, result)
                found[mutant] = result
                fate = f"killed by {result.by}" if result.killed else f"SURVIVED {result.by}"
                place = f"[{number}/{len(waiting)}] {mutant.file}:{mutant.line}"
                print(f"{place} {mutant.what}: {fate} ({effort})", flush=True)
        except BaseException:
            for job in jobs:
                job.cancel()
            raise
    return [replace(result, line=mutant.line) for mutant, result in found.items() if result is not None]


def main() -> None:
    """Draw, try and report; the page is written when all rooms take part."""
    options = arguments()
    BUILD.mkdir(parents=True, exist_ok=True)
    if options.again:
        RESULTS.unlink(missing_ok=True)
    print(changed_since(), flush=True)
    samples = {seed: sample(options.count, seed, options.rooms) for seed in options.seeds}
    covered = coverage_map.load([mutant for drawn in samples.values() for mutant in drawn.mutants], options.workers)
    failing = [test.name for test in covered.tests.values() if not test.passed]
    if failing:
        print(f"left out, as they fail without a mutant: {', '.join(failing)}", flush=True)
    state = source_state(modules())
    all_results = {seed: results(drawn, covered, options) for seed, drawn in samples.items()}
    text = report.page(all_results, report.explanations(), state)
    if not options.rooms:
        report.PAGE.write_text(text, encoding="utf-8")
    print(text)


main()
