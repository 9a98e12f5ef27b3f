"""Run a tutorial as a notebook does: cell by cell, keeping what is printed, shown and drawn."""

import ast
import contextlib
import io
import os
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import matplotlib
import matplotlib.pyplot as plt
from matplotlib.figure import Figure
from PIL import Image

from revolute.plot.style import STYLE
from tools.tutorials.data import unpacking
from tools.tutorials.source import COLUMNS, Cell, Tutorial

PAGE = STYLE | {
    "figure.figsize": (7.0, 3.4),
    "figure.dpi": 140,
    "savefig.dpi": 140,
    "figure.constrained_layout.use": True,
    "text.parse_math": True,
}
"""Figures as wide as a page's text."""
COLORS, WIDTH = 192, 1000
"""Of a figure, at most: enough for shaded solids and dense screens, at a third of the bytes."""


@dataclass(frozen=True)
class Outcome:
    """What a cell gave."""

    text: str = ""
    """What it printed, and the value of its last line."""
    latex: str = ""
    """The value of its last line, if that is an equation."""
    figure: bytes = b""
    """PNG."""


def run(tutorial: Tutorial, draw: bool = True) -> list[Outcome]:
    """Run a tutorial's code alone in an empty folder, with figures if `draw`; an outcome for each code cell."""
    namespace: dict[str, Any] = {"__name__": "__main__"}
    with contextlib.ExitStack() as stack:
        stack.enter_context(_in_folder(stack.enter_context(tempfile.TemporaryDirectory())))
        exec(unpacking(tutorial), {})
        matplotlib.use("Agg")
        stack.enter_context(plt.style.context(["default", PAGE]))
        stack.callback(plt.close, "all")
        return [_run(cell, tutorial, namespace, draw) for cell in tutorial.code]


@contextlib.contextmanager
def _in_folder(path: str) -> Iterator[None]:
    before = os.getcwd()
    os.chdir(path)
    try:
        yield
    finally:
        os.chdir(before)


def _run(cell: Cell, tutorial: Tutorial, namespace: dict[str, Any], draw: bool) -> Outcome:
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        value = _value(cell, str(tutorial.path), namespace)
    figures = [value] if isinstance(value, Figure) else [plt.figure(number) for number in plt.get_fignums()]
    if len(figures) != bool(cell.alt):
        raise ValueError(f"{tutorial.path}:{cell.line}: {len(figures)} figures for alt={cell.alt!r}")
    latex = _latex(value)
    text = printed.getvalue()
    if value is not None and not latex and not figures:
        text += repr(value)
    if long := [row for row in text.split("\n") if len(row) > COLUMNS]:
        raise ValueError(f"{tutorial.path}:{cell.line}: prints more than {COLUMNS} columns: {long[0]}")
    picture = _png(figures[0]) if figures and draw else b""
    plt.close("all")
    return Outcome(text.rstrip(), latex, picture)


def _value(cell: Cell, file: str, namespace: dict[str, Any]) -> Any:
    """Run a cell; the value of its last line, if that is an expression without a semicolon."""
    tree = ast.parse("\n" * (cell.line - 1) + cell.source, file)
    last = tree.body.pop() if isinstance(tree.body[-1], ast.Expr) else None
    exec(compile(tree, file, "exec"), namespace)
    if last is None:
        return None
    value = eval(compile(ast.Expression(last.value), file, "eval"), namespace)
    return None if cell.source.endswith(";") else value


def _latex(value: object) -> str:
    """LaTeX of SymPy's expressions and of whatever else shows itself in notebooks so."""
    if isinstance(value, list | tuple | dict) or not hasattr(value, "_repr_latex_") or "sympy" not in sys.modules:
        return ""
    return str(value._repr_latex_() or "").strip("$").removeprefix("\\displaystyle ").strip()


def _png(figure: Figure) -> bytes:
    """A picture of few colours, the same for the same figure."""
    buffer = io.BytesIO()
    figure.savefig(buffer, format="png", metadata={"Software": None})
    picture = Image.open(buffer).convert("RGB")
    picture.thumbnail((WIDTH, 2 * WIDTH), Image.Resampling.LANCZOS)
    small = io.BytesIO()
    picture.quantize(COLORS, dither=Image.Dither.NONE).save(small, format="png", optimize=True)
    return small.getvalue()
