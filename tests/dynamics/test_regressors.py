"""Regressors: linearity, the parameters one at a time, Christoffel symbols, then Pinocchio."""

from dataclasses import replace

import numpy as np
import pytest
from comparing import EPS, assert_close, assert_each, assert_raises
from hypothesis import strategies as st
from peers import of_each_kind, peers
from robots import every, pin, random_states, signature, traced, trees, value

import revolute
from revolute import InputError, Robot, ShapeError
from revolute.dynamics import large_regressors
from revolute.dynamics.newton_euler import newton_euler
from revolute.model.parameters import NAMES, from_vector
from revolute.targets.numpy import evaluate

SEED = 20250813
REGRESSORS = {
    "inverse_dynamics": "regressor",
    "gravity_forces": "gravity_regressor",
    "generalized_momentum": "momentum_regressor",
}


def states(robot: Robot) -> tuple[np.ndarray, ...]:
    """q, and four vectors of joint rates."""
    rng = np.random.default_rng(SEED)
    return robot.random_configuration(rng=rng), *rng.standard_normal((4, robot.nv))


def values(robot: Robot, name: str, *arrays: np.ndarray) -> list[np.ndarray]:
    """A function's several results: see `value` of one."""
    form = signature(robot, name, {})
    scalars = form.body(*(list(x) for x in arrays))
    return [np.array(x, dtype=float).reshape(shape) for (_, shape), x in zip(form.outputs, scalars, strict=True)]


def tolerance(robot: Robot, Y: np.ndarray) -> float:
    """Rounding: some 100 operations a body, on terms that may cancel."""
    terms = np.abs(Y) @ np.abs(robot.inertial_parameters.ravel())
    return 100 * len(robot.bodies) * EPS * (terms.max() + 1e-3)


@every(trees())
def test_regressors_times_parameters(robot: Robot) -> None:
    q, qd, qdd, _, _ = states(robot)
    pi = robot.inertial_parameters.ravel()
    for (function, name), arrays in zip(REGRESSORS.items(), ((q, qd, qdd), (q,), (q, qd)), strict=True):
        Y = value(robot, name, *arrays)
        assert Y.shape == (robot.nv, 10 * robot.n_joints)
        assert np.abs(Y @ pi - value(robot, function, *arrays)).max() <= tolerance(robot, Y), name
    energies = value(robot, "kinetic_energy", q, qd), value(robot, "potential_energy", q)
    for row, energy in zip(values(robot, "energy_regressor", q, qd), energies, strict=True):
        assert abs(row @ pi - energy) <= tolerance(robot, row[None])


@every(trees(most=6))
def test_derivatives_of_the_matrices_by_the_parameters(robot: Robot) -> None:
    """M and C are linear in pi, so their derivatives times pi are the matrices; C's and the momenta's rows agree."""
    q, qd, _, qdr, _ = states(robot)
    pi, still = robot.inertial_parameters.ravel(), np.zeros(robot.nv)
    dM, dC = value(robot, "mass_matrix_regressor", q), value(robot, "coriolis_matrix_regressor", q, qd)
    assert dM.shape == dC.shape == (robot.nv, robot.nv, 10 * robot.n_joints)
    M, C, _ = values(robot, "equations_of_motion", q, qd)
    rounding = tolerance(robot, dM.reshape(-1, dM.shape[-1]))
    speed = 1 + np.abs(qd).sum()  # the terms of C are those of M times a speed; they may cancel altogether
    assert np.abs(dM @ pi - M).max() <= rounding
    assert np.abs(dC @ pi - C).max() <= rounding * speed
    momenta = value(robot, "momentum_regressor", q, qdr)
    forces = value(robot.with_gravity((0, 0, 0)), "slotine_li_regressor", q, qd, qdr, still)
    for tensor, Y, size in ((dM, momenta, 1.0), (dC, forces, speed)):
        terms = np.abs(dM).max() * np.abs(qdr).sum() * size
        assert np.abs(np.einsum("jkp,k->jp", tensor, qdr) - Y).max() <= 100 * len(robot.bodies) * EPS * terms


