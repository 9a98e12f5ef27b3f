"""Forward dynamics: identities on random trees, closed forms, then Pinocchio, then counts."""

from dataclasses import replace

import numpy as np
import pytest
import sympy
from comparing import EPS, assert_raises
from hypothesis import strategies as st
from peers import of_each_kind, peers, symmetric
from physics import by_state
from robots import FEW_ARMS, MASSLESS, SEEDS, chain, every, mass_matrix, pin, signature, state, trees, value

import revolute
import revolute.machine.functions.forward_dynamics
from revolute import Inertia, InputError, Joint, Link, ModelError, Prismatic, Revolute, Robot, Transform
from revolute.dynamics import invertible
from revolute.dynamics.articulated_body import articulated_body
from revolute.dynamics.composite_body import composite_body
from revolute.dynamics.forward_dynamics_partials import forward_dynamics_partials
from revolute.dynamics.invertible import idle_coordinates, require_invertible
from revolute.dynamics.newton_euler import newton_euler
from revolute.dynamics.sparse_factorization import elimination_count, factorized, groups
from revolute.graph import Builder, Graph, Output, count
from revolute.library.random_tree import TYPES
from revolute.simulate import FIXED
from revolute.targets.llvm import host

SEED = 20251104
METHODS = {"articulated_body": articulated_body, "composite_body": composite_body}
EMPTY = Inertia()


def rounding(robot: Robot, q: np.ndarray, qd: np.ndarray, qdd: np.ndarray) -> float:
    """What torques of these accelerations may be off by: 1000 roundings a body.

    They are sums of terms as large as M qdd and the bias.
    """
    M, bias = mass_matrix(robot, q), value(robot, "bias_forces", q, qd)
    return 1000 * len(robot.bodies) * EPS * (np.linalg.norm(M, 2) * np.linalg.norm(qdd) + np.linalg.norm(bias) + 1e-3)


def slack(robot: Robot, q: np.ndarray) -> float:
    """What a unit error of torques makes of accelerations, at most."""
    return float(np.linalg.norm(np.linalg.inv(mass_matrix(robot, q)), 2))


@pytest.mark.parametrize("method", METHODS)
@every(robot=trees())
def test_inverse_dynamics_takes_the_forces_back(method: str, robot: Robot) -> None:
    """ID(FD(tau)) = tau, on a robot as it is and on what its kernel is made from.

    Eliminating a positive definite matrix is backward stable: what is solved is exact for
    torques a few roundings away, whatever M's condition.
    """
    q, qd, tau = state(robot)
    for qdd in (
        np.array(METHODS[method](robot, list(q), list(qd), list(tau)), dtype=float),
        value(robot, "forward_dynamics", q, qd, tau, algorithm=method),
    ):
        back = np.array(newton_euler(robot, list(q), list(qd), list(qdd)), dtype=float)
        assert np.linalg.norm(back - tau) <= rounding(robot, q, qd, qdd)


@pytest.mark.parametrize("method", METHODS)
@every(robot=trees(most=6), which=st.integers(0, 6))
def test_wrenches_from_the_environment_accelerate(method: str, robot: Robot, which: int) -> None:
    link = robot.link_names[which % len(robot.link_names)]
    q, qd, qdd = state(robot)
    wrench = np.array([0.3, -2.0, 1.5, 7.0, -4.0, 2.5])
    tau = value(robot, "inverse_dynamics", q, qd, qdd, wrench, wrenches=(link,))
    found = value(robot, "forward_dynamics", q, qd, tau, wrench, wrenches=(link,), algorithm=method)
    loads = 1000 * len(robot.bodies) * EPS * np.linalg.norm(wrench) * len(robot.bodies)  # a metre a link
    assert np.linalg.norm(found - qdd) <= slack(robot, q) * (rounding(robot, q, qd, qdd) + loads)


@every(st.integers(0, 8), SEEDS)
def test_what_nothing_holds_falls_as_one_body(n: int, seed: int) -> None:
    """A floating robot at rest, without forces: g at its base and no acceleration of its joints."""
    robot = revolute.robots.random_tree(n, rng=seed, base="free")
    q, still, _ = state(robot, seed)
    qdd = value(robot, "forward_dynamics", q, 0 * still, 0 * still)
    R = np.array(robot.bodies[1].joint.transform(list(q[:7])).R.matrix())
    expected = np.concatenate([[0, 0, 0], R.T @ robot.gravity, np.zeros(n)])
    assert np.linalg.norm(qdd - expected) <= slack(robot, q) * rounding(robot, q, 0 * still, expected)


