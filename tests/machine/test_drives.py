"""Robots with their drives: against projections, constraints, whole rotors, Lagrange, Pinocchio and MuJoCo."""

import pickle
import re
from dataclasses import replace
from typing import Any

import goa
import numpy as np
import physics
import pytest
import sympy
from comparing import assert_close, assert_raises
from driving import drives_of, made, tree, whole_rotors
from elbow import elbow
from robots import FILES, chain, load, pin, random_states, state, to_pinocchio

import revolute
from revolute import (
    Drive,
    Inertia,
    InputError,
    Joint,
    Link,
    Mimic,
    ModelError,
    Revolute,
    Robot,
    ShapeError,
    Transform,
    UnknownNameError,
)
from revolute.dynamics import driven
from revolute.dynamics.mass_matrix import mass_matrix
from revolute.dynamics.newton_euler import newton_euler
from revolute.library import examples
from revolute.library.random_tree import TYPES
from revolute.machine.driven import DrivenRobot, Rotor
from revolute.machine.functions import drives as functions

EXACT = 1e-11
"""Relative: some hundred roundings a joint, of trees of at most 12 joints."""


def matrix(driven_robot: DrivenRobot) -> np.ndarray:
    """A of the tree with its rotors."""
    A = np.zeros((driven_robot.tree.nv, driven_robot.nv))
    for i, row in enumerate(driven_robot.drivetrain.A):
        for k, factor in row:
            A[i, k] = factor
    return A


def of(recursion: Any, robot: DrivenRobot, *arrays: np.ndarray) -> Any:
    """A recursion by numbers, without compiling it."""
    return recursion(robot.tree, robot.drivetrain, *arrays)


def close(ours: Any, theirs: Any, tolerance: float = EXACT) -> None:
    assert_close(ours, theirs, tolerance)


SEEDS = range(4)


@pytest.mark.parametrize("seed", SEEDS)
def test_forces_are_those_of_the_joints_projected(seed: int) -> None:
    """Term by term as it is written, of the tree without rotors as bodies."""
    robot = made(seed, rotors=False)
    p, pd, pdd = state(robot.space, seed)
    A, data = matrix(robot), robot.robot
    drives = data.drives
    q, qd, qdd = robot.joint_positions(p), A @ pd, A @ pdd
    close(qd, robot.joint_velocities(pd))
    springs = np.zeros(data.nv)
    for body, at, rate in zip(data.bodies, data.q_index, data.v_index, strict=True):
        if body.drive.stiffness:
            springs[rate] = drives.stiffness[rate] * (q[at] - drives.rest_position[rate])
    sgn, fading = np.tanh(qd / 0.3), drives.stribeck * np.exp(-((qd / drives.stribeck_speed) ** 2))
    dry = drives.friction * (1 + sgn) / 2 + drives.friction_backward * (1 - sgn) / 2 + fading
    tau = newton_euler(data, q, qd, qdd) + (drives.armature + drives.gear_ratio**2 * drives.rotor_inertia) * qdd
    tau = tau + drives.damping * qd + dry * sgn + springs
    close(of(driven.driven_inverse_dynamics, robot, p, pd, pdd), A.T @ tau)
    rotors = drives.armature + drives.gear_ratio**2 * drives.rotor_inertia
    M = np.array(mass_matrix(data, q), dtype=float) + np.diag(rotors)
    close(of(driven.driven_mass_matrix, robot, p), A.T @ M @ A)


@pytest.mark.parametrize("seed", SEEDS)
def test_articulated_bodies_with_armature_give_the_same(seed: int) -> None:
    robot = tree(seed).with_drives(drives_of(tree(seed), seed, mimics=False), smoothing=0.3)
    p, pd, tau = state(robot.space, seed)
    assert robot.drivetrain.uncoupled and not made(seed).drivetrain.uncoupled
    bodies = of(driven.driven_articulated_body, robot, p, pd, tau)
    close(bodies, of(driven.driven_forward_dynamics, robot, p, pd, tau), 1e-9)
    some = replace(robot.robot.bodies[1].drive, armature=(), rotor_inertia=())  # one joint without
    robot = robot.robot.with_drives({robot.robot.joint_names[0]: some}, smoothing=0.3)
    bodies = of(driven.driven_articulated_body, robot, p, pd, tau)
    close(bodies, of(driven.driven_forward_dynamics, robot, p, pd, tau), 1e-9)


