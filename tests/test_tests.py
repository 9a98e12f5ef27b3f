"""The tests themselves: each can fail, and each error that is expected is looked at."""

import ast
from functools import cache, lru_cache
from pathlib import Path
from typing import NamedTuple

import pytest

FOLDER = Path(__file__).parent
FILES = sorted(path.relative_to(FOLDER).as_posix() for path in FOLDER.rglob("*.py"))
CHECKS = {"raises", "warns", "check_call", "check_output"}
"""Functions that fail by themselves, besides those whose name begins with `assert`."""


@lru_cache(1)
def nodes(source: str) -> list[ast.AST]:
    """All of a source that can matter here."""
    kinds = (ast.FunctionDef, ast.With, ast.Name)
    return [node for node in ast.walk(ast.parse(source)) if isinstance(node, kinds)]


def name_of(node: ast.AST) -> str:
    """Of the function that a call calls."""
    called = getattr(node, "func", None)
    return getattr(called, "attr", getattr(called, "id", ""))


def fails_by_itself(node: ast.Assert | ast.Call) -> bool:
    """An assertion, a call that asserts, or a child process whose failure is not ignored."""
    return (
        isinstance(node, ast.Assert)
        or name_of(node).startswith("assert")
        or name_of(node) in CHECKS
        or any(keyword.arg == "check" and ast.unparse(keyword.value) == "True" for keyword in node.keywords)
    )


class Read(NamedTuple):
    """A function: its name, whether it fails by itself, and the names of the functions that it calls."""

    name: str
    fails: bool
    calls: set[str]


def read(source: str) -> list[Read]:
    functions = [x for x in nodes(source) if isinstance(x, ast.FunctionDef)]
    bodies = [(f.name, [x for x in ast.walk(f) if isinstance(x, (ast.Assert, ast.Call))]) for f in functions]
    return [Read(name, any(map(fails_by_itself, body)), {*map(name_of, body)} - {""}) for name, body in bodies]


def that_fail(functions: list[Read]) -> set[str]:
    """Names of functions that can fail, by themselves or by another of these functions."""
    failing = {f.name for f in functions if f.fails}
    while more := {f.name for f in functions if f.calls & failing} - failing:
        failing |= more
    return failing


def without_assertion(source: str, helpers: list[Read]) -> list[str]:
    """Tests that nothing can make fail but an error."""
    own = read(source)
    failing = that_fail([*own, *helpers])
    return [f.name for f in own if f.name.startswith("test") and f.name not in failing]


def unseen_errors(source: str) -> list[str]:
    """Lines with a `pytest.raises` or `pytest.warns` that takes any message, and whose error is not looked at."""
    found = []
    for node in nodes(source):
        for item in node.items if isinstance(node, ast.With) else ():
            call = item.context_expr
            if isinstance(call, ast.Call) and name_of(call) in ("raises", "warns") and not has_match(call):
                name = ast.unparse(item.optional_vars) if item.optional_vars else None
                uses = [x for x in nodes(source) if isinstance(x, ast.Name) and x.id == name]
                if not any(isinstance(x.ctx, ast.Load) and x.lineno > call.lineno for x in uses):
                    found.append(f"line {call.lineno}: {ast.unparse(call)}")
    return found


def has_match(call: ast.Call) -> bool:
    return any(keyword.arg in ("match", "check") for keyword in call.keywords)


@cache
def helpers() -> list[Read]:
    texts = [(FOLDER / file).read_text(encoding="utf-8") for file in FILES if "test_" not in file]
    return [function for text in texts for function in read(text)]


@pytest.mark.parametrize("file", FILES)
def test_every_test_can_fail_and_the_message_of_every_expected_error_is_looked_at(file: str) -> None:
    source = (FOLDER / file).read_text(encoding="utf-8")
    assert "test_" not in file or without_assertion(source, helpers()) == []
    assert unseen_errors(source) == []


@pytest.mark.parametrize("body", ["f()", "x = 1", "subprocess.run(['ls'])", "helper()", "[x for x in range(3)]"])
def test_a_test_that_cannot_fail_is_seen(body: str) -> None:
    source = f"def helper():\n    return 1\n\ndef test_it():\n    {body}"
    assert without_assertion(source, []) == ["test_it"]


def test_an_error_that_is_not_looked_at_is_seen() -> None:
    assert len(unseen_errors("with pytest.raises(ValueError):\n    f()")) == 1
    assert len(unseen_errors("with pytest.raises(ValueError) as error:\n    f()")) == 1
    assert unseen_errors("with pytest.raises(ValueError, match='no'):\n    f()") == []
    assert unseen_errors("with pytest.raises(ValueError) as error:\n    f()\nassert error.value.line == 3") == []


def test_each_file_of_tests_has_a_name_of_its_own() -> None:
    """Pytest imports them by their bare names, and takes the second of two equal ones for the first."""
    names = [Path(file).name for file in FILES if Path(file).name != "__init__.py"]
    assert sorted(names) == sorted(set(names))
