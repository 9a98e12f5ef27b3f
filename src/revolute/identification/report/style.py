"""The report's style sheet: light, dark, narrow and on paper."""

from __future__ import annotations

from revolute.plot.charts import STYLE as CHARTS

__all__ = ["STYLE"]

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