@pytest.mark.parametrize("seed", SEEDS)
def test_the_coriolis_matrix_of_goa_is_projected(seed: int) -> None:
    """A^T C A with C of the tree and its rotors by GOA 6b; M and g stay."""
    robot = made(seed)
    p, pd, _ = state(robot.space, seed)
    A = matrix(robot)
    q = np.array(robot.drivetrain.positions(robot.tree, list(p)), dtype=float)
    expected = A.T @ goa.coriolis_matrix(robot.tree, q, A @ pd) @ A
    close(of(functions.coriolis_matrix, robot, p, pd, "goa"), expected)
    assert np.abs(expected - np.array(of(driven.driven_coriolis_matrix, robot, p, pd), dtype=float)).max() > 1e-3
    M, C, g = of(functions.equations_of_motion, robot, p, pd, False, "goa")
    close(C, expected)
    close(M, of(driven.driven_mass_matrix, robot, p))
    close(g, of(driven.driven_gravity_forces, robot, p))


@pytest.mark.parametrize("seed", range(2))
def test_mass_matrices_are_symmetric_to_the_last_digit(seed: int) -> None:
    """With a full coupling matrix, whose products round otherwise on either side of the diagonal."""
    rng = np.random.default_rng(seed)
    arm = revolute.robots.planar(4)
    robot = arm.with_drives(drives_of(arm, seed, mimics=False), coupling=rng.standard_normal((4, 4)), smoothing=0.2)
    p, pd, pdd = rng.standard_normal((3, 100, 4))
    for M in (
        robot.mass_matrix(p), robot.mass_matrix_inverse(p), robot.equations_of_motion(p, pd)[0],
        robot.inverse_dynamics_partials(p, pd, pdd)[2],
    ):
        np.testing.assert_array_equal(M, np.swapaxes(M, -1, -2))


def test_mimics_are_closures_of_joints() -> None:
    """The same motion as with each mimic as a constraint whose force is found, for any forces at the joints."""
    arm = revolute.robots.random_tree(6, rng=5)
    names = arm.joint_names
    mimics = {names[4]: Mimic(names[1], -1.5, 0.2), names[2]: Mimic(names[5], 0.7)}
    robot = arm.with_drives({name: Drive(mimic=mimic) for name, mimic in mimics.items()})
    closures = [
        revolute.JointClosure(names[4], names[1], (0.2, -1.5)), revolute.JointClosure(names[2], names[5], (0.0, 0.7))
    ]  # fmt: skip
    linkage = replace(robot.robot, bodies=arm.bodies).with_closures(*closures)
    p, pd, _ = state(robot.space, 5)
    tau = np.random.default_rng(5).standard_normal(6)
    q, qd = robot.joint_positions(p), robot.joint_velocities(pd)
    assert np.abs(linkage.error(q)).max() < 1e-14
    pdd = robot.forward_dynamics(p, pd, robot.coupling.T @ tau)
    close(robot.joint_velocities(pdd), linkage.forward_dynamics(q, qd, tau), 1e-9)


def test_chains_of_mimics_are_followed() -> None:
    arm = revolute.robots.planar(4)
    chained = arm.with_drives(
        {"joint1": Drive(mimic=Mimic("joint3", 2.0, 0.5)), "joint3": Drive(mimic=Mimic("joint4", -1.5, 0.25))}
    )
    assert chained.coordinate_names == ("joint2", "joint4")
    third = -1.5 * 0.2 + 0.25
    np.testing.assert_allclose(chained.joint_positions([0.3, 0.2]), [2 * third + 0.5, 0.3, third, 0.2])
    np.testing.assert_array_equal(chained.coupling, [[0, -3], [1, 0], [0, -1.5], [0, 1]])
    both = arm.with_drives(
        {"joint2": Drive(mimic=Mimic("joint1", -1.0))}, coupling=[[1, 0], [-1, 1], [0, -1]], names=["shoulder", "elbow"]
    )
    np.testing.assert_array_equal(both.coupling, [[1, 0], [-1, 0], [-1, 1], [0, -1]])
    assert both.coordinate_names == ("shoulder", "elbow")
    np.testing.assert_allclose(both.independent(both.joint_positions([[0.3, -0.2]])), [[0.3, -0.2]], atol=1e-15)
    with pytest.raises(InputError, match=r"joint 'joint3' of 'planar4' is 0\.022 away from its position"):
        chained.independent(chained.joint_positions([0.3, 0.2]) + np.array([0.06, 0, 0, 0]))
    m, n = sympy.symbols("m n")
    robot = revolute.robots.planar(2).with_drives({"joint2": Drive(mimic=Mimic("joint1", m, n))})
    assert (robot.drivetrain.A, robot.drivetrain.b) == ((((0, 1),), ((0, m),)), (0, n))
    assert all(type(x) is int for x in (robot.drivetrain.A[0][0][1], robot.drivetrain.b[0]))