def test_a_pendulum_swings_by_its_equation() -> None:
    q, qd, tau = sympy.symbols("q v tau")
    (qdd,) = articulated_body(revolute.robots.planar(1), [q], [qd], [tau])
    by_hand = 3 * (tau - sympy.Float(9.81) / 2 * sympy.cos(q))  # a rod of 1 kg and 1 m: I = 1/3
    assert abs(sympy.simplify(qdd - by_hand).subs({q: 0.3, qd: 2.0, tau: 0.7})) < 1e-12


@every(trees())
def test_the_inverse_undoes_the_mass_matrix_and_the_factor_reproduces_it(robot: Robot) -> None:
    q, qd, _ = state(robot)
    M, inverse, L = mass_matrix(robot, q), *(value(robot, name, q) for name in ("mass_matrix_inverse", "cholesky"))
    rounding = 1000 * len(robot.bodies) * EPS
    assert np.abs(M @ inverse - np.eye(robot.nv)).max() <= rounding * np.linalg.cond(M)
    assert np.array_equal(inverse, inverse.T)
    tolerance = rounding * np.linalg.norm(M, 2)
    assert np.linalg.norm(L.T @ L - M, 2) <= tolerance
    assert (np.diag(L) > 0).all()
    assert np.linalg.norm(L @ qd) ** 2 == pytest.approx(qd @ M @ qd, abs=tolerance * (qd @ qd))


@every(trees(most=12))
def test_the_factor_has_the_zeros_of_the_tree(robot: Robot) -> None:
    """L[i, j] and (M^-1)[i, j] need a path: j carries i; some coordinate carries both."""
    q, _, _ = state(robot)
    places = [i for i, body in enumerate(robot.bodies) for _ in range(body.joint.nv)]
    way = {}
    for i, body in enumerate(robot.bodies):
        way[i] = {*way[body.parent], i} if i else set()
    L, inverse = value(robot, "cholesky", q), value(robot, "mass_matrix_inverse", q)
    for i, below in enumerate(places):
        for j, above in enumerate(places):
            assert L[i, j] == 0 or (above in way[below] and j <= i)
            assert inverse[i, j] == 0 or way[above] & way[below]


@every(robot=trees())
def test_partials_are_complex_steps_of_articulated_bodies(robot: Robot) -> None:
    """Complex steps are exact; ten roundings a body, which M^-1 takes to accelerations.

    Moments of the bodies' weights may cancel in the result, but not their roundings.
    """
    q, qd, tau = state(robot)
    expected = by_state(lambda *x: articulated_body(robot, *map(list, x)), robot, q, qd, tau)
    M, roundings = mass_matrix(robot, q), 10 * len(robot.bodies) * EPS
    moments = np.linalg.norm(robot.gravity) * sum(np.linalg.norm(body.inertia.h) for body in robot.bodies)
    weights = roundings * np.linalg.norm(np.linalg.inv(M), 2) * moments
    tolerance = roundings * np.linalg.cond(M)
    for rows, wanted in zip(forward_dynamics_partials(robot, list(q), list(qd), list(tau)), expected, strict=True):
        found = np.array(rows, dtype=float)
        assert np.abs(found - wanted).max() <= tolerance * (np.abs(wanted).max() + 1) + weights


@pytest.mark.parametrize("base", ["fixed", "free"])
@pytest.mark.parametrize("seed", [3, 4])
def test_partials_take_wrenches(base: str, seed: int) -> None:
    robot = revolute.robots.random_tree(7, rng=seed, base=base)
    q, qd, tau = state(robot, seed)
    wrenches = {name: [1.0, -2.0, 3.0, 30.0, 10.0, -20.0] for name in (robot.link_names[2], robot.link_names[-1])}
    expected = by_state(lambda *x: articulated_body(robot, *map(list, x), wrenches), robot, q, qd, tau)
    arrays = [list(x) for x in (q, qd, tau)]
    alone = np.array(forward_dynamics_partials(robot, *arrays)[0], float)
    assert np.abs(expected[0] - alone).max() > 0.1 * np.abs(alone).max()
    for rows, wanted in zip(forward_dynamics_partials(robot, *arrays, wrenches), expected, strict=True):
        assert np.abs(np.array(rows, float) - wanted).max() <= 1e-11 * np.abs(wanted).max()


