"""`--quick` compiles quickly where no test is about machine code; `--times` prints a table of time by folder."""

import gc
import os
import sys
from collections.abc import Iterator
from functools import cache
from typing import Any

import pytest

MACHINE_CODE = (
    *("targets/", "compiler/", "bridges/"),
    *("hostile/test_fast_call_fuzz.py", "hostile/test_guard_pages.py"),
)
"""Tests of machine code and its bits: they compile as users do, also with `--quick`, which changes no bit."""

folders: dict[str, list[float]] = {}
"""For each folder the number of its tests, their seconds, and their CPU seconds."""
processes: list[float] = []
"""CPU seconds of each process that has ended."""
_last = 0.0


def cpu_seconds() -> float:
    """Of this process and of its children that have ended; Windows counts no children."""
    return sum(os.times()[:4])


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--quick", action="store_true", help="compile quickly, except in tests of machine code")
    parser.addoption("--times", action="store_true", help="print a table of time by folder of tests")


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems() -> None:
    """Have Hypothesis draw no numbers that it finds in our source.

    Reading it takes seconds of every process, and what is drawn would change with it.
    """
    providers = sys.modules.get("hypothesis.internal.conjecture.providers")
    if hasattr(providers, "_get_local_constants"):
        providers._get_local_constants = lambda: providers._local_constants


def pytest_collection_finish() -> None:
    """Have the garbage collector look at new objects alone, and less often: it took a tenth of the time.

    And have Typer put the command line together once: it does so for every command that a test runs.
    """
    testing = sys.modules.get("typer.testing")
    if hasattr(testing, "_get_command"):
        testing._get_command = cache(testing._get_command)
    gc.collect()
    gc.freeze()
    gc.set_threshold(50_000, 20, 20)


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    if item.config.getoption("--quick"):
        users = item.nodeid.startswith(tuple(f"tests/{place}" for place in MACHINE_CODE))
        os.environ["REVOLUTE_OPT"] = "1" if users else "0"


# --- time by folder --------------------------------------------------------------------------


def pytest_runtest_logstart() -> None:
    global _last
    _last = cpu_seconds()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport() -> Iterator[None]:
    """Note the CPU seconds since the last report of this process; pytest-xdist passes on what a report has."""
    global _last
    report: Any = yield
    now = cpu_seconds()
    report.cpu_seconds, _last = now - _last, now
    return report


def pytest_runtest_logreport(report: Any) -> None:
    sums = folders.setdefault(os.path.dirname(report.nodeid.partition("::")[0]), [0, 0.0, 0.0])
    sums[0] += report.when == "call"
    sums[1] += report.duration
    sums[2] += getattr(report, "cpu_seconds", 0.0)  # a process that crashed has none


def pytest_sessionfinish(session: pytest.Session) -> None:
    """pytest then collects garbage five times: have it look at no object that is in use."""
    gc.collect()
    gc.freeze()
    if hasattr(session.config, "workeroutput"):
        session.config.workeroutput["cpu_seconds"] = cpu_seconds()


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: Any) -> None:
    processes.append(getattr(node, "workeroutput", {}).get("cpu_seconds", 0.0))


def pytest_terminal_summary(terminalreporter: Any, config: pytest.Config) -> None:
    if config.getoption("--times") and folders:
        terminalreporter.section("time by folder")
        for line in table(folders, sum(processes) if processes else cpu_seconds()):
            terminalreporter.line(line)


def table(folders: dict[str, list[float]], cpu: float) -> Iterator[str]:
    """The lines of the table, longest first; what CPU time is left is of imports and of collecting tests."""
    number, seconds, in_tests = (sum(column) for column in zip(*folders.values(), strict=True))
    rows = sorted(folders.items(), key=lambda row: -row[1][2])
    rows += [("imports, collecting", [0, 0.0, cpu - in_tests]), ("all", [number, seconds, cpu])]
    yield f"{'folder':24}{'tests':>8}{'seconds':>10}{'CPU s':>10}"
    for name, (tests, wall, used) in rows:
        yield f"{name:24}{tests:8.0f}{wall:10.1f}{used:10.1f}"
