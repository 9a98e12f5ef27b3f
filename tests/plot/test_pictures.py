"""Pictures show the numbers that they are made of: what stands in their axes is read back.

Their colours can be read on white, and on dark pages of the documentation, which turn figures dark.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from cli.calling import run
from matplotlib import rc_context, rcParams
from matplotlib.colors import to_hex, to_rgb
from robots import one_joint

import revolute
from revolute import Inertia, Joint, Limits, Link, Robot, plot
from revolute.cli import pick_and_place as demo
from revolute.io import trajectory
from revolute.plot.style import COLOURS, INK, LIMIT, STYLE
from revolute.published.counting import counted

BOX = Inertia.from_com(1, (0.1, 0.2, 0.3), ((0.2, 0, 0), (0, 0.2, 0), (0, 0, 0.2)))


def crane() -> Robot:
    """A rail, a hinge and a slide, with efforts for two of them, and limits of all kinds."""
    joints = [
        Joint("rail_joint", "base", "cart", revolute.Prismatic((1, 0, 0)), limits=Limits((-1,), (2,), (), (30,))),
        Joint("hinge", "cart", "jib", revolute.Revolute((0, 1, 0)), limits=Limits((-0.5,), (0.5,), (), (4,))),
        Joint("slide", "jib", "hook", revolute.Prismatic((0, 0, 1))),
        Joint("lift", "hook", "load", revolute.Prismatic((0, 0, 1)), limits=Limits((), (), (), (np.inf,))),
    ]
    return Robot.from_links("crane", [Link("base"), *(Link(joint.child, BOX) for joint in joints)], joints)


def levels(axes: Any) -> list[float]:
    """Heights of horizontal lines across the axes."""
    return sorted(float(line.get_ydata()[0]) for line in axes.lines if list(line.get_xdata()) == [0, 1])


def words(axes: Any) -> tuple[str, ...]:
    """Both titles, and the labels of both axes."""
    return (axes.get_title("left"), axes.get_title("right"), axes.get_xlabel(), axes.get_ylabel())


def by_name(axes: Any, places: Sequence[float], values: Sequence[Any]) -> dict[str, Any]:
    """Values by the names at their places on the vertical axis."""
    labels = axes.yaxis.get_major_formatter().format_ticks(axes.get_yticks())
    known = dict(zip(axes.get_yticks(), labels, strict=True))
    return {known[round(place)]: value for place, value in zip(places, values, strict=True)}


def assert_curves(axes: Any, x: np.ndarray, *ys: np.ndarray) -> None:
    found = [np.column_stack(x.get_data()) for x in axes.lines if len(x.get_xdata()) > 2]  # no lines of limits
    assert len(found) == len(ys)
    for points, y in zip(found, ys, strict=True):
        np.testing.assert_array_equal(points, np.column_stack([x, y]))


def test_joint_forces_stand_over_time_in_their_own_panels() -> None:
    robot, t = crane(), np.linspace(2, 3, 11)
    tau = np.column_stack([35 * np.cos(9 * t), 2 + t, -3 * t, t**2])
    figure = plot.joint_forces(robot, t, tau, "forces")
    assert figure.get_suptitle() == "forces" and len(figure.axes) == 4
    for axes, force in zip(figure.axes, tau.T, strict=True):
        assert_curves(axes, t, force)
        assert axes.get_xlim() == (2, 3)
        low, high = axes.get_ylim()
        assert low < min(force) and high > max(force)
    peaks = abs(tau).max(axis=0)
    assert [words(axes) for axes in figure.axes] == [
        ("rail", f"peak {peaks[0]:.1f} of 30 N", "", "force [N]"),
        ("hinge", "peak 5.00 of 4 N m", "time [s]", "torque [N m]"),
        ("slide", "peak 9.00 N", "time [s]", "force [N]"),
        ("lift", "peak 9.00 N", "time [s]", "force [N]"),
    ]
    assert [levels(axes) for axes in figure.axes] == [[-30, 30], [-4, 4], [], []]
    assert figure.axes[0].get_ylim() == pytest.approx((-1.15 * peaks[0], 1.15 * peaks[0]))
    assert plot.joint_forces(robot, t, tau / 100, "forces").axes[0].get_ylim() == pytest.approx((-1.15 * 30, 1.15 * 30))


@pytest.mark.parametrize("timed", [True, False], ids=["time", "rows"])
def test_torque_draws_the_forces_that_it_writes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, timed: bool) -> None:
    robot, t = crane(), 4 + np.arange(30) / 10
    q, qd, qdd = np.random.default_rng(7).standard_normal((3, 30, 4))
    names = [f"{quantity}.{joint}" for quantity in ("q", "qd", "qdd") for joint in robot.joint_names]
    arrays = (np.column_stack([q, qd, qdd]),)
    trajectory.write(tmp_path / "q.csv", ["t", *names] if timed else names, *([t, *arrays] if timed else arrays))
    revolute.save(robot, tmp_path / "crane.toml")
    drawn: list[Any] = []
    monkeypatch.setattr(plot, "save", lambda figure, path: drawn.append(figure))
    run("torque", tmp_path / "crane.toml", tmp_path / "q.csv", "--plot", tmp_path / "a.png")
    tau, x = robot.inverse_dynamics(q, qd, qdd), t if timed else np.arange(30.0)
    for axes, force in zip(drawn[0].axes, tau.T, strict=True):
        assert_curves(axes, np.repeat(x, 2), np.repeat(force, 2))  # lowest and highest of each row
    assert drawn[0].axes[1].get_xlabel() == ("time [s]" if timed else "row")


def test_a_motion_has_positions_over_time_and_energies() -> None:
    robot, t = crane(), np.linspace(0, 1, 101)
    moved = robot.simulate([0.5, 0.2, 0.1, 0.0], [1.0, 0.5, 0.0, 0.2], None, t)
    figure = plot.motion(robot, moved, "swing")
    assert figure.get_suptitle() == "swing" and len(figure.axes) == 5
    for axes, q in zip(figure.axes, moved.q.T, strict=False):
        assert_curves(axes, t, q)
    assert_curves(figure.axes[4], t, moved.kinetic_energy, moved.potential_energy, moved.energy)
    assert [text.get_text() for text in figure.axes[4].get_legend().get_texts()] == ["kinetic", "potential", "total"]
    assert [words(axes) for axes in figure.axes] == [
        ("rail", "", "", "position [m]"),
        ("hinge", "", "", "angle [rad]"),
        ("slide", "", "time [s]", "position [m]"),
        ("lift", "", "time [s]", "position [m]"),
        ("energy", "", "time [s]", "energy [J]"),
    ]


def test_limits_are_drawn_where_a_motion_comes_near_to_them() -> None:
    """Within a quarter of the motion's own range."""
    robot, t = crane(), np.linspace(0, 1, 11)
    moved = robot.simulate(np.zeros(4), np.zeros(4), None, t)

    def drawn(low: float, high: float) -> list[float]:
        q = np.zeros((11, 4))
        q[:, 1] = np.linspace(low, high, 11)
        return levels(plot.motion(robot, type(moved)(**{**vars(moved), "q": q}), "swing").axes[1])

    assert drawn(-0.1, 0.1) == [] and drawn(0.0, 0.39) == [] and drawn(0.0, 0.41) == [0.5]
    assert drawn(-0.6, 0.0) == [-0.5] and drawn(-0.45, 0.45) == [-0.5, 0.5]


