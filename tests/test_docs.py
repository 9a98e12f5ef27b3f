"""What the documents say is run: examples of docstrings, of README.md and of docs/*.md.

In a page, blocks marked `python` run one after the other in one namespace, as a reader would
type them; a block with `>>>` is compared with what it prints, and so is a comment below a `print`. A block that imports
a package of `BRIDGES` which is not installed ends its section. URDF files that a page names
are there: they hold a UR5. Tutorials run in tests/docs/test_tutorials.py.
"""

import ast
import contextlib
import doctest
import importlib
import inspect
import io
import pkgutil
import re
import runpy
from collections.abc import Iterator
from functools import cache
from importlib.metadata import distribution
from pathlib import Path

import numpy as np
import pytest

import revolute
from revolute.plot import Animation
from revolute.published import FORMULATIONS
from tools.pages import formulations, functions

ROOT = Path(__file__).parents[1]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
MODULES = sorted(m.name for m in pkgutil.walk_packages(revolute.__path__, "revolute.") if "__main__" not in m.name)

BRIDGES = {"casadi", "dask", "jax", "numba", "pandas", "torch", "xarray"}
"""Packages that `make test` does without."""

PRINTED = re.compile(r"^print\(.*\)[^\n]*\n# (?P<text>.+)$", re.MULTILINE)
"""A line that prints, and below it what it prints."""

HEADING = re.compile(r"^## ", re.MULTILINE)
BLOCK = re.compile(r"^(?P<indent> *)```(?P<mark>[^\n`]*)\n(?P<code>.*?)^(?P=indent)```$", re.MULTILINE | re.DOTALL)


def blocks(text: str) -> Iterator[tuple[int, str]]:
    """Line number and code of the blocks of a page that are marked as Python."""
    for found in BLOCK.finditer(text):
        if re.match(r"(python|pycon)\b", found["mark"]):
            indented = found["code"].splitlines(keepends=True)
            code = "".join(line.removeprefix(found["indent"]) for line in indented)
            yield text.count("\n", 0, found.start("code")) + 1, code


def run(page: Path) -> int:
    """Run a page's blocks; returns how many there were."""
    namespace: dict[str, object] = {"__name__": page.stem}
    text = page.read_text(encoding="utf-8")
    heads = [text.count("\n", 0, found.start()) + 1 for found in HEADING.finditer(text)]
    count, skipped = 0, -1
    for line, code in blocks(text):
        count += 1
        section = sum(head < line for head in heads)
        if section == skipped:
            continue
        if ">>> " in code:
            check(doctest.DocTestParser().get_doctest(code, namespace, page.name, str(page), line - 1), namespace)
            continue
        output = io.StringIO()
        try:
            with contextlib.redirect_stdout(output):
                exec(compile("\n" * (line - 1) + code, str(page), "exec"), namespace)
        except ModuleNotFoundError as error:
            if (error.name or "").partition(".")[0] not in BRIDGES:
                raise
            skipped = section
            continue
        printed = output.getvalue().splitlines()
        for found in PRINTED.finditer(code):
            assert found["text"] in printed, f"{page.name}: below line {line}: {found['text']} is not in {printed}"
    return count


def check(test: doctest.DocTest, namespace: dict[str, object] | None = None) -> None:
    """Run examples with their prompts; what they define stays in the namespace."""
    report: list[str] = []
    runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE)
    if namespace is None:
        test.globs |= {"np": np, "revolute": revolute}  # as readers have it
    else:
        test.globs = namespace
    runner.run(test, out=report.append, clear_globs=False)
    assert runner.failures == 0, "".join(report)


