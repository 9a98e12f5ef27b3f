"""Forward dynamics: identities on random trees, closed forms, then Pinocchio, then counts."""

from __future__ import annotations

import warnings
from functools import cache
from typing import Any

import numpy as np
import pytest
import sympy
from hypothesis import given, settings
from hypothesis import strategies as st
from robots import FILES, NO_ROBOT, random_states, to_pinocchio

import revolute
from revolute import Connection, Inertia, InputError, Link, ModelWarning, Revolute, Robot, ShapeError, Transform
from revolute.dynamics.articulated_body import articulated_body
from revolute.dynamics.newton_euler import newton_euler
from revolute.functions import signature
from revolute.graph import verify
from revolute.targets.llvm import host
from revolute.targets.numpy import evaluate

pin = pytest.importorskip("pinocchio")

EPS = np.finfo(float).eps
SEED = 20251104
FEW = ("ur_description/ur5_robot", "talos_data/talos_left_arm", "hextilt_description/hextilt_flying_arm_5")
MASSLESS = {"romeo_description/romeo", "romeo_description/romeo_laas_small"}
"""Files with joints that move no mass, whose M is singular everywhere."""


@st.composite
def robots(draw: st.DrawFn, most: int = 8) -> Robot:
    """Random trees of revolute and prismatic joints about any axis, fixed or free."""
    return revolute.robots.random_tree(
        draw(st.integers(1, most)), seed=draw(st.integers(0, 10_000)), base=draw(st.sampled_from(["fixed", "free"]))
    )


def state(robot: Robot, seed: int = SEED) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    return robot.random_configuration(rng), rng.standard_normal(robot.nv), rng.standard_normal(robot.nv)


def value(robot: Robot, name: str, *arrays: np.ndarray, **options: Any) -> Any:
    """A function's result, from its recursion on floats: hundreds of robots need no compiling."""
    form = signature(robot, name, options)
    (_, shape), scalars = form.outputs[0], form.body(*(list(x) for x in arrays))
    return np.array(scalars, dtype=float).reshape(shape)[()]


def mass_matrix(robot: Robot, q: np.ndarray) -> np.ndarray:
    """M column by column, by the recursion of inverse dynamics."""
    still, light = np.zeros(robot.nv), robot.with_gravity((0, 0, 0))
    columns = [newton_euler(light, list(q), list(still), list(e)) for e in np.eye(robot.nv)]
    return np.array(columns, dtype=float).reshape(robot.nv, robot.nv).T


def rounding(robot: Robot, q: np.ndarray, qd: np.ndarray, qdd: np.ndarray) -> float:
    """What torques of these accelerations may be off by: 1000 roundings a body.

    They are sums of terms as large as M qdd and the bias.
    """
    M, bias = mass_matrix(robot, q), robot_bias(robot, q, qd)
    return 1000 * len(robot.bodies) * EPS * (np.linalg.norm(M, 2) * np.linalg.norm(qdd) + np.linalg.norm(bias) + 1e-3)


def robot_bias(robot: Robot, q: np.ndarray, qd: np.ndarray) -> np.ndarray:
    return np.array(newton_euler(robot, list(q), list(qd), [0] * robot.nv), dtype=float)


# --- physics ---------------------------------------------------------------------------------


@given(robots())
@settings(max_examples=40, deadline=None)
def test_inverse_dynamics_takes_the_forces_back(robot: Robot) -> None:
    """ID(FD(tau)) = tau, on a robot as it is and on what its kernel is made from."""
    q, qd, tau = state(robot)
    for qdd in (
        np.array(articulated_body(robot, list(q), list(qd), list(tau)), dtype=float),
        value(robot, "forward_dynamics", q, qd, tau),
    ):
        back = np.array(newton_euler(robot, list(q), list(qd), list(qdd)), dtype=float)
        assert np.linalg.norm(back - tau) <= rounding(robot, q, qd, qdd)


@given(robots())
@settings(max_examples=40, deadline=None)
def test_forward_dynamics_takes_the_accelerations_back(robot: Robot) -> None:
    """FD(ID(qdd)) = qdd: errors of torques, times the inverse of M."""
    q, qd, qdd = state(robot)
    tau = np.array(newton_euler(robot, list(q), list(qd), list(qdd)), dtype=float)
    slack = np.linalg.norm(np.linalg.inv(mass_matrix(robot, q)), 2)
    found = value(robot, "forward_dynamics", q, qd, tau)
    assert np.linalg.norm(found - qdd) <= slack * rounding(robot, q, qd, qdd)