@every(trees(most=6))
def test_regressors_in_loops(robot: Robot) -> None:
    """Large robots have loops over joints and pairs of them: the same numbers, and the same graph's values."""
    q, qd, *_ = states(robot)
    arrays = {"coriolis_matrix_regressor": (q, qd)}
    arrays["forward_dynamics_parameter_partials"] = (q, qd, 10 * q[: robot.nv])
    for name, inputs in arrays.items():
        expected = value(robot, name, *inputs)
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(large_regressors, "LARGE", 0)
            found = value(robot, name, *inputs)
            (in_loops,) = traced(robot, name, *inputs)
            graph = signature(robot, name, {}).graph()
        rounding = 100 * len(robot.bodies) * EPS * (np.abs(expected).max(initial=0) + 1e-3)
        assert np.abs(found - expected).max(initial=0) <= rounding
        assert np.abs(in_loops - expected).max(initial=0) <= rounding
        assert any(node.op == "loop" for node in graph.nodes) or robot.nv == 0


@every(trees(most=5), st.integers(0, 9))
def test_a_column_is_the_force_of_one_parameter_alone(robot: Robot, k: int) -> None:
    q, qd, qdd, _, _ = states(robot)
    Y = value(robot, "regressor", q, qd, qdd)
    nothing, unit = (from_vector([0.0] * 10), from_vector([float(j == k) for j in range(10)]))
    for i in range(1, len(robot.bodies)):
        bodies = tuple(replace(b, inertia=unit if j == i else nothing) for j, b in enumerate(robot.bodies))
        alone = np.array(newton_euler(replace(robot, bodies=bodies), list(q), list(qd), list(qdd)), dtype=float)
        column = Y[:, 10 * (i - 1) + k]
        assert np.abs(column - alone).max() <= 100 * len(robot.bodies) * EPS * np.abs(Y).max(), NAMES[k]


@every(trees(most=5))
def test_slotine_li_forces_are_those_of_christoffel_symbols(robot: Robot) -> None:
    """M qddr + C qdr + g; for qdr = qd it is the plain regressor."""
    q, qd, qdd, qdr, qddr = states(robot)
    Y = value(robot, "slotine_li_regressor", q, qd, qdr, qddr)
    M, C, g = values(robot, "equations_of_motion", q, qd)
    expected = M @ qddr + C @ qdr + g
    assert np.abs(Y @ robot.inertial_parameters.ravel() - expected).max() <= 10 * tolerance(robot, Y)
    same, plain = value(robot, "slotine_li_regressor", q, qd, qd, qdd), value(robot, "regressor", q, qd, qdd)
    assert np.abs(same - plain).max() <= 10 * EPS * np.abs(plain).max()


@pytest.mark.parametrize(("name", "regressor"), REGRESSORS.items())
def test_one_kernel_serves_robots_that_differ_in_mass(name: str, regressor: str) -> None:
    robot = revolute.robots.random_tree(4, rng=SEED, base="free")
    kernel = robot.kernel(name, parameters="inertial")
    arrays = random_states(robot, 21, SEED)[: len(kernel.inputs) - 1]
    own = robot.inertial_parameters
    others = own * np.random.default_rng(SEED).uniform(0.5, 2, (21, *own.shape))
    for parameters in (own, others):
        pi = np.broadcast_to(parameters, others.shape).reshape(21, -1)
        expected = np.einsum("bij,bj->bi", robot.kernel(regressor)(*arrays), pi)
        assert np.abs(kernel(*arrays, parameters) - expected).max() <= 1000 * EPS * np.abs(expected).max()
    assert np.abs(kernel(*arrays, own) - getattr(robot, name)(*arrays)).max() <= 1000 * EPS * np.abs(expected).max()
    row = [x[0] for x in arrays]
    assert kernel(*row, others).shape == (21, robot.nv)  # one state, many robots