def test_parts_of_joints_have_their_names() -> None:
    free = revolute.robots.random_tree(1, 3, base="free")
    plane, ball = one_joint(revolute.Planar()), one_joint(revolute.Spherical())
    t = np.linspace(0, 1, 11)
    rows = (free, "x y z", "position [m]"), (plane, "x y", "position [m]"), (ball, "qx qy qz qw", "quaternion")
    for robot, parts, label in rows:
        moved = robot.simulate(robot.neutral(), np.ones(robot.nv), None, t)
        axes = plot.motion(robot, moved, "tumble").axes[0]
        assert_curves(axes, t, *moved.q[:, : len(parts.split())].T)
        assert [text.get_text() for text in axes.get_legend().get_texts()] == parts.split()
        assert axes.get_ylabel() == label


def test_axes_of_trajectories_have_their_units() -> None:
    figure = revolute.trajectory.spline(revolute.robots.planar(2), [[0, 0], [1, 1]], 1.0).plot()
    labels = [axes.get_ylabel() for axes in figure.axes]
    assert labels == ["position [rad]", "velocity [rad/s]", "acceleration [rad/s²]"]


def test_long_motions_are_thinned_evenly() -> None:
    robot, t = revolute.robots.planar(1), np.linspace(0, 1, 20_001)
    moved = robot.simulate([0.0], [0.0], None, t)
    figure = plot.motion(robot, moved, "fall")
    assert_curves(figure.axes[0], t[::5], moved.q[::5, 0])
    energies = (moved.kinetic_energy, moved.potential_energy, moved.energy)
    assert_curves(figure.axes[1], t[::5], *(energy[::5] for energy in energies))