@given(robots(most=6), st.integers(0, 6))
@settings(max_examples=25, deadline=None)
def test_wrenches_from_the_environment_accelerate(robot: Robot, which: int) -> None:
    link = robot.link_names[which % len(robot.link_names)]
    q, qd, qdd = state(robot)
    wrench = np.array([0.3, -2.0, 1.5, 7.0, -4.0, 2.5])
    tau = value(robot, "inverse_dynamics", q, qd, qdd, wrench, wrenches=(link,))
    slack = np.linalg.norm(np.linalg.inv(mass_matrix(robot, q)), 2)
    found = value(robot, "forward_dynamics", q, qd, tau, wrench, wrenches=(link,))
    loads = 1000 * len(robot.bodies) * EPS * np.linalg.norm(wrench) * len(robot.bodies)  # a metre a link
    assert np.linalg.norm(found - qdd) <= slack * (rounding(robot, q, qd, qdd) + loads)


@given(st.integers(0, 8), st.integers(0, 1000))
@settings(max_examples=25, deadline=None)
def test_what_nothing_holds_falls_as_one_body(n: int, seed: int) -> None:
    """A floating robot at rest, without forces: g at its base and no acceleration of its joints."""
    robot = revolute.robots.random_tree(n, seed=seed, base="free")
    q, still, _ = state(robot, seed)
    qdd = value(robot, "forward_dynamics", q, 0 * still, 0 * still)
    R = np.array(robot.bodies[1].joint.transform(list(q[:7])).R.matrix())
    expected = np.concatenate([[0, 0, 0], R.T @ robot.gravity, np.zeros(n)])
    slack = np.linalg.norm(np.linalg.inv(mass_matrix(robot, q)), 2)
    assert np.linalg.norm(qdd - expected) <= slack * rounding(robot, q, 0 * still, expected)


def test_a_free_body_obeys_euler_s_equations() -> None:
    I = np.diag([0.2, 0.3, 0.4])
    robot = Robot.from_links("box", [Link("box", Inertia.from_com(2.0, (0, 0, 0), I))], [], base="free")
    w, moment = np.array([1.0, -2.0, 0.5]), np.array([0.3, 0.1, -0.7])
    qdd = robot.forward_dynamics(robot.neutral(), [*w, 0, 0, 0], [*moment, 0, 0, 2.0 * 9.81])
    np.testing.assert_allclose(qdd[:3], np.linalg.solve(I, moment - np.cross(w, I @ w)), atol=1e-13)
    np.testing.assert_allclose(qdd[3:], 0, atol=1e-13)


def test_a_pendulum_swings_by_its_equation() -> None:
    q, qd, tau = sympy.symbols("q v tau")
    (qdd,) = articulated_body(revolute.robots.planar(1), [q], [qd], [tau])
    by_hand = 3 * (tau - sympy.Float(9.81) / 2 * sympy.cos(q))  # a rod of 1 kg and 1 m: I = 1/3
    assert abs(sympy.simplify(qdd - by_hand).subs({q: 0.3, qd: 2.0, tau: 0.7})) < 1e-12


# --- singular rows -----------------------------------------------------------------------------


def test_a_singular_row_is_not_finite_and_alone() -> None:
    """A point mass at the end of two massless rods: det M = (m l^2 sin(q_2))^2."""
    point = Inertia.from_com(1.0, (1, 0, 0))
    robot = Robot.from_links(
        "rods",
        [Link("base"), Link("upper"), Link("lower", point)],
        [
            Connection("shoulder", "base", "upper", Revolute((0, 0, 1))),
            Connection("elbow", "upper", "lower", Revolute((0, 0, 1)), Transform(p=(1, 0, 0))),
        ],
    )
    rows = 2 * host().lanes().width + 1
    q, qd, tau = np.random.default_rng(SEED).uniform(0.5, 1.0, (3, rows, 2))
    fine = robot.forward_dynamics(q, qd, tau)
    assert np.isfinite(fine).all()
    q[3] = 0.3, 0.0
    found = robot.forward_dynamics(q, qd, tau)
    assert not np.isfinite(found[3]).any()
    others = np.arange(rows) != 3
    assert np.array_equal(found[others], fine[others])


def test_a_joint_that_moves_no_mass_leaves_nothing_finite() -> None:
    chain = revolute.robots.random_tree(3, seed=1, branching=0)
    robot = Robot.from_links(
        "chain with an empty hand",
        [*(Link(body.name, body.inertia) for body in chain.bodies), Link("hand")],
        [
            *(Connection(b.joint_name, f"{chain.bodies[b.parent].name}", b.name, b.joint, b.placement)
              for b in chain.bodies[1:]),
            Connection("wrist", chain.bodies[-1].name, "hand", Revolute()),
        ],
    )
    assert not np.isfinite(robot.forward_dynamics(*state(robot))).any()


# --- all scalars ---------------------------------------------------------------------------------