@pytest.mark.parametrize("name", [f"{name}_description/{name}" for name in ("panda", "baxter", "tiago_pro")])
def test_grippers_are_pinocchios(name: str) -> None:
    robot = load(name).with_drives({})
    model = pin.buildModelFromUrdf(str(FILES[name]), mimic=True)
    bare = replace(robot.tree, bodies=tuple(replace(b, drive=Drive()) for b in robot.tree.bodies))  # links alone
    assert model.nv == robot.nv < robot.robot.nv
    p, pd, pdd = random_states(robot.space, 3, 5)
    theirs_p, order = to_pinocchio(robot.space, model, p)
    for k in range(3):
        tau = pin.rnea(model, model.createData(), theirs_p[k], pd[k][order], pdd[k][order])
        ours = np.array(driven.driven_inverse_dynamics(bare, robot.drivetrain, p[k], pd[k], pdd[k]), dtype=float)
        close(ours[order], tau, 1e-9)


def test_couplings_may_fill_what_branches_leave_empty() -> None:
    """A last coordinate that moves three arms: eliminating it couples the others, whose entries are zeros before."""
    arm = Inertia.from_com(1.0, (0.2, 0.1, 0))
    joints = [Joint(f"j{x}", "base", x, Revolute()) for x in "abc"]
    star = Robot.from_links("star", [Link("base"), *(Link(x, arm) for x in "abc")], joints)
    robot = star.with_drives(coupling=[[1, 0, 2], [0, 1, -1], [0, 0, 1]])
    p, pd, tau = np.random.default_rng(3).standard_normal((3, 3))
    M, C, g = robot.equations_of_motion(p, pd)
    assert M[0, 1] == 0 != M[0, 2]
    close(robot.forward_dynamics(p, pd, tau), np.linalg.solve(M, tau - C @ pd - g))


def test_wrenches_act_through_the_couplings() -> None:
    arm = revolute.robots.random_tree(4, rng=8)
    A = np.array([[1, 0], [0.5, -1], [0, 2], [-1, 0.3]])
    robot = arm.with_drives(coupling=A)
    rng = np.random.default_rng(8)
    p, pd, pdd = rng.standard_normal((3, 2))
    links = arm.bodies[2].name, arm.bodies[4].name
    wrenches = dict(zip(links, rng.standard_normal((2, 6)), strict=True))
    q = robot.joint_positions(p)
    work = sum(A.T @ arm.jacobian(q, link).T @ wrench for link, wrench in wrenches.items())
    tau = robot.inverse_dynamics(p, pd, pdd, wrenches=wrenches)
    close(tau, robot.inverse_dynamics(p, pd, pdd) - work)
    close(robot.forward_dynamics(p, pd, tau, wrenches=wrenches), pdd, 1e-10)
    assert_raises(UnknownNameError, "link 'hand'", robot.inverse_dynamics, p, pd, pdd, wrenches={"hand": np.zeros(6)})
    assert_raises(InputError, re.escape("must be {link name"), robot.inverse_dynamics, p, pd, pdd, wrenches=[1])
    assert_raises(InputError, "mass_matrix has no option 'wrenches'", robot.kernel, "mass_matrix", wrenches=links)


def test_rotors_of_coordinates_are_those_of_joints() -> None:
    arm = revolute.robots.random_tree(3, rng=2)
    x = np.random.default_rng(2).standard_normal((3, 3))
    names, link = ["a", "b", "c"], arm.bodies[1].name
    forces = [
        of(driven.driven_inverse_dynamics, arm.with_drives(coupling=np.eye(3), names=names, rotors=[rotor]), *x)
        for rotor in (Rotor(name, link, (1, 2, 3), 9.0, 0.1) for name in ("c", arm.joint_names[2]))
    ]
    np.testing.assert_array_equal(*forces)


@pytest.mark.parametrize("seed", SEEDS)
def test_rotors_are_whole_bodies_that_turn(seed: int) -> None:
    """With mass, off the link's origin, at their true angles: symmetric bodies, of which I_m alone is needed."""
    arm = revolute.robots.random_tree(5, rng=seed, types=tuple(TYPES) if seed % 2 else ())
    whole, robot, A, positions = whole_rotors(arm, seed)
    p, pd, pdd = state(robot.robot, seed)
    q = positions(p)
    theirs = A.T @ np.array(newton_euler(whole, q, A @ pd, A @ pdd), dtype=float)
    close(of(driven.driven_inverse_dynamics, robot, p, pd, pdd), theirs, 1e-10)
    close(of(driven.driven_kinetic_energy, robot, p, pd), physics.kinetic_energy(whole, q, A @ pd), 1e-10)
    close(of(driven.driven_mass_matrix, robot, p), A.T @ np.array(mass_matrix(whole, q), dtype=float) @ A, 1e-10)


