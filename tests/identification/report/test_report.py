"""The report: one well-formed file without requests, whatever names stand in it; and what a browser makes of it."""

import re
import shutil
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from comparing import assert_raises
from recorded import sampled

import revolute
from revolute.errors import InputError
from revolute.identification import Fit, Validation, save_report, validate
from revolute.identification.report.markup import digits
from revolute.identification.report.page import page
from revolute.plot.charts import Band, ChartLine, Points, chart

CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
ARM = revolute.robots.planar(2).with_drives({"joint1": revolute.Drive(friction=1.0)})
VOID = ("meta", "link", "rect", "line", "circle", "path")


samples = partial(sampled, ARM, 1500, 0.05, 100.0)


@pytest.fixture(scope="module")
def fit() -> Fit:
    return revolute.identify(ARM, samples(0))


@pytest.fixture(scope="module")
def trials(fit: Fit) -> dict[str, Validation]:
    return {"Validation <b>": validate(fit, samples(1)), "Log of the fit": validate(fit, samples(0))}


class Balanced(HTMLParser):
    """Fails on a tag that closes another one than the last that was opened; collects text and attributes."""

    def __init__(self, content: str) -> None:
        super().__init__()
        self.open, self.words, self.attributes = list[str](), list[str](), list[tuple[str, str | None]]()
        self.feed(content)
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: Any) -> None:
        self.attributes += attrs
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: Any) -> None:
        self.attributes += attrs

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.words.append(data)


def test_the_page_is_well_formed_and_asks_for_nothing(fit: Fit, trials: dict[str, Validation]) -> None:
    content = page(fit, trials)
    parsed = Balanced(content)
    assert "<script" not in content and "url(" not in content and "@import" not in content
    targets = [value for name, value in parsed.attributes if name in ("src", "href", "srcset", "data", "action")]
    assert targets and all(value is not None and value.startswith(("#", "data:,")) for value in targets)
    ids = {value for name, value in parsed.attributes if name == "id"}
    assert {value[1:] for value in targets if value and value.startswith("#")} <= ids
    words = " ".join(parsed.words)
    assert "Validation <b>" in words and "Condition number" in words and "Physical consistency" in words


def test_values_of_poorly_excited_parameters_are_not_shown(fit: Fit, trials: dict[str, Validation]) -> None:
    words = " ".join(Balanced(page(fit, trials)).words)
    for name, value, verdict in zip(fit.names, fit.values, fit.verdicts, strict=True):
        assert name.partition(" ")[0] in words
        assert (digits(value, 5) in words) == (verdict == "good")
    assert set(fit.verdicts) > {"good"}


def test_links_that_cannot_exist_say_why(fit: Fit, trials: dict[str, Validation]) -> None:
    known = fit.model.values
    assert "All 2 moving links are bodies that can exist" in page(replace(fit, parameters=known), trials)
    for at, x, why in ((0, -1.0, "its mass is negative"), (6, -10.0, "one is negative"), (6, 10.0, "exceeds the sum")):
        wrong = np.where(np.arange(len(known)) == at, x, known)  # m or Izz of link1 alone
        shown = page(replace(fit, parameters=wrong), trials)
        assert "1 of 2 moving links are bodies that cannot exist" in shown and re.search(f"no: [^<]*{why}", shown)


def test_names_are_text() -> None:
    odd = "<script>alert(1)</script>\x1b[1m"
    links = [revolute.Link("base"), revolute.Link("arm", revolute.Inertia.sphere(1.0, 1.0))]
    robot = revolute.Robot.from_links("cart", links, [revolute.Joint(odd, "base", "arm", revolute.Revolute())])
    one = sampled(robot.with_drives(), 1500, 0.05)
    fit = revolute.identify(robot, one, check=False)
    content = page(fit, {odd: validate(fit, one)})
    Balanced(content)
    assert "<script" not in content and "\x1b" not in content and "&lt;script&gt;" in content


def test_files_that_cannot_be_written_are_refused(fit: Fit, trials: dict[str, Validation], tmp_path: Path) -> None:
    assert_raises(InputError, r"is written as \.html", save_report, tmp_path / "report.pdf", fit, trials)
    nowhere, path = tmp_path / "none" / "report.html", tmp_path / "report.html"
    assert_raises(InputError, "cannot be written: No such file", save_report, nowhere, fit, trials)
    assert_raises(InputError, "give at least one", save_report, path, fit, {})
    assert_raises(InputError, "save_report: fit must be of the type Fit, not 3", save_report, path, 3, trials)


def lines(content: str, kind: str = "one") -> list[np.ndarray]:
    """(T, 2) points of the lines of charts."""
    paths = re.findall(rf'class="line {kind}" d="([^"]*)"', content)
    return [np.array([[*map(float, point.split())] for point in re.split("[ML]", path)[1:]]) for path in paths]