def test_the_demonstration_shows_forces_powers_and_shares() -> None:
    robot, t, rng = revolute.robots.ur5(), np.linspace(1, 5, 21), np.random.default_rng(3)
    qd, tau, empty = rng.standard_normal((3, 21, 6)) * [[[3]], [[40]], [[20]]]
    spans = [plot.Span(2.0, 3.0, "carrying"), plot.Span(3.5, 4.0, "again")]
    figure = plot.pick_and_place(robot, t, qd, tau, empty, spans, "demo")
    names = [name.removesuffix("_joint").replace("_", " ") for name in robot.joint_names]
    assert figure.get_suptitle() == "demo" and len(figure.axes) == 8
    for i, axes in enumerate(figure.axes[:6]):
        assert_curves(axes, t, tau[:, i], empty[:, i])
        assert [to_hex(line.get_color()) for line in axes.lines if len(line.get_xdata()) > 2][1] == plot.FAINT
        assert levels(axes) == [-robot.effort_limits[i], robot.effort_limits[i]]
        assert (axes.get_title("left"), axes.get_ylabel()) == (names[i], "torque [N m]")
    assert_curves(figure.axes[6], t, *(tau * qd).T)
    assert words(figure.axes[6]) == ("mechanical power", "", "time [s]", "power [W]")
    for axes in figure.axes[:7]:
        shaded = [(patch.get_x(), patch.get_x() + patch.get_width()) for patch in axes.patches]
        assert shaded == [(2.0, 3.0), (3.5, 4.0)]
    assert [(note.get_text(), note.xy[0]) for note in figure.axes[6].texts] == [("carrying", 2.5), ("again", 3.75)]
    axes = figure.axes[7]
    share = 100 * abs(tau).max(axis=0) / robot.effort_limits
    bars = sorted(axes.patches, key=lambda bar: -bar.get_y())  # from the top
    assert [bar.get_width() for bar in bars] == pytest.approx(list(share), rel=1e-14)
    assert list(by_name(axes, [bar.get_y() + bar.get_height() / 2 for bar in bars], bars)) == names
    assert [to_hex(bar.get_facecolor()) for bar in bars] == list(COLOURS)
    assert words(axes) == ("peak torque", "", "share of the rated effort [%]", "")
    assert [line.get_xdata()[0] for line in axes.lines] == [100]
    said = {note.xy: note.get_text() for note in axes.texts}
    assert len(said) == 6 and all(text == (f"{x:.0f} %" if x >= 1 else "< 1 %") for (x, _), text in said.items())
    assert axes.get_xlim()[1] >= max(share)


