"""The pages on performance show the tables of bench/*.md, and errors name what a table lacks."""

import re
import shutil
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))  # `bench` is a folder of the repository

from bench.performance import drawings
from bench.performance.pages import Page, made
from bench.performance.stored import BENCH, Report, StoredError, figure

ROOT = BENCH.parent


@pytest.fixture(scope="module")
def pages() -> list[Page]:
    return made()


@pytest.fixture
def copies(tmp_path: Path) -> Path:
    for file in BENCH.glob("*.md"):
        shutil.copy(file, tmp_path)
    return tmp_path


def change(file: Path, old: str, new: str, count: int = 0) -> None:
    """Replace a pattern that is there."""
    text, found = re.subn(old, new, file.read_text(encoding="utf-8"), count=count)
    assert found
    file.write_text(text, encoding="utf-8")


def test_pages_are_those_of_the_navigation(pages: list[Page]) -> None:
    navigation = (ROOT / "mkdocs.yml").read_text(encoding="utf-8")
    assert set(re.findall(r"performance/([\w-]+)\.md", navigation)) == {x.name for x in pages}


def test_pages_name_their_machine_and_plots_have_units_and_a_text_with_the_result(pages: list[Page]) -> None:
    for page in pages:
        assert page.name == "method" or "Measured on " in page.text
        for picture in page.pictures:
            assert (picture.x or picture.y) and picture.markdown() in page.text
            assert re.search(r"\d", picture.alternative) and not set("[]\n") & set(picture.alternative)


def test_a_plot_is_the_same_for_the_same_tables(pages: list[Page]) -> None:
    picture = next(x for page in pages for x in page.pictures)
    drawn = picture.svg()
    assert drawn == picture.svg() and b"dc:date" not in drawn and 1_000 < len(drawn) < 100_000


def test_changed_figures_change_pages_and_plots(pages: list[Page], copies: Path) -> None:
    change(copies / "SCALING.md", r"(?<=`inverse_dynamics` \| 2 \| )[\d.]+", "98.76", 1)
    before, after = (next(x for x in found if x.name == "scaling") for found in (pages, made(copies)))
    assert "98.76" in after.text and "98.76" not in before.text
    changed = [x.name for x, y in zip(before.pictures, after.pictures, strict=True) if x.lines != y.lines]
    assert changed == ["compiling"]


@pytest.mark.parametrize("name, old, new, told", [
    ("QUANTITIES", "call: ratio", "ratio", r"bench/QUANTITIES.md, section 'UR5, batches of'.*no column 'call: ratio'"),
    ("QUANTITIES", "## UR5, batches", "## UR5: batches", r"no section 'UR5, batches of'; there are 'UR5: batches of"),
    ("RESULTS", r"\| MuJoCo (?=\| \d)", "| Mujoco ", r"Batches on one core'.*no row 'MuJoCo'; there are"),
    ("RESULTS", "## Machine", "## Computer", r"bench/RESULTS.md: no section 'Machine'"),
    ("SCALING", "tree: ns", "bush: ns", r"no column 'tree: ns a joint'"),
    ("SCALING", r"\| rows \| new, 1 thread \|", "| rows |", r"the row of '1' has 8 cells, not 7"),
    ("ROOFLINE", r"GFLOP/s \|", "GFLOPS |", r"no column 'GFLOP/s'"),
    ("TARGETS", r"\| motions \|", "| moves |", r"no row where part is 'motions'"),
    ("INVERSE_KINEMATICS", r"\| [\d.]+ \(.*?\)", "| fast", r"'fast' is not a number"),
])  # fmt: skip
def test_what_a_report_lacks_is_told_by_name(copies: Path, name: str, old: str, new: str, told: str) -> None:
    change(copies / f"{name}.md", old, new)
    with pytest.raises(StoredError, match=told):
        made(copies)


def test_a_report_that_is_not_there_is_told(copies: Path) -> None:
    (copies / "CALLS.md").unlink()
    with pytest.raises(StoredError, match=r"bench/CALLS.md is not there; `make bench` writes it"):
        made(copies)


def test_columns_of_one_name_are_not_mixed_up(pages: list[Page]) -> None:
    found = Report.read("RESULTS").first_table()
    with pytest.raises(StoredError, match="more than one column 'ratio'"):
        found.column("ratio")
    index = next(x.text for x in pages if x.name == "index")
    assert all(f"| {' | '.join(row)} |" in index for row in found.rows)


def test_numbers_of_cells() -> None:
    cells = {"1,169": 1169.0, "38 ×": 38.0, "≥ 2.5 ×": 2.5, "331 (187, 20%)": 331.0, "-0.2 %": -0.2, "1.1e-10": 1.1e-10}
    assert {x: figure(x) for x in cells} == cells


def test_ratios_are_those_of_the_table() -> None:
    report = Report.read("QUANTITIES")
    picture = drawings.ratios(report, "UR5", "x")
    row = report.table("UR5, batches of").row("mass_matrix")
    assert picture.lines[0].y[picture.lines[0].x.index("mass_matrix")] == figure(row["batch: ratio"])