@pytest.mark.parametrize("method", METHODS)
def test_a_singular_row_is_not_finite_and_alone(method: str) -> None:
    """A point mass at the end of two massless rods: det M = (m l^2 sin(q_2))^2."""
    robot = chain((Inertia(), Revolute()), (Inertia.from_com(1.0, (1, 0, 0)), Revolute()), at=1.0)
    rows = 2 * host().lanes().width + 1
    q, qd, tau = np.random.default_rng(SEED).uniform(0.5, 1.0, (3, rows, 2))
    fine = robot.forward_dynamics(q, qd, tau, algorithm=method)
    assert np.isfinite(fine).all()
    q[3] = 0.3, 0.0
    found = robot.forward_dynamics(q, qd, tau, algorithm=method)
    assert not np.isfinite(found[3]).any()
    others = np.arange(rows) != 3
    assert np.array_equal(found[others], fine[others])
    assert np.array_equal(np.isfinite(robot.mass_matrix_inverse(q)).all(axis=(1, 2)), others)
    assert np.array_equal(robot.kernel("cholesky")(q)[:, 0, 0] > 0, others)


def with_empty_hand(hand: Inertia = EMPTY, **more: Joint) -> Robot:
    """A chain with a hand behind a wrist that turns about z."""
    bodies = revolute.robots.random_tree(3, rng=1, branching=0).bodies
    return Robot.from_links(
        "chain with a hand",
        [*(Link(body.name, body.inertia) for body in bodies), Link("hand", hand), *map(Link, more)],
        [
            *(Joint(x.joint_name, bodies[x.parent].name, x.name, x.joint, x.placement) for x in bodies[1:]),
            Joint("wrist", bodies[-1].name, "hand", Revolute()),
            *more.values(),
        ],
    )


INVERTING = (
    "forward_dynamics", "forward_dynamics_partials", "mass_matrix_inverse", "cholesky", "linearize", "state_rate",
)  # fmt: skip


def test_a_joint_that_moves_no_mass_in_any_state_is_named() -> None:
    on_axis = Inertia.from_com(2.0, (0, 0, 0.3), ((0.1, 0, 0), (0, 0.1, 0), (0, 0, 0)))
    twice = Joint("again", "hand", "tool", Revolute())
    turned = Joint("turned", "hand", "tool", Revolute((1, 1, 0)))
    cases = [
        (with_empty_hand(), r"joint 'wrist' can move without moving any mass.* Link 'hand', or what it carries"),
        (with_empty_hand(on_axis), "joint 'wrist' can"),
        (with_empty_hand(Inertia.from_com(2.0, (0.1, 0, 0)), tool=twice), "joint 'again' can"),
        (with_empty_hand(on_axis, tool=turned), "joints 'wrist', 'turned' can"),
        (with_empty_hand(tool=Joint("finger", "hand", "tool", Prismatic())), "joints 'wrist', 'finger' can"),
    ]
    for robot, message in cases:
        for function in (*INVERTING, *(f"{method}_step" for method in FIXED)):
            assert_raises(ModelError, message, robot.kernel, function)
        for function in ("task_space_dynamics", "dynamically_consistent_inverse", "task_space_forces"):
            assert_raises(ModelError, message, robot.kernel, function, frame="tool")
        still = np.zeros(robot.nv)
        assert_raises(ModelError, message, robot.simulate, still, still, None, [0.0, 1.0])
        assert np.isfinite(robot.inverse_dynamics(still, still, still)).all()


def test_two_joints_about_one_axis_are_singular_together() -> None:
    """M = J (1 1; 1 1) of these two joints in every state, where no entry of the diagonal is zero."""
    tool = Inertia.from_com(1.0, (0.2, 0.1, 0.3), ((0.1, 0, 0), (0, 0.2, 0), (0, 0, 0.3)))
    robot = with_empty_hand(tool=Joint("again", "hand", "tool", Revolute((0, 0, 1)), Transform(p=(0, 0, 0.4))))
    links = {frame.name: frame.body for frame in robot.frames}
    bodies = [replace(b, inertia=tool) if i == links["tool"] else b for i, b in enumerate(robot.bodies)]
    with pytest.raises(ModelError, match="joints 'wrist', 'again' can move without moving any mass"):
        replace(robot, bodies=tuple(bodies)).kernel("forward_dynamics")


