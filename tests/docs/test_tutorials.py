"""Tutorials: pages and notebooks have the code of their sources, and print what they say."""

from __future__ import annotations

import ast
import base64
import json
import re
import struct
import warnings
from pathlib import Path

import pytest

from tools.tutorials.contents import PAGE, contents
from tools.tutorials.notebook import code_of_notebook
from tools.tutorials.page import code_of_page, text_outputs_of_page
from tools.tutorials.running import run
from tools.tutorials.source import FOLDER, Tutorial, read, tutorials

TUTORIALS = tutorials()
SLOW = {
    "a-million-states",
    "computed-torque-and-lqr",
    "five-bar",
    "humanoid-momentum",
    "identify-a-real-arm",
    "learning-inertia-in-pytorch",
    "simulate-and-see",
}
"""Those that run for more than some five seconds."""
OFTEN_MISSING = {"casadi", "dask", "jax", "numba", "torch"}
"""Packages that `make test` does not install."""

each = pytest.mark.parametrize("tutorial", TUTORIALS, ids=lambda tutorial: tutorial.name)
each_to_run = pytest.mark.parametrize(
    "tutorial",
    [pytest.param(t, marks=pytest.mark.slow if t.name in SLOW else ()) for t in TUTORIALS],
    ids=lambda tutorial: tutorial.name,
)


def text(tutorial: Tutorial, suffix: str) -> str:
    return tutorial.path.with_suffix(suffix).read_text(encoding="utf-8")


def test_there_are_tutorials() -> None:
    assert len(TUTORIALS) >= 6
    assert {t.name for t in TUTORIALS} >= SLOW


@each
def test_page_and_notebook_have_the_code_of_their_source(tutorial: Tutorial) -> None:
    code = [cell.source for cell in tutorial.code]
    assert code and code_of_page(text(tutorial, ".md")) == code, "run `make tutorials`"
    assert code_of_notebook(text(tutorial, ".ipynb")) == code, "run `make tutorials`"


@each
def test_page_and_notebook_have_the_text_of_their_source(tutorial: Tutorial) -> None:
    page = re.sub("^    ", "", text(tutorial, ".md"), flags=re.MULTILINE)
    shown = json.loads(text(tutorial, ".ipynb"))["cells"]
    assert len(shown) >= len(tutorial.cells)
    for cell in tutorial.cells:
        assert not cell.is_text or re.sub("^    ", "", cell.source, flags=re.MULTILINE) in page, "run `make tutorials`"


@each
def test_figures_are_there_and_small(tutorial: Tutorial) -> None:
    count = sum(1 for cell in tutorial.code if cell.alt)
    pictures = {f"{tutorial.name}-{number}.png" for number in range(1, count + 1)}
    assert count and pictures == {path.name for path in FOLDER.glob(f"{tutorial.name}-[0-9].png")}
    for name in pictures:
        data = (FOLDER / name).read_bytes()
        assert len(data) < 100_000, name
        assert struct.unpack(">I", data[16:20])[0] <= 1000, f"{name} is too wide"


@each
def test_the_notebook_holds_its_figures(tutorial: Tutorial) -> None:
    """Sites of code show notebooks as they are stored."""
    cells = [cell for cell in json.loads(text(tutorial, ".ipynb"))["cells"] if cell["cell_type"] == "code"]
    data = [[output.get("data", {}) for output in cell["outputs"]] for cell in cells]
    shown = [[base64.b64decode(found["image/png"]) for found in outputs if "image/png" in found] for outputs in data]
    assert [len(found) for found in shown] == [int(bool(cell.alt)) for cell in tutorial.code], "run `make tutorials`"
    files = [(FOLDER / f"{tutorial.name}-{number}.png").read_bytes() for number in range(1, sum(map(len, shown)) + 1)]
    assert [picture for found in shown for picture in found] == files, "run `make tutorials`"
    assert tutorial.path.with_suffix(".ipynb").stat().st_size < 250_000


@each
def test_exercises_have_answers_that_run(tutorial: Tutorial) -> None:
    exercises = sum(cell.source.count("**Exercise") for cell in tutorial.cells if cell.is_text)
    answers = text(tutorial, ".md").count('??? success "Answer"\n')
    assert exercises == answers >= 2
    assert any(cell.is_answer for cell in tutorial.code)


def test_the_list_has_all_tutorials() -> None:
    page = PAGE.read_text(encoding="utf-8")
    assert contents(page, TUTORIALS) == page, "run `make tutorials`"
    assert all(f"]({tutorial.name}.md)**" in page for tutorial in TUTORIALS)


@each_to_run
def test_code_prints_what_the_page_says(tutorial: Tutorial) -> None:
    for package in imported(tutorial) & OFTEN_MISSING:
        pytest.importorskip(package)
    with warnings.catch_warnings():
        warnings.simplefilter("default")  # as for a reader
        outcomes = run(tutorial, draw=False)
    page = text_outputs_of_page(text(tutorial, ".md"))
    for cell, outcome, shown in zip(tutorial.code, outcomes, page, strict=True):
        assert cell.varies or alike(outcome.text, shown), f"line {cell.line}: {outcome.text}\n\n  is not\n\n{shown}"


