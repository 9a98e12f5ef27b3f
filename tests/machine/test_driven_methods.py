"""Every method of a robot, with drives: by covariance, by identities of mechanics, against whole rotors and MuJoCo."""

from functools import cache
from itertools import pairwise
from typing import Any

import mujoco
import numpy as np
import physics
import pytest
from comparing import SLOPE_STEPS, SLOPE_WEIGHTS, assert_close, assert_each, assert_raises
from driving import direction, made, whole_rotors, with_parameters
from robots import loaded, signature, state, value

import revolute
from revolute import Drive, DrivenRobot, Inertia, InputError, Mimic, Robot, Rotor
from revolute.dynamics import driven
from revolute.dynamics.newton_euler import gravity_forces, newton_euler
from revolute.dynamics.steps import METHODS
from revolute.errors import GraphError
from revolute.graph import Graph
from revolute.machine.declare import declared
from revolute.machine.functions.coordinates import with_drives
from revolute.machine.functions.joint_space import check_kind
from revolute.machine.robot.base import Shared
from revolute.targets.numpy import outputs_of

EXACT = 1e-10
"""Relative: some thousand roundings, of trees of at most 12 joints with gears of up to 50."""

SOLVED = 1e-8
"""Where equations are solved: the same times the condition of M, some hundred."""

SEEDS = [0, 1, *(pytest.param(seed, marks=pytest.mark.slow) for seed in (2, 3))]

_DESCRIPTION = "a description has links and joints, and no couplings: of `robot`"
_OF_JOINTS = "a number for each joint, not for each coordinate: of `robot`"
_OF_TREE = "of the tree, which is not that of the coordinates: of `robot`, or `tree` with rotors"
WITHOUT = {
    **dict.fromkeys(
        ("from_dh", "from_dict", "from_links", "from_screws", "from_model"), "makes a robot: `with_drives` then"
    ),
    **dict.fromkeys(("to_dh", "to_dict", "to_mjcf", "to_urdf"), _DESCRIPTION),
    "drives": _OF_JOINTS,
    **dict.fromkeys(
        ("attach", "rebased", "to_base", "with_frame"), "`with_drives` afterwards: joints and links change"
    ),
    **dict.fromkeys(("bodies", "closures", "frame", "frames", "joint", "joint_index", "joint_names", "mass"), _OF_TREE),
    **dict.fromkeys(("digest", "n_joints", "q_index", "v_index"), _OF_TREE),
    **dict.fromkeys(("configurations", "with_configurations"), "names are of joints' positions, not of q: of `robot`"),
    **dict.fromkeys(("animate", "plot"), "pictures are of links: of `robot`, at `joint_positions(q)`"),
    "inertia_bounds": "limits are those of joints; A^T (M + I_a) A is between bounds of M + I_a times those of A^T A",
    "passivity_check": "friction takes energy, so that the balance is another one: `total_energy`, `friction_forces`",
    "subtree": "couplings may go beyond it: `robot.subtree` before `with_drives`",
    "regrouped": "rotors need the inertia of their links; kernels regroup by themselves",
    "placement_jacobian": "displacements are those of the tree's joints: of `robot`, at `joint_positions(q)`",
    "inverse_dynamics_placement_partials": "of links, displaced joint by joint: of `robot`, at `joint_positions(q)`",
    "operational_space": "of links alone: of `robot`; with drives `task_space_dynamics` and its like, in twists",
    "with_drives": "it has drives: `robot.with_drives` for others",
    "with_closures": "`robot.with_closures(..., drives=True)`",
    "hold": "`robot.hold(...)`, of the robot: a closure of its links",
    "with_elastic_joints": "motors behind springs are no rotors of the joints: `robot.with_elastic_joints`",
}
"""Members and functions of a robot that one with drives does not have, and why."""


def test_every_method_of_robots_is_decided() -> None:
    """A robot with drives has it, or it is in `WITHOUT` with the reason."""
    robot = revolute.robots.planar(2)
    names, drives = (
        {x for x in dir(it) if not x.startswith("_")} | {x for x, f in it.functions().items() if not f.internal}
        for it in (robot, robot.with_drives())
    )
    assert names - drives == WITHOUT.keys()


OPTIONS_WITHOUT = {
    **{
        (name, "damping"): "all friction of drives acts"
        for name in (
            "momentum_observer_step", "touching_step", "state_rate", "sensitivity_rate", *(f"{x}_step" for x in METHODS)
        )
    },
    ("forward_dynamics", "algorithm"): "by sparse factors, or by articulated bodies where no joint is coupled",
}
"""(function, option) of a robot that the same function of a robot with drives does not have, and why."""


def test_terms_of_drives_are_decided() -> None:
    """A function of robots that drives share has terms of its own, or is declared `of_links`; so for its options."""
    shared = {name: x for name, x in DrivenRobot.functions().items() if x is Robot.functions().get(name)}
    assert len(shared) > 70 and all((x.driven is None) == bool(x.of_links) for x in shared.values())
    lacking = {
        (name, x) for name, function in shared.items() for x in {*function.options} - {*with_drives(function).options}
    }
    assert lacking - {(name, "parameters") for name in shared} == OPTIONS_WITHOUT.keys()


def test_a_function_that_forgets_drives_is_refused() -> None:
    """It gave the forces of the links alone, without a word."""

    class Forces(Shared):
        @declared(newton_euler, "q qd qdd -> tau: nv")
        def joint_forces(self, q: Any, qd: Any, qdd: Any, *, out: Any = None, threads: Any = None) -> Any:
            """As inverse dynamics."""

    assert_raises(GraphError, "inherit 'joint_forces': declare it with", type, "WithDrives", (Forces, DrivenRobot), {})


