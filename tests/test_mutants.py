"""The tool behind `make mutants`: which changes it makes, how it draws them, and what it reports."""

import ast
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))
try:
    from tools.mutants.operators import Mutant, changes
    from tools.mutants.report import Result, page, source_state
    from tools.mutants.sample import difference, modules, room, sample, shares
    from tools.mutants.trial import KnownTest, Map, chosen
finally:
    sys.path.pop(0)

SOURCE = b'''\
def positive(x: float, /, least: int = 1) -> float:
    """Text stays."""
    if x <= least and not x == 0.5:
        raise ValueError(f"{x + 1}")
    table = {
        "one": 1.0,
    }
    return max(x - 2, table["one"])
'''


def test_every_small_change_is_made_and_no_text_is_touched() -> None:
    made = {(m.line, m.first, m.what, difference(m, SOURCE).partition("\n+ ")[2]) for m in changes("a.py", SOURCE)}
    begin = "if x <= least and not x == 0.5:"
    assert made >= {
        (1, 1, "constant", "def positive(x: float, /, least: int = 2) -> float:"),
        (1, 1, "constant", "def positive(x: float, /, least: int = 0) -> float:"),
        (3, 3, "comparison", begin.replace("<=", "<")),
        (3, 3, "comparison", begin.replace("<=", ">")),
        (3, 3, "comparison", begin.replace("==", "!=")),
        (3, 3, "and, or", begin.replace("and", "or")),
        (3, 3, "condition dropped", "if x <= least:"),
        (3, 3, "sign or not dropped", begin.replace("not ", "")),
        (4, 4, "statement deleted", "pass"),
        (6, 5, "constant", '"one": 2.0,'),
        (8, 8, "function", 'return min(x - 2, table["one"])'),
        (8, 8, "arithmetic", 'return max(x + 2, table["one"])'),
        (8, 8, "result dropped", "return None"),
    }
    assert not any('"""' in text or "x + 2}" in text or "x - 1}" in text for *_, text in made)


def test_changes_of_this_library_are_other_programs() -> None:
    """All that is drawn parses and differs; a seed gives the same sample, and every room its share."""
    rooms = ["arguments", "errors", "spatial"]
    drawn = sample(40, 5, rooms)
    assert drawn == sample(40, 5, rooms) != sample(40, 6, rooms)
    assert [room(m.file) for m in drawn] == sorted(room(m.file) for m in drawn)
    assert {room(m.file) for m in drawn} == set(rooms) < {room(file) for file in modules()}
    for mutant in drawn:
        source = modules()[mutant.file]
        assert ast.dump(ast.parse(mutant.apply(source))) != ast.dump(ast.parse(source))
        assert mutant.first <= mutant.line <= mutant.last


def test_shares_follow_the_lines() -> None:
    assert shares({"a": 100, "b": 300, "c": 1}, 23) == {"a": 6, "b": 16, "c": 1}
    with pytest.raises(SystemExit, match=r"no room is called cellar; there are .*dynamics"):
        sample(3, 1, ["cellar"])


def test_the_page_has_scores_and_explanations() -> None:
    killed = Result("io/a.py", 1, "constant", "- 1\n+ 2", True, "tests/test_a.py::test_one")
    lives = Result("io/b.py", 7, "comparison", "- a < b\n+ a <= b", False, "")
    why = {(lives.file, lives.difference): "Ties cannot be."}
    text = page({4: [killed, killed], 5: [killed, lives]}, why, "commit 12, 7 lines")
    assert "Made at commit 12, 7 lines.\n" in text and "- seed 5: 1 of 2, 50.0 %" in text
    assert "Killed: **3 of 4, 75.0 %**. Survivors: 1, explained: 1. Killed of those without" in text
    assert "explanation: 100.0 %." in text
    assert "| io | 4 | 3 |" in text and "`io/b.py`, line 7: comparison. Ties cannot be." in text
    assert "**not explained**" in page({4: [lives]}, {}, "")


def test_tests_that_run_the_line_come_first() -> None:
    """A line that runs at import is tried by all tests of the module and of its room."""
    seconds = {"tests/io/test_a.py::slow": 5.0, "tests/io/test_a.py::quick": 0.1, "tests/io/test_b.py::x": 0.1}
    covered = object.__new__(Map)
    covered.tests = [KnownTest(name, name.partition("::")[0], time, True) for name, time in seconds.items()]
    by_line = {1: {""}, 3: {"tests/io/test_a.py::slow"}}
    setattr(covered, "lines", lambda file: by_line)  # noqa: B010
    inner, outer = (Mutant("io/a.py", 0, 1, "", "", line, line, line) for line in (3, 1))
    assert [test.name for test in chosen(inner, covered)] == [*seconds][:2]
    assert [test.name for test in chosen(outer, covered)] == [*seconds]
    assert chosen(Mutant("io/a.py", 0, 1, "", "", 9, 9, 9), covered) == []
    assert [test.name for test in chosen(Mutant("io/a.py", 0, 1, "", "", 3, 3, 3, True), covered)] == [*seconds]
    assert {m.line for m in changes("a.py", SOURCE) if m.at_import} == {1}


def test_the_state_of_the_source_has_its_lines() -> None:
    assert source_state({"a.py": b"1\n2\n", "b.py": b"3\n"}).endswith(", 3 lines of source")