def test_an_inertia_without_the_rotor_gets_it() -> None:
    arm = revolute.robots.planar(2)
    q, qd, qdd = np.random.default_rng(2).standard_normal((3, 2))
    rotor = Rotor("joint2", ratio=7.0, inertia=0.2, included=False)
    spread = replace(arm.bodies[1].inertia, I=arm.bodies[1].inertia.I + Inertia(0, (0, 0, 0), np.diag([0, 0, 0.2])).I)
    heavier = replace(arm, bodies=(arm.bodies[0], replace(arm.bodies[1], inertia=spread), arm.bodies[2]))
    without, included = arm.with_drives(rotors=[rotor]), heavier.with_drives(rotors=[replace(rotor, included=True)])
    one, other = (of(driven.driven_inverse_dynamics, robot, q, qd, qdd) for robot in (without, included))
    close(one, other)
    close(without.regressor(q, qd, qdd) @ without.parameters, without.inverse_dynamics(q, qd, qdd))


def test_a_rotor_by_lagrange() -> None:
    """A pan and tilt whose tilt rotor lies on the turning head, its axis raised by alpha: symbol by symbol."""
    J, K, I, r, alpha = sympy.symbols("J K I_m r alpha")
    inertias = [Inertia(0, (0, 0, 0), sympy.diag(0, 0, x).tolist()) for x in (J, K)]
    head = chain((inertias[0], Revolute()), (inertias[1], Revolute((1, 0, 0))))
    slanted = Transform.from_rpy((0, 0, 0), (0, -alpha, 0))  # x axis (cos alpha, 0, sin alpha)
    bodies = (*head.bodies[:2], replace(head.bodies[2], placement=slanted))
    robot = replace(head, bodies=bodies).with_drives({"j2": Drive(gear_ratio=(r,), rotor_inertia=(I,))}, rotors=True)
    t = sympy.Symbol("t")
    pan, nod = sympy.Function("pan")(t), sympy.Function("nod")(t)
    a, b = pan.diff(t), nod.diff(t)
    up = sympy.Matrix([sympy.sin(alpha), 0, sympy.cos(alpha)])  # z of the head along the slanted axes
    turned = sympy.Matrix([[1, 0, 0], [0, sympy.cos(nod), sympy.sin(nod)], [0, -sympy.sin(nod), sympy.cos(nod)]])
    w = turned * up * a + sympy.Matrix([b, 0, 0])  # of the tilting body along its own axes
    kinetic = J * a**2 / 2 + K * w[2] ** 2 / 2 - I * (sympy.sin(alpha) * a) ** 2 / 2
    kinetic += I * (sympy.sin(alpha) * a + r * b) ** 2 / 2
    system = revolute.lagrange([pan, nod], kinetic, 0)
    ours = robot.equations()
    table = dict(zip((*system.q, *system.dq), (*ours.q, *ours.dq), strict=True))
    assert sympy.simplify(ours.M - system.M.subs(table)) == sympy.zeros(2, 2)
    assert sympy.simplify(ours.C - system.C.subs(table)) == sympy.zeros(2, 2)
    assert ours.M[0, 1].has(r) and not ours.M[0, 0].has(r)


def test_the_geared_link_of_the_text() -> None:
    """SHV example 6.1, term by term, in the link's angle and in the motor's."""
    J_m, J_l, B_m, B_l, M, g, l, r = sympy.symbols("J_m J_l B_m B_l M g l r")
    text = examples.geared_link()
    link = chain((Inertia(M, (0, -M * l, 0), ((0, 0, 0), (0, 0, 0), (0, 0, J_l))), Revolute()), gravity=(0, -g, 0))
    drive = {"j1": Drive((B_l + r**2 * B_m,), gear_ratio=(r,), rotor_inertia=(J_m,))}
    ours = link.with_drives(drive).equations()
    assert sympy.expand(ours.M[0] - text.M[0]) == 0
    assert ours.g[0].subs(ours.q[0], text.q[0]) == text.g[0] == M * g * l * sympy.sin(text.q[0])
    assert sympy.expand(ours.friction[0] - (r**2 * B_m + B_l) * ours.dq[0]) == 0
    motor = link.with_drives(drive, coupling=[[1 / r]], names=["motor"]).equations()
    assert sympy.simplify(motor.M[0] - (J_m + J_l / r**2)) == 0