def test_a_function_of_masses_is_not_of_links_without_a_reason() -> None:
    """dU/dt lost the springs without a word. With a reason it is as declared; functions of geometry need none."""

    def rate(model: Any, q: Any, qd: Any) -> Any:
        return sum(g * v for g, v in zip(gravity_forces(model, q), qd, strict=True))

    def of(recursion: Any, of_links: bool | str) -> Any:
        class Rates(Shared):
            @declared(recursion, "q qd -> r", of_links=of_links)
            def rate(self, q: Any, qd: Any, *, out: Any = None, threads: Any = None) -> Any:
                """A rate."""

        robot = object.__new__(type("Driven", (Rates, DrivenRobot), {}))
        robot.__dict__.update(vars(revolute.robots.planar(2).with_drives({"joint1": Drive(stiffness=10.0)})))
        return robot.rate([0.5, 0.2], [1.0, 0.3])

    assert_raises(GraphError, "'rate' is declared with of_links=True, but depends on masses", of, rate, True)
    assert of(lambda model, q, qd: sum(qd), True) == 1.3
    assert of(rate, "weight alone") > 0


@cache
def graph(robot: Any, name: str, options: tuple[tuple[str, Any], ...]) -> Graph:
    found = signature(robot, name, dict(options)).graph()
    found.forget()
    return found


def at(robot: Any, name: str, *arrays: np.ndarray, **options: Any) -> list[np.ndarray]:
    """A function's results, also for complex numbers, of one state or of a row of states."""
    traced = graph(robot, name, tuple(options.items()))
    given, batch = {}, ()
    for x, array in zip(traced.inputs, arrays, strict=True):
        batch = np.broadcast_shapes(batch, array.shape[: array.ndim - len(x.shape)])
        given[x.name] = np.moveaxis(array.reshape((*array.shape[: array.ndim - len(x.shape)], x.size)), -1, 0)
    found = outputs_of(traced, {name: list(x) for name, x in given.items()})
    rows = [np.array([np.broadcast_to(x, batch) for x in scalars]) for scalars in found]
    return [np.moveaxis(x, 0, -1).reshape((*batch, *y.shape)) for x, y in zip(rows, traced.outputs, strict=True)]


def one(robot: Any, name: str, *arrays: np.ndarray, **options: Any) -> np.ndarray:
    (found,) = at(robot, name, *arrays, **options)
    return found


def along(robot: DrivenRobot, name: str, p: np.ndarray, *rates: np.ndarray, **options: Any) -> list[np.ndarray]:
    """Rates of a function's results along a motion, by a complex step."""
    step = 1j * physics.STEP
    moved = [p + step * physics.coordinate_rates(robot.space, p, rates[0])]
    moved += [x + step * xd for x, xd in pairwise(rates)]
    return [np.imag(y) / physics.STEP for y in at(robot, name, *moved, **options)]


def by_positions(robot: DrivenRobot, name: str, p: np.ndarray, *arrays: np.ndarray, **options: Any) -> list[np.ndarray]:
    """Derivatives of a function's results along each coordinate's velocity, on a new last axis."""
    moved = p + 1j * physics.STEP * np.array(physics.unit_rates(robot.space, p))
    return [np.moveaxis(np.imag(y), 0, -1) / physics.STEP for y in at(robot, name, moved, *arrays, **options)]


def states(robot: DrivenRobot, seed: int) -> tuple[np.ndarray, ...]:
    """p, pd, pdd, and two more of their rates."""
    return *state(robot.space, seed), *np.random.default_rng(seed + 100).standard_normal((2, robot.nv))


def tip(robot: Robot) -> str:
    return robot.link_names[-1]


def close(ours: Any, theirs: Any, tolerance: float = EXACT) -> None:
    assert_close(ours, theirs, tolerance)


SHARED = sorted(
    name
    for name, function in Robot.functions().items()
    if not function.internal
    and name not in ("forward_dynamics", "forward_dynamics_partials", "linearize", "regressor_gradient")
    and name not in WITHOUT
    and "contacts" not in function.options  # see test_contacts_of_machines.py
)


def options_of(robot: Robot, name: str) -> dict[str, Any]:
    needed = Robot.functions()[name].needed
    if name == "linearize_task":
        return {"frame": tip(robot), "rows": (3, 4)}
    return {"frame": tip(robot)} if "frame" in needed or name in ("forward_kinematics",) else {}


SOLVING = {
    *("mass_matrix_inverse", "cholesky", "hamiltonian", "hamiltons_equations"),
    *("forward_dynamics_parameter_partials", "manipulability", "manipulability_gradient"),
    *("linearize_task", "dynamically_consistent_inverse", *(x for x in SHARED if "task_space" in x)),
}
"""Functions that depend on M or J by more than a product."""

STEPS = {"difference", "difference_partials", "integrate", "integrate_partials", "normalize"}
"""Functions whose results are positions or steps, not forces: those of joints are A times those of coordinates."""

FREE = sorted({*SHARED} - SOLVING - STEPS - {"centrifugal_and_coriolis_forces"})
"""Functions of products with A alone. Squares of A pd are no squares of pd.

A new function that multiplies or divides joint by joint is taken out here too, and tested by identities of its own.
"""


