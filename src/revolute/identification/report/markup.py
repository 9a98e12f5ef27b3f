"""Pieces of the report's page. All names are text: whatever stands in a file becomes no markup."""

from __future__ import annotations

import html
import math
from collections.abc import Iterable, Sequence

from revolute.errors import printable

__all__ = ["cell", "digits", "figure", "key_figures", "section", "table", "text"]


def text(x: object) -> str:
    """Text for a page: printable, and without markup."""
    return html.escape(printable(str(x)))


def digits(x: float, count: int = 3) -> str:
    """A number with so many significant digits; a dash if it is not finite.

    Example:
        >>> from revolute.identification.report.markup import digits
        >>> digits(-0.01234), digits(1234.6), digits(2e-7)
        ('−0.0123', '1235', '2e-07')
    """
    if not math.isfinite(x):
        return "–"
    places = count - 1 - math.floor(math.log10(abs(x))) if x else 0
    plain = f"{x:.{max(places, 0)}f}" if 1e-4 <= abs(x) < 1e6 or not x else f"{x:.{count}g}"
    return plain.replace("-", "−", 1) if x < 0 else plain


def section(title: str, anchor: str, parts: Iterable[str]) -> str:
    """A heading with what follows."""
    return f'<section id="{anchor}"><h2>{text(title)}</h2>{"".join(parts)}</section>'


def cell(x: object, style: str = "") -> str:
    """A cell of a table."""
    return f'<td class="{style}">{text(x)}</td>' if style else f"<td>{text(x)}</td>"


def table(headings: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table of cells that are markup already; it scrolls by itself where a page is narrow."""
    head = "".join(f"<th>{text(heading)}</th>" for heading in headings)
    body = "\n".join(f"<tr>{''.join(row)}</tr>" for row in rows)
    return f'<div class="scroll"><table><thead><tr>{head}</tr></thead><tbody>\n{body}\n</tbody></table></div>'


def figure(caption: str, note: str, picture: str) -> str:
    """A chart with its caption, and a short note on the right."""
    return f'<figure><figcaption><span class="muted">{text(note)}</span>{text(caption)}</figcaption>{picture}</figure>'


def key_figures(figures: Iterable[tuple[str, str, str]]) -> str:
    """Large numbers: what, how much, and a remark."""
    parts = (f"<div><dt>{text(a)}</dt><dd>{text(b)} <small>{text(c)}</small></dd></div>" for a, b, c in figures)
    return f'<dl class="figures">{"".join(parts)}</dl>'