def test_the_remotely_driven_elbow_of_the_text() -> None:
    """SHV section 6.4, term by term: no force is a product of the two velocities."""
    ours, text = elbow().with_drives(coupling=[[1, 0], [-1, 1]]).equations(), examples.remotely_driven_elbow()
    names = dict(zip((*text.q, *text.dq, *text.ddq), (*ours.q, *ours.dq, *ours.ddq), strict=True))  # p in the text
    for mine, its in ((ours.M, text.M), (ours.C, text.C), (ours.g, text.g), (ours.tau, text.tau)):
        assert sympy.expand(mine - its.xreplace(names)) == sympy.zeros(*mine.shape)
    assert not sympy.expand(ours.tau[0]).has(ours.dq[0])
    assert sympy.expand(ours.potential - text.potential.xreplace(names)) == 0
    assert str(ours).startswith("tau1 = ") and "tau_{2}" in ours.latex()


def test_springs_and_rotors_swing_as_they_should() -> None:
    """A link without weight on a spring: the period of (J + r^2 I_m) and k, by compiled steps."""
    arm = revolute.robots.planar(1, mass=3.0).with_gravity((0, 0, 0))  # J = 1
    drive = Drive(gear_ratio=(10.0,), rotor_inertia=(0.03,), stiffness=(16.0,), rest_position=(0.2,))
    robot = arm.with_drives({"joint1": drive})
    motion = robot.simulate([0.5], [0.0], None, np.linspace(0, np.pi, 2001))  # frequency 2
    np.testing.assert_allclose(motion.q[:, 0], 0.2 + 0.3 * np.cos(2 * motion.t), atol=1e-10)
    A, B = robot.linearize([0.2], [0.0], [0.0])
    np.testing.assert_allclose(A, [[0, 1], [-4, 0]], atol=1e-14)
    np.testing.assert_allclose(B, [[0], [0.25]], atol=1e-14)
    A, _ = robot.linearize([0.2], [0.0], [0.0], step=0.3)
    np.testing.assert_allclose(A, [[np.cos(0.6), np.sin(0.6) / 2], [-2 * np.sin(0.6), np.cos(0.6)]], atol=1e-14)


def test_copies_and_values() -> None:
    arm = revolute.robots.random_tree(4, rng=1)
    robot = arm.with_drives(drives_of(arm, 1), rotors=True, smoothing=0.2)
    x = state(robot.space, 1)
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(robot)).inverse_dynamics(*x), robot.inverse_dynamics(*x))
    r, k = sympy.symbols("r k")
    rotor = Rotor("p1", "base", (0, 0, 1), r, 2.0)
    symbolic = revolute.robots.planar(2).with_drives(
        {"joint1": Drive(stiffness=(k,))}, coupling=[[1 / r, 0], [0, 1]], rotors=[rotor]
    )
    assert symbolic.symbols == (k, r)
    assert_raises(InputError, "'planar2' with its drives has symbols: k, r", symbolic.mass_matrix, [0, 0])
    half = symbolic.subs({"r": 4})
    assert half.symbols == (k,)
    numbers = half.subs({k: sympy.Rational(1, 3)})
    assert numbers.spring_forces([8.0, 0.0]) == pytest.approx([2 / 3 / 4, 0])
    plain = revolute.robots.planar(2).mass_matrix([2.0, 0.0])
    assert numbers.mass_matrix([8.0, 0.0])[0, 0] == pytest.approx(plain[0, 0] / 16 + 16 * 2.0)
    assert_raises(UnknownNameError, "with its drives has no symbol 'z'; it has: k, r", symbolic.subs, {"z": 1})


