"""Docstrings in the reference: formulas and places of texts; what those of compiled functions leave out is added."""

import inspect
import re
from pathlib import Path

import pytest

import revolute
from revolute.machine.declare import method_of
from revolute.machine.lagrangian import System
from revolute.machine.standard_text import completed

DOCS = Path(__file__).parents[2] / "docs"
FUNCTIONS = [name for name, function in revolute.Robot.functions().items() if not function.internal]


@pytest.mark.parametrize("name", FUNCTIONS)
def test_each_argument_and_the_errors_of_arrays_are_told(name: str) -> None:
    method = method_of(revolute.Robot, name)
    assert method is not None
    text, parameters = inspect.getdoc(method) or "", [x for x in inspect.signature(method).parameters if x != "self"]
    told = re.search(r"^Args:\n(.*?)\n(?=\S|$)", text, re.DOTALL | re.MULTILINE)
    assert told is not None
    entries = [x for names in re.findall(r"^ {4}(\w[\w, *]*):", told[1], re.MULTILINE) for x in re.split(r"\W+", names)]
    assert sorted(entries) == sorted(parameters)
    assert "ShapeError" in text.partition("Raises:")[2]


def test_own_words_stay() -> None:
    text = "Go.\n\nArgs:\n    q: a place.\n    out: two arrays,\n        one each.\n\nRaises:\n    InputError: none.\n"
    assert completed(text, ["q", "qd", "out", "threads"]) == (
        "Go.\n\nArgs:\n    q: a place.\n    qd: (..., nv) joint velocities [rad/s, m/s].\n    out: two arrays,\n"
        "        one each.\n    threads: see `Robot.inverse_dynamics`.\n\nRaises:\n"
        "    ShapeError, DtypeError: an array does not fit, or is not real numbers.\n    InputError: none."
    )


def test_texts_that_send_elsewhere_stay() -> None:
    text = inspect.getdoc(System.mass_matrix)
    assert text == "The mass matrix (..., n, n): see `M`. Arguments and errors: see `inverse_dynamics`."


def test_the_reference_shows_the_same() -> None:
    griffe = pytest.importorskip("griffe")
    extensions = griffe.load_extensions(str(DOCS / "standard_text_extension.py"))
    group = griffe.load("revolute.machine.robot.joint_space", search_paths=[DOCS.parent / "src"], extensions=extensions)
    shown = group["JointSpace.mass_matrix"].docstring.value
    assert shown == inspect.getdoc(revolute.Robot.mass_matrix) and "out, threads" in shown


TEXT = '''def mass():
    r"""It has $M = M^T$.

    `$HOME` and `$PATH` are code.

    Example:
        >>> "$M$"
        '$M$'
    """
'''


def shown(source: str, name: str, folder: Path, extension: str = "formulas_extension.py") -> str:
    """A docstring as the reference gets it."""
    griffe = pytest.importorskip("griffe")
    pytest.importorskip("latex2mathml")
    (folder / "robot.py").write_text(source, encoding="utf-8")
    extensions = griffe.load_extensions(str(DOCS / extension))
    text: str = griffe.load("robot", search_paths=[folder], extensions=extensions)[name].docstring.value
    return text


def test_formulas_of_docstrings_become_mathml(tmp_path: Path) -> None:
    text = shown(TEXT, "mass", tmp_path)
    assert "<math" in text and "<msup><mi>M</mi><mi>T</mi></msup>" in text
    assert "`$HOME` and `$PATH` are code." in text
    assert text.endswith("""Example:\n    >>> "$M$"\n    '$M$'""")


def test_places_of_texts_are_links(tmp_path: Path) -> None:
    text = 'def f():\n    """As LP 9.53 and BP 5.3.44b, `GOA 5`, SHV 12.1, GOA Prop. 5 say."""\n'
    assert shown(text, "f", tmp_path) == (
        'As <autoref optional identifier="lp-9-53">LP 9.53</autoref> and '
        '<autoref optional identifier="bp-5-3-44">BP 5.3.44b</autoref>, `GOA 5`, SHV 12.1, '
        '<autoref optional identifier="goa-prop-5">GOA Prop. 5</autoref> say.'
    )


def test_examples_have_the_imports_that_docstrings_assume(tmp_path: Path) -> None:
    text = "def f():\n    \"\"\"As g.\n\n    Example:\n        {}>>> {}\n        1\n    \"\"\"\n"
    for before, code, imports in (
        ("", "revolute.load(x)[np.newaxis]", ">>> import numpy as np, revolute\n    "),
        (">>> import sympy\n        ", "revolute.load(x)", ">>> import revolute\n    >>> import sympy\n    "),
        (">>> from revolute.control import PD\n        ", "PD()", ">>> from revolute.control import PD\n    "),
    ):
        found = shown(text.format(before, code), "f", tmp_path, "examples_extension.py")
        assert found == f"As g.\n\nExamples:\n    {imports}>>> {code}\n    1"
        (tmp_path / "robot.py").unlink()
