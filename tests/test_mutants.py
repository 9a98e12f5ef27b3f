"""The tool behind `make mutants`: which changes it makes, how it draws them, and what it reports."""

import ast
import importlib
import os
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))
try:
    from tools.mutants.history import changed_since, source_state
    from tools.mutants.operators import changes
    from tools.mutants.probe import switch
    from tools.mutants.probes import compile_with_probes
    from tools.mutants.report import Result, page
    from tools.mutants.sample import difference, modules, room, sample, shares
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
    made = {(m.line, m.first, m.what, difference(SOURCE, m).partition("\n+ ")[2]) for m in changes("a.py", SOURCE)}
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
    assert drawn.mutants == sample(40, 5, rooms).mutants != sample(40, 6, rooms).mutants
    assert [room(m.file) for m in drawn.mutants] == sorted(room(m.file) for m in drawn.mutants)
    assert {room(m.file) for m in drawn.mutants} == set(rooms) < {room(file) for file in modules()}
    for mutant in drawn.mutants:
        source = drawn.sources[mutant.file]
        assert ast.dump(ast.parse(mutant.apply(source))) != ast.dump(ast.parse(source))
        assert mutant.first <= mutant.line <= mutant.last


def test_shares_follow_the_lines() -> None:
    assert shares({"a": 100, "b": 300, "c": 1}, 23) == {"a": 6, "b": 16, "c": 1}
    with pytest.raises(SystemExit, match=r"no room is called cellar; there are .*dynamics"):
        sample(3, 1, ["cellar"])


def test_the_page_has_scores_and_explanations() -> None:
    killed = Result("io", "io/a.py", 1, "constant", "- 1\n+ 2", True, "tests/test_a.py::test_one")
    lives = Result("io", "io/b.py", 7, "comparison", "- a < b\n+ a <= b", False, "")
    text = page({4: [killed, killed], 5: [killed, lives]}, {lives.key: "Ties cannot be."}, "commit 12, 7 lines")
    assert "Made at commit 12, 7 lines.\n" in text and "- seed 5: 1 of 2, 50.0 %" in text
    assert "Killed: **3 of 4, 75.0 %**. Survivors: 1, explained: 1." in text
    assert "| io | 4 | 3 |" in text and "`io/b.py`, line 7: comparison. Ties cannot be." in text
    assert "**not explained**" in page({4: [lives]}, {}, "")


def test_the_state_of_the_source_has_its_lines() -> None:
    assert source_state({"a.py": b"1\n2\n", "b.py": b"3\n"}).endswith(", 3 lines of source")
    assert changed_since().startswith(("The last page of results", "Since the last page of results"))


def test_probes_note_what_runs_and_change_no_source(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = '"""A module."""\nfrom __future__ import annotations\ndef f(x: int) -> int:\n    """Text."""\n    if x:\n'
    module = tmp_path / "probed.py"
    module.write_text(text + "        return 1\n    return 2\nf(0)\n")
    compile_with_probes(module, "probed.py", {5, 6})
    monkeypatch.setenv("MUTANTS_PASSED", str(tmp_path))
    monkeypatch.syspath_prepend(str(ROOT))
    monkeypatch.syspath_prepend(str(tmp_path))
    probed = importlib.import_module("probed")
    switch("a test (call)")
    assert probed.f(1) == 1 and probed.f(0) == 2 and probed.f.__doc__ == "Text."
    assert module.read_text().startswith(text)
    lines = (tmp_path / str(os.getpid())).read_text().splitlines()
    assert [line for line in lines if line.startswith("a test\t")] == [
        "a test\tprobed.py", "a test\tprobed.py:5", "a test\tprobed.py:6",
    ]  # fmt: skip