def two(**mimics: Mimic) -> dict[str, Drive]:
    return {name: Drive(mimic=mimic) for name, mimic in mimics.items()}


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"data": two(joint1=Mimic("joint2"), joint2=Mimic("joint1"))}, ModelError, "'joint1' -> 'joint2' -> 'joint1'"),
        ({"data": two(joint1=Mimic("joint9"))}, ModelError, "joint 'joint1' of 'planar2' mimics 'joint9', which"),
        ({"data": {"elbow": Drive()}}, UnknownNameError, "no joint 'elbow'"),
        ({"data": [Drive()]}, InputError, "with_drives needs {joint name: Drive"),
        ({"coupling": [[1, 0]]}, ShapeError, "coupling has shape (1, 2), but 'planar2' needs (2, k)"),
        ({"coupling": [[1, 1], [2, 2]]}, InputError, "2 columns and rank 1 (its columns are linearly dependent)"),
        ({"coupling": [[1, 0], [2, 0]]}, InputError, "2 columns and rank 1 (column 1 is zero)"),
        ({"coupling": [[1, np.nan], [2, 0]]}, InputError, "coupling must be rows of finite numbers"),
        ({"coupling": "identity"}, InputError, "coupling must be rows of finite numbers"),
        ({"offset": [1.0]}, ShapeError, "offset has shape (1,), but 'planar2' needs (2,): joint1, joint2"),
        ({"names": ["a"]}, InputError, "names must be 2 names"),
        ({"names": ["a", "a"]}, InputError, "duplicate name of a coordinate 'a'"),
        ({"smoothing": -1.0}, InputError, "smoothing must be zero, or a speed of at least 1e-12 [rad/s, m/s]"),
        ({"smoothing": True}, InputError, "smoothing must be a number, not True"),
        ({"smoothing": 1e-320}, InputError, "smoothing must be zero, or a speed of at least 1e-12"),
        ({"rotors": [1]}, InputError, "rotors must be True, False or a list of Rotor"),
        ({"rotors": [Rotor("joint1")]}, InputError, "rotor of 'joint1' needs an inertia above zero [kg m^2], not 0"),
        ({"rotors": [Rotor("joint1", inertia=1.0, ratio=np.inf)]}, InputError, "'joint1' needs a finite ratio"),
        ({"rotors": [Rotor("p7", inertia=1.0)]}, InputError, "'p7', which is not a joint, needs link= and axis="),
        ({"rotors": [Rotor("p7", "base", (0, 0, 1), 1.0, 1.0)]}, UnknownNameError, "no joint and no coordinate 'p7'"),
        ({"rotors": [Rotor("joint1", "link9", inertia=1.0)]}, UnknownNameError, "no link 'link9'"),
        ({"rotors": [Rotor("joint1", "link2", inertia=1.0)]}, InputError, "give its axis= in the frame of 'link2'"),
        ({"rotors": [Rotor("joint1", axis=(0, 0, 0), inertia=1.0)]}, InputError, "the rotor of 'joint1' must be"),
    ],
)  # fmt: skip
def test_wrong_use_is_told(options: dict[str, Any], error: type[Exception], message: str) -> None:
    assert_raises(error, re.escape(message), revolute.robots.planar(2).with_drives, **options)


NONSENSE = [
    None, -1, 1.5, np.nan, 1j, "x", b"x", True, [], {}, [1], [None], ["a"], object(), np.zeros((2, 2)), {"joint1": 1},
    sympy.Symbol("s"), [Rotor("joint1")], len, 10**400, [[10**400, 0], [0, 1]],
]  # fmt: skip


def ours_or_nothing(call: Any, *args: Any, **options: Any) -> None:
    try:
        call(*args, **options)
    except revolute.RevoluteError as error:
        assert str(error)


@pytest.mark.parametrize("nonsense", NONSENSE)
def test_wrong_arguments_give_errors_of_this_library(nonsense: Any) -> None:
    arm = revolute.robots.planar(2)
    good = {"coordinate": "joint1", "link": None, "axis": None, "ratio": 2.0, "inertia": 1.0}
    for name in (*good, "included"):
        ours_or_nothing(arm.with_drives, rotors=[Rotor(**{**good, name: nonsense})])
    for name in ("mimic", *Drive().columns()):
        ours_or_nothing(arm.with_drives, {"joint1": Drive(**{name: nonsense})})
        ours_or_nothing(arm.with_drives, {"joint1": Drive(**{name: (nonsense,)})})
    ours_or_nothing(arm.with_drives, {"joint1": Drive(mimic=Mimic(nonsense, nonsense, nonsense))})
    robot, zero = arm.with_drives(), np.zeros(2)
    for wrenches in ({"tip": nonsense}, {"tip": np.zeros(6), "link1": nonsense}):
        ours_or_nothing(robot.inverse_dynamics, zero, zero, zero, wrenches=wrenches)
    ours_or_nothing(arm.with_drives(coupling=[[sympy.Symbol("s"), 0], [0, 1]]).subs, {"s": nonsense})


def test_friction_that_jumps_is_for_inverse_dynamics() -> None:
    """It has no derivatives, and no accelerations at rest."""
    robot, zero = revolute.robots.planar(1).with_drives({"joint1": Drive(friction=(2.0,))}), [0.5]
    np.testing.assert_array_equal(robot.friction_forces([[-1e-9], [0.0], [5.0]]).ravel(), [-2, 0, 2])
    assert robot.bias_forces([0.0], [0.1]) == pytest.approx(4.905 + 2.0)
    jumps = "joint 'joint1' of 'planar1' has friction that jumps where it reverses"
    for name in (
        *("forward_dynamics", "linearize", "inverse_dynamics_partials", "forward_dynamics_parameter_partials"),
        *("inverse_dynamics_rates", "inverse_dynamics_differential", "inverse_dynamics_second_partials"),
    ):
        assert_raises(InputError, f"{name}: {jumps}", robot.kernel, name)
    for motion in (robot.simulate, robot.simulate_sensitivities):
        assert_raises(InputError, f"^{motion.__name__}: {jumps}", motion, zero, zero, None, [0.0, 0.1])
    assert_raises(InputError, f"linearize_task: {jumps}", robot.linearize_task, zero, zero, zero, "tip", rows=(4,))