def coupled() -> tuple[Robot, DrivenRobot]:
    """A tree whose joints follow coordinates with equal, opposite and constant angles: they may be one node."""
    arm = revolute.robots.random_tree(5, rng=4)
    names = arm.joint_names
    mimic = {names[4]: Drive(mimic=Mimic(names[0])), names[3]: Drive(mimic=Mimic(names[1], -1.0))}
    return arm, arm.with_drives(mimic, coupling=[[-1, 0], [-1, 2], [0, 0]], offset=[0.1, -0.2, 0.4])


OF_GOA = [name for name, function in Robot.functions().items() if function.check is check_kind]
"""Functions of either Coriolis matrix."""


@pytest.mark.parametrize(("name", "chosen"), [*((x, {}) for x in FREE), *((x, {"kind": "goa"}) for x in OF_GOA)])
def test_results_are_covariant(name: str, chosen: dict[str, Any]) -> None:
    """Of links alone: every axis of velocities is contracted with A, in NumPy, and arrays of velocities are A pd."""
    arm, robot = coupled()
    A, rng = robot.coupling, np.random.default_rng(5)
    options = options_of(arm, name) | chosen
    declared = Robot.functions()[name].arrays(**options)
    ours, theirs = [], []
    for _, shape in declared.inputs:
        x = rng.standard_normal(robot.nv if shape in (("nq",), ("nv",)) else int(shape[0]))
        ours.append(x)
        theirs.append({("nq",): robot.joint_positions, ("nv",): A.__matmul__}.get(shape, np.copy)(x))
    found, expected = at(robot, name, *ours, **options), at(arm, name, *theirs, **options)
    links = 10 * arm.n_joints
    for (_, shape), mine, other in zip(declared.outputs, found, expected, strict=True):
        if "10n" in shape:
            mine = mine[..., :links]
        for axis, size in enumerate(shape):
            if size == "nv":
                other = np.moveaxis(np.tensordot(other, A, (axis, 0)), -1, axis)
        assert_close(mine, other, EXACT)  # if it is not covariant: see `FREE`


@pytest.mark.parametrize("seed", SEEDS)
def test_steps_of_coordinates_are_those_of_joints(seed: int) -> None:
    robot = made(seed)
    A, joints = robot.coupling, robot.joint_positions
    (p, d, *_), (p1, *_) = states(robot, seed), states(robot, seed + 10)
    close(joints(robot.integrate(p, d)), robot.robot.integrate(joints(p), A @ d))
    close(A @ robot.difference(p, p1), robot.robot.difference(joints(p), joints(p1)))
    partials, at_joints = robot.difference_partials(p, p1), robot.robot.difference_partials(joints(p), joints(p1))
    assert_each(close, [A @ x for x in partials], [x @ A for x in at_joints])
    partials, at_joints = robot.integrate_partials(p, d), robot.robot.integrate_partials(joints(p), A @ d)
    assert_each(close, [A @ x for x in partials], [x @ A for x in at_joints])
    close(joints(robot.normalize(2 * p)), robot.robot.normalize(joints(2 * p)))


@pytest.mark.parametrize("name", SHARED)
def test_without_drives_they_are_the_robots(name: str) -> None:
    arm = revolute.robots.planar(2)
    robot, options = arm.with_drives(), options_of(arm, name)
    if "frame" in options and name in SOLVING:
        options["rows"] = (3, 4)
    shapes = [x.shape for x in graph(arm, name, tuple(options.items())).inputs]
    arrays = [np.random.default_rng(k).standard_normal(shape) for k, shape in enumerate(shapes)]
    for mine, other in zip(at(robot, name, *arrays, **options), at(arm, name, *arrays, **options), strict=True):
        close(mine[..., : other.shape[-1]] if other.ndim else mine, other)


@pytest.mark.parametrize("seed", SEEDS)
def test_links_are_where_their_joints_put_them(seed: int) -> None:
    """With rotors and joints of all kinds; other functions of links are covariant."""
    robot = made(seed)
    p, pd, pdd, *_ = states(robot, seed)
    q, frame = robot.drivetrain.positions(robot.tree, p)[: robot.robot.nq], tip(robot.robot)
    close(one(robot, "forward_kinematics", p, frame=frame), value(robot.robot, "forward_kinematics", q, frame=frame))
    J, Jd = (one(robot, "jacobian", p, frame=frame), one(robot, "jacobian_rate", p, pd, frame=frame))
    close(one(robot, "acceleration", p, pd, pdd, frame=frame), J @ pdd + Jd @ pd)
    close(Jd, along(robot, "jacobian", p, pd, frame=frame)[0])
    close(one(robot, "jacobian_partials", p, frame=frame), by_positions(robot, "jacobian", p, frame=frame)[0])
    close(one(robot, "com_velocity", p, pd), along(robot, "center_of_mass", p, pd)[0])


