"""Operation counts of functions and formulations: exact, next to the printed ones, in print and at the command line."""

import functools
import pickle
from collections.abc import Iterator
from pathlib import Path

import pytest
from comparing import assert_raises
from typer.testing import CliRunner

from revolute import InputError, ModelError, Robot, UnknownNameError
from revolute.cli.app import app
from revolute.library import dh_arm, planar, puma560, random_tree, stanford
from revolute.published import FORMULATIONS
from revolute.published.counting import OURS, applicable, counted, formulation
from revolute.published.ledger import LEDGERS, total
from tools.pages import operation_counts


@pytest.fixture(scope="module", autouse=True)
def counts_are_taken_once() -> Iterator[None]:
    """Several tests show the counts of the same arms."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Robot, "count", functools.cache(Robot.count))
        yield


SOURCE = {  # from 4 and 5 joints on
    ("generalized_links", "general"): ((-27, 2, 11), (-52, 27, 7)),
    ("generalized_links", "right"): ((0, -4, 7), (-34, 17, 5)),
    ("sensitivity", "general"): ((-295, 143, 46), (-322, 169, 30)),
    ("sensitivity", "right"): ((-164, 102, 29), (-232, 133, 20)),
}


@pytest.mark.parametrize(("name", "geometry"), SOURCE)
def test_counts_are_polynomials(name: str, geometry: str) -> None:
    for n in (5, 6, 7, 9):
        counts = dh_arm(n, geometry).count(formulation(name), counting="source")
        expected = [sum(c * n**k for k, c in enumerate(side)) for side in SOURCE[name, geometry]]
        assert [counts.multiplications, counts.additions] == expected, n


@pytest.mark.parametrize(("name", "general", "right"), [
    ("mass_matrix", 691, 370),
    ("inverse_dynamics_partials", 3928, 2708),
    ("coriolis_matrix", 2114, 1321),
])  # fmt: skip
def test_inertias_turn_by_the_double_angle_of_constant_twists_too(name: str, general: int, right: int) -> None:
    """BP section 6.4. By products with the twist's matrix it was 703, 3995 and 2177 for general twists."""
    for twist, most in (("general", general), ("right", right)):
        assert dh_arm(6, twist).count(name).arithmetic <= most, twist


@pytest.mark.parametrize("key", LEDGERS)
def test_ledgers_add_up_to_the_printed_totals(key: tuple[str, str]) -> None:
    printed = [p for p in FORMULATIONS[key[0]].published if p.geometry == key[1]]
    summed = total(LEDGERS[key], True, "")  # type: ignore[index]
    assert [(p.multiplications, p.additions) for p in printed] == [(summed.multiplications, summed.additions)]
    assert all((e.printed != e.priced) == bool(e.why) for e in LEDGERS[key])  # type: ignore[index]


@pytest.mark.parametrize("geometry", ["general", "right"])
def test_algorithm_6_2_grows_as_priced_and_not_as_printed(geometry: str) -> None:
    entries = LEDGERS["generalized_links", geometry]  # type: ignore[index]
    printed, priced = total(entries, True, ""), total(entries, False, "")
    multiplications, additions = SOURCE["generalized_links", geometry]
    assert printed.multiplications[2] == priced.multiplications[2] == multiplications[2]
    assert printed.additions[2] == priced.additions[2] - 1.5 == additions[2] - 1.5


def test_prices_are_those_of_the_book() -> None:
    """Of A v, tilde(a) b, and tilde(a) tilde(b) with its transpose: see `revolute.published.ledger`."""
    from revolute.graph import STRUCTURE, Input, count, trace
    from revolute.spatial.tensors import twice_symmetric
    from revolute.spatial.vectors import Vector, cross

    def cost(function: object, shape: tuple[int, ...]) -> tuple[int, int]:
        inputs = [Input("a", (3,)), Input("b", (3,))]
        found = count(trace("f", lambda a, b: [("x", shape, function(Vector(a), Vector(b)))], inputs, STRUCTURE))  # type: ignore[operator]
        return found.multiplications, found.additions

    for geometry, price in (("general", (8, 4)), ("right", (4, 2))):
        assert cost(lambda a, b, g=geometry: _turned(g, a, b), (3,)) == price
    assert cost(cross, (3,)) == (6, 3)
    assert cost(lambda a, b: [x for row in twice_symmetric(a, b) for x in row], (9,)) == (9, 9)


def _turned(geometry: str, a: object, b: object) -> object:
    """A b, with a[0] and a[1] for the cosine and sine of the joint."""
    from revolute.spatial import Rotation

    return dh_arm(3, geometry).bodies[3].placement.R @ (Rotation.about((0, 0, 1), a[0], a[1]) @ b)


