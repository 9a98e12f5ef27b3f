"""Draw mutants, run the tests on each, and write the page of results."""

from __future__ import annotations

import argparse
import json
import os
import queue
import tempfile
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import asdict
from pathlib import Path

from tools.mutants import report
from tools.mutants.operators import Mutant
from tools.mutants.report import Result
from tools.mutants.runs import BUILD, copy_repository
from tools.mutants.sample import difference, modules, sample
from tools.mutants.trial import Map, chosen, digest, killer

RESULTS = BUILD / "results.jsonl"
"""A line for each mutant that is done. An interrupted run goes on; a later one tries first the test that killed it."""


def results(drawn: list[Mutant], covered: Map, workers: int) -> list[Result]:
    """What becomes of all mutants; prints each when it is known. Results of the same source and tests are known."""
    lines = RESULTS.read_text(encoding="utf-8").splitlines() if RESULTS.exists() else []
    state, known = digest(), {line["key"]: Result(**line["result"]) for line in map(json.loads, lines)}
    before = {(result.file, result.difference): result.by for result in known.values() if result.killed}
    keys = {mutant: f"{state} {mutant}" for mutant in drawn}
    waiting = [mutant for mutant in drawn if keys[mutant] not in known]
    print(f"{len(drawn)} mutants, {len(drawn) - len(waiting)} known from earlier runs", flush=True)
    named = before | report.explanations("test")  # the tests to try first
    tests_of = {mutant: chosen(mutant, covered) for mutant in waiting}
    with tempfile.TemporaryDirectory(prefix="revolute-mutants-", ignore_cleanup_errors=True) as folder:
        places: queue.SimpleQueue[Path] = queue.SimpleQueue()
        for k in range(min(workers, len(waiting))):
            copy_repository(Path(folder) / str(k) / "copy")
            places.put(Path(folder) / str(k))

        def judge(mutant: Mutant) -> tuple[Mutant, Result]:
            text, place = difference(mutant), places.get()
            tests = [x for x in covered.tests if x.name == named.get((mutant.file, text))] + tests_of[mutant]
            try:
                by = killer(mutant, tests, place)
            finally:
                places.put(place)
            fate = by or ("" if tests else "no test runs it")
            return mutant, Result(mutant.file, mutant.line, mutant.what, text, by is not None, fate)

        with ThreadPoolExecutor(workers) as pool, RESULTS.open("a", encoding="utf-8") as file:
            jobs = [pool.submit(judge, mutant) for mutant in waiting]
            try:
                for number, job in enumerate(as_completed(jobs), 1):
                    mutant, result = job.result()
                    known[keys[mutant]] = result
                    print(json.dumps({"key": keys[mutant], "result": asdict(result)}), file=file, flush=True)
                    fate = f"{'killed by' if result.killed else 'SURVIVED'} {result.by}"
                    print(f"[{number}/{len(waiting)}] {mutant.file}:{mutant.line} {mutant.what}: {fate}", flush=True)
            except BaseException:
                pool.shutdown(wait=False, cancel_futures=True)
                raise
    return [known[keys[mutant]] for mutant in drawn]


def main() -> None:
    """Draw, try and report; the page is written when all rooms take part."""
    parser = argparse.ArgumentParser(prog="python -m tools.mutants", description=__doc__)
    parser.add_argument("--count", type=int, default=300, help="number of mutants of each seed (300)")
    parser.add_argument("--seeds", type=int, nargs="+", default=[1, 2], help="seeds of the samples (1 2)")
    parser.add_argument("--rooms", nargs="*", default=[], help="rooms to draw from: folders and modules of the package")
    parser.add_argument("--workers", type=int, default=len(os.sched_getaffinity(0)), help="mutants tested at a time")
    options = parser.parse_args()
    BUILD.mkdir(parents=True, exist_ok=True)
    samples = {seed: sample(options.count, seed, options.rooms) for seed in options.seeds}
    covered = Map(options.workers)
    if failing := [test.name for test in covered.tests if not test.passed]:
        print(f"left out, as they fail without a mutant: {', '.join(failing)}", flush=True)
    by_seed = {seed: results(drawn, covered, options.workers) for seed, drawn in samples.items()}
    text = report.page(by_seed, report.explanations(), report.source_state(modules()))
    if not options.rooms:
        report.PAGE.write_text(text, encoding="utf-8")
    print(text)


main()