@pytest.mark.parametrize("kind", ["christoffel", "goa"])
@pytest.mark.parametrize("seed", SEEDS)
def test_rates_of_matrices_are_complex_steps(seed: int, kind: str) -> None:
    robot = made(seed)
    p, pd, pdd, pddd, _ = states(robot, seed)
    Md, C = one(robot, "mass_matrix_rate", p, pd), one(robot, "coriolis_matrix", p, pd, kind=kind)
    close(Md, along(robot, "mass_matrix", p, pd)[0])
    close(C + C.T, Md)
    assert kind == "goa" or np.array_equal(C + C.T, Md)
    Cd, gd = one(robot, "coriolis_matrix_rate", p, pd, pdd, kind=kind), one(robot, "gravity_forces_rate", p, pd)
    close(Cd, along(robot, "coriolis_matrix", p, pd, pdd, kind=kind)[0])
    close(gd, along(robot, "gravity_forces", p, pd)[0])
    M, _, g, rate = at(robot, "equations_of_motion", p, pd, mass_matrix_rate=True)
    close(rate, Md)
    assert_each(close, at(robot, "equations_of_motion_rates", p, pd, pdd, kind=kind), (M, C, g, Md, Cd, gd))
    second = at(robot, "equations_of_motion_second_rates", p, pd, pdd, pddd, kind=kind)
    assert_each(close, second, along(robot, "equations_of_motion_rates", p, pd, pdd, pddd, kind=kind)[3:])


@pytest.mark.parametrize("seed", SEEDS)
def test_partials_and_rates_of_forces_are_complex_steps(seed: int) -> None:
    robot = made(seed)
    p, pd, pdd, pddd, pdddd = states(robot, seed)
    dM = one(robot, "mass_matrix_partials", p)
    close(dM, by_positions(robot, "mass_matrix", p)[0])
    close(one(robot, "gravity_forces_partials", p), by_positions(robot, "gravity_forces", p)[0])
    Gamma = one(robot, "christoffel_symbols", p)
    close(at(robot, "coriolis_matrix_partials", p, pd)[1], Gamma)
    for kind in ("christoffel", "goa"):
        dC_dp, dC_dpd = at(robot, "coriolis_matrix_partials", p, pd, kind=kind)
        close(dC_dp, by_positions(robot, "coriolis_matrix", p, pd, kind=kind)[0])
        close(dC_dpd @ pd, one(robot, "coriolis_matrix", p, pd, kind=kind))
        close(dC_dpd @ pdd, one(robot, "coriolis_matrix", p, pdd, kind=kind))
    by_p, by_pd, M = at(robot, "inverse_dynamics_partials", p, pd, pdd)
    change = one(robot, "inverse_dynamics_differential", p, pd, pdd, pddd, pdddd, pd)
    close(change, by_p @ pddd + by_pd @ pdddd + M @ pd)
    second = at(robot, "inverse_dynamics_second_partials", p, pd, pdd)
    first, mixed, _ = by_positions(robot, "inverse_dynamics_partials", p, pd, pdd)
    close(second[0], first)
    close(second[1], np.swapaxes(mixed, 1, 2))
    slopes = at(robot, "inverse_dynamics_partials", p, pd + 1j * physics.STEP * np.eye(robot.nv), pdd)[1]
    close(second[2], np.moveaxis(np.imag(slopes), 0, -1) / physics.STEP)
    close(second[3], dM)
    tau, taud, taudd = at(robot, "inverse_dynamics_rates", p, pd, pdd, pddd, pdddd)
    close(tau, one(robot, "inverse_dynamics", p, pd, pdd))
    close(taud, along(robot, "inverse_dynamics", p, pd, pdd, pddd)[0])
    close(taudd, along(robot, "inverse_dynamics_rates", p, pd, pdd, pddd, pdddd, np.zeros(robot.nv))[1])


@pytest.mark.parametrize("seed", SEEDS)
def test_energies_momenta_and_regressors_are_those_of_the_matrices(seed: int) -> None:
    robot = made(seed)
    p, pd, pdd, pdr, pddr = states(robot, seed)
    T, U = one(robot, "kinetic_energy", p, pd), one(robot, "potential_energy", p)
    close(one(robot, "lagrangian", p, pd), T - U)
    close(one(robot, "total_energy", p, pd), T + U)
    momenta, tau = one(robot, "generalized_momentum", p, pd), one(robot, "inverse_dynamics", p, pd, pdd)
    close(one(robot, "hamiltonian", p, momenta), T + U, SOLVED)
    velocities, rates = at(robot, "hamiltons_equations", p, momenta, tau)
    close(velocities, pd, SOLVED)
    close(rates, along(robot, "generalized_momentum", p, pd, pdd)[0], SOLVED)
    power, lost = one(robot, "power", p, pd, pdd), pd @ one(robot, "friction_forces", pd)
    close(power - lost, along(robot, "total_energy", p, pd, pdd)[0])
    assert lost > 0
    close(power, pd @ tau)
    M, C, g = at(robot, "equations_of_motion", p, pd)
    close(momenta, M @ pd)
    L = one(robot, "cholesky", p)
    assert np.array_equal(L, np.tril(L)) and (np.diag(L) > 0).all()
    close(L.T @ L, M)
    others = one(robot, "friction_forces", pd) + one(robot, "spring_forces", p)
    close(one(robot, "coriolis_forces", p, pd), C @ pd)
    close(one(robot, "bias_forces", p, pd), C @ pd + g + others)
    close(M @ pdd + C @ pd + g + others, tau)
    by_p, by_pd, by_pdd = at(robot, "inverse_dynamics_partials", p, pd, pdd)
    close(by_p @ pd + by_pd @ pdd + by_pdd @ pdr, along(robot, "inverse_dynamics", p, pd, pdd, pdr)[0])
    inverse = one(robot, "mass_matrix_inverse", p)
    close(inverse @ M, np.eye(robot.nv), SOLVED)
    close(one(robot, "forward_dynamics", p, pd, tau), pdd, SOLVED)
    expected = -inverse @ by_p, -inverse @ by_pd, inverse
    assert_each(close, at(robot, "forward_dynamics_partials", p, pd, tau), expected, SOLVED)
    pi = robot.parameters
    for kind in ("christoffel", "goa"):
        C = one(robot, "coriolis_matrix", p, pd, kind=kind)
        Y = one(robot, "slotine_li_regressor", p, pd, pdr, pddr, kind=kind)
        close(Y @ pi, M @ pddr + C @ pdr + g + others)
        close(one(robot, "coriolis_matrix_regressor", p, pd, kind=kind) @ pi, C)
    Y = one(robot, "regressor", p, pd, pdd)
    np.testing.assert_array_equal(one(robot, "slotine_li_regressor", p, pd, pd, pdd), Y)
    close(one(robot, "gravity_regressor", p) @ pi, g)
    close(one(robot, "momentum_regressor", p, pd) @ pi, M @ pd)
    close(one(robot, "mass_matrix_regressor", p) @ pi, M)
    close([y @ pi for y in at(robot, "energy_regressor", p, pd)], [T, U])
    names = [name.partition(":")[0] for name in robot.parameter_names]
    assert len({*names}) == len(names) == len(pi)


