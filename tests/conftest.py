"""`--times`: at the end of a run, a table of time by folder of tests."""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Iterator
from typing import Any

import pytest

TESTS: dict[str, list[float]] = defaultdict(lambda: [0, 0.0, 0.0])
"""For each folder the number of its tests, seconds and CPU seconds."""
PROCESSES: list[float] = []
"""CPU seconds of each process that ran tests, which include imports and collecting."""

_before = 0.0


def cpu_seconds() -> float:
    """Of this process and of its children that ended; Windows does not count children."""
    return sum(os.times()[:4])


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--times", action="store_true", help="print a table of time by folder")


def pytest_runtest_logstart() -> None:
    global _before
    _before = cpu_seconds()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport() -> Iterator[None]:
    """Note the CPU seconds since the last report of this process, which pytest-xdist hands on with the report."""
    global _before
    report: Any = yield
    now = cpu_seconds()
    report.cpu_seconds, _before = now - _before, now
    return report


def pytest_runtest_logreport(report: Any) -> None:
    folder = os.path.dirname(report.location[0]) or "."
    sums = TESTS[folder]
    sums[0] += report.when == "call"
    sums[1] += report.duration
    sums[2] += report.cpu_seconds


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish(session: pytest.Session) -> None:
    if hasattr(session.config, "workeroutput"):
        session.config.workeroutput["cpu_seconds"] = cpu_seconds()
    else:
        PROCESSES.append(cpu_seconds())


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: Any) -> None:
    PROCESSES.append(getattr(node, "workeroutput", {}).get("cpu_seconds", 0.0))


def pytest_terminal_summary(terminalreporter: Any, config: pytest.Config) -> None:
    if not config.getoption("--times"):
        return
    ...
