"""Tables with labels in place of arrays, which go by their labels; arrays that NumPy cannot read, which are refused."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pyarrow
import pytest
import sympy
from comparing import assert_raises
from machine_code import fast_calls

import revolute
from revolute import AxisClosure, ShapeError
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
    expected, robot = UR5.inverse_dynamics(q, qd, qdd), revolute.Robot.from_model(UR5)
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


def test_numbered_columns_are_no_labels() -> None:
    np.testing.assert_array_equal(UR5.mass_matrix(Frame(q, range(6))), UR5.mass_matrix(q))
    assert_raises(ShapeError, "q is a table with labels", UR5.mass_matrix, Frame(q, [1, 0, 2, 3, 4, 5]))
    plain: list[Any] = [q, q.tolist(), 1.0, "abc", None, {"columns": 1}, range(3), memoryview(q)]
    for x in plain:
        assert column_labels(x) is None
    assert_raises(ShapeError, "has a duplicate label", UR5.mass_matrix, Frame(np.zeros((5, 7)), [*NAMES, NAMES[0]]))
    np.testing.assert_array_equal(UR5.gravity_forces(Series(q[0, ::-1], REVERSED)), UR5.gravity_forces(q[0]))
    assert_raises(ShapeError, "has no 'shoulder_pan_joint'", UR5.gravity_forces, Series(q[0], range(10, 16)))
    t = Series(np.array([0.0, 0.1, 0.2]), ["a", "b", "c"])
    assert UR5.simulate(q[0], qd[0], None, t).t.tolist() == [0.0, 0.1, 0.2]
    x, y, dx, dy = sympy.symbols("x y dx dy")
    system = revolute.lagrange([x, y], dx**2 + dy**2 / 2, x**2 + 3 * y)
    state = Frame(np.array([[1.0, 2.0]]), ["y", "x"])
    np.testing.assert_array_equal(system.gravity_forces(state), system.gravity_forces([[2.0, 1.0]]))


def test_positions_and_velocities_of_a_free_joint_have_their_own_names() -> None:
    x, xd = FREE.random_configuration(3, rng=1), np.random.default_rng(1).standard_normal((3, FREE.nv))
    found = FREE.bias_forces(Frame(x[:, ::-1], FREE.position_names[::-1]), Frame(xd, FREE.coordinate_names))
    np.testing.assert_array_equal(found, FREE.bias_forces(x, xd))
    assert_raises(ShapeError, r"has no 'root_joint\.wx'", FREE.bias_forces, x, Frame(x, FREE.position_names))


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
        assert_raises(ShapeError, "has labels, but must not have any", refused, turned)


def test_pictures_go_by_names() -> None:
    """A film, and the motion that a view plays."""
    t, tau = np.arange(5.0), np.arange(30.0).reshape(5, 6)
    film = UR5.animate(Frame(q[:, ::-1], REVERSED), t, Frame(tau[:, ::-1], REVERSED))
    np.testing.assert_array_equal(film.q, q)
    np.testing.assert_array_equal(film.tau, tau)
    played = ViewedMotion.of(UR5._movable(), Frame(q[:, ::-1], REVERSED), t, Frame(tau[:, ::-1], REVERSED))
    np.testing.assert_array_equal(played.q, q[None])
    np.testing.assert_array_equal(played.tau, tau)
    assert_raises(ShapeError, "plot: .* is a table .* has no 'shoulder_pan", UR5.plot, Frame(q, ["a", *NAMES[1:]]))


MACHINES: dict[str, Callable[[], Any]] = {
    "arm": lambda: revolute.robots.planar(2),
    "driven": lambda: revolute.robots.planar(2).with_drives({"joint1": revolute.Drive(damping=(0.5,))}),
    "closed": lambda: revolute.robots.planar(3).with_closures(AxisClosure("tip", at_b=(1.5, 0.0, 0.0))),
    "elastic": lambda: revolute.robots.planar(2).with_elastic_joints([100.0, 80.0], rotor_inertia=0.2),
}
MASKED = np.ma.array([0.1, 0.2], mask=[False, True])


KINDS = {"masked": "is a masked array", "symbolic": "is symbolic"}


def arrays_of(kind: str) -> list[Any]:
    if kind == "masked":
        return [MASKED]
    casadi = pytest.importorskip("casadi")
    return [casadi.SX.sym("x", 2), casadi.MX.sym("x", 2)]


def refuses(message: str, call: Callable[..., Any], *args: Any, **named: Any) -> None:
    assert_raises(revolute.DtypeError, message, call, *args, **named)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("machine", MACHINES)
def test_every_function_refuses_them_in_every_place(machine: str, kind: str) -> None:
    thing = MACHINES[machine]()
    message, given, compared = KINDS[kind], arrays_of(kind), 0
    for name in ("inverse_dynamics", "forward_dynamics", "gravity_forces", "mass_matrix", "kinetic_energy", "error"):
        if name not in thing.functions():
            continue
        kernel = thing.kernel(name)
        for place in range(len(kernel.inputs)):
            for x in given:
                arrays = [np.full(i.shape, 0.1) for i in kernel.inputs]
                arrays[place] = x
                what = rf"{name}: {kernel.inputs[place].name} {message}"
                refuses(what, kernel, *arrays)
                if machine in ("arm", "driven"):
                    refuses(what, getattr(thing, name), *arrays)
                compared += 1
    assert compared


def test_lists_of_them_are_refused_by_learned_calls_too() -> None:
    arm = MACHINES["arm"]()
    for _ in range(3):
        arm.gravity_forces([0.1, 0.2])
        refuses("an entry of q is a masked array", arm.gravity_forces, [np.ma.masked, 0.1])
        refuses("an entry of q is a masked array", arm.gravity_forces, [MASKED, MASKED])
        refuses("an entry of q is a masked array", arm.gravity_forces, [[0.1, 0.2], [0.1, np.ma.masked]])


@pytest.mark.parametrize("kind", KINDS)
def test_other_arguments_refuse_them(kind: str) -> None:
    arm, z, message = MACHINES["arm"](), np.zeros(2), KINDS[kind]
    for x in arrays_of(kind):
        refuses(rf"wrench on 'tip' {message}", arm.inverse_dynamics, z, z, z, wrenches={"tip": x})
        refuses(rf"q0 {message}", arm.simulate, x, z, None, [0.0, 0.1])
        refuses(rf"t \[s\] {message}", arm.simulate, z, z, None, x)
        refuses(rf"step {message}", arm.linearize, z, z, z, step=x)
        refuses(rf"damping {message}", arm.dynamically_consistent_inverse, z, "tip", singularity_damping=x)
        refuses(rf"stiffness {message}", arm.with_elastic_joints, x, rotor_inertia=0.1)
        refuses(rf"'joint1' {message}", arm.configuration, {"joint1": x})
        refuses(rf"pose of 'tip' {message}", arm.inverse_kinematics, x, "tip")


@pytest.mark.parametrize(("kind", "message"), [
    ("masked", r"q is a masked array, .*x\.filled\(np\.nan\).*x\.data"),
    ("symbolic", r"use the functions of robot\.casadi, such as robot\.casadi\.gravity_forces"),
])  # fmt: skip
def test_messages_say_what_to_do(kind: str, message: str) -> None:
    refuses(message, MACHINES["arm"]().gravity_forces, arrays_of(kind)[0])