@pytest.mark.parametrize("seed", SEEDS)
def test_centrifugal_forces_are_those_of_single_coordinates(seed: int) -> None:
    robot = made(seed)
    p, pd, *_ = states(robot, seed)
    whole = one(robot, "coriolis_forces", p, pd)
    single = one(robot, "coriolis_forces", p, np.diag(pd)).sum(axis=0)
    centrifugal, coriolis = at(robot, "centrifugal_and_coriolis_forces", p, pd)
    close(centrifugal, single)
    close(coriolis, whole - single, 1e2 * EXACT)  # of terms that cancel
    close(np.einsum("ijk,j,k", one(robot, "quadratic_velocity_coefficients", p), pd, pd), whole)


@pytest.mark.parametrize(
    ("seed", "rows"), [*((seed, "linear") for seed in (0, 2, 3)), *((seed, (2, 3)) for seed in range(4))]
)
def test_manipulability_is_that_of_the_coordinates(seed: int, rows: Any) -> None:
    """The product of the singular values of J A; dw = w tr(J^+ dJ)."""
    robot = made(seed)
    p, frame = states(robot, seed)[0], tip(robot.robot)
    options = {"frame": frame, "reference": "aligned"}
    chosen = [3, 4, 5] if rows == "linear" else list(rows)
    J = one(robot, "jacobian", p, **options)[chosen]
    w = np.linalg.svd(J, compute_uv=False).prod()
    assert w > 1e-3
    close(one(robot, "manipulability", p, rows=rows, **options), w, SOLVED)
    expected = w * np.einsum("ji,ijk", np.linalg.pinv(J), one(robot, "jacobian_partials", p, **options)[chosen])
    close(one(robot, "manipulability_gradient", p, rows=rows, **options), expected, SOLVED)


def test_manipulability_of_a_coupled_planar_arm() -> None:
    """w = |sin(p2 - p1)| |det A|, with det A = 2."""
    robot = revolute.robots.planar(2).with_drives(coupling=[[2, 0], [-1, 1]])
    p = np.array([0.4, 1.3])
    angle = p[1] - p[0]
    close(robot.manipulability(p, "tip", rows=(3, 4)), 2 * np.sin(angle))
    close(robot.manipulability_gradient(p, "tip", rows=(3, 4)), 2 * np.cos(angle) * np.array([-1, 1]))
    alone = revolute.robots.planar(2).with_drives({"joint2": Drive(mimic=Mimic("joint1"))})
    assert alone.manipulability([0.3], "tip", rows=(3, 4)) == 0  # one coordinate, two rows
    assert_raises(InputError, "rows must be 'all', 'angular', 'linear' or", robot.manipulability, p, "tip", rows="lin")


@pytest.mark.parametrize("seed", SEEDS)
def test_accelerations_depend_on_all_parameters(seed: int) -> None:
    """M dpdd/dpi + Y = 0, and the slope of changed robots, by central differences: errors STEP^4 and EPS / STEP."""
    robot = made(seed)
    p, pd, _, tau, _ = states(robot, seed)
    arrays, options = (p, pd, tau, np.arange(6.0)), {"wrenches": (tip(robot.robot),)}
    found, d = robot.kernel("forward_dynamics_parameter_partials", **options)(*arrays), direction(robot, seed)
    assert found.shape == (robot.nv, len(robot.parameters))
    Y = one(robot, "regressor", p, pd, one(robot, "forward_dynamics", *arrays, **options))
    close(one(robot, "mass_matrix", p) @ found, -Y, SOLVED)
    runs = [one(with_parameters(robot, h * d), "forward_dynamics", *arrays, **options) for h in SLOPE_STEPS]
    expected = sum(w * run for w, run in zip(SLOPE_WEIGHTS, runs, strict=True))
    assert_close(found @ d, expected, SOLVED, np.abs(runs).max() + np.abs(found * d).max())


def test_base_parameters_have_friction_and_rotors() -> None:
    drive = Drive((0.4,), (1.5,), armature=(0.2,))
    robot = revolute.robots.planar(2).with_drives({"joint1": drive, "joint2": drive})
    base = robot.base_parameters()
    p, pd, pdd = np.random.default_rng(3).standard_normal((3, 2))
    close(robot.regressor(p, pd, pdd)[:, base.columns] @ base.values, robot.inverse_dynamics(p, pd, pdd))
    assert {"joint1.damping", "joint1.friction", "joint2.friction"} < {*base.names}
    assert "link1.Izz + link2.m + joint1.armature" in base.names  # joint 1 cannot tell them apart
    assert "joint2.armature" in base.names  # felt by joint 2 alone