def test_robots_without_joints_have_drives() -> None:
    block = [Link("base"), Link("block", Inertia.from_com(1.0))]
    robot = Robot.from_links("still", block, [Joint("weld", "base", "block")]).with_drives()
    for function in ("forward_dynamics", "inverse_dynamics"):
        assert getattr(robot, function)([], [], []).shape == (0,)
    assert robot.mass_matrix_inverse([]).shape == (0, 0)
    assert robot.independent(np.zeros((3, 0))).shape == (3, 0)
    assert robot.simulate([], [], None, [0.0, 0.1]).energy.tolist() == [0, 0]
    links, joint = [Link("root"), Link("arm", Inertia.from_com(1.0))], Joint("base", "root", "arm", Revolute())
    assert Robot.from_links("any", links, [joint]).with_drives().coordinate_names == ("base",)


def test_a_rotor_is_no_more_than_the_link_that_it_is_in() -> None:
    """What is left of the link would have less energy than none."""
    rod = Inertia.from_com(1.0, (0.5, 0, 0), np.diag([0, 0.1, 0.1]))
    robot = chain((rod, Revolute()), (rod, Revolute()))
    for inertia, included in ((0.1, True), (0.2, False)):
        driven = robot.with_drives(rotors=[Rotor("j2", ratio=-3.0, inertia=inertia, included=included)])
        assert np.linalg.eigvalsh(driven.mass_matrix([0.0, 0.3])).min() > 0
    with pytest.raises(ModelError, match="link 'l1' has less inertia about the axis of the rotor of 'j2'"):
        robot.with_drives({"j2": Drive(rotor_inertia=(0.2,))}, rotors=True)
    ball = Inertia.from_com(1.0, (0, 0, 0), np.eye(3))
    robot = chain((ball, Revolute()), (ball, Revolute()))
    robot.with_drives(rotors=[Rotor("j2", inertia=1 + 2.9e-12)])
    assert_raises(ModelError, "'l1' has less inertia", robot.with_drives, rotors=[Rotor("j2", inertia=1 + 3.1e-12)])


def test_parameters_and_couplings_cannot_be_written_to() -> None:
    robot = revolute.robots.planar(1).with_drives({"joint1": Drive(friction=(2.0,))})
    for array in (robot.parameters, robot.coupling):
        with pytest.raises(ValueError, match="read-only"):
            array[...] = 3.0


def test_mimics_that_cannot_be_are_told() -> None:
    chain = {"joint1": Mimic("joint2"), "joint2": Mimic("joint3"), "joint3": Mimic("joint2")}
    with pytest.raises(ModelError, match=r"in a cycle: 'joint2' -> 'joint3' -> 'joint2'$"):
        revolute.robots.planar(3).with_drives(two(**chain))
    tree = revolute.robots.random_tree(1, rng=1, types=["spherical"])
    base, ball = tree.bodies
    robot = replace(tree, bodies=(base, replace(ball, drive=Drive(mimic=Mimic("other")))))
    assert_raises(ModelError, r"has 3 coordinates and a Drive\.mimic; only joints with one", robot.with_drives)


def test_light_joints_beside_heavy_ones_have_accelerations() -> None:
    """What a coordinate moves is measured by its own joints: of sixteen digits the heavy ones leave it none."""
    heavy, light = (Inertia.from_com(m, (0, 0, 0), m * np.eye(3)) for m in (1e9, 1e-9))
    joints = [Joint("slow", "base", "press", Revolute()), Joint("quick", "base", "needle", Revolute())]
    robot = Robot.from_links("press", [Link("base"), Link("press", heavy), Link("needle", light)], joints).with_drives()
    assert robot.forward_dynamics([0.0, 0.0], [0.0, 0.0], [1e9, 1e-9]) == pytest.approx([1, 1])


