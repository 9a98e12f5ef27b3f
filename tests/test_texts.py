"""docs/texts.md: every numbered place of the five texts has a row, and what a row names is there."""

from __future__ import annotations

import ast
import importlib
import re
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from tools.texts_pages import INDEX, NUMBER, Row, rows

ROOT = Path(__file__).parents[1]

EQUATIONS: dict[str, dict[str, Any]] = {
    "LP": {"9": 99},
    "JIN": {"": (27, 50)},
    "GOA": {"": 33},
    "SHV": {"6": 180},
    "BP": {
        "2.2": 11,
        "2.3": 6,
        "3.2": 34,
        "3.3": 36,
        "3.4": 39,
        "4.2": 24,
        "4.3": 44,
        "5.1": 1,
        "5.2": 37,
        "5.3": 46,
        "5.4": 20,
        "6.1": 1,
        "6.2": 19,
        "6.3": 46,
        "7.2": 3,
        "7.3": 19,
        "7.4": 18,
        "A": 16,
        "B": 10,
        "C": 17,
    },
}
"""Last number of the equations of each chapter or section, or first and last."""

NAMED = {
    "LP": ["Prop. 9.1", "Def. 9.1-9.2", "Newton-Euler", "GetJointAccel", "Euler integration"],
    "JIN": ["Generalized forces", "Skew symmetry"],
    "GOA": ["Prop. 1-6", "Remark 1-7", "Algorithm", "section VII", "appendix"],
    "SHV": ["Ex. 6.1-6.3", "Prop. 6.1", "Section 6.7", "Summary", "Problems"],
    "BP": [
        *["Theorem 2.1-2.2", "Def. 3.1-3.4", "Prop. 3.1-3.12", "Theorem 4.1-4.5", "Corollary 4.1-4.2", "Def. 5.1-5.2"],
        *["Lemma 5.1-5.2", "Alg. 5.1-5.7", "Table 5.1-5.3", "Lemma 6.1-6.1", "Alg. 6.1-6.2", "Table 6.1-6.3"],
        *["Alg. 7.1-7.1", "Table 7.1-7.2", "Lemma C-1-C-12", "appendix D"],
    ],
}
"""What has no number of an equation: algorithms, tables, examples, propositions."""


@cache
def all_rows() -> tuple[Row, ...]:
    """The rows of the page."""
    return tuple(rows(INDEX.read_text(encoding="utf-8")))


def numbers(place: str) -> list[tuple[str, int]]:
    """Section and number of every equation that a place names; other things that it names are left out."""
    result = []
    for item in place.split(", "):
        ends = [NUMBER.match(end) for end in item.split("–")]
        if all(ends) and len(ends) in (1, 2):
            first, last = ends[0], ends[-1]
            assert first and last and first["section"] == last["section"], item
            assert int(first["number"]) <= int(last["number"]), item
            section = first["section"] or ""
            result += [(section, k) for k in range(int(first["number"]), int(last["number"]) + 1)]
    return result


def names(place: str) -> list[str]:
    """What a place names besides equations; a range of them one by one: "Alg. 5.1–5.3"."""
    result = []
    for item in place.split(", "):
        if found := re.match(r"^(.*?)(\d+)–(?:[\dA-Z]+[.-])?(\d+)$", item):
            result += [f"{found[1]}{k}" for k in range(int(found[2]), int(found[3]) + 1)]
        else:
            result.append(item)
    return result


def exists(name: str) -> bool:
    """Whether a dotted name is there: `Robot.mass_matrix`, `published.garofalo`, `library.examples.particle`."""
    parts, place = name.split("."), importlib.import_module("revolute")
    module = "revolute"
    for part in parts:
        module = f"{module}.{part}"
        if not hasattr(place, part):
            try:
                importlib.import_module(module)
            except ImportError:
                return False
        place = getattr(place, part)
    return True


@cache
def cases_in(file: str) -> frozenset[str]:
    """Names of the tests in a file."""
    path = ROOT / file
    tree = ast.parse(path.read_text(encoding="utf-8")) if path.is_file() else ast.Module([], [])
    return frozenset(node.name for node in tree.body if isinstance(node, ast.FunctionDef))


@pytest.mark.parametrize("text", EQUATIONS)
def test_every_numbered_place_has_a_row(text: str) -> None:
    """No equation between the first and the last of a section is left out, and no section."""
    found = [x for row in all_rows() if row.text == text for x in numbers(row.place)]
    named = set(found)
    assert sorted(found) == sorted(named), "an equation in two rows"
    for section, last in EQUATIONS[text].items():
        first, last = last if isinstance(last, tuple) else (1, last)
        missing = [k for k in range(first, last + 1) if (section, k) not in named]
        assert not missing, f"{text} {section}: {missing}"
        assert max(k for s, k in named if s == section) == last


@pytest.mark.parametrize("text", NAMED)
def test_algorithms_tables_and_examples_have_a_row(text: str) -> None:
    """They stand in the places by their names."""
    named = {x for row in all_rows() if row.text == text for x in names(row.place)}
    wanted = {x for item in NAMED[text] for x in names(item.replace("1-", "1–"))}
    assert wanted <= named, wanted - named


def test_no_cell_is_empty() -> None:
    """A row says what stands there, and names functions and tests, or says why there are none."""
    assert len(all_rows()) > 100
    for row in all_rows():
        assert row.place and row.content, row
        assert ("`" in row.functions) != (row.functions == "–"), row
        assert ("`" in row.tests) != bool(re.fullmatch(r"none: \w.*", row.tests)), row
        assert row.functions != "–" or row.tests.startswith("none: "), row


@pytest.mark.parametrize("row", all_rows() if INDEX.exists() else (), ids=lambda row: f"{row.text} {row.place[:40]}")
def test_what_a_row_names_is_there(row: Row) -> None:
    """Functions can be imported by their names, and tests stand in their files."""
    for name in re.findall(r"`([^`]+)`", row.functions):
        assert exists(name.split("(")[0]), name
    for name in re.findall(r"`([^`]+)`", row.tests):
        file, _, test = name.partition("::")
        assert test in cases_in(f"tests/{file}"), name