@pytest.mark.parametrize("seed", SEEDS)
def test_lambda_is_that_of_all_inertia(seed: int) -> None:
    """Lambda = (J M^-1 J^T)^-1 and eta = Lambda (J M^-1 b - Jd pd), with friction and springs in b."""
    robot = made(seed)
    p, pd, *_ = states(robot, seed)
    options: dict[str, Any] = {"frame": tip(robot.robot), "reference": "aligned"}
    J, Jd = one(robot, "jacobian", p, **options)[[3, 5]], one(robot, "jacobian_rate", p, pd, **options)[[3, 5]]
    M, options = one(robot, "mass_matrix", p), {**options, "rows": (3, 5)}
    inertia = np.linalg.inv(J @ np.linalg.solve(M, J.T))
    Lambda, mu, weight, push, _ = at(robot, "task_space_dynamics", p, pd, **options)
    assert not push.any()
    close(Lambda, inertia, SOLVED)
    bias, springs = one(robot, "bias_forces", p, pd), one(robot, "spring_forces", p)
    close(mu + weight, inertia @ (J @ np.linalg.solve(M, bias) - Jd @ pd), SOLVED)
    close(weight, inertia @ J @ np.linalg.solve(M, one(robot, "gravity_forces", p) + springs), SOLVED)
    inverse, _ = at(robot, "dynamically_consistent_inverse", p, **options)
    close(inverse, np.linalg.solve(M, J.T) @ inertia, SOLVED)
    wanted, frame = np.array([0.7, -1.2]), tip(robot.robot)
    for loads in (None, {robot.link_names[1]: np.random.default_rng(seed).standard_normal(6), frame: np.ones(6)}):
        task = robot.task_space_forces(p, pd, wanted, **options, wrenches=loads)
        pdd = robot.forward_dynamics(p, pd, task.tau, wrenches=loads)
        close(robot.acceleration(p, pd, pdd, frame, "aligned")[[3, 5]], wanted, SOLVED)
        model = robot.task_space_dynamics(p, pd, **options, wrenches=loads)
        close(task.wrench, model.inertia @ wanted + model.bias, SOLVED)
        assert not model.singular


def test_linear_models_in_task_space_are_those_of_the_coordinates() -> None:
    """BP 7.4.15-7.4.17 backwards, with friction, springs, rotors and a coupling matrix."""
    arm = revolute.robots.planar(2)
    drive = Drive((0.4,), (1.5,), gear_ratio=(50.0,), rotor_inertia=(1e-4,), stiffness=(3.0,))
    robot = arm.with_drives({"joint1": drive, "joint2": drive}, coupling=[[1, 0], [-1, 1]], smoothing=0.3, rotors=True)
    p, pd, pdd = np.random.default_rng(6).standard_normal((3, 2))
    model = robot.linearize_task(p, pd, pdd, "tip", reference="aligned", rows=(3, 4))
    J, Jd = robot.jacobian(p, "tip", "aligned")[[3, 4]], robot.jacobian_rate(p, pd, "tip", "aligned")[[3, 4]]
    Jdd = robot.jacobian_second_rate(p, pd, pdd, "tip", "aligned")[[3, 4]]
    by_p, by_pd, M = robot.inverse_dynamics_partials(p, pd, pdd)
    close(model.D @ J, M, SOLVED)
    close(model.V @ J + 2 * model.D @ Jd, by_pd, SOLVED)
    close(model.P @ J + model.V @ Jd + model.D @ Jdd, by_p, SOLVED)
    assert_raises(InputError, "2 degrees of freedom needs 2", robot.linearize_task, p, pd, pdd, "tip", rows=(0, 1, 2))


def test_linear_models_of_what_flies_are_the_robots() -> None:
    """Of a free body, whose axes turn."""
    box = Inertia.from_com(2.0, (0.1, 0.2, 0.3), np.diag([0.2, 0.3, 0.4]))
    body = Robot.from_links("body", [revolute.Link("body", box)], [], base="free")
    x = state(body, 8)
    ours, theirs = body.with_drives().linearize_task(*x, "body"), body.linearize_task(*x, "body")
    assert_each(close, ours[:3], theirs[:3])


def test_rotors_turn_in_space() -> None:
    """Momenta, their rates and the wrenches of joints are those of a robot that has the rotors as whole bodies."""
    whole, robot, A, positions = whole_rotors(revolute.robots.random_tree(3, rng=3, base="free"), 2, first=1)
    p, pd, pdd, *_ = states(robot, 4)
    np.testing.assert_array_equal(robot.joint_positions(p), p)
    q, qd, qdd = positions(p), A @ pd, A @ pdd
    close(one(robot, "centroidal_momentum_matrix", p) @ pd, value(whole, "centroidal_momentum", q, qd))
    close(one(robot, "centroidal_momentum", p, pd), value(whole, "centroidal_momentum", q, qd))
    close(one(robot, "centroidal_momentum_rate", p, pd, pdd), value(whole, "centroidal_momentum_rate", q, qd, qdd))
    close(one(robot, "centroidal_momentum_rate", p, pd, pdd), along(robot, "centroidal_momentum", p, pd, pdd)[0])
    close(one(robot, "center_of_mass", p), value(whole, "center_of_mass", q))
    close(one(robot, "generalized_momentum", p, pd), A.T @ value(whole, "generalized_momentum", q, qd))
    F = value(whole, "joint_wrenches", q, qd, qdd)
    kept = [whole.joint_index(name) - 1 for name in robot.robot.joint_names]
    close(one(robot, "joint_wrenches", p, pd, pdd), F[kept])
    at_rest = value(robot.robot, "centroidal_momentum", p, pd)
    assert np.abs(one(robot, "centroidal_momentum", p, pd) - at_rest).max() > 0.1


