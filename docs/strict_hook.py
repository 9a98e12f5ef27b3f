"""Faults of the built pages that MkDocs does not see: each is a warning, and with `--strict` the build fails."""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

_log = logging.getLogger("mkdocs.hooks.strict")

_PLAIN = frozenset((
    "a", "abbr", "article", "aside", "blockquote", "br", "code", "dd", "del", "details", "div", "dl", "dt", "em",
    "figcaption", "figure", "h1", "h2", "h3", "h4", "h5", "h6", "hr", "img", "ins", "kbd", "li", "mark", "nav",
    "noscript", "ol", "p", "pre", "section", "small", "span", "strong", "sub", "summary", "sup", "table", "tbody", "td",
    "tfoot", "th", "thead", "tr", "ul", "wbr",
))
_WITH_ATTRIBUTES = frozenset((
    "button", "canvas", "form", "iframe", "input", "label", "link", "option", "output", "script", "select",
    "source", "style", "video",
))
"""Elements that pages use with attributes alone; without them they are words in angle brackets, as of a URDF file."""

_DRAWN = frozenset(("math", "svg"))
_LOADED = {"src", "srcset", "poster", "data"}


def on_post_build(config: Any, **_: Any) -> None:
    """Warn of each fault."""
    for fault in faults(Path(config.site_dir)):
        _log.warning(fault)


def faults(site: Path) -> Iterator[str]:
    """What is wrong with the pages of a folder: one line each."""
    pages = {path.resolve(): Page(path) for path in sorted(site.rglob("*.html"))}
    titles = Counter(page.title for page in pages.values())
    yield from (f"{n} pages have the title {title!r}" for title, n in titles.items() if title and n > 1)
    for path, page in pages.items():
        where = path.relative_to(site.resolve())
        reference = "reference" in where.parts
        yield from (f"{where}: {fault}" for fault in page.faults)
        if reference and page.has_quotation:
            yield f"{where}: a block quotation; prompts of examples belong in a section Example"
        yield from (f"{where}: {fault}" for fault in _broken(path, page, pages, site.resolve()))


def _broken(path: Path, page: Page, pages: dict[Path, Page], site: Path) -> Iterator[str]:
    """Links of a page to nowhere."""
    for link in sorted(page.links):
        parts = urlsplit(link)
        if parts.scheme or parts.netloc:
            continue
        start = site if parts.path.startswith("/") else path.parent
        target = (start / unquote(parts.path).lstrip("/")).resolve() if parts.path else path
        if target.is_dir():
            target /= "index.html"
        if not target.exists():
            yield f"{link} leads nowhere"
        elif parts.fragment and target in pages and unquote(parts.fragment) not in pages[target].anchors:
            yield f"{link}: the page has no such place"


class Page(HTMLParser):
    """A page: its faults, links and places that links can name."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.faults: list[str] = []
        self.links: set[str] = set()
        self.anchors: set[str] = {"", "__top"}
        self.has_quotation = False
        self._in_content = 0
        self._in_title = False
        self.title = ""
        self._drawn: list[str] = []
        text = path.read_text(encoding="utf-8")
        self.feed(text)
        if "BLANKLINE" in text:
            self.faults.append("<BLANKLINE> shows in an example")

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Look at an element."""
        values = {name: value or "" for name, value in attrs}
        self.anchors.update(values[name] for name in ("id", "name") if name in values)
        self._in_content += tag == "article"
        self._in_title = tag == "title" and not self._drawn
        self.has_quotation |= tag == "blockquote"
        usual = tag in _PLAIN or tag in _DRAWN or (tag in _WITH_ATTRIBUTES and attrs)
        if self._in_content and not self._drawn and not usual:
            self.faults.append(f"an element <{tag}> that no page uses: write text in angle brackets as `code`")
        if tag in _DRAWN:
            self._drawn.append(tag)
        self._look_at_addresses(tag, values)

    def handle_endtag(self, tag: str) -> None:
        """Leave an element."""
        self._in_content -= tag == "article"
        self._in_title = False
        if self._drawn and self._drawn[-1] == tag:
            self._drawn.pop()

    def handle_data(self, data: str) -> None:
        """The title."""
        if self._in_title:
            self.title += data

    def _look_at_addresses(self, tag: str, values: dict[str, str]) -> None:
        """Keep links, and find what a browser would load from elsewhere."""
        loaded = [value for name, value in values.items() if name in _LOADED]
        if tag == "link":
            loaded.append(values.get("href", ""))
        elif tag == "a" and "href" in values:
            self.links.add(values["href"])
        for address in loaded:
            if address.startswith(("http:", "https:", "//")):
                self.faults.append(f"<{tag}> loads {address}: no request may leave the reader's machine")
            elif address and not address.startswith(("data:", "blob:")) and "srcset" not in values:
                self.links.add(address)
