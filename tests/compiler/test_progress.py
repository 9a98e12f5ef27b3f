"""The line on stderr about work that takes long. Work waits here for the line, so no test measures time."""

import io
import re
import threading
import types

import pytest

import revolute
from revolute.compiler import cache, progress, stored


class Screen(io.StringIO):
    """A stream that work can wait on until somebody has written to it."""

    def __init__(self, terminal: bool = True) -> None:
        super().__init__()
        self.written = threading.Event()
        self.terminal = terminal

    def isatty(self) -> bool:
        return self.terminal

    def flush(self) -> None:
        self.written.set()


@pytest.fixture
def screen(monkeypatch: pytest.MonkeyPatch) -> Screen:
    found = Screen()
    monkeypatch.setattr(progress, "sys", types.SimpleNamespace(stderr=found, modules={}))
    monkeypatch.delenv("REVOLUTE_PROGRESS", raising=False)
    monkeypatch.setattr(progress, "SECONDS", 0.0)
    return found


def test_long_work_is_told_when_it_is_begun_and_when_it_is_done(screen: Screen) -> None:
    with progress.progress_line("counting sheep") as line:
        assert screen.written.wait(60)
        assert screen.getvalue() == "revolute: counting sheep ... "
        line.add("(7 sheep)")
        line.result = ", all of them"
    ending = r"\.\.\. \(7 sheep\) \.\.\. done in \d+\.\d s, all of them\n"
    assert re.fullmatch(f"revolute: counting sheep {ending}", screen.getvalue())


def test_work_that_fails_is_told(screen: Screen) -> None:
    with pytest.raises(KeyError, match="the wolf"), progress.progress_line("counting sheep"):
        assert screen.written.wait(60)
        raise KeyError("the wolf")
    assert screen.getvalue() == "revolute: counting sheep ... failed\n"


def test_short_work_is_not_told_and_leaves_no_thread(screen: Screen, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(progress, "SECONDS", 1e6)
    before = set(threading.enumerate())
    with progress.progress_line("blinking"):
        (timer,) = set(threading.enumerate()) - before
    timer.join(60)
    assert not timer.is_alive()
    line = progress.ProgressLine("blinking", screen)
    line.end("done")
    line.begin()  # a timer that goes off when the work has just ended
    assert screen.getvalue() == ""


@pytest.mark.parametrize(
    ("terminal", "notebook", "variable", "expected"),
    [
        *((True, False, None, 1), (False, False, None, 0), (False, True, None, 1)),
        *((True, True, "0", 0), (False, False, "1", 1)),
    ],
)
def test_it_is_told_where_people_look(
    screen: Screen, monkeypatch: pytest.MonkeyPatch, terminal: bool, notebook: bool, variable: str | None, expected: int
) -> None:
    screen.terminal = terminal
    modules = {"ipykernel": None} if notebook else {}
    monkeypatch.setattr(progress, "sys", types.SimpleNamespace(stderr=screen, modules=modules))
    if variable:
        monkeypatch.setenv("REVOLUTE_PROGRESS", variable)
    monkeypatch.setattr(progress, "SECONDS", 1e6)
    before = set(threading.enumerate())
    with progress.progress_line("looking"):
        assert len(set(threading.enumerate()) - before) == expected


@pytest.mark.parametrize("stream", [None, "closed"])
def test_without_a_screen_the_work_goes_on(monkeypatch: pytest.MonkeyPatch, stream: str | None) -> None:
    closed = Screen()
    monkeypatch.setattr(progress, "sys", types.SimpleNamespace(stderr=closed if stream else None, modules={}))
    monkeypatch.setenv("REVOLUTE_PROGRESS", "1")
    work = []
    with progress.progress_line("working") as line:
        closed.close()
        line.begin()
        work.append("done")
    assert work == ["done"]


@pytest.mark.parametrize("kept", [True, False])
def test_a_long_compile_is_told_with_its_operations(
    screen: Screen, monkeypatch: pytest.MonkeyPatch, kept: bool
) -> None:
    made = stored.compile_parts

    def slowly(text: str, target: object, **options: bool) -> bytes:
        assert screen.written.wait(60)
        return made(text, target, **options)

    monkeypatch.setattr(stored, "compile_parts", slowly)
    monkeypatch.setattr(cache, "read", lambda key: None)
    monkeypatch.setattr(cache, "write", lambda key, code, notes: kept)
    revolute.robots.planar(2, length=0.25 if kept else 0.375).kernel("gravity_forces")
    ending = ", kept in the cache" if kept else ""
    what = r"compiling gravity_forces of 'planar2'( \.\.\.)? \(\d+ operations\)"  # they are known when it is traced
    assert re.fullmatch(rf"revolute: {what} \.\.\. done in \d+\.\d s{ending}\n", screen.getvalue())