def test_armature_damping_and_springs_are_mujocos() -> None:
    xml = """<mujoco><compiler angle="radian"/><option gravity="0 0 -9.81"/><worldbody>
    <body name="a"><joint name="j1" axis="0 1 0" damping=".7" armature=".3" stiffness="5" springref=".4"/>
     <geom type="capsule" size=".05" fromto="0 0 0 .5 0 0"/>
     <body name="b" pos=".5 0 0"><joint name="j2" axis="0 1 1" damping=".2" armature=".1"/>
      <geom type="capsule" size=".04" fromto="0 0 0 .4 0 .1"/>
      <body name="c" pos=".4 0 .1">
       <joint name="j3" type="slide" axis="1 0 0" stiffness="30" springref="-.1" damping="2"/>
       <geom type="box" size=".05 .04 .03"/></body></body></body></worldbody></mujoco>"""
    robot, model = loaded(xml).with_drives(), mujoco.MjModel.from_xml_string(xml)
    data = mujoco.MjData(model)
    q, qd, qdd = np.random.default_rng(7).standard_normal((3, 3))
    data.qpos[:], data.qvel[:], data.qacc[:] = q, qd, qdd
    mujoco.mj_inverse(model, data)
    tau = robot.inverse_dynamics(q, qd, qdd)
    close(tau, data.qfrc_inverse, 1e-9)
    close(-robot.spring_forces(q) - robot.friction_forces(qd), data.qfrc_passive, 1e-9)
    M, momentum, J = np.zeros((3, 3)), np.zeros(3), np.zeros((3, 3))
    mujoco.mj_fullM(model, data, M)
    mujoco.mj_mulM(model, data, momentum, data.qvel)
    mujoco.mj_jacBody(model, data, J, None, 3)
    close(robot.mass_matrix(q), M, 1e-9)
    close(one(robot, "generalized_momentum", q, qd), momentum, 1e-9)
    close(one(robot, "bias_forces", q, qd), data.qfrc_bias - data.qfrc_passive, 1e-9)
    close(one(robot, "jacobian", q, frame="c", reference="aligned")[3:], J, 1e-9)
    Lambda = at(robot, "task_space_dynamics", q, qd, frame="c", reference="aligned", rows=(3, 4, 5))[0]
    close(Lambda, np.linalg.inv(J @ np.linalg.solve(M, J.T)), 1e-8)
    data.qfrc_applied[:] = tau
    mujoco.mj_forward(model, data)
    close(robot.forward_dynamics(q, qd, tau), data.qacc, 1e-9)


def test_variants_keep_the_drives() -> None:
    robot = made(1)
    p, pd, pdd, *_ = states(robot, 1)
    floating = robot.with_gravity((0, 0, 0))
    assert floating.gravity == (0, 0, 0) and type(floating) is type(robot)
    others = [one(x, "inverse_dynamics", p, pd, pdd) for x in (robot, floating)]
    close(others[0] - others[1], one(robot, "gravity_forces", p))
    link, load = tip(robot.robot), Inertia.from_com(2.0, (0.1, 0.2, 0.3))
    loaded = robot.with_payload(link, load)
    by_hand = robot.robot.with_payload(link, load).with_drives(rotors=True, smoothing=0.3)
    close(one(loaded, "inverse_dynamics", p, pd, pdd), one(by_hand, "inverse_dynamics", p, pd, pdd))
    assert_raises(InputError, r"with_payload needs an Inertia", robot.with_payload, link, 3.0)


def held(seed: int) -> tuple[DrivenRobot, dict[str, Any]]:
    """A robot, and coordinates to hold: with mimics and rotors; a free base; a matrix, and rotors of all kinds."""
    robot = made(seed % 4)
    if seed == 4:
        arm = revolute.robots.random_tree(4, rng=6)
        links = [body.name for body in arm.bodies]
        rotors = [
            Rotor(arm.joint_names[3], inertia=0.02, included=False),
            Rotor("b", links[2], (0, 0.6, 0.8), 5.0, 0.03, included=False),
            Rotor("a", links[1], (0.6, 0, 0.8), 5.0, 0.01, included=False),
        ]
        A = [[1, 0, 0], [0.5, -1, 0], [0, 2, 1], [0, 0.7, 0]]
        mimic = {arm.joint_names[0]: Drive(damping=(0.3,), stiffness=(2.0,))}
        robot = arm.with_drives(mimic, coupling=A, names=["a", "b", "c"], offset=[0.1, 0.2, 0.3, 0.4], rotors=rotors)
        return robot, {"b": 0.7}
    p, space = robot.random_configuration(rng=1), robot.space
    return robot, {space.bodies[k].joint_name: p[space.q_index[k]].tolist() for k in (1, -1)}


