"""Every numbered place of the five texts has a row, is found by its number, and its tests are there."""

import ast
import inspect
import re
from collections import Counter
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from text_names import evaluated

import revolute
from revolute.texts import TEXTS
from revolute.texts.citations import CITATION, cited
from revolute.texts.passage import _identity, _names, _public
from revolute.texts.row import Row, parts

ROOT = Path(__file__).parents[1]
SOURCE = Path(revolute.__file__).parent

EQUATIONS: dict[str, dict[str, Any]] = {
    "LP": {"9": 99},
    "JIN": {"": (27, 50)},
    "GOA": {"": 33},
    "SHV": {"6": 180},
    "BP": {
        "2.2": 11, "2.3": 6, "3.2": 34, "3.3": 36, "3.4": 39, "4.2": 24, "4.3": 44, "5.1": 1, "5.2": 37, "5.3": 46,
        "5.4": 20, "6.1": 1, "6.2": 19, "6.3": 46, "7.2": 3, "7.3": 19, "7.4": 18, "A": 16, "B": 10, "C": 17,
    },
}  # fmt: skip
"""Last number of the equations of each chapter or section, or first and last."""

NAMED = {
    "LP": ["Prop. 9.1", "Def. 9.1-9.2", "Newton-Euler", "GetJointAccel", "Euler integration"],
    "JIN": ["Generalized forces", "Skew symmetry"],
    "GOA": ["Prop. 1-6", "Remark 1-7", "Algorithm", "section VII", "appendix"],
    "SHV": ["Ex. 6.1-6.3", "Prop. 6.1", "Section 6.7", "Summary", "Problems"],
    "BP": [
        *["Theorem 2.1-2.2", "Def. 3.1-3.4", "Prop. 3.1-3.12", "Theorem 4.1-4.5", "Corollary 4.1-4.2", "Def. 5.1-5.2"],
        *["Lemma 5.1-5.2", "Alg. 5.1-5.7", "Table 5.1-5.3", "Lemma 6.1-6.1", "Alg. 6.1-6.2", "Table 6.1-6.3"],
        *["Alg. 7.1-7.1", "Table 7.1-7.2", "Lemma C-1-C-12", "section 5.3.2", "section 6.2", "section 7.3"],
        "appendix D",
    ],
}
"""What has no number of an equation: algorithms, tables, examples, propositions."""


ROWS = [(letters, row) for letters, rows in TEXTS.items() for row in rows]
THINGS = dict(_public())
PLACES = {letters: {part for row in rows for part in parts(row.place)} for letters, rows in TEXTS.items()}


def numbers(letters: str) -> list[str]:
    """The numbers of all equations of a text, as it prints them."""
    found = []
    for section, last in EQUATIONS[letters].items():
        first, last = last if isinstance(last, tuple) else (1, last)
        found += [f"{section}.{k}" if section else str(k) for k in range(first, last + 1)]
    return found


def exists(name: str) -> bool:
    """Whether a name can be evaluated: `Robot.mass_matrix`, `published.garofalo`, `robot.kernel("mass_matrix")`."""
    try:
        evaluated(name)
    except (AttributeError, ImportError, revolute.RevoluteError):
        return False
    return True


@cache
def cases_in(file: str) -> frozenset[str]:
    """Names of the tests in a file."""
    path = ROOT / file
    tree = ast.parse(path.read_text(encoding="utf-8")) if path.is_file() else ast.Module([], [])
    return frozenset(node.name for node in tree.body if isinstance(node, ast.FunctionDef))


@pytest.mark.parametrize("letters", EQUATIONS)
def test_every_number_is_found_once_and_no_other(letters: str) -> None:
    """By the function; and no row has an equation that the text does not have."""
    named = Counter(part for row in TEXTS[letters] for part in parts(row.place))
    assert max(named.values()) == 1
    wanted = numbers(letters)
    assert {part for part in named if re.fullmatch(r"(?:[\dA-C]+\.)*\d+", part)} == set(wanted)
    for number in wanted:
        assert revolute.texts.find(f"{letters} {number}").number == f"{letters} {number}"


@pytest.mark.parametrize("letters", NAMED)
def test_algorithms_tables_and_examples_have_a_row(letters: str) -> None:
    for item in NAMED[letters]:
        for part in parts(item.replace("1-", "1–")):
            assert revolute.texts.find(f"{letters} {part}").number == f"{letters} {part}"


def test_no_row_is_empty() -> None:
    """A row says what stands there, and names functions and tests, or says why there are none."""
    for letters, row in ROWS:
        assert row.place and row.what and bool(row.tests) != bool(row.why), (letters, row.place)
        assert row.names or row.why, (letters, row.place)


@pytest.mark.parametrize(("letters", "row"), ROWS, ids=lambda x: x.place[:40] if isinstance(x, Row) else x)
def test_names_lead_to_functions_and_tests_are_there(letters: str, row: Row) -> None:
    assert [name for name in row.names if not exists(name)] == [], letters
    for test in row.tests:
        file, _, name = test.partition("::")
        assert name in cases_in(f"tests/{file}"), test


# --- citations in docstrings -----------------------------------------------------------------

def test_functions_of_a_row_cite_it() -> None:
    """So a reader of either finds the other."""
    missing = []
    for letters, row in ROWS:
        for name in row.names:
            function = THINGS[name]
            wanted = {(letters, part) for part in parts(row.place)}
            if not isinstance(function, (dict, tuple)) and wanted.isdisjoint(cited(inspect.getdoc(function) or "")):
                missing.append(f"{letters} {row.place}: {name}")
    assert missing == []


def test_numbers_lead_to_all_functions_that_cite_them() -> None:
    """From each number that a public function cites, the look-up leads back to the function."""
    pairs = set()
    for thing in THINGS.values():
        name = _names()[_identity(thing)]
        for letters, part in sorted(cited(inspect.getdoc(thing) or "")):
            if part in PLACES[letters]:
                (row,) = (row for row in TEXTS[letters] if part in parts(row.place))
                related = revolute.texts.find(f"{letters} {part}").related
                assert name in {*row.names, *related}, (letters, part)
                pairs.add((name, letters, row.place))
    assert len(pairs) > 380


def test_equations_that_docstrings_cite_have_a_row() -> None:
    """Numbers of LP's other chapters have none, and of sections few."""
    wrong, count = [], 0
    for path in sorted(SOURCE.rglob("*.py")):
        text = path.read_text(encoding="utf-8")
        for node in ast.walk(ast.parse(text)) if CITATION.search(text) else ():
            if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef)):
                for letters, place in sorted(cited(ast.get_docstring(node) or "")):
                    count += 1
                    known = place in PLACES[letters] or place.startswith(("section", "appendix"))
                    if not known and (letters != "LP" or not re.fullmatch(r"(?!9)\d+\.\d+", place)):
                        wrong.append(f"{path.relative_to(SOURCE)}:{node.body[0].lineno}: {letters} {place}")
    assert wrong == [] and count > 1000
