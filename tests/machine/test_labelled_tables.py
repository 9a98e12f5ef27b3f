"""Tables with labels in place of arrays: by their labels in any order, and never by position."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pyarrow
import pytest
import sympy
from machine_code import fast_calls

import revolute
from revolute import ShapeError
from revolute.arguments import column_labels
from revolute.view.motion import ViewedMotion

UR5, FREE = revolute.robots.ur5(), revolute.robots.random_tree(2, rng=1, base="free")
q, qd, qdd = np.random.default_rng(0).uniform(-1, 1, (3, 5, 6))
NAMES = UR5.joint_names
REVERSED = NAMES[::-1]


class Frame:
    """As a DataFrame of polars: names of columns, and numbers."""

    def __init__(self, numbers: np.ndarray, columns: Sequence[Any]) -> None:
        self.numbers, self.columns = numbers, list(columns)

    def __array__(self, dtype: Any = None, copy: Any = None) -> np.ndarray:
        return self.numbers


class Series(Frame):
    """As a Series of pandas: labels in its index."""

    iloc = None

    def __init__(self, numbers: np.ndarray, index: Sequence[Any]) -> None:
        self.numbers, self.index = numbers, list(index)


def arrow(numbers: np.ndarray, columns: Sequence[Any]) -> Any:
    return pyarrow.table(dict(zip(columns, numbers.T, strict=True)))


def pandas(numbers: np.ndarray, columns: Sequence[Any]) -> Any:
    return pytest.importorskip("pandas").DataFrame(numbers, columns=list(columns))


EVERY = pytest.mark.parametrize("table", [Frame, arrow, pandas])


@EVERY
def test_columns_are_put_in_the_robots_order(table: Callable[..., Any]) -> None:
    """Whether the call has been learned or not, and however arguments are named."""
    expected, robot = UR5.inverse_dynamics(q, qd, qdd), revolute.Robot.of(UR5)
    swapped = [x[:, ::-1] for x in (q, qd, qdd)]
    for _ in range(3):
        for x in (table(swapped[0], REVERSED), table(swapped[0], [f"q.{name}" for name in REVERSED])):
            np.testing.assert_array_equal(robot.inverse_dynamics(x, qd, qdd), expected)
            np.testing.assert_array_equal(robot.inverse_dynamics(qdd=qdd, q=x, qd=qd), expected)
        np.testing.assert_array_equal(robot.inverse_dynamics(*(table(x, REVERSED) for x in swapped)), expected)
        np.testing.assert_array_equal(robot.inverse_dynamics(q, qd, qdd), expected)
        np.testing.assert_array_equal(robot.inverse_dynamics(qdd=qdd, q=q, qd=qd), expected)
    assert fast_calls(robot.inverse_dynamics) > 0


@EVERY
def test_other_labels_are_refused(table: Callable[..., Any]) -> None:
    cases: list[tuple[np.ndarray, list[Any], str]] = [
        (np.zeros((5, 7)), ["t", *NAMES], "q is a table with labels, and has 't' besides"),
        (q[:, :5], [*NAMES[:5]], "has no 'wrist_3_joint'"),
        (q, ["a", *NAMES[1:]], "has no 'shoulder_pan_joint', and 'a' besides"),
        (q, [f"qd.{name}" for name in NAMES], "has no 'shoulder_pan_joint', "),
    ]
    for numbers, columns, message in cases:
        with pytest.raises(ShapeError) as caught:
            UR5.mass_matrix(table(numbers, columns))
        assert message in str(caught.value)


def test_a_label_comes_once() -> None:
    with pytest.raises(ShapeError, match="has one label twice"):
        UR5.mass_matrix(Frame(np.zeros((5, 7)), [*NAMES, NAMES[0]]))


def test_numbered_columns_are_no_labels() -> None:
    expected = UR5.mass_matrix(q)
    np.testing.assert_array_equal(UR5.mass_matrix(Frame(q, range(6))), expected)
    with pytest.raises(ShapeError, match="q is a table with labels"):
        UR5.mass_matrix(Frame(q, [1, 0, 2, 3, 4, 5]))
    plain: list[Any] = [q, q.tolist(), 1.0, "abc", None, {"columns": 1}, range(3), memoryview(q)]
    for x in plain:
        assert column_labels(x) is None


def test_a_series_is_one_state() -> None:
    np.testing.assert_array_equal(UR5.gravity_forces(Series(q[0, ::-1], REVERSED)), UR5.gravity_forces(q[0]))
    with pytest.raises(ShapeError, match="has no 'shoulder_pan_joint'"):
        UR5.gravity_forces(Series(q[0], range(10, 16)))


def test_positions_and_velocities_of_a_free_joint_have_their_own_names() -> None:
    x, xd = FREE.random_configuration(3, rng=1), np.random.default_rng(1).standard_normal((3, FREE.nv))
    found = FREE.bias_forces(Frame(x[:, ::-1], FREE.position_names[::-1]), Frame(xd, FREE.coordinate_names))
    np.testing.assert_array_equal(found, FREE.bias_forces(x, xd))
    with pytest.raises(ShapeError, match=r"has no 'root_joint\.wx'"):
        FREE.bias_forces(x, Frame(x, FREE.position_names))


def test_every_machine_goes_by_names_or_refuses() -> None:
    """Labels are the machine's own, or none are taken: never the numbers alone."""
    turned = Frame(q[:, ::-1], REVERSED)
    space = UR5.operational_space("tool0")
    for call in (
        UR5.with_drives().mass_matrix,
        UR5.joint_values,
        space.mass_matrix,
        lambda x: UR5.integrate(x, qd),
        lambda x: UR5.difference(qd, x),
        lambda x: UR5.simulate(x, qd, x, [0.0, 0.001, 0.002, 0.003, 0.004], "explicit_euler").q,
        lambda x: UR5.task_space_dynamics(x, qd, "tool0")[0],
    ):
        found, expected = call(turned), call(q)  # type: ignore[no-untyped-call]
        for a, b in zip(*(x.values() if isinstance(x, dict) else [x] for x in (found, expected)), strict=True):
            np.testing.assert_array_equal(a, b)
    closed = UR5.with_closures(revolute.JointClosure("wrist_3_joint", None, (0.0,)))
    for refused in (closed.error, closed.jacobian, UR5.kernel("mass_matrix")):
        with pytest.raises(ShapeError, match="has labels, but needs none"):
            refused(turned)