def test_the_demonstration_draws_what_it_computed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    drawn: list[Any] = []
    monkeypatch.setattr(plot, "save", lambda figure, path: drawn.append(figure))
    found = demo.computed()
    demo._draw(found, tmp_path / "a.png")
    t, held = found.t, np.flatnonzero(found.held)
    assert_curves(drawn[0].axes[1], t, found.tau[:, 1], found.empty[:, 1])
    assert_curves(drawn[0].axes[6], t, *(found.tau * found.motion[1]).T)
    patch = drawn[0].axes[0].patches[0]
    assert (patch.get_x(), patch.get_x() + patch.get_width()) == pytest.approx((t[held[0]], t[held[-1]]))
    assert drawn[0].axes[6].texts[0].get_text() == "carrying 4 kg"


def test_operations_are_bars_with_the_printed_counts_as_marks() -> None:
    robot = revolute.robots.puma560()
    rows = counted(robot, ["mass_matrix", "walker_orin", "generalized_links", "inverse_dynamics", "luh_walker_paul"])
    figure = plot.operations(robot.name, robot.n_joints, rows)
    assert figure.get_suptitle() == f"{robot.name}: operations of one evaluation"
    quantities = list(dict.fromkeys(row.quantity for row in rows))
    assert [axes.get_title("left") for axes in figure.axes] == quantities
    for axes, quantity in zip(figure.axes, quantities, strict=True):
        group = {row.name: row for row in rows if row.quantity == quantity}
        bars = by_name(axes, [bar.get_y() + bar.get_height() / 2 for bar in axes.patches], axes.patches)
        sums = {name: row.counts.arithmetic for name, row in group.items()}
        assert {name: bar.get_width() for name, bar in bars.items()} == sums
        widths = [bar.get_width() for bar in sorted(axes.patches, key=lambda bar: bar.get_y())]
        assert widths == sorted(widths, reverse=True)  # the leanest on top
        ours = {name: to_hex(bar.get_facecolor()) == COLOURS[0] for name, bar in bars.items()}
        assert ours == {name: row.ours for name, row in group.items()}
        assert {text.get_text() for text in axes.texts} == {f"{x:,}" for x in sums.values()}
        marks = axes.collections[0].get_offsets() if axes.collections else np.zeros((0, 2))
        printed = {name: sum(row.printed.at(6)) for name, row in group.items() if row.printed}
        assert by_name(axes, marks[:, 1], marks[:, 0]) == printed
        assert axes.get_xlabel() == "multiplications + additions" and axes.get_xscale() == "log"
        low, high = axes.get_xlim()
        assert low < min(widths) and high > max([*widths, *printed.values()])
    assert any(axes.collections for axes in figure.axes)


SITE = Path(__file__).parents[2] / "docs" / "assets" / "site.css"
HALF_TURN = np.array([[-0.574, 1.43, 0.144], [0.426, 0.43, 0.144], [0.426, 1.43, -0.856]])
"""hue-rotate(180deg) of CSS: with s = 0.213, 0.715, 0.072 each row is 2 s - e."""


def luminance(colour: np.ndarray) -> float:
    """Relative luminance of WCAG 2."""
    linear = np.where(colour <= 0.04045, colour / 12.92, ((colour + 0.055) / 1.055) ** 2.4)
    return float(linear @ [0.2126, 0.7152, 0.0722])


def contrast(a: np.ndarray, b: np.ndarray) -> float:
    low, high = sorted([luminance(a), luminance(b)])
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize(("colour", "least"), [(INK, 7), (LIMIT, 4.5), *((colour, 3) for colour in COLOURS)])
def test_colours_stand_out_on_light_and_on_dark_pages(colour: str, least: float) -> None:
    """WCAG asks 4.5 to 1 of text and 3 to 1 of curves."""
    light, slate = np.array(to_rgb(colour)), np.array(to_rgb("#1e2129"))
    assert contrast(light, np.ones(3)) >= least
    assert contrast(np.clip(HALF_TURN @ (1 - light), 0, 1), slate) >= least
    assert "filter: invert(1) hue-rotate(180deg);" in SITE.read_text(encoding="utf-8")


def test_the_style_is_matplotlibs() -> None:
    with rc_context(STYLE):
        assert [style["color"] for style in rcParams["axes.prop_cycle"]][: len(COLOURS)] == list(COLOURS)
