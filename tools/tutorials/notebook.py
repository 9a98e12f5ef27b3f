"""A tutorial as a notebook of Jupyter (nbformat 4.5) that was run: with what it prints, and its pictures."""

import base64
import hashlib
import json
import re
from collections.abc import Iterator
from typing import Any

from tools.tutorials.data import unpacking
from tools.tutorials.page import needs
from tools.tutorials.running import Outcome
from tools.tutorials.source import Cell, Tutorial

_RELATIVE_LINK = re.compile(r"(?<!!)\[([^\]]+)\]\((?!https?:)[^)]+\)")


def notebook(tutorial: Tutorial, outcomes: list[Outcome]) -> str:
    """JSON of a notebook; the same source and outcomes give the same text."""
    top = f"# {tutorial.header['title']}\n\nFrom a checkout of Revolute, {needs(tutorial)} installs what this needs."
    document = {
        "cells": [_text(top), *_data(tutorial), *_cells(tutorial, iter(outcomes))],
        "metadata": {
            "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
            "language_info": {"name": "python"},
        },
        "nbformat": 4,
        "nbformat_minor": 5,
    }
    _name(document["cells"])
    return json.dumps(document, indent=1, ensure_ascii=False, sort_keys=True) + "\n"


def _data(tutorial: Tutorial) -> Iterator[dict[str, Any]]:
    """A folded cell that writes the files that the code reads, so that the notebook runs in an empty folder."""
    if code := unpacking(tutorial):
        yield _code(Cell(code, False, 0, tags=("answer",)), Outcome())


def _cells(tutorial: Tutorial, outcomes: Iterator[Outcome]) -> Iterator[dict[str, Any]]:
    answering = False
    for cell in tutorial.cells:
        if cell.is_answer and not answering:
            yield _text("**Answer**")
        answering = cell.is_answer
        yield _text(_RELATIVE_LINK.sub(r"\1", cell.source)) if cell.is_text else _code(cell, next(outcomes))


def _text(source: str) -> dict[str, Any]:
    return {"cell_type": "markdown", "metadata": {}, "source": source.splitlines(keepends=True)}


def _code(cell: Cell, outcome: Outcome) -> dict[str, Any]:
    return {
        "cell_type": "code",
        "execution_count": None,
        "metadata": {"jupyter": {"source_hidden": True}} if cell.is_answer else {},
        "outputs": [*_outputs(cell, outcome)],
        "source": cell.source.splitlines(keepends=True),
    }


def _outputs(cell: Cell, outcome: Outcome) -> Iterator[dict[str, Any]]:
    if outcome.text:
        yield {"name": "stdout", "output_type": "stream", "text": (outcome.text + "\n").splitlines(keepends=True)}
    if outcome.latex:
        yield _shown({"text/latex": [f"$${outcome.latex}$$"]})
    if outcome.figure:
        yield _shown({"image/png": base64.b64encode(outcome.figure).decode() + "\n", "text/plain": [cell.alt]})


def _shown(data: dict[str, Any]) -> dict[str, Any]:
    return {"data": data, "metadata": {}, "output_type": "display_data"}


def _name(cells: list[dict[str, Any]]) -> None:
    """Ids by content: a cell that is put in between does not change those of others."""
    seen: dict[str, int] = {}
    for cell in cells:
        digest = hashlib.sha256("".join(cell["source"]).encode()).hexdigest()[:8]
        seen[digest] = seen.get(digest, 0) + 1
        cell["id"] = f"{digest}-{seen[digest]}"
