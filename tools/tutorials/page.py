"""A tutorial as a page of the site."""

import textwrap
from collections.abc import Iterator
from itertools import groupby

from tools.tutorials.running import Outcome
from tools.tutorials.source import Cell, Tutorial


def page(tutorial: Tutorial, outcomes: list[Outcome]) -> str:
    """Markdown: title, required extras, and all cells; answers are folded."""
    return "\n\n".join(part for part in _parts(tutorial, outcomes) if part) + "\n"


def figures(tutorial: Tutorial, outcomes: list[Outcome]) -> dict[str, bytes]:
    """The pictures of a page by their file names."""
    pictures = [outcome.figure for outcome in outcomes if outcome.figure]
    return {f"{tutorial.name}-{number}.png": picture for number, picture in enumerate(pictures, 1)}


def needs(tutorial: Tutorial) -> str:
    """How to install what the code needs."""
    return f'`pip install ".[{",".join(tutorial.extras)}]"`'


def _parts(tutorial: Tutorial, outcomes: list[Outcome]) -> Iterator[str]:
    yield f"# {tutorial.header['title']}"
    yield (
        f"*About {tutorial.header['minutes']} minutes. From a checkout, {needs(tutorial)} installs what it needs.*\n"
        f"[Download as a notebook]({tutorial.name}.ipynb){{ download }}"
    )
    numbers = iter(range(1, len(outcomes) + 1))
    given = iter(outcomes)
    for folded, cells in groupby(tutorial.cells, key=lambda cell: cell.is_answer):
        body = "\n\n".join(_cell(cell, tutorial, given, numbers) for cell in cells)
        yield '??? success "Answer"\n\n' + textwrap.indent(body, "    ") if folded else body


def _cell(cell: Cell, tutorial: Tutorial, outcomes: Iterator[Outcome], numbers: Iterator[int]) -> str:
    if cell.is_text:
        return cell.source
    outcome = next(outcomes)
    parts = [f"```python\n{cell.source}\n```"]
    if outcome.text:
        parts.append(f"``` {{ .text .output }}\n{outcome.text}\n```")
    if outcome.latex:
        parts.append(f"$${outcome.latex}$$")
    if outcome.figure:
        parts.append(f"![{cell.alt}]({tutorial.name}-{next(numbers)}.png)")
    return "\n\n".join(parts)
