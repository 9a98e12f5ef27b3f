"""What is wrong with how a page looks: code cut off, pages that scroll sideways, pale text, pictures without words."""

from collections.abc import Iterator
from functools import cache
from importlib.resources import files
from importlib.util import find_spec

from tools.site_check.browser import Window

DESKTOP, PHONE = 1300, 390
"""Widths of windows [px]."""
HEAVIEST = 1_500_000
"""Bytes that the first page loads before a click."""
TALLEST = 25_000
"""Height of a page of the reference [px]."""

_CUT = """() => [...document.querySelectorAll("article pre")].filter(p => p.offsetParent).map(
    pre => [pre, ...pre.querySelectorAll("code")]
).filter(boxes => boxes.some(box => box.scrollWidth > box.clientWidth + 1 && box.clientWidth)).map(
    ([pre]) => pre.innerText.split("\\n").sort((a, b) => b.length - a.length)[0])"""
"""The longest line of each block of code that is cut off."""

_WIDTH = "() => Math.max(document.documentElement.scrollWidth, document.body.scrollWidth)"
_BYTES = """() => [...performance.getEntriesByType("navigation"), ...performance.getEntriesByType("resource")].reduce(
    (sum, entry) => sum + entry.decodedBodySize, 0)"""
_HEIGHT = "() => document.documentElement.scrollHeight"

_AXE = """async rules => [...new Set((await axe.run("main", {runOnly: rules, resultTypes: ["violations"]}))
    .violations.flatMap(fault => fault.nodes.map(node => `${fault.id}: ${node.any[0]?.message ?? node.target}`)))]"""
"""Faults of each kind once: those of contrast are many, and of few colours."""
_RULES = ["color-contrast", "image-alt", "input-image-alt", "svg-img-alt", "role-img-alt", "area-alt", "object-alt"]


def faults_of_page(window: Window, path: str) -> Iterator[str]:
    """Faults of a page at two widths, and in light and dark."""
    window.open(path, DESKTOP)
    yield from (f"{DESKTOP} px: code is cut off: {line}" for line in window.page.evaluate(_CUT))
    yield from _sideways(window, DESKTOP)
    if "reference" in path and (height := window.page.evaluate(_HEIGHT)) > TALLEST:
        yield f"{height} px tall: a page of the reference has at most {TALLEST} px"
    if not path:
        window.page.wait_for_load_state("networkidle")
        if (weight := window.page.evaluate(_BYTES)) > HEAVIEST:
            yield f"{weight} bytes are loaded: the first page has at most {HEAVIEST}"
    yield from (f"light: {fault}" for fault in seen_by_axe(window, axe()))
    window.open(path, DESKTOP, "dark")
    yield from (f"dark: {fault}" for fault in seen_by_axe(window, axe()))
    window.open(path, PHONE)
    yield from _sideways(window, PHONE)
    yield from dict.fromkeys(window.taken_faults())


def _sideways(window: Window, width: int) -> Iterator[str]:
    if (whole := window.page.evaluate(_WIDTH)) > width:
        yield f"{width} px: the page is {whole} px wide and scrolls sideways"


def seen_by_axe(window: Window, script: str | None) -> list[str]:
    """What axe-core finds on the page that shows; that nothing was looked for, if there is no script of it."""
    if script is None:
        return ["contrast and texts of pictures were not checked: install axe-core, by `pip install '.[site]'`"]
    window.page.evaluate(script)
    return list(window.page.evaluate(_AXE, _RULES))


@cache
def axe() -> str | None:
    """The script of axe-core, if it is installed."""
    if find_spec("axe_playwright_python") is None:
        return None
    return files("axe_playwright_python").joinpath("axe.min.js").read_text(encoding="utf-8")
