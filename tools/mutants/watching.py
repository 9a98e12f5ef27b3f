"""Pytest plugin for runs with a mutant: a test that hangs ends the process, and Hypothesis fails without shrinking."""

from __future__ import annotations

import faulthandler
import json
import os
import sys
from collections.abc import Iterator

import pytest
from hypothesis import Phase, settings

COLLECTION = 120.0
"""Seconds to import all that the tests need, without compiled modules, on a busy machine."""
TEST = 30.0
"""Seconds added to a test's own limit, SLOWER times what it takes without a mutant."""
SLOWER = 10.0

settings.register_profile("mutants", phases=(Phase.explicit, Phase.generate), database=None, derandomize=True)


def pytest_configure(config: pytest.Config) -> None:
    settings.load_profile("mutants")
    faulthandler.dump_traceback_later(COLLECTION, exit=True, file=sys.__stderr__)


class Limits:
    """The limit of each test, by its name."""

    def __init__(self) -> None:
        with open(os.environ["MUTANTS_SECONDS"], encoding="utf-8") as file:
            self.seconds: dict[str, float] = json.load(file)

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Iterator[None]:
        limit = TEST + SLOWER * self.seconds.get(item.nodeid, 0.0)
        faulthandler.dump_traceback_later(limit, exit=True, file=sys.__stderr__)
        try:
            return (yield)
        finally:
            faulthandler.dump_traceback_later(COLLECTION, exit=True, file=sys.__stderr__)


def pytest_collection_finish(session: pytest.Session) -> None:
    session.config.pluginmanager.register(Limits())