@pytest.fixture(autouse=True)
def short_films(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of two pictures: tests/plot looks at whole ones."""
    whole = Animation._times
    monkeypatch.setattr(Animation, "_times", lambda self, *speed: whole(self, *speed)[:2])


@pytest.fixture
def ur5_urdf() -> str:
    (path,) = (x for x in distribution("example_robot_data").files or () if x.name == "ur5_robot.urdf")
    return Path(str(path.locate())).read_text(encoding="utf-8")


@pytest.mark.filterwarnings("ignore:robot .*MJCF does not support velocity limits")
@pytest.mark.filterwarnings("ignore:The inplace keyword in DataFrame:DeprecationWarning")  # Dask's, of pandas
@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_code_of_pages_runs(page: Path, ur5_urdf: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name in re.findall(r"""["']([\w-]+\.urdf)["']""", page.read_text(encoding="utf-8")):
        Path(name).write_text(ur5_urdf, encoding="utf-8")
    assert run(page) == len(re.findall(r"^ *```(?:python|pycon)\b", page.read_text(encoding="utf-8"), re.MULTILINE))


@pytest.mark.parametrize("package", sorted({name.rpartition(".")[0] for name in MODULES}))
def test_examples_of_docstrings_hold(package: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    if (bridge := re.fullmatch(r"revolute\.bridges\.(casadi|jax|torch)", package)) is not None:
        pytest.importorskip(bridge[1])
    for name in ["revolute", *MODULES]:
        if name.rpartition(".")[0] == package or name == package == "revolute":
            module = importlib.import_module(name)
            if ">>> " in Path(str(module.__file__)).read_text(encoding="utf-8"):  # finding examples takes long
                for test in doctest.DocTestFinder(exclude_empty=True).find(module):
                    check(test)


METHODS = {
    name: method
    for group in revolute.Robot.__mro__
    if group.__module__.startswith("revolute")
    for name, method in vars(group).items()
    if inspect.isfunction(inspect.unwrap(getattr(method, "__func__", method))) and not name.startswith("_")
}
"""The public methods of robots."""


@pytest.mark.parametrize("name", sorted(METHODS))
def test_public_methods_have_examples(name: str) -> None:
    assert ">>> " in (METHODS[name].__doc__ or ""), f"Robot.{name} has no example"


def test_the_tables_of_functions_are_those_of_their_declarations() -> None:
    text = functions.pages()["functions.md"]
    for kind in functions.KINDS:
        for name, function in kind.functions().items():
            assert (f".{name}) |" in text) or function.internal


def test_the_reference_has_every_formulation() -> None:
    written = formulations.pages()
    for name, formulation in FORMULATIONS.items():
        page = formulations.page_of(formulation.quantity)
        place = f"{page.removeprefix('reference/')}#{formulations.path(formulation)}"
        assert f"| [`{name}`]({place}) |" in written[formulations.PAGE]
        assert f"::: {formulations.path(formulation)}\n" in written[page]


def test_files_that_pages_name_are_there() -> None:
    pages = "".join(page.read_text(encoding="utf-8") for page in PAGES)
    named = set(re.findall(r"`(revolute/[\w/]+\.py)`", pages))
    assert len(named) > 5 and [name for name in named if not (ROOT / "src" / name).is_file()] == []


def test_the_reference_has_every_public_name() -> None:
    reference = "".join(page.read_text(encoding="utf-8") for page in (ROOT / "docs" / "reference").glob("*.md"))
    paths = re.findall(r"^::: (\S+)$", reference, re.MULTILINE)
    for path in paths:
        module = max((m for m in ("revolute", *MODULES) if path.startswith(f"{m}.")), key=len)
        try:
            assert pkgutil.resolve_name(f"{module}:{path.removeprefix(f'{module}.')}") is not None
        except ModuleNotFoundError as missing:
            assert missing.name in BRIDGES
    documented = set(re.findall(r"^::: revolute\.(\w+)$", reference, re.MULTILINE))
    public = set(revolute.__all__) - {"robots"} | {"library"}
    assert documented == public, f"a page of docs/reference/ needs `::: revolute.NAME` of {documented ^ public}"


@pytest.mark.parametrize(("text", "error", "message"), [
    ("```python\nassert 1 == 2\n```", AssertionError, "^$"),
    ("```python\nx = 1\n```\n\n- a list\n\n    ```python\n    y = x + z\n    ```", NameError, "name 'z'"),
    ("```python\nx = 1\n```\n\n```pycon\n>>> x\n2\n```", AssertionError, r"Expected:\s+2\s+Got:\s+1"),
    ("```python\nimport torchnot\n```", ModuleNotFoundError, "torchnot"),
    ("```python\nprint(1 + 1)\n# 3\n```", AssertionError, r"3 is not in \['2'\]"),
    ('```python title="a.py"\n>>> 1 + 1\n3\n```', AssertionError, r"Expected:\s+3\s+Got:\s+2"),
])  # fmt: skip
def test_this_test_sees_what_is_wrong(text: str, error: type[Exception], message: str, tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text(text, encoding="utf-8")
    with pytest.raises(error, match=message):
        run(page)


def test_equations_of_pages_become_mathml() -> None:
    """GitHub shows $...$ by itself; the site has no scripts, and its pages get what browsers show."""
    found = runpy.run_path(str(ROOT / "docs" / "equations_hook.py"))["on_page_markdown"]
    page = found("`a $x$ b` of $q_0$:\n$$\\dot q = A \\dot p$$\n```console\n$ revolute $HOME\n```\n")
    assert page.startswith("`a $x$ b` of <span><math") and page.endswith("```console\n$ revolute $HOME\n```\n")
    assert page.count("<math") == 2 and 'display="block"' in page
    for path in PAGES:
        prose = re.sub(r"```.*?```|`[^`\n]+`", "", found(path.read_text(encoding="utf-8")), flags=re.DOTALL)
        assert "$" not in prose, path


def test_promises_name_tests_that_are_run() -> None:
    text = (ROOT / "docs" / "reliability.md").read_text(encoding="utf-8").partition("## The last runs")[0]
    rows = re.findall(r"^\| (?!promise|---)(.*) \| (.*) \|$", text, re.MULTILINE)
    assert len(rows) > 30
    for promise, held in rows:
        named = re.findall(r"`([\w/]+\.py)::(test_\w+)`", held)
        assert named, f"no test holds: {promise}"
        for file, name in named:
            marks = decorators(ROOT / "tests" / file)
            assert name in marks, f"there is no {name} in {file}"
            assert "pytest.mark.slow" not in marks[name]


@cache
def decorators(file: Path) -> dict[str, list[str]]:
    """What stands above each function of a file."""
    tree = ast.parse(file.read_text(encoding="utf-8"))
    return {f.name: [ast.unparse(x) for x in f.decorator_list] for f in tree.body if isinstance(f, ast.FunctionDef)}