def test_armature_moves_what_has_no_mass() -> None:
    """What the robot itself refuses, its drives can move; and what they cannot is told."""
    empty = chain((Inertia(), Revolute()))
    assert_raises(ModelError, "no finite accelerations", empty.forward_dynamics, [0.0], [0.0], [1.0])
    for drive in (Drive(armature=(0.5,)), Drive(gear_ratio=(10.0,), rotor_inertia=(0.005,))):
        for rotors in {False, bool(drive.rotor_inertia)}:
            robot = empty.with_drives({"j1": drive}, rotors=rotors)
            assert robot.forward_dynamics([0.0], [0.0], [1.0]) == pytest.approx([2.0])
    for function in ("forward_dynamics", "linearize", "forward_dynamics_partials"):
        assert_raises(ModelError, "'j1' can move without", getattr(empty.with_drives(), function), [0.0], [0.0], [1.0])
    assert_raises(ModelError, "'chain' with its drives has no finite", empty.with_drives().mass_matrix_inverse, [0.0])
    many = chain(*[(Inertia(), Revolute())] * 5).with_drives()
    assert_raises(ModelError, "'j1', 'j2', 'j3', 'j4', ... can move", many.mass_matrix_inverse, [0.0] * 5)
    assert empty.with_drives().inverse_dynamics([0.0], [0.0], [1.0]) == 0


def test_several_coordinates_are_their_own() -> None:
    robot = revolute.robots.random_tree(3, rng=0, base="free")
    driven_robot = robot.with_drives(coupling=np.eye(robot.nv - 6)[:, ::-1])
    assert driven_robot.nq == robot.nq
    q, qd, qdd = state(robot, 3)
    p = np.concatenate([q[:7], q[7:][::-1]])
    pd, pdd = (np.concatenate([x[:6], x[6:][::-1]]) for x in (qd, qdd))
    tau = robot.inverse_dynamics(q, qd, qdd)
    close(driven_robot.inverse_dynamics(p, pd, pdd), np.concatenate([tau[:6], tau[6:][::-1]]))
    np.testing.assert_allclose(driven_robot.joint_positions(p), q)
    np.testing.assert_allclose(driven_robot.independent(np.stack([q, q])), np.stack([p, p]), atol=1e-12)
    with pytest.raises(ModelError, match="rotors drive joints with one coordinate; 'root_joint' has several"):
        robot.with_drives(rotors=[Rotor("root_joint", inertia=1.0)])
    lead = {robot.joint_names[1]: Drive(mimic=Mimic("root_joint"))}
    assert_raises(ModelError, "which has several coordinates; a leader must have one", robot.with_drives, lead)


COUNTS = {
    "UR5": "inverse_dynamics 173 154 mass_matrix 78 66 forward_dynamics 290 255 inverse_dynamics_partials 696 575 "
    "forward_dynamics_partials 1238 1083 bias_forces 156 125 generalized_momentum 80 54 cholesky 114 96 "
    "mass_matrix_rate 324 282 inverse_dynamics_rates 813 847 slotine_li_regressor 514 410",
    "UR5, rotors": "mass_matrix_regressor 306 199 coriolis_matrix_regressor 1022 789 mass_matrix_partials 233 188 "
    "inverse_dynamics 228 224 mass_matrix 105 85 forward_dynamics 364 327",
    "Talos": "inverse_dynamics 2234 2218 mass_matrix 2144 1929 forward_dynamics 5106 4698",
    "Talos, free fingers": "forward_dynamics 5124 5105",
}
"""Multiplications and additions; they must not go up unseen."""


def counted(name: str) -> DrivenRobot:
    """Robots with damping, rotors behind gears, and the mimics that they have."""
    robot = revolute.robots.ur5() if name.startswith("UR5") else load("talos_data/talos_full_v2")
    geared, coupled = Drive((0.3,), gear_ratio=(50.0,), rotor_inertia=(1e-4,)), "free" not in name
    data = {body.joint_name: replace(geared, mimic=body.drive.mimic if coupled else None) for body in robot.bodies[1:]}
    return robot.with_drives(data, rotors="rotors" in name)


def test_operation_counts() -> None:
    for name, counts in COUNTS.items():
        robot, words = counted(name), counts.split()
        found = [(function, robot.count(function)) for function in words[::3]]
        assert " ".join(f"{x} {n.multiplications} {n.additions}" for x, n in found) == counts


def test_options_of_motions_that_drives_decide_are_told() -> None:
    links, state = revolute.robots.planar(1), ([0.0], [0.0], None, [0.0, 0.1])
    driven_robot = links.with_drives({"joint1": Drive(damping=(1.0,))})
    assert_raises(InputError, r"^simulate: 'planar1' has", links.simulate, *state, "semi_implicit_euler", sticking=True)
    assert_raises(InputError, r"joint_damping is for robots without", driven_robot.stepper, 0.1, joint_damping=True)
    with pytest.raises(InputError, match=r"^simulate_sensitivities: joint_damping is for robots without drives"):
        driven_robot.simulate_sensitivities(*state, joint_damping=True)
    out = np.empty((2, 2)), np.empty((2, 1))
    assert_raises(InputError, "linearize: out is possible", links.linearize, [0.3], [0.2], [0.1], step=0.1, out=out)
