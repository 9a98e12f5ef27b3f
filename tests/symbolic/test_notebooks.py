"""Equations in notebooks: short ones whole, long ones by name; and the line about long work."""

import re

import pytest
import sympy

import revolute
from revolute.compiler import progress
from revolute.symbolic import Equations, equations, sheet

LONGEST = 20_000
"""Characters of LaTeX that a notebook may get: some ten for each of `sheet.GLANCE` symbols, less what repeats."""


def test_short_equations_are_shown_whole() -> None:
    e = revolute.robots.planar(2).equations()
    assert e._repr_latex_() == f"$$\\begin{{aligned}}\n{e.latex()}\n\\end{{aligned}}$$"


def test_long_equations_are_shown_in_part_and_say_where_the_whole_is() -> None:
    e = revolute.robots.puma560().equations()
    shown = e._repr_latex_()
    assert len(e.latex()) > LONGEST > len(shown)
    for name in ("mass matrix", "Coriolis matrix, of Christoffel's symbols"):  # how much depends on the machine's speed
        assert re.search(rf"\\text\{{{name}(:|: [a-z ]+|, [a-z ]+)\}}", shown)
    assert "equations.save('equations.tex')" in shown
    assert shown.count("{") == shown.count("}") and shown.startswith("$$") and shown.endswith("$$")


def test_a_glance_does_not_take_the_budget_of_the_equations(monkeypatch: pytest.MonkeyPatch) -> None:
    """What a moment is too short for is named, and computed when somebody asks for it."""
    monkeypatch.setattr(equations, "MOMENT", 0.0)
    e = revolute.robots.planar(3).equations()
    assert e._repr_latex_().count("not simplified yet") == 3
    assert e.simplified("M", "C", "g")
    assert e._repr_latex_() == f"$$\\begin{{aligned}}\n{e.latex()}\n\\end{{aligned}}$$"


def test_a_glance_keeps_what_it_found(monkeypatch: pytest.MonkeyPatch) -> None:
    e = revolute.robots.planar(2).equations()
    e._repr_latex_()

    def refused(self: Equations, name: str) -> None:
        raise AssertionError(name)

    monkeypatch.setattr(Equations, "_scalars", refused)
    assert e.M.shape == (2, 2)


def test_long_equations_with_drives_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    e = revolute.robots.planar(2).with_drives().equations()
    assert r"\ddot" in e._repr_latex_() or "ddq" in e._repr_latex_()
    monkeypatch.setattr("revolute.symbolic.driven.GLANCE", 5)
    assert "2 equations, too long to show here: print(equations)" in e._repr_latex_()


def test_counting_stops_where_nobody_needs_the_number() -> None:
    x = sympy.Symbol("x")
    assert sheet.size([x, x + 1], 100) == 4
    assert sheet.size((x**k for k in range(10**9)), 5) == 6


def test_simplifying_is_told(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("REVOLUTE_PROGRESS", "1")
    monkeypatch.setattr(progress, "SECONDS", 0.0)
    assert revolute.robots.stanford().equations().simplified("M")
    assert "simplifying M of stanford, 20 s at most ... " in capsys.readouterr().err