@pytest.mark.parametrize("base", ["fixed", "free"])
def test_all_functions_that_take_parameters_give_the_results_of_a_robot_with_them(base: str) -> None:
    """To some hundred roundings, times the condition of M."""
    robot, rng = revolute.robots.random_tree(3, rng=SEED, base=base), np.random.default_rng(SEED)
    other = robot.with_inertial_parameters(robot.inertial_parameters * rng.uniform(0.5, 2, (robot.n_joints, 1)))
    functions = robot.functions().items()
    names = [name for name, x in functions if "parameters" in x.options and "frame" not in x.needed]
    assert len(names) > 20
    for name in names:
        own, given = signature(other, name, {}).graph(), signature(robot, name, {"parameters": "inertial"}).graph()
        arrays = {x.name: np.array(0.01) if x.name == "h" else rng.standard_normal(x.shape) for x in own.inputs}
        found = evaluate(given, arrays | {"inertial_parameters": other.inertial_parameters})
        assert_each(assert_close, found.values(), evaluate(own, arrays).values(), 1e-12, 1.0)


def test_parameters_go_with_other_options() -> None:
    robot = revolute.robots.ur5()
    kernel = robot.kernel("inverse_dynamics", parameters="inertial", wrenches=("tool0",))
    assert [x.name for x in kernel.inputs][3:] == ["wrench on 'tool0'", "inertial_parameters"]
    q, qd, qdd = (x[0] for x in random_states(robot, 1, SEED))
    wrench = np.arange(6.0)
    found = kernel(q, qd, qdd, wrench, robot.inertial_parameters)
    np.testing.assert_allclose(found, robot.inverse_dynamics(q, qd, qdd, wrenches={"tool0": wrench}), atol=1e-12)


def test_wrong_parameters_are_named() -> None:
    robot = revolute.robots.ur5()
    assert_raises(InputError, "'kinematic'", robot.kernel, "inverse_dynamics", parameters="kinematic")
    assert_raises(InputError, "regressor has no option 'parameters'", robot.kernel, "regressor", parameters="inertial")
    with pytest.raises(ShapeError, match="inertial_parameters"):
        robot.kernel("gravity_forces", parameters="inertial")(np.zeros(6), np.zeros((5, 10)))


