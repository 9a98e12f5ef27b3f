"""The built site in a browser: every page at the width of a desk and of a phone, in light and dark, and its search."""

import subprocess
import sys
from pathlib import Path

import pytest

from tools.site_check import CHROMIUM, faults_of_page, faults_of_search, opened
from tools.site_check.pages import seen_by_axe

pytest.importorskip("playwright.sync_api")
pytest.importorskip("axe_playwright_python")
pytestmark = [pytest.mark.slow, pytest.mark.skipif(CHROMIUM is None, reason="needs Chromium")]
ROOT = Path(__file__).parents[2]


def test_every_page_of_the_site_shows_well(tmp_path: Path) -> None:
    pytest.importorskip("mkdocs")
    subprocess.run([sys.executable, "-m", "tools.pages"], cwd=ROOT, check=True)
    subprocess.run([sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", tmp_path], cwd=ROOT, check=True)
    with opened(tmp_path) as window:
        folders = [path.parent.relative_to(tmp_path).as_posix() for path in sorted(tmp_path.rglob("index.html"))]
        pages = [f"{folder}/".removeprefix("./") for folder in folders]
        faults = [f"{page}: {fault}" for page in pages for fault in faults_of_page(window, page)]
        assert [*faults, *faults_of_search(window)] == []


@pytest.mark.parametrize(("content", "fault"), [
    (f"<article><pre style='overflow: auto'><code>{'x' * 300}</code></pre></article>", "code is cut off"),
    (f"<p>{'x' * 300}</p>", "390 px: the page is"),
    ("<img src='https://example.invalid/x.png' alt=''>", "none may leave the reader's machine"),
    ("<script>f()</script>", "a script fails"),
    ("<img src='http://127.0.0.1:9/x.png' alt=''>", "does not load: net::"),
    (f"<p hidden>{'x' * 1_500_000}</p>", "bytes are loaded"),
    ("<p style='color: #ccc; background: white'>pale</p>", "light: color-contrast"),
    ("<img src='data:image/gif;base64,R0lGODlhAQABAAAAACw='>", "dark: image-alt"),
])  # fmt: skip
def test_faults_are_seen(content: str, fault: str, tmp_path: Path) -> None:
    viewport = "<meta name='viewport' content='width=device-width'>"
    (tmp_path / "index.html").write_text(f"<!doctype html>{viewport}<main>{content}</main>", encoding="utf-8")
    with opened(tmp_path) as window:
        assert any(fault in found for found in faults_of_page(window, ""))


def test_a_request_that_the_page_drops_is_no_fault(tmp_path: Path) -> None:
    """As of the index of the search, when the next page is opened before it is there."""
    (tmp_path / "large.bin").write_bytes(bytes(50_000_000))
    script = "const c = new AbortController(); fetch('large.bin', { signal: c.signal }).then(() => c.abort());"
    (tmp_path / "index.html").write_text(f"<!doctype html><main></main><script>{script}</script>", encoding="utf-8")
    with opened(tmp_path) as window:
        failures = []
        window.page.on("requestfailed", lambda request: failures.append(request.failure))
        with window.page.expect_event("requestfailed"):
            window.open("", 800)
        assert failures == ["net::ERR_ABORTED"] and window.taken_faults() == []


def test_a_missing_axe_is_a_fault(tmp_path: Path) -> None:
    with opened(tmp_path) as window:
        assert "were not checked" in seen_by_axe(window, None)[0]
