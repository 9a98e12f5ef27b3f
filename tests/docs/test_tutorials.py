"""Tutorials: pages and notebooks have the code of their sources, and their code runs."""

import ast
import base64
import json
import re
import struct
import textwrap
import warnings
from pathlib import Path

import pytest

from tools.tutorials.made import contents, files
from tools.tutorials.notebook import notebook
from tools.tutorials.page import page
from tools.tutorials.running import Outcome, run
from tools.tutorials.source import Tutorial, read, tutorials

TUTORIALS = tutorials()
SLOW = {
    "a-million-states", "computed-torque-and-lqr", "five-bar", "humanoid-momentum", "identify-a-real-arm",
    "learning-inertia-in-pytorch", "simulate-and-see",
}  # fmt: skip
"""Those that run for more than some five seconds."""
OFTEN_MISSING = {"casadi", "dask", "jax", "numba", "torch"}
"""Packages that `make test` does not install."""

NOT_RUN = "This site was built without these extras."
HEAD = "# ---\n# title: T\n# order: 1\n# minutes: 1\n# extras: plot\n# learn: something\n# ---\n\n"

def code_of_page(text: str) -> list[str]:
    """The blocks of code of a page."""
    blocks = re.findall(r"^( *)```python\n(.*?)^\1```$", text, re.MULTILINE | re.DOTALL)
    return [textwrap.dedent(code).rstrip("\n") for _, code in blocks]


@pytest.mark.parametrize("tutorial", TUTORIALS, ids=lambda tutorial: tutorial.name)
def test_page_and_notebook_have_the_code_and_text_of_their_source(tutorial: Tutorial) -> None:
    outcomes, code = [Outcome()] * len(tutorial.code), [cell.source for cell in tutorial.code]
    text, shown = page(tutorial, outcomes), json.loads(notebook(tutorial, outcomes))["cells"]
    assert code and code_of_page(text) == code
    assert ["".join(cell["source"]) for cell in shown if cell["cell_type"] == "code"] == code
    unfolded = re.sub("^    ", "", text, flags=re.MULTILINE)
    assert len(shown) >= len(tutorial.cells)
    for cell in tutorial.cells:
        assert not cell.is_text or re.sub("^    ", "", cell.source, flags=re.MULTILINE) in unfolded
    exercises = sum(cell.source.count("**Exercise") for cell in tutorial.cells if cell.is_text)
    assert exercises == text.count('??? success "Answer"\n') >= 2 and any(cell.is_answer for cell in tutorial.code)


def test_the_list_has_all_tutorials(tmp_path: Path) -> None:
    assert len(TUTORIALS) >= 6 and {t.name for t in TUTORIALS} >= SLOW
    listed = contents(tmp_path)
    assert all(f"-   **[{t.header['title']}]({t.name}.md)**" in listed for t in TUTORIALS) and ".png" not in listed
    (tmp_path / "first-robot-1.png").touch()
    assert "](first-robot-1.png)](first-robot.md)\n\n    **[" in contents(tmp_path)


@pytest.mark.parametrize(
    "tutorial",
    [pytest.param(t, id=t.name, marks=pytest.mark.slow if t.name in SLOW else ()) for t in TUTORIALS],
)
def test_tutorials_run_and_draw_small_figures(tutorial: Tutorial) -> None:
    for package in imported(tutorial) & OFTEN_MISSING:
        pytest.importorskip(package)
    with warnings.catch_warnings():
        warnings.simplefilter("default")  # as for a reader
        made = files(tutorial)
    text = str(made[f"learn/{tutorial.name}.md"])
    assert NOT_RUN not in text and "``` { .text .output }\n" in text
    pictures = [content for name, content in made.items() if name.endswith(".png")]
    assert len(pictures) == text.count(f"]({tutorial.name}-") == sum(bool(cell.alt) for cell in tutorial.code) > 0
    for picture in pictures:
        assert isinstance(picture, bytes) and len(picture) < 100_000
        assert struct.unpack(">I", picture[16:20])[0] <= 1000, "a figure is too wide"
    shown = str(made[f"learn/{tutorial.name}.ipynb"])
    outputs = [x["data"] for cell in json.loads(shown)["cells"] for x in cell.get("outputs", ()) if "data" in x]
    assert [base64.b64decode(data["image/png"]) for data in outputs if "image/png" in data] == pictures
    assert len(shown) < 250_000


@pytest.mark.parametrize(
    "raised", ["import torchnot", "from revolute.errors import MissingExtraError\nraise MissingExtraError('x', 'y')"]
)
def test_a_tutorial_without_its_extras_says_how_to_run_it(raised: str, tmp_path: Path) -> None:
    (tmp_path / "t.py").write_text(f"{HEAD}# %%\n{raised}\n", encoding="utf-8")
    made = files(read(tmp_path / "t.py"))
    assert [*made] == ["learn/t.md", "learn/t.ipynb"]
    assert f'{NOT_RUN} Install them with `pip install ".[plot]"` and run the notebook.' in str(made["learn/t.md"])


def imported(tutorial: Tutorial) -> set[str]:
    """The packages that the code names in its imports; `revolute.torch` names two."""
    trees = [node for cell in tutorial.code for node in ast.walk(ast.parse(cell.source))]
    names = {alias.name for node in trees if isinstance(node, ast.Import) for alias in node.names}
    names |= {str(node.module) for node in trees if isinstance(node, ast.ImportFrom)}
    return {part for name in names for part in name.split(".")}


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ("# ---\n# title: T\n# ---\n\n# %%\n1\n", "the header must have"),
        (HEAD + "# %%\nx = '" + 90 * "-" + "'\n", "pages show 85 columns"),
        (HEAD + '# %% title="a"\n1\n', "cells have `alt` and `tags`"),
        (HEAD + '# %% tags=["anwser"]\n1\n', r"tags are \['answer', 'cover'\], not \['anwser'\]"),
        (HEAD + "# %% figure\n1\n", "cannot read the data of this cell: figure"),
        (HEAD + "# %%\nprint(90 * '-')\n", "prints more than 85 columns"),
        (HEAD + "# %%\nimport matplotlib.pyplot as plt\nplt.figure()\n", "1 figures for alt=''"),
        (HEAD + '# %% alt="a line"\n1\n', "0 figures for alt='a line'"),
        (HEAD + "# %%\nx = 1\n\n# %%\nassert x == 2\n", "^$"),
    ],
)
def test_sources_that_do_not_fit_a_page_or_fail_are_refused(source: str, message: str, tmp_path: Path) -> None:
    (tmp_path / "t.py").write_text(source, encoding="utf-8")
    with pytest.raises((ValueError, AssertionError), match=message):
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
