"""Code in docstrings and pages fits its column: 85 characters a line, in a window of 1300 px."""

import ast
import doctest
import inspect
import re
from collections.abc import Callable, Iterator
from inspect import cleandoc
from pathlib import Path
from pydoc import locate

import pytest

from tools.pages import formulations, reference

ROOT = Path(__file__).parents[2]
WIDTH = 85
_FENCE = re.compile(r"^( *)(`{3,})[^\n]*\n(.*?)^\1\2$", re.DOTALL | re.MULTILINE)
_INDENTED = re.compile(r"(?<=\n\n)(?: {4}.*\n?|\n)+")
"""A paragraph that is indented: code, for Markdown."""


def lines_of_examples(text: str) -> Iterator[str]:
    """Lines of a docstring's examples, and what they print."""
    for example in doctest.DocTestParser().get_examples(cleandoc(text)):
        if doctest.SKIP not in example.options:
            first, *rest = example.source.splitlines()
            yield from (f">>> {first}", *(f"... {line}" for line in rest), *example.want.splitlines())


def lines_of_formulas(text: str) -> Iterator[str]:
    """Lines of a docstring's paragraphs that are indented."""
    for block in _INDENTED.findall(cleandoc(text)):
        yield from (line.removeprefix("    ") for line in block.splitlines() if ">>> " not in line)


def lines_of_page(text: str) -> Iterator[str]:
    """Lines of a page in blocks of code."""
    for indent, _, code in _FENCE.findall(text):
        yield from (line.removeprefix(indent) for line in code.splitlines())
    if not any(mark in text for mark in (":::", "??? ", "<div")):  # there, what is indented need not be code
        text = _FENCE.sub("", text)
        yield from (line.removeprefix("    ") for block in _INDENTED.findall(text) for line in block.splitlines())


def texts_of_reference() -> Iterator[tuple[str, str]]:
    """Names that pages of the reference show, with their docstrings and those of their public members."""
    pages = [page.read_text(encoding="utf-8") for page in (ROOT / "docs/reference").rglob("*.md")]
    pages += [str(text) for text in (reference.pages() | formulations.pages()).values()]
    for name in sorted({name for page in pages for name in re.findall(r"^::: (\S+)", page, re.MULTILINE)}):
        if name.startswith("revolute.bridges.torch."):
            continue  # needs PyTorch to be imported
        shown = locate(name)
        yield name, inspect.getdoc(shown) or ""
        members = vars(shown) if inspect.isclass(shown) else {}
        yield from ((f"{name}.{key}", inspect.getdoc(value) or "") for key, value in members.items() if key[0] != "_")


def docstrings(source: str) -> Iterator[str]:
    """Texts of a module's docstrings, those of its attributes too."""
    values = (node.value for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Expr))
    return (value.value for value in values if isinstance(value, ast.Constant) and isinstance(value.value, str))


def too_long(lines: Iterator[str]) -> list[str]:
    return [line for line in lines if len(line.rstrip()) > WIDTH]


@pytest.mark.parametrize("room", sorted(path.name for path in (ROOT / "src/revolute").iterdir() if path.name[0] != "_"))
def test_examples_of_docstrings_fit(room: str) -> None:
    folder = ROOT / "src/revolute" / room
    files = folder.rglob("*.py") if folder.is_dir() else [folder] if folder.suffix == ".py" else []
    texts = ((path, text) for path in files for text in docstrings(path.read_text(encoding="utf-8")))
    assert [f"{path.name}: {line}" for path, text in texts for line in too_long(lines_of_examples(text))] == []


def test_formulas_of_the_reference_fit() -> None:
    texts = dict(texts_of_reference())
    assert "revolute.Robot" in texts
    assert [f"{name}: {line}" for name, text in texts.items() for line in too_long(lines_of_formulas(text))] == []


def test_code_of_pages_fits() -> None:
    pages = sorted((ROOT / "docs").rglob("*.md"))
    lines = ((page, lines_of_page(page.read_text(encoding="utf-8"))) for page in pages)
    assert [f"{page.name}: {line}" for page, found in lines for line in too_long(found)] == []


SEEN = [
    (lines_of_examples, f"What.\n\n    Example:\n        >>> {'x' * 82}\n"),
    (lines_of_examples, f"What.\n\n    Example:\n        >>> x = [\n        ...     {'x' * 77}]\n"),
    (lines_of_examples, f"What.\n\n    Example:\n        >>> x\n        {'x' * 86}\n"),
    (lines_of_formulas, f"What.\n\n        tau = {'x' * 80}\n\n    More."),
    (lines_of_page, f"```python\n{'x' * 86}\n```\n"),
    (lines_of_page, f"- item\n\n  ```\n  {'x' * 86}\n  ```\n"),
    (lines_of_page, f"Text:\n\n    {'x' * 86}\n"),
]


@pytest.mark.parametrize(("lines", "text"), SEEN)
def test_long_lines_are_seen(lines: Callable[[str], Iterator[str]], text: str) -> None:
    assert len(too_long(lines(text))) == 1
    assert too_long(lines(text.replace("xx", "x", 1))) == []
