"""A browser that shows a folder of pages, and a list of what it asked for elsewhere."""

import shutil
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import urljoin

CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
LONG = 120_000
"""Milliseconds that a step may take on a busy machine."""


@dataclass
class Window:
    """A window of the browser, and what went wrong in it since the last page."""

    page: Any
    address: str
    faults: list[str] = field(default_factory=list)

    def open(self, path: str, width: int, scheme: str = "light") -> None:
        """Show a page of the site, `path/index.html`, in a window of some width."""
        self.page.set_viewport_size({"width": width, "height": 900})
        self.page.emulate_media(color_scheme=scheme)
        self.page.goto(urljoin(self.address, path), wait_until="load")

    def taken_faults(self) -> list[str]:
        """Faults since the last call."""
        faults, self.faults = self.faults, []
        return faults


@contextmanager
def opened(site: Path) -> Iterator[Window]:
    """A window on a folder of pages, served to this machine alone."""
    from playwright.sync_api import sync_playwright

    with _served(site) as address, sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        window = Window(browser.new_page(), address)
        window.page.set_default_timeout(LONG)
        window.page.on("request", lambda request: _note_request(window, request.url))
        window.page.on("requestfailed", lambda request: _note_failure(window, request))
        window.page.on("response", lambda response: _note_response(window, response))
        window.page.on("pageerror", lambda error: window.faults.append(f"a script fails: {error}"))
        yield window
        browser.close()


def _note_request(window: Window, url: str) -> None:
    if not url.startswith((window.address, "data:", "blob:")):
        window.faults.append(f"a request to {url}: none may leave the reader's machine")


def _note_failure(window: Window, request: Any) -> None:
    """A request that fails; one that the page drops, as when the next page is opened, is no fault."""
    if request.failure != "net::ERR_ABORTED":
        window.faults.append(f"{request.url} does not load: {request.failure}")


def _note_response(window: Window, response: Any) -> None:
    if response.status >= 400:
        window.faults.append(f"{response.url} does not load: {response.status}")


class _Quiet(SimpleHTTPRequestHandler):
    """Serves files, and says nothing."""

    def log_message(self, *_: Any) -> None:
        """Nothing."""


@contextmanager
def _served(site: Path) -> Iterator[str]:
    """The address of a server for a folder."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(_Quiet, directory=site))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/"
    finally:
        server.shutdown()
        server.server_close()
