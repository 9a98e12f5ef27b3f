"""Pytest plugin: probes learn which test runs; durations and outcomes of tests are written to a file."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tools.mutants.probe import switch

COLLECTED = "collected "
"""Context of what runs while a file of tests is imported, followed by the file."""


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report(collector: pytest.Collector) -> Iterator[None]:
    if isinstance(collector, pytest.Module):
        switch(COLLECTED + collector.nodeid)
    try:
        return (yield)
    finally:
        switch("")


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Iterator[None]:
    switch(item.nodeid)
    try:
        return (yield)
    finally:
        switch("")


class Diary:
    """Seconds and success of every test, written when all have run."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.tests: dict[str, dict[str, Any]] = {}

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        test = self.tests.setdefault(report.nodeid, {"seconds": 0.0, "passed": True})
        test["seconds"] += report.duration
        test["passed"] &= not report.failed

    def pytest_sessionfinish(self) -> None:
        self.path.write_text(json.dumps(self.tests, indent=0), encoding="utf-8")


def pytest_configure(config: pytest.Config) -> None:
    if not hasattr(config, "workerinput"):  # xdist's workers report to the process that started them
        config.pluginmanager.register(Diary(Path(os.environ["MUTANTS_DIARY"])))