@pytest.mark.parametrize("seed", range(5))
def test_what_is_held_stands_still(seed: int) -> None:
    """The same forces and inertia of the other coordinates as where the held ones have no velocity."""
    robot, positions = held(seed)
    rest = robot.lock(positions)
    space = robot.space
    pairs = list(zip(space.bodies[1:], space.q_index[1:], space.v_index[1:], strict=True))
    moving = [x for x in pairs if x[0].joint_name not in positions]
    in_q = np.concatenate([np.arange(space.nq)[at] for _, at, _ in moving])
    in_v = np.concatenate([np.arange(space.nv)[at] for _, _, at in moving])
    assert rest.coordinate_names == tuple(np.array(robot.coordinate_names)[in_v])
    p, pd, pdd = state(rest.space, seed)
    whole = [np.zeros(space.nq), np.zeros(space.nv), np.zeros(space.nv)]
    for body, at, _ in pairs:
        if body.joint_name in positions:
            whole[0][at] = positions[body.joint_name]
    whole[0][in_q], whole[1][in_v], whole[2][in_v] = p, pd, pdd
    close(one(rest, "inverse_dynamics", p, pd, pdd), one(robot, "inverse_dynamics", *whole)[in_v])
    close(one(rest, "mass_matrix", p), one(robot, "mass_matrix", whole[0])[np.ix_(in_v, in_v)])
    frame = tip(robot.robot)
    close(one(rest, "forward_kinematics", p, frame=frame), one(robot, "forward_kinematics", whole[0], frame=frame))


@pytest.mark.parametrize("coupled_joints", [False, True])
def test_a_moving_base_is_a_free_joint(coupled_joints: bool) -> None:
    """The same arm and rotors on a body that moves: where the base's own forces are let be."""
    drive = Drive((0.4,), (1.5,), gear_ratio=(50.0,), rotor_inertia=(1e-4,), stiffness=(3.0,))
    fixed = revolute.robots.random_tree(3, rng=2)
    links = [revolute.Link("ground"), *(revolute.Link(body.name, body.inertia) for body in fixed.bodies)]
    joints = [
        revolute.Joint("float", "ground", fixed.bodies[0].name, revolute.Free()),
        *(
            revolute.Joint(b.joint_name, fixed.bodies[b.parent].name, b.name, b.joint, b.placement)
            for b in fixed.bodies[1:]
        ),
    ]
    carried = Robot.from_links("carried", links, joints, warn=False)
    data = dict.fromkeys(fixed.joint_names, drive)
    options: dict[str, Any] = {"smoothing": 0.2}
    if coupled_joints:
        rotors = [Rotor(name, fixed.bodies[0].name, (0, 0.6, 0.8), included=False) for name in fixed.joint_names]
        options |= {"coupling": [[1, 0], [-1, 1], [0, 2]], "rotors": rotors}
    alone, whole = fixed.with_drives(data, **options), carried.with_drives(data, **options)
    p, pd, pdd = state(alone.space, 2)
    twist, acceleration = np.random.default_rng(3).standard_normal((2, 6))
    base = {"base_twist": twist, "base_acceleration": acceleration}
    tau = alone.inverse_dynamics(p, pd, pdd, **base)
    together = [np.concatenate(x) for x in ((np.array([0, 0, 0, 0, 0, 0, 1.0]), p), (twist, pd), (acceleration, pdd))]
    close(tau, one(whole, "inverse_dynamics", *together)[6:])
    close(alone.forward_dynamics(p, pd, tau, **base), pdd, SOLVED)
    if not coupled_joints:
        close(driven.driven_articulated_body(alone.tree, alone.drivetrain, p, pd, tau, **base), pdd, SOLVED)


def test_options_and_names_are_told() -> None:
    robot = revolute.robots.planar(2).with_drives(coupling=[[1, 0], [-1, 1]])
    assert_raises(revolute.UnknownNameError, "no link 'hand'", robot.jacobian, [0.0, 0.0], "hand")
    assert_raises(revolute.UnknownNameError, "no function 'lift' of a robot with drives; avail", robot.kernel, "lift")
    with pytest.raises(InputError, match="forward_dynamics has no option 'algorithm'"):
        robot.forward_dynamics([0.0, 0.0], [0.0, 0.0], [0.0, 0.0], algorithm="composite_body")
    assert_raises(revolute.ShapeError, r"q has shape \(3,\), but robot with", robot.jacobian, [0.0, 0.0, 0.0], "tip")
    load = np.array([0, 0, 0, 0, 3.0, 0])
    assert robot.base_wrench([0.1, 0.2], [0, 0], [0, 0], wrenches={"tip": load}).shape == (6,)
    p = [0.3, 0.4]
    tool = robot.jacobian(p, "tip", "aligned", point=(0.5, 0, 0))
    close(tool, robot.robot.jacobian(robot.joint_positions(p), "tip", "aligned", point=(0.5, 0, 0)) @ robot.coupling)
    model = robot.tree, robot.drivetrain
    assert driven.driven_bias_forces(*model, p, [0, 0], {"tip": load}) != driven.driven_bias_forces(*model, p, [0, 0])
    assert_raises(revolute.UnknownNameError, "has no joint 'joint1'; available: p1, p2", robot.lock, {"joint1": 0.3})
    assert_raises(InputError, r"lock: joint 'p1' needs 1 finite position", robot.lock, {"p1": [0.1, 0.2]})
    assert_raises(InputError, r"lock needs \{joint name: position\}, such as \{.*: 0.0\}, not list", robot.lock, [0.1])
    with pytest.raises(revolute.SingularityError, match="task_space_dynamics: link 'tip' of 'planar2' cannot be accel"):
        robot.task_space_dynamics([0.3, 0.3], [0.0, 0.0], "tip", rows=(3, 4))