def imported(tutorial: Tutorial) -> set[str]:
    """The packages that the code names in its imports; `revolute.torch` names two."""
    trees = [node for cell in tutorial.code for node in ast.walk(ast.parse(cell.source))]
    names = {alias.name for node in trees if isinstance(node, ast.Import) for alias in node.names}
    names |= {str(node.module) for node in trees if isinstance(node, ast.ImportFrom)}
    return {part for name in names for part in name.split(".")}


NUMBER = re.compile(r"-?\d+(?:\.\d*)?(?:e[+-]?\d+)?")


def alike(a: str, b: str) -> bool:
    """Equal, but for spaces and for the last digit of decimal fractions: processors round differently."""
    if NUMBER.sub("#", "".join(a.split())).replace("-", "") != NUMBER.sub("#", "".join(b.split())).replace("-", ""):
        return False
    pairs = zip(NUMBER.findall(a), NUMBER.findall(b), strict=True)
    return all(abs(float(x) - float(y)) <= 1.01 * max(last_digit(x), last_digit(y)) for x, y in pairs)


def last_digit(number: str) -> float:
    """What one unit of the last digit counts; nothing for whole numbers."""
    mantissa, _, exponent = number.partition("e")
    _, point, decimals = mantissa.partition(".")
    return 10.0 ** (int(exponent or 0) - len(decimals)) if point else 0.0


@pytest.mark.parametrize(
    ("a", "b", "expected"),
    [
        ("x = 1.25", "x = 1.26", True),
        ("x = 1.25", "x = 1.27", False),
        ("[0.  1.2]", "[-0.   1.2]", True),
        ("5 rows", "6 rows", False),
        ("1.2e-03 J", "1.3e-03 J", True),
        ("1.2e-03 J", "1.2e-04 J", False),
        ("1.2 m", "1.2 N", False),
    ],
)
def test_outputs_are_compared_digit_by_digit(a: str, b: str, expected: bool) -> None:
    assert alike(a, b) is expected


HEAD = "# ---\n# title: T\n# order: 1\n# minutes: 1\n# extras: plot\n# learn: something\n# ---\n\n"


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ("# ---\n# title: T\n# ---\n\n# %%\n1\n", "the header must have"),
        (HEAD + "# %%\nx = '" + 90 * "-" + "'\n", "pages show 85 columns"),
        (HEAD + '# %% title="a"\n1\n', "cells have `alt` and `tags`"),
        (HEAD + '# %% tags=["anwser"]\n1\n', r"tags are \['answer', 'cover', 'varies'\], not \['anwser'\]"),
        (HEAD + "# %% figure\n1\n", "cannot read the data of this cell: figure"),
    ],
)
def test_sources_that_do_not_fit_a_page_are_refused(source: str, message: str, tmp_path: Path) -> None:
    (tmp_path / "t.py").write_text(source, encoding="utf-8")
    with pytest.raises(ValueError, match=message):
        read(tmp_path / "t.py")


@pytest.mark.parametrize(
    ("source", "error", "message"),
    [
        ("# %%\nprint(90 * '-')\n", ValueError, "prints more than 85 columns"),
        ("# %%\nimport matplotlib.pyplot as plt\nplt.figure()\n", ValueError, "1 figures for alt=''"),
        ('# %% alt="a line"\n1\n', ValueError, "0 figures for alt='a line'"),
        ("# %%\nx = 1\n\n# %%\nassert x == 2\n", AssertionError, "^$"),
    ],
)
def test_a_run_sees_what_is_wrong(source: str, error: type[Exception], message: str, tmp_path: Path) -> None:
    (tmp_path / "t.py").write_text(HEAD + source, encoding="utf-8")
    with pytest.raises(error, match=message):
        run(read(tmp_path / "t.py"))


def test_a_run_keeps_what_is_printed_and_shown(tmp_path: Path) -> None:
    cells = (
        '# %%\nprint("a")\n2 + 3\n\n# %%\nimport sympy\nsympy.Symbol("x") ** 2\n\n# %% tags=["answer"]\nx = 1\n\n'
        '# %% alt="nothing"\nimport matplotlib.pyplot as plt\n_ = plt.figure()\n'
    )
    (tmp_path / "t.py").write_text(HEAD + cells, encoding="utf-8")
    before = Path.cwd()
    printed, equation, nothing, picture = run(read(tmp_path / "t.py"))
    assert printed.text == "a\n5" and equation.latex == "x^{2}" and not equation.text
    assert not any((nothing.text, nothing.latex, nothing.figure))
    assert picture.figure.startswith(b"\x89PNG") and Path.cwd() == before