@given(st.integers(1, 12), st.integers(0, 10_000), st.sampled_from(["fixed", "free"]))
@settings(max_examples=6, deadline=None)
def test_floats_graphs_and_machine_code_agree(n: int, seed: int, base: str) -> None:
    robot = revolute.robots.random_tree(n, seed=seed, base=base)
    rng = np.random.default_rng(seed)
    rows = host().lanes().width + 2  # a block in vector lanes, and two rows of scalar code
    q = robot.random_configuration(rng, rows)
    qd, tau = rng.standard_normal((2, rows, robot.nv))
    machine = robot.forward_dynamics(q, qd, tau)
    for k in range(rows):  # the same bits alone, at another place, and on two threads
        assert np.array_equal(robot.forward_dynamics(q[k], qd[k], tau[k]), machine[k])
    assert np.array_equal(robot.forward_dynamics(q[::-1], qd[::-1], tau[::-1], threads=2), machine[::-1])
    graph = verify(signature(robot, "forward_dynamics", {}).graph())
    reference = evaluate(graph, {"q": q, "qd": qd, "tau": tau})["qdd"]
    for k in range(rows):
        floats = value(robot, "forward_dynamics", q[k], qd[k], tau[k])
        slack = np.linalg.norm(np.linalg.inv(mass_matrix(robot, q[k])), 2)
        for other in (machine[k], reference[k]):
            assert np.linalg.norm(other - floats) <= slack * rounding(robot, q[k], qd[k], floats)


# --- Pinocchio -----------------------------------------------------------------------------------


@cache
def loaded(name: str, base: str) -> tuple[Robot, Any, Any]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ModelWarning)
        robot = revolute.load(FILES[name], base)
    root = [pin.JointModelFreeFlyer()] if base == "free" else []
    model = pin.buildModelFromUrdf(str(FILES[name]), *root)
    return robot, model, model.createData()


# Angles that Revolute takes as exact are 5e-12 off in Pinocchio (test_urdf.py); M amplifies that.
AS_PRINTED = 1e-9


@pytest.mark.parametrize("base", ["fixed", "free"])
@pytest.mark.parametrize("name", sorted(FILES.keys() - NO_ROBOT.keys()))
def test_the_recursion_agrees_with_pinocchio(name: str, base: str) -> None:
    robot, model, data = loaded(name, base)
    q, qd, tau = random_states(robot, 5, SEED)
    positions, order = to_pinocchio(robot, model, q)
    with np.errstate(all="ignore"):
        rows = articulated_body(robot, list(q.T), list(qd.T), list(tau.T))
    for k, position in enumerate(positions):
        found = np.array([np.broadcast_to(x, len(q))[k] for x in rows])
        if name in MASSLESS:
            assert not np.isfinite(found).all()
            continue
        expected = pin.aba(model, data, position, qd[k, order], tau[k, order])
        assert np.abs(found[order] - expected).max(initial=0) <= AS_PRINTED * np.abs(expected).max(initial=0)


@pytest.mark.parametrize("name", FEW)
def test_kernels_agree_with_pinocchio(name: str) -> None:
    robot, model, data = loaded(name, "fixed")
    q, qd, tau = random_states(robot, 20, SEED)
    positions, order = to_pinocchio(robot, model, q)
    expected = np.array([
        pin.aba(model, data, *row) for row in zip(positions, qd[:, order], tau[:, order], strict=True)
    ])
    found = robot.forward_dynamics(q, qd, tau)[:, order]
    assert (np.abs(found - expected).max(axis=1) <= AS_PRINTED * np.abs(expected).max(axis=1)).all()


# --- arguments -----------------------------------------------------------------------------------


def test_wrong_arguments_are_named() -> None:
    robot = revolute.robots.planar(2)
    with pytest.raises(ShapeError, match="tau"):
        robot.forward_dynamics([0, 0], [0, 0], [0, 0, 0])
    with pytest.raises(InputError, match="wrenches must be"):
        robot.forward_dynamics([0, 0], [0, 0], [0, 0], wrenches=[1, 2])  # type: ignore[arg-type]
    with pytest.raises(revolute.UnknownNameError, match="no link 'hand'"):
        robot.forward_dynamics([0, 0], [0, 0], [0, 0], wrenches={"hand": np.zeros(6)})


def test_a_wrench_reaches_the_kernel_of_its_link() -> None:
    robot = revolute.robots.ur5()
    q, qd, tau = state(robot)
    link, wrench = "tool0", np.array([0.1, 0.2, -0.3, 5.0, -6.0, 7.0])
    qdd = robot.forward_dynamics(q, qd, tau, wrenches={link: wrench})
    back = robot.inverse_dynamics(q, qd, qdd, wrenches={link: wrench})
    np.testing.assert_allclose(back, tau, atol=1e-11)
    assert np.abs(qdd - robot.forward_dynamics(q, qd, tau)).max() > 1


# --- counts: they may go down, never up unseen ------------------------------------------------------


@pytest.mark.parametrize(
    "function, ur5, puma560",
    [("forward_dynamics", (347, 293, 5), (400, 347, 4))],
)
def test_operation_counts(function: str, ur5: tuple[int, ...], puma560: tuple[int, ...]) -> None:
    for robot, most in ((revolute.robots.ur5(), ur5), (revolute.robots.puma560(), puma560)):
        counts = robot.kernel(function).count()
        found = (counts.multiplications, counts.additions, counts.divisions)
        assert all(x <= y for x, y in zip(found, most, strict=True)), counts
