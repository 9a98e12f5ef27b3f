"""Parts of HTML pages. Names are escaped, so no text from a file becomes markup."""

import math
from collections.abc import Iterable, Sequence

from revolute.plot.charts import STYLE as CHARTS
from revolute.plot.charts import text as text

STYLE = (
    """
:root { color-scheme: light dark; --ink: #1b2a41; --muted: #5c6b7d; --rule: #dfe3e8; --paper: #ffffff;
  --card: #f7f8fa;
  --one: #0b6e99; --two: #d9730d; --three: #8a5cc7; --good: #0f7b6c; --usable: #a66300; --poor: #c0392b; }
@media (prefers-color-scheme: dark) {
  :root { --ink: #e4e8ee; --muted: #9aa7b6; --rule: #323b48; --paper: #12171f; --card: #1a212b;
    --one: #58b4dd; --two: #f0a35a; --three: #b799e6; --good: #4cc3ae; --usable: #e0a848; --poor: #ef7f73; } }
* { box-sizing: border-box; }
body { margin: 0; background: var(--paper); color: var(--ink);
  font: 15px/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif; }
main { max-width: 1320px; margin: 0 auto; padding: 24px 20px 64px; }
h1 { font-size: 1.75rem; line-height: 1.2; margin: 0 0 4px; overflow-wrap: anywhere; }
h2 { font-size: 1.3rem; margin: 44px 0 8px; padding-top: 12px; border-top: 1px solid var(--rule); }
h3 { font-size: 1.05rem; margin: 26px 0 6px; }
p { margin: 6px 0; max-width: 82ch; } .muted, figcaption .muted, .unit { color: var(--muted); }
a { color: var(--one); } nav { margin: 14px 0 0; display: flex; flex-wrap: wrap; gap: 4px 18px; }
.verdict { margin: 18px 0; padding: 14px 18px; border-left: 5px solid var(--tone); background: var(--card);
  border-radius: 0 8px 8px 0; }
.verdict b:first-child { color: var(--tone); font-size: 1.15rem; text-transform: capitalize; }
.verdict ul { margin: 8px 0 0; padding-left: 20px; } .verdict li { margin: 3px 0; overflow-wrap: anywhere; }
.good { --tone: var(--good); } .usable { --tone: var(--usable); } .poor { --tone: var(--poor); }
.none { --tone: var(--muted); }
.figures { display: grid; grid-template-columns: repeat(auto-fit, minmax(150px, 1fr)); gap: 10px; margin: 16px 0;
  padding: 0; }
.figures div { background: var(--card); border-radius: 8px; padding: 10px 14px; }
.figures dt { color: var(--muted); font-size: .86rem; }
.figures dd { margin: 0; font-size: 1.25rem; font-weight: 600; }
.figures dd small { font-size: .8rem; font-weight: 400; color: var(--muted); }
.scroll { overflow-x: auto; margin: 10px 0; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; min-width: min(100%, 640px); }
th, td { text-align: right; padding: 4px 12px; border-bottom: 1px solid var(--rule); white-space: nowrap;
  vertical-align: top; }
th { color: var(--muted); font-weight: 600; font-size: .86rem; border-bottom-width: 2px; }
th:first-child, td:first-child { text-align: left; padding-left: 0; }
td.words, th.words { text-align: left; white-space: normal; }
td.name { white-space: normal; overflow-wrap: anywhere; min-width: 200px; max-width: 620px; }
td.name small { color: var(--muted); } td.bad { color: var(--poor); font-weight: 600; }
td.fine { color: var(--good); }
.charts { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(340px, 100%), 1fr)); gap: 16px 22px; }
figure { margin: 0; min-width: 0; } figcaption { font-weight: 600; overflow-wrap: anywhere; }
figcaption .muted { font-weight: 400; float: right; }
.key { display: inline-block; width: 18px; height: 0; border-top: 3px solid; vertical-align: middle;
  margin: 0 4px 0 12px; }
.key:first-child { margin-left: 0; } .key.one { color: var(--one); } .key.two { color: var(--two); }
.key.three { color: var(--three); }
.sums { columns: 300px; column-gap: 36px; padding-left: 18px; font-size: .92rem; }
.sums li { break-inside: avoid; overflow-wrap: anywhere; }
.sums small { color: var(--muted); }
footer { margin-top: 48px; color: var(--muted); font-size: .86rem; }
"""
    + CHARTS
    + """
@media print {
  :root { color-scheme: light; --ink: #000; --muted: #444; --rule: #ccc; --paper: #fff; --card: #fff;
    --one: #0b6e99; --two: #d9730d; --three: #8a5cc7; --good: #0f7b6c; --usable: #a66300; --poor: #c0392b; }
  * { print-color-adjust: exact; -webkit-print-color-adjust: exact; }
  body { font-size: 9.5pt; } main { padding: 0; max-width: none; } nav { display: none; }
  .scroll { overflow: visible; } table { width: 100%; min-width: 0; }
  th, td { padding: 2px 5px; white-space: normal; } td.name { min-width: 0; }
  .charts { grid-template-columns: repeat(2, 1fr); gap: 10px 16px; }
  figure, tr, .verdict, .figures { break-inside: avoid; } h2, h3 { break-after: avoid; } }
"""
)


POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:"
"""Content security policy of a report's page, with which the browser blocks all network requests."""


def document(title: str, body: Iterable[str]) -> str:
    """A whole page in the browser's light or dark mode that makes no network requests."""
    head = (
        '<meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">'
        f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">'
        f'<link rel="icon" href="data:,"><title>{text(title)}</title><style>{STYLE}</style>'
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