@pytest.mark.parametrize("robot", [puma560(), stanford(), dh_arm(6), dh_arm(6, "right")], ids=lambda r: r.name)
def test_ours_take_the_fewest(robot: Robot) -> None:
    rows = counted(robot)
    assert {row.name for row in rows if row.ours} == {OURS[f.quantity] for f in applicable(robot)}
    for row in rows:
        ours = next(x for x in rows if x.ours and x.quantity == row.quantity)
        assert row.ours or ours.counts.arithmetic < row.counts.arithmetic, row.name
        if row.printed is not None:
            multiplications, additions = row.printed.at(6)
            extra = 0
            if row.quantity == "sensitivity":  # whose print lacks Algorithm 5.7
                extra = robot.count(formulation("augmented_links")).arithmetic
            assert ours.counts.arithmetic < multiplications + additions + extra, row.name


def test_a_count_is_that_of_the_kernel() -> None:
    robot = planar(3)
    assert robot.count("forward_dynamics") == robot.kernel("forward_dynamics").count()
    walker_orin = robot.kernel(formulation("walker_orin"))
    assert robot.count(formulation("walker_orin")) == walker_orin.count()
    assert pickle.loads(pickle.dumps(walker_orin)).count() == walker_orin.count()
    assert robot.count("jacobian", frame="link2").arithmetic < robot.count("jacobian", frame="tip").arithmetic
    generalized_links = formulation("generalized_links")
    by_row = robot.count(generalized_links, counting="source").arithmetic
    assert by_row >= robot.count(generalized_links).arithmetic
    robot = planar(2)
    q = [[0.3, -0.4], [1.0, 2.0]]
    assert abs(robot.kernel(formulation("walker_orin"))(q) - robot.mass_matrix(q)).max() < 1e-14
    D, V, P = robot.kernel(formulation("sensitivity"))(q, q, q)
    for found, ours in zip((P, V, D), robot.inverse_dynamics_partials(q, q, q), strict=True):
        assert abs(found - ours).max() < 1e-12


def test_wrong_use_is_named() -> None:
    arm = planar(2)
    words, algorithm = "no function 'walker' of a .* formulations near: walker_orin", formulation("walker_orin")
    assert_raises(UnknownNameError, words, counted, arm, ["walker"])
    assert_raises(InputError, "walker_orin has no option 'frame'; available", arm.count, algorithm, frame="link1")
    assert_raises(InputError, "'source' or 'traced', not 'all'", arm.count, algorithm, counting="all")
    assert_raises(ModelError, "for revolute joints; joint 'joint3'", counted, stanford(), ["closed_coefficients"])
    assert_raises(InputError, "joints must be a whole number, 1 or more, not 0", dh_arm, 0)
    assert_raises(InputError, "'general' or 'right', not 'left'", dh_arm, 2, "left")


def invoke(*arguments: object, status: int = 0) -> str:
    result = CliRunner().invoke(app, [str(a) for a in arguments], env={"COLUMNS": "100"})
    assert result.exit_code == status, (result.output, result.exception)
    return result.output


def test_count_prints_and_draws(tmp_path: Path) -> None:
    said = invoke("count", "planar:2", "--plot", tmp_path / "counts.png")
    for quantity in OURS:
        assert f"\n{quantity}" in said
    assert (tmp_path / "counts.png").stat().st_size > 10_000
    said = invoke("count", "dh_arm:6:right", "--algorithm", "mass_matrix", "--algorithm", "generalized_links")
    row = next(line.split() for line in said.splitlines() if "generalized_links" in line)
    counts = dh_arm(6, "right").count(formulation("generalized_links"))
    assert row == [
        *("generalized_links", str(counts.multiplications), str(counts.additions), str(counts.arithmetic)),
        *("0", "10", "271+250"),
    ]
    assert "inverse_dynamics" not in said
    assert "no function 'nothing'" in invoke("count", "ur5", "--algorithm", "nothing", status=1)


def test_compare_shows_agreement() -> None:
    lines = {words[0]: words for words in map(str.split, invoke("compare", "planar:1").splitlines()) if words}
    names = [f.name for f in applicable(planar(1))]
    assert "articulated_bodies" in names
    for name in names:
        assert float(lines[name][1]) < 1e-12, lines[name]
    assert [f.name for f in applicable(random_tree(4, 3, branching=1))] == ["closed_form_mass_matrix"]


def test_the_page_cites_what_is_not_coded() -> None:
    six, slides = operation_counts.section(dh_arm(6)), operation_counts.section(stanford())
    for name, printed in (("craig", "657+544"), ("li", "616+494"), ("wang_ravani", "1,659+1,252")):
        row = f"| {name} |  |  |  |  |  | print only | {printed} |"
        assert row in six
        assert row not in slides  # one joint is prismatic, where prints have revolute ones
    assert "wang_ravani" not in operation_counts.section(dh_arm(2))  # printed for six joints alone


def test_the_page_has_every_section(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(operation_counts, "SIZES", (2,))
    monkeypatch.setattr(operation_counts, "ROBOTS", ())
    text = operation_counts.page(planar(1))
    assert "## planar1" in text and "## Growth, right arm" in text and "6.3.30b" in text
    assert operation_counts.remarks().strip() in text and all(operation_counts.ledger(key) in text for key in LEDGERS)
    assert "| printed: 93n - 108 multiplications, 81n - 100 additions | 78+62 |" in text
