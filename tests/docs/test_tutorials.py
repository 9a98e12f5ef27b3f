"""Tutorials: pages and notebooks have the code of their sources, and their code runs."""

import base64
import json
import pickle
import re
import struct
import subprocess
import sys
import textwrap
import tomllib
from collections.abc import Iterable
from functools import cache
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path

import pytest
from packaging.requirements import Requirement

from tools.tutorials.data import unpacking
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
ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
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
    written = [unpacking(tutorial)] if unpacking(tutorial) else []
    assert ["".join(cell["source"]) for cell in shown if cell["cell_type"] == "code"] == written + code
    assert f"`pip install \".[{','.join(tutorial.extras)}]\"`" in "".join(shown[0]["source"])
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
    unbuilt = (ROOT / "docs/learn/index.md").read_text(encoding="utf-8")
    rows = [f"- [{t.header['title']}]({t.name}.py), {t.header['minutes']} minutes" for t in TUTORIALS]
    assert "\n".join(rows) in unbuilt and ".py)" not in listed
    (tmp_path / "first-robot-1.png").touch()
    assert "](first-robot-1.png)](first-robot.md)\n\n    **[" in contents(tmp_path)


@pytest.mark.parametrize(
    "tutorial",
    [pytest.param(t, id=t.name, marks=pytest.mark.slow if t.name in SLOW else ()) for t in TUTORIALS],
)
def test_tutorials_run_alone_with_their_extras_and_draw_small_figures(tutorial: Tutorial, tmp_path: Path) -> None:
    """In a process that sees the packages of the extras that the first cell names, no others."""
    made = files_with_extras(tutorial, tmp_path)
    text = str(made[f"learn/{tutorial.name}.md"])
    assert "``` { .text .output }\n" in text
    pictures = [content for name, content in made.items() if name.endswith(".png")]
    assert len(pictures) == text.count(f"]({tutorial.name}-") == sum(bool(cell.alt) for cell in tutorial.code) > 0
    for picture in pictures:
        assert isinstance(picture, bytes) and len(picture) < 100_000
        assert struct.unpack(">I", picture[16:20])[0] <= 1000, "a figure is too wide"
    shown = str(made[f"learn/{tutorial.name}.ipynb"])
    outputs = [x["data"] for cell in json.loads(shown)["cells"] for x in cell.get("outputs", ()) if "data" in x]
    assert [base64.b64decode(data["image/png"]) for data in outputs if "image/png" in data] == pictures
    assert len(shown) < 250_000


def test_the_site_has_the_packages_of_all_tutorials() -> None:
    """Then no page lacks what its code prints: `make docs` fails where a package is missing."""
    for tutorial in TUTORIALS:
        assert requirements(tutorial.extras) <= requirements(["docs"]), tutorial.name


def test_a_tutorial_whose_extras_do_not_bring_its_packages_fails(tmp_path: Path) -> None:
    (tmp_path / "t.py").write_text(f"{HEAD}# %%\nimport viser\n", encoding="utf-8")
    with pytest.raises(subprocess.CalledProcessError) as caught:
        files_with_extras(read(tmp_path / "t.py"), tmp_path)
    assert b"No module named 'viser'" in caught.value.stderr
    (tmp_path / "t.py").write_text(f"{HEAD}# %%\nimport torchnot\n", encoding="utf-8")
    with pytest.raises(ModuleNotFoundError, match="torchnot"):
        files(read(tmp_path / "t.py"))


def files_with_extras(tutorial: Tutorial, folder: Path) -> dict[str, str | bytes]:
    """The files of a tutorial that ran where only its extras are installed: links in a folder to those packages."""
    packages = folder / "packages"
    packages.mkdir(exist_ok=True)
    for name in brought(tuple(tutorial.extras)):
        try:
            found = distribution(name)
        except PackageNotFoundError:
            if name in OFTEN_MISSING:
                pytest.skip(f"needs {name}")
            raise
        for top in {file.parts[0] for file in found.files or ()} - {"..", "__pycache__"}:
            if not (packages / top).exists():
                (packages / top).symlink_to(str(found.locate_file(top)))
    code = (
        f"import pickle, sys; sys.path += {[str(packages), str(ROOT / 'src'), str(ROOT)]!r}; from pathlib import Path; "
        "from tools.tutorials.made import files; from tools.tutorials.source import read; "
        f"made = files(read(Path({str(tutorial.path)!r}))); sys.stdout.buffer.write(pickle.dumps(made))"
    )
    child = subprocess.run([sys.executable, "-I", "-S", "-c", code], capture_output=True, check=True, timeout=500)
    made: dict[str, str | bytes] = pickle.loads(child.stdout)
    return made


def requirements(extras: Iterable[str]) -> set[str]:
    """What `pip install ".[extras]"` asks for, beside what those packages ask for."""
    found: set[str] = set(PROJECT["dependencies"])
    for extra in extras:
        for text in PROJECT["optional-dependencies"][extra]:
            own = Requirement(text).name == PROJECT["name"]
            found |= requirements(Requirement(text).extras) if own else {text}
    return found


@cache
def brought(extras: tuple[str, ...]) -> frozenset[str]:
    """Names of all packages that `pip install ".[extras]"` brings, of those that are installed here."""
    waiting, found = [*map(Requirement, requirements(extras))], set()
    while waiting:
        asked = waiting.pop()
        if (asked.name, *sorted(asked.extras)) in found or (asked.marker and not asked.marker.evaluate()):
            continue
        found.add((asked.name, *sorted(asked.extras)))
        try:
            texts = distribution(asked.name).requires or []
        except PackageNotFoundError:
            continue
        more = [*map(Requirement, texts)]
        chosen = [{"extra": extra} for extra in ("", *asked.extras)]
        waiting += [x for x in more if x.marker is None or any(map(x.marker.evaluate, chosen))]
        for x in more:
            x.marker = None
    return frozenset(name for name, *_ in found)


@pytest.mark.parametrize(("source", "message"), [
    ("# ---\n# title: T\n# ---\n\n# %%\n1\n", "the header must have"),
    (HEAD + "# %%\nx = '" + 90 * "-" + "'\n", "pages show 85 columns"),
    (HEAD + '# %% title="a"\n1\n', "cells have `alt` and `tags`"),
    (HEAD + '# %% tags=["anwser"]\n1\n', r"tags are \['answer', 'cover'\], not \['anwser'\]"),
    (HEAD + "# %% figure\n1\n", "cannot read the data of this cell: figure"),
    (HEAD + "# %%\nprint(90 * '-')\n", "prints more than 85 columns"),
    (HEAD + "# %%\nimport matplotlib.pyplot as plt\nplt.figure()\n", "1 figures for alt=''"),
    (HEAD + '# %% alt="a line"\n1\n', "0 figures for alt='a line'"),
    (HEAD + "# %%\nx = 1\n\n# %%\nassert x == 2\n", "^$"),
])  # fmt: skip
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