def test_charts_have_their_points_where_they_belong() -> None:
    x = np.array([0.0, 1.0, 2.0])
    (((a, b), (c, d), (e, f)),) = lines(chart([[ChartLine(x, np.array([0.0, 10.0, 0.0]))]], "x", ["y"], "three"))
    assert (a, c, e) == (52.0, 236.0, 420.0)  # left and right margins of 52 and 10, of 430
    assert b == f > d and b - d == pytest.approx(150 / 1.12, abs=0.2)  # 6 % of room above and below
    gap = chart([[ChartLine(x, np.array([1.0, np.nan, 2.0]))]], "x", ["y"], "a gap")
    assert re.findall(r'd="([^"]*)"', gap)[0].count("M") == 2


def test_joints_without_measured_forces_say_so(fit: Fit, trials: dict[str, Validation], tmp_path: Path) -> None:
    one = samples(1)
    one.tau[:, 1] = np.nan
    save_report(tmp_path / "one.html", fit, {"one": validate(fit, one)})
    pages = page(fit, trials), (tmp_path / "one.html").read_text(encoding="utf-8")
    assert [each.count("not measured") for each in pages] == [0, 1]


def test_curves_of_a_report_run_from_left_to_right(fit: Fit, trials: dict[str, Validation]) -> None:
    for kind in ("one", "two", "three"):
        for points in lines(page(fit, trials), kind):
            assert (np.diff(points[:, 0]) >= 0).all() and np.ptp(points[:, 0]) > 350


def test_long_curves_keep_their_extremes_and_few_points() -> None:
    x = np.arange(100_000.0)
    y = np.sin(x / 5000)
    y[[12_345, 67_890]] = 7.0, -7.0
    (points,) = lines(chart([[ChartLine(x, y)]], "x", ["y"], "peaks"))
    assert len(points) < 800 and np.ptp(points[:, 1]) == pytest.approx(150 / 1.12, abs=0.2)


@pytest.mark.parametrize("marks", [
    [],
    [ChartLine(np.zeros(0), np.zeros(0))],
    [ChartLine(np.zeros(1), np.zeros(1))],
    [ChartLine(np.arange(3.0), np.full(3, np.nan))],
    [ChartLine(np.arange(3.0), np.full(3, 1e300))],
    [Band(np.arange(3.0), np.zeros(3), np.ones(3)), Points(np.arange(3.0), np.ones(3), np.full(3, np.nan))],
])  # fmt: skip
def test_charts_of_nothing_much(marks: list[Any]) -> None:
    assert Balanced(chart([marks], "x", ["y"], "little")).words[-1] == "x"  # the label of the axis comes last


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    driver = pytest.importorskip("playwright.sync_api")
    with driver.sync_playwright() as session:
        browser = session.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield browser
        browser.close()


@pytest.mark.slow
@pytest.mark.skipif(CHROMIUM is None, reason="needs Chromium")
@pytest.mark.parametrize(("width", "scheme"), [(1280, "light"), (390, "dark")])
def test_a_browser_shows_it_offline(
    browser: Any, fit: Fit, trials: dict[str, Validation], width: int, scheme: str, tmp_path: Path
) -> None:
    save_report(tmp_path / "report.html", fit, trials)
    context = browser.new_context(viewport={"width": width, "height": 800}, color_scheme=scheme, offline=True)
    view, requests, messages = context.new_page(), list[str](), list[str]()
    view.set_default_timeout(180_000)
    view.on("request", lambda request: requests.append(request.url))
    view.on("console", lambda message: messages.append(message.text))
    view.goto((tmp_path / "report.html").as_uri())
    assert [url for url in requests if not url.startswith(("file:", "data:"))] == [] and messages == []
    assert view.evaluate("document.documentElement.scrollWidth") == width  # nothing sticks out
    charts = view.locator("svg.chart")
    boxes = [charts.nth(k).bounding_box() for k in range(charts.count())]
    assert len(boxes) >= 16 and all(box["width"] > 300 and box["height"] > 100 for box in boxes)
    luminance = view.evaluate(
        "['body', 'svg.chart text'].map(x => getComputedStyle(document.querySelector(x)))"
        ".map((s, k) => (k ? s.fill : s.backgroundColor).match(/\\d+/g).slice(0, 3).map(Number))"
        ".map(c => .2126 * c[0] + .7152 * c[1] + .0722 * c[2])"
    )
    assert (luminance[0] > luminance[1]) == (scheme == "light") and abs(luminance[0] - luminance[1]) > 80
    context.close()


def test_numbers_have_one_minus() -> None:
    assert [digits(x) for x in (-1.234e-7, -1.5, 0.0, -np.inf)] == ["−1.23e-07", "−1.50", "0", "–"]
