"""The view in a real browser: pictures show the robot, sliders move it, recordings need no network."""

import io
import shutil
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from robots import FILES
from test_view import five_bar

import revolute
from revolute import ModelWarning
from revolute.view.server import BACKGROUND

pytest.importorskip("viser")
playwright = pytest.importorskip("playwright.sync_api")
CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
pytestmark = [pytest.mark.slow, pytest.mark.skipif(CHROMIUM is None, reason="needs Chromium")]
ARGUMENTS = ["--no-sandbox", "--use-gl=angle", "--use-angle=swiftshader", "--enable-unsafe-swiftshader"]
LONG = 180_000
"""Milliseconds that a picture may take where a processor draws it."""
HALF = {"x": 0, "y": 170, "width": 430, "height": 350}
"""The part of the window beside the panel and below the notices."""


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with playwright.sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)
        yield browser
        browser.close()


def page_of(browser: Any, **options: Any) -> Any:
    page = browser.new_context(viewport={"width": 800, "height": 520}, **options).new_page()
    page.set_default_timeout(LONG)
    return page


def picture(page: Any) -> np.ndarray[Any, Any]:
    """(height, width, 3) of the scene."""
    from PIL import Image

    return np.asarray(Image.open(io.BytesIO(page.screenshot(clip=HALF))).convert("RGB")).astype(int)


def robot_pixels(image: np.ndarray[Any, Any]) -> int:
    """Pixels that are neither background nor floor: the lines of the floor are light."""
    return int((abs(image - BACKGROUND).max(axis=2) > 110).sum())


def shown(page: Any, most: int = 40) -> np.ndarray[Any, Any]:
    """The picture once it stands still and has a robot in it."""
    before = picture(page)
    for _ in range(most):
        page.wait_for_timeout(1500)
        after = picture(page)
        if robot_pixels(after) > 300 and abs(after - before).max() <= 8:
            return after
        before = after
    raise AssertionError(f"no still picture of a robot: {robot_pixels(before)} of its pixels")


def view_of(name: str) -> Any:
    if name == "five-bar":
        return five_bar().view([2.0, -1.2, 1.0, 1.3])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ModelWarning)  # of descriptions, not of the view
        robot = revolute.load(FILES[name])
    return robot.view()


@pytest.mark.parametrize(
    "name", ["ur_description/ur5_robot", "panda_description/panda", "talos_data/talos_reduced", "five-bar"]
)
def test_the_browser_shows_the_robot_live_and_from_disk(browser: Any, name: str, tmp_path: Path) -> None:
    with view_of(name) as view:
        page = page_of(browser)
        page.goto(view.url)
        live = shown(page)
        page.context.close()
        view.save(tmp_path / "robot.html")
    requests: list[str] = []
    page = page_of(browser, offline=True)
    page.on("request", lambda request: requests.append(request.url))
    page.goto((tmp_path / "robot.html").as_uri())
    recorded = shown(page)
    page.context.close()
    assert [url for url in requests if not url.startswith(("file:", "data:", "blob:"))] == []
    # links have the same pixels but for the panel's shadow and rounding at edges
    count = robot_pixels(live)
    assert abs(robot_pixels(recorded) - count) < 0.1 * count


def test_a_saved_notebook_shows_a_picture_once_the_view_is_closed(browser: Any, tmp_path: Path) -> None:
    notebook = tmp_path / "notebook.html"
    page = page_of(browser)
    with revolute.robots.ur5().view() as view:
        notebook.write_text(f"<!doctype html>{view._repr_html_()}", encoding="utf-8")
        page.goto(notebook.as_uri())
        shown(page)
        assert not page.locator("object img").is_visible() and not page.get_by_text("run the cell").is_visible()
    page.goto(notebook.as_uri())
    page.locator("object img").wait_for()
    assert page.get_by_text("run the cell").is_visible()
    page.context.close()


def test_a_slider_in_the_browser_moves_links(browser: Any) -> None:
    robot = revolute.robots.planar(2)
    with robot.view([0.0, 0.5]) as view:
        page = page_of(browser)
        page.goto(view.url)
        before = shown(page)
        page.locator("input:visible").first.wait_for()
        page.get_by_role("slider").first.focus()
        for _ in range(40):
            page.keyboard.press("ArrowRight")
        after = shown(page)
        for _ in range(40):
            if view.q[0] > 0.1:
                break
            page.wait_for_timeout(500)
        assert view.q[0] > 0.1 and view.q[1] == pytest.approx(0.5, abs=0.01)
        nodes = view._shown[0].figures[0].links
        np.testing.assert_allclose(
            [node.position for node in nodes], robot.forward_kinematics(view.q)[:, :3, 3], atol=1e-12
        )
        assert (abs(after - before).max(axis=2) > 60).sum() > 100
        page.context.close()