def test_the_look_at_large_robots_by_articulated_bodies_overlooks_no_empty_hand(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    on_axis = Inertia.from_com(2.0, (0, 0, 0.3), ((0.1, 0, 0), (0, 0.1, 0), (0, 0, 0)))
    empty = [idle_coordinates(with_empty_hand(hand)) for hand in (Inertia(), on_axis)]
    monkeypatch.setattr(invertible, "MANY", 0)
    for expected, hand in zip(empty, (Inertia(), on_axis), strict=True):
        assert expected.any() and np.array_equal(idle_coordinates(with_empty_hand(hand)), expected)
    monkeypatch.setattr(invertible, "always_idle", None)  # a regular robot needs no mass matrix
    for types in ((), tuple(TYPES)):
        assert not idle_coordinates(revolute.robots.random_tree(20, rng=1, types=types)).any()


@pytest.mark.parametrize("ratio", [1e-9, 1.0, 1e9])
def test_light_hands_are_no_empty_hands(ratio: float) -> None:
    hand = Inertia.from_com(1e-6, (0, 0, 0.3), ((1e-12, 0, 0), (0, 1e-12, 0), (0, 0, 1e-13)))
    robot = with_empty_hand(hand)
    scaled = [Inertia(b.inertia.m * ratio, b.inertia.h * ratio, b.inertia.I * ratio) for b in robot.bodies]
    bodies = tuple(replace(body, inertia=inertia) for body, inertia in zip(robot.bodies, scaled, strict=True))
    robot = replace(robot, bodies=bodies)
    require_invertible(robot)
    assert np.linalg.eigvalsh(mass_matrix(robot, np.ones(robot.nv))).min() > 0


def test_kernels_with_parameters_take_the_inertias_that_they_are_given() -> None:
    kernel = with_empty_hand().kernel("forward_dynamics", parameters="inertial")
    given = with_empty_hand(Inertia.from_com(1.0, (0.1, 0.2, 0.3)))
    q, qd, tau = state(given)
    expected = given.forward_dynamics(q, qd, tau)
    np.testing.assert_allclose(kernel(q, qd, tau, given.inertial_parameters), expected, rtol=1e-9)


# Angles that Revolute takes as exact are 5e-12 off in Pinocchio (test_urdf.py); M amplifies that.
AS_PRINTED = 1e-9


@of_each_kind
@pytest.mark.parametrize("method", METHODS)
def test_the_recursions_agree_with_pinocchio(method: str, name: str, base: str) -> None:
    robot, model, data, q, qd, tau, positions, order = peers(name, base, 5, SEED)
    with np.errstate(all="ignore"):
        rows = METHODS[method](robot, list(q.T), list(qd.T), list(tau.T))
    found = np.stack([np.broadcast_to(x, len(q)) for x in rows], axis=-1) if rows else np.zeros((len(q), 0))
    if name in MASSLESS:
        assert not np.isfinite(found).all(axis=1).any()
        return
    for k, position in enumerate(positions):
        expected = pin.aba(model, data, position, qd[k, order], tau[k, order])
        error = np.abs(found[k, order] - expected).max(initial=0)
        assert error <= AS_PRINTED * np.abs(expected).max(initial=0)


@pytest.mark.parametrize("base", ["fixed", "free"])
@pytest.mark.parametrize("name", [*FEW_ARMS, "talos_data/talos_reduced"])
def test_partials_agree_with_pinocchio(name: str, base: str) -> None:
    robot, model, data, q, qd, tau, positions, order = peers(name, base, 3, SEED)
    recursion = signature(robot, "forward_dynamics_partials", {}).body
    for k, position in enumerate(positions):
        theirs = pin.computeABADerivatives(model, data, position, qd[k, order], tau[k, order])
        for rows, expected in zip(recursion(*(list(x[k]) for x in (q, qd, tau))), theirs, strict=True):
            wanted = symmetric(expected) if expected is theirs[2] else expected
            found = np.array(rows, dtype=float).reshape(robot.nv, robot.nv)
            error = np.abs(found[np.ix_(order, order)] - wanted).max()
            assert error <= AS_PRINTED * np.abs(wanted).max()


def test_wrong_arguments_are_named() -> None:
    robot = revolute.robots.planar(2)
    assert_raises(InputError, "wrenches must be", robot.forward_dynamics, [0, 0], [0, 0], [0, 0], wrenches=[1, 2])
    with pytest.raises(InputError, match="algorithm must be 'auto' or one of 'articulated_body'"):
        robot.forward_dynamics([0, 0], [0, 0], [0, 0], algorithm="magic")
    with pytest.raises(revolute.UnknownNameError, match="no link 'hand'"):
        robot.forward_dynamics([0, 0], [0, 0], [0, 0], wrenches={"hand": np.zeros(6)})


def test_eliminations_are_counted_right() -> None:
    """A chain's M has no zeros: what its factors take beyond M is what the bound says."""
    robot = revolute.robots.random_tree(7, rng=2, branching=0, prismatic=0, oblique=1)
    M = Builder().input("M", robot.nv**2)
    rows = [[M[max(i, j) * robot.nv + min(i, j)] for j in range(robot.nv)] for i in range(robot.nv)]
    factors = factorized(robot, rows)
    nodes = (*factors.D, *(a for row in factors.L for a in row.values()))
    counts = count(Graph("factors", (), (Output("L, D", (len(nodes),), nodes),)))
    assert counts.arithmetic == elimination_count(robot)
    assert counts.divisions == robot.nv - 1


def test_columns_of_one_branch_share_a_loop() -> None:
    """Whatever their order, unless the longer ones take more than a quarter more multiplications."""
    found = groups([(0,), (0, 1), (0, 1, 2), (3,)], {(0,): 7, (0, 1): 10, (0, 1, 2): 12, (3,): 1})
    assert found == [((0, 1, 2), [2, 1]), ((0,), [0]), ((3,), [3])]


def test_a_long_chain_is_not_factorised_to_know_that_it_should_not_be(monkeypatch: pytest.MonkeyPatch) -> None:
    robot = revolute.robots.random_tree(60, rng=1, branching=0)
    monkeypatch.setattr(revolute.machine.functions.forward_dynamics, "composite_body", None)  # calling it would raise
    counts = count(signature(robot, "forward_dynamics", {}).graph())
    assert counts == count(signature(robot, "forward_dynamics", {"algorithm": "articulated_body"}).graph())


def test_the_method_with_fewer_operations_is_chosen() -> None:
    """Short arms have small mass matrices; long ones pay for the square of their depth."""
    for n, cheaper in ((3, "composite_body"), (12, "articulated_body")):
        robot = revolute.robots.random_tree(n, rng=1, branching=0)
        counts = {method: robot.count("forward_dynamics", algorithm=method) for method in METHODS}
        assert min(counts, key=lambda method: counts[method].arithmetic) == cheaper
        assert robot.count("forward_dynamics") == counts[cheaper]


@pytest.mark.parametrize("method", ["auto", "articulated_body", "composite_body"])
def test_a_base_that_is_moved(method: str) -> None:
    """The inverse of inverse dynamics on a base that turns and is accelerated, with a wrench, to rounding."""
    robot = revolute.robots.random_tree(5, rng=8)
    q, qd, qdd = state(robot)
    base = dict(zip(("base_twist", "base_acceleration"), np.random.default_rng(2).standard_normal((2, 6)), strict=True))
    loads = {robot.link_names[-1]: np.arange(6.0)}
    tau = robot.inverse_dynamics(q, qd, qdd, wrenches=loads, **base)
    for _ in range(3):
        found = robot.forward_dynamics(q, qd, tau, wrenches=loads, algorithm=method, **base)
        np.testing.assert_allclose(found, qdd, atol=1e-9)
    turning = {"base_twist": base["base_twist"]}
    one = robot.forward_dynamics(q, qd, robot.inverse_dynamics(q, qd, qdd, **turning), algorithm=method, **turning)
    np.testing.assert_allclose(one, qdd, atol=1e-9)
