"""Parts of HTML pages. Names are escaped, so no text from a file becomes markup."""

import math
from collections.abc import Iterable, Sequence
from pathlib import Path

from revolute.plot.charts import text as text

POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:"
"""Content security policy of a report's page, with which the browser blocks all network requests."""


def document(title: str, body: Iterable[str]) -> str:
    """A complete HTML page that follows the browser's light or dark mode and makes no network requests."""
    style = Path(__file__).with_name("report.css").read_text(encoding="utf-8")
    head = (
        '<meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">'
        f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">'
        f'<link rel="icon" href="data:,"><title>{text(title)}</title><style>{style}</style>'
    )
    footer = "<footer>Made by Revolute. This file is self-contained.</footer>"
    inside = f'<head>{head}</head>\n<body><main>{"".join(body)}{footer}</main></body>'
    return f'<!doctype html>\n<html lang="en">{inside}</html>\n'


def digits(x: float, count: int = 3) -> str:
    """A number with a given number of significant digits; a dash if it is not finite."""
    if not math.isfinite(x):
        return "–"
    places = count - 1 - math.floor(math.log10(abs(x))) if x else 0
    plain = f"{x:.{max(places, 0)}f}" if 1e-4 <= abs(x) < 1e6 or not x else f"{x:.{count}g}"
    return plain.replace("-", "−", 1) if x < 0 else plain


def section(title: str, anchor: str, parts: Iterable[str]) -> str:
    """A heading with its content."""
    return f'<section id="{anchor}"><h2>{text(title)}</h2>{"".join(parts)}</section>'


def cell(x: object, style: str = "") -> str:
    """A cell of a table."""
    return f'<td class="{style}">{text(x)}</td>' if style else f"<td>{text(x)}</td>"


def table(headings: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table of cells in markup that scrolls on narrow pages."""
    head = "".join(f"<th>{text(heading)}</th>" for heading in headings)
    body = "\n".join(f"<tr>{''.join(row)}</tr>" for row in rows)
    return f'<div class="scroll"><table><thead><tr>{head}</tr></thead><tbody>\n{body}\n</tbody></table></div>'


def figure(caption: str, note: str, picture: str) -> str:
    """A chart with its caption, and a short note on the right."""
    return f'<figure><figcaption><span class="muted">{text(note)}</span>{text(caption)}</figcaption>{picture}</figure>'


def key_figures(figures: Iterable[tuple[str, str, str]]) -> str:
    """Key figures in large type, each with name, value and remark."""
    parts = (f"<div><dt>{text(a)}</dt><dd>{text(b)} <small>{text(c)}</small></dd></div>" for a, b, c in figures)
    return f'<dl class="figures">{"".join(parts)}</dl>'