def test_pictures_go_by_names() -> None:
    """A film, and the motion that a view plays."""
    t, tau = np.arange(5.0), np.arange(30.0).reshape(5, 6)
    film = UR5.animate(Frame(q[:, ::-1], REVERSED), t, Frame(tau[:, ::-1], REVERSED))
    np.testing.assert_array_equal(film.q, q)
    np.testing.assert_array_equal(film.tau, tau)
    played = ViewedMotion.of(UR5._movable(), Frame(q[:, ::-1], REVERSED), t, Frame(tau[:, ::-1], REVERSED))
    np.testing.assert_array_equal(played.q, q[None])
    np.testing.assert_array_equal(played.tau, tau)
    with pytest.raises(ShapeError, match="plot: robot 'ur5': q is a table with labels, and has no 'shoulder_pan"):
        UR5.plot(Frame(q, ["a", *NAMES[1:]]))


def test_times_have_no_names() -> None:
    """The index of a Series of times has labels of rows."""
    t = Series(np.array([0.0, 0.1, 0.2]), ["a", "b", "c"])
    assert UR5.simulate(q[0], qd[0], None, t).t.tolist() == [0.0, 0.1, 0.2]


def test_coordinates_of_a_system_have_names() -> None:
    x, y, dx, dy = sympy.symbols("x y dx dy")
    system = revolute.lagrange([x, y], dx**2 + dy**2 / 2, x**2 + 3 * y)
    state = Frame(np.array([[1.0, 2.0]]), ["y", "x"])
    np.testing.assert_array_equal(system.gravity_forces(state), system.gravity_forces([[2.0, 1.0]]))