@every(trees(most=6))
def test_base_parameters_are_enough_and_no_more(robot: Robot) -> None:
    base = robot.base_parameters()
    q, qd, qdd, _, _ = states(robot)
    Y = value(robot, "regressor", q, qd, qdd)
    tau = value(robot, "inverse_dynamics", q, qd, qdd)
    rng = np.random.default_rng(SEED)
    rows = np.concatenate([
        value(robot, "regressor", robot.random_configuration(rng=rng), *rng.standard_normal((2, robot.nv)))
        for _ in range(10 * robot.n_joints // robot.nv + 5)
    ])
    assert np.linalg.matrix_rank(rows, tol=1e-9 * np.abs(rows).max()) <= len(base.columns)
    # columns count as spanned by others up to 1e-9 of the longest; in another draw of states it may be some times more
    left = np.linalg.norm(rows[:, base.columns] @ base.matrix - rows, axis=0)
    lost = left.max() / np.linalg.norm(rows, axis=0).max()
    assert lost <= 1e-8
    # where nothing is lost so, a least-squares fit to random rows keeps all but some three of 16 digits
    near = (1e-12 + 10 * lost) * np.abs(Y).max()
    assert np.abs(Y[:, base.columns] @ base.matrix - Y).max() <= 100 * near
    terms = (1 + np.abs(base.values).max()) * len(base.columns)
    assert np.abs(Y[:, base.columns] @ base.values - tau).max() <= near * terms
    assert len(base.columns) == len(base.names) == len(base.values) == np.linalg.matrix_rank(base.matrix)


@every(trees(most=6))
def test_regrouped_robots_have_the_same_base_parameters_forces_and_energies(robot: Robot) -> None:
    other = robot.regrouped()
    base = robot.base_parameters()
    regrouped = base.matrix @ other.inertial_parameters.ravel()
    assert np.abs(regrouped - base.values).max(initial=0) <= 1e-10 * (1 + np.abs(base.values).max(initial=0))
    q, qd, qdd, _, _ = states(robot)
    tau = value(robot, "inverse_dynamics", q, qd, qdd)
    Y = value(robot, "regressor", q, qd, qdd)
    assert np.abs(value(other, "inverse_dynamics", q, qd, qdd) - tau).max() <= tolerance(robot, Y)
    T = value(robot, "kinetic_energy", q, qd)
    terms = np.abs(values(robot, "energy_regressor", q, qd)[0]) @ np.abs(robot.inertial_parameters.ravel())
    assert abs(value(other, "kinetic_energy", q, qd) - T) <= 1000 * len(robot.bodies) * EPS * terms
    lift = value(other, "potential_energy", q) - value(robot, "potential_energy", q)
    elsewhere = robot.random_configuration(rng=SEED)
    same = value(other, "potential_energy", elsewhere) - value(robot, "potential_energy", elsewhere)
    assert lift == pytest.approx(same, rel=0, abs=1e-11 * robot.inertial_parameters[:, 0].sum() * 10)


def test_base_parameters_of_known_robots() -> None:
    assert len(revolute.robots.puma560().base_parameters().columns) == 36  # Gautier & Khalil 1990
    assert len(revolute.robots.ur5().base_parameters().columns) == 36
    base = revolute.robots.planar(2).base_parameters()
    assert base.names == (
        "link1.mx + link2.m", "link1.my", "link1.Izz + link2.m", "link2.mx", "link2.my", "link2.Izz",
    )  # fmt: skip
    free = revolute.robots.random_tree(1, rng=1, base="free").base_parameters()
    assert list(free.columns[:10]) == list(range(10))  # a floating body shows all it has


def test_base_parameters_do_not_depend_on_the_seed_or_the_robot_s_own() -> None:
    robot = revolute.robots.ur5()
    first, second = robot.base_parameters(), robot.base_parameters(rng=5)
    assert np.array_equal(first.columns, second.columns)
    np.testing.assert_allclose(first.matrix, second.matrix, rtol=0, atol=1e-12)
    assert_raises(InputError, "tolerance", robot.base_parameters, tolerance=0)
    assert revolute.robots.planar(1).lock({"joint1": 0.0}).base_parameters().matrix.shape == (0, 0)


def test_parameters_have_names() -> None:
    robot = revolute.robots.ur5()
    names = robot.parameter_names
    assert len(names) == robot.inertial_parameters.size == 60
    assert [name.partition(":")[0].rpartition(".")[2] for name in names[:10]] == list(NAMES)
    assert names[17] == "upper_arm_link.Ixy: xy entry of the inertia matrix of upper_arm_link about its origin [kg m^2]"
    assert not robot.inertial_parameters.flags.writeable


def test_a_robot_without_joints_has_no_parameters() -> None:
    robot = revolute.robots.planar(1).lock({"joint1": 0.0})
    assert robot.inertial_parameters.shape == (0, 10)
    assert robot.regressor([], [], []).shape == (0, 0)


THEIRS = [NAMES.index(x) for x in ("m", "mx", "my", "mz", "Ixx", "Ixy", "Iyy", "Ixz", "Iyz", "Izz")]


@of_each_kind
def test_regressors_agree_with_pinocchio(name: str, base: str) -> None:
    robot, model, data, q, qd, qdd, (x,), order = peers(name, base, 1, SEED)
    Y = value(robot, "regressor", q[0], qd[0], qdd[0])
    places = [10 * (model.getJointId(body.joint_name) - 1) + k for body in robot.bodies[1:] for k in np.argsort(THEIRS)]
    theirs = pin.computeJointTorqueRegressor(model, data, x, qd[0, order], qdd[0, order])
    # Files print pi/2 with 12 digits, which Revolute takes as exact: a chain tilts by 5e-11
    assert np.abs(Y[order] - theirs[:, places]).max(initial=0) <= 1e-9 * np.abs(theirs).max(initial=0)
