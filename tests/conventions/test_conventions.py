"""Conventions of other libraries: identities of mechanics for every joint type, then the libraries themselves.

Drake is compared where pydrake is installed.
"""

import inspect
import re
import xml.etree.ElementTree as ET
from functools import cache
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import mujoco
import numpy as np
import pytest
import sympy
from comparing import assert_close, assert_each, assert_raises
from peers import ANGULAR_FIRST, pinocchio_model, symmetric
from robots import BOX, FEW_ARMS, FILES, floating_tool, load, one_joint, pin, signature, value

import revolute
from revolute import (
    Drive,
    Free,
    Helical,
    InputError,
    Joint,
    Limits,
    Link,
    Mimic,
    ModelError,
    Planar,
    Prismatic,
    Revolute,
    Robot,
    ShapeError,
    Spherical,
    Transform,
)
from revolute.conventions import Conventions, drake, pinocchio
from revolute.conventions import mujoco as of_mujoco
from revolute.conventions.tables import TABLES

EXACT = 1e-12
"""Relative to the largest entry: sums of some hundred rounded terms; peers were seen to agree to 2e-15."""

MAKERS = {"Pinocchio": pinocchio, "MuJoCo": of_mujoco, "Drake": drake}

KINDS: dict[str, Any] = {
    "m_hinge": Revolute((1, 2, 0)),
    "z_plane": Planar(),
    "a_slide": Prismatic((0, 3, 4)),
    "k_ball": Spherical(),
    "b_screw": Helical((0, 1, 1), 0.2),
    "c_wheel": Revolute((0, 0, 1)),
}
"""Joints of a tree, with names out of order; all but the wheel have limits, or no turns."""


@cache
def tree(*without: str) -> Robot:
    """A free base with two branches of joints of all types but those that are left out."""
    kinds = {name: joint for name, joint in KINDS.items() if type(joint).__name__ not in without}
    links = [Link("world"), Link("trunk", BOX), *(Link(f"{name}_link", BOX) for name in kinds)]
    joints, ends = [Joint("root", "world", "trunk", Free())], ["trunk", "trunk"]
    for k, (name, joint) in enumerate(kinds.items()):
        limits = Limits(lower=(-2.0,), upper=(2.0,)) if name == "m_hinge" else Limits()
        place = Transform.from_rpy((0.1 * k, 0.2, 0), (0.3 * k, 1, -0.1))
        joints.append(Joint(name, ends[k % 2], f"{name}_link", joint, place, limits))
        ends[k % 2] = f"{name}_link"
    return Robot.from_links("tree", links, joints)


WITHOUT = {"Pinocchio": (), "MuJoCo": ("Helical",), "Drake": ("Spherical",)}
"""Joint types that have no counterpart."""

each = pytest.mark.parametrize("library", WITHOUT)
turning = pytest.mark.parametrize("library", ["MuJoCo", "Pinocchio"])
"""One with vectors along other axes, one with cosines and sines; Drake has no more."""


def made(library: str) -> tuple[Conventions, Robot]:
    robot = tree(*WITHOUT[library])
    return MAKERS[library](robot), robot


def states(robot: Any, seed: int = 1, n: int = 3) -> tuple[np.ndarray, ...]:
    """n states within the limits, angles within a turn, and quaternions of any sign."""
    rng = np.random.default_rng(seed)
    return robot.random_configuration(n, rng=rng), *rng.standard_normal((2, n, robot.nv))


def ours(robot: Any, name: str, *arrays: np.ndarray, **options: Any) -> np.ndarray:
    """A function of the robot in all states, by its recursion: few need compiling."""
    return np.array([value(robot, name, *rows, **options) for rows in zip(*arrays, strict=True)])


def last(robot: Any) -> dict[str, str]:
    return {"frame": robot.link_names[-1]}


def times(M: np.ndarray, x: np.ndarray) -> np.ndarray:
    return np.einsum("...ij,...j->...i", M, x)


# --- identities ----------------------------------------------------------------------------------


@each
def test_power_energy_and_the_equation_of_motion_are_the_same(library: str) -> None:
    c, robot = made(library)
    q, qd, qdd = states(robot)
    tau, M = ours(robot, "inverse_dynamics", q, qd, qdd), ours(robot, "mass_matrix", q)
    J = ours(robot, "jacobian", q, **last(robot))
    v, a, M_there = c.v(q, qd), c.a(q, qd, qdd), c.mass_matrix(q, M)
    assert_close(np.sum(c.tau(q, tau) * v, -1), np.sum(tau * qd, -1), EXACT)
    assert_close(np.sum(times(M_there, v) * v, -1) / 2, ours(robot, "kinetic_energy", q, qd), EXACT)
    assert_close(times(M_there, a) + c.bias(q, qd, ours(robot, "bias_forces", q, qd)), c.tau(q, tau), EXACT)
    assert_close(times(c.jacobian(q, J), v), times(J, qd), EXACT)
    np.testing.assert_array_equal(M_there, M_there.swapaxes(-1, -2))


@each
def test_accelerations_are_rates_of_velocities(library: str) -> None:
    """Central differences along a motion: errors of h^2 = 1e-8 times third derivatives, and of EPS / h."""
    (c, robot), h = made(library), 1e-4
    q, qd, qdd = states(robot)
    ends = [c.v(robot.integrate(q, s * h * qd + h * h / 2 * qdd), qd + s * h * qdd) for s in (-1, 1)]
    assert_close((ends[1] - ends[0]) / (2 * h), c.a(q, qd, qdd), 1e-6)


@each
def test_positions_move_with_velocities(library: str) -> None:
    """Position of a free body and of a plane: the velocity there is its rate where it is along the parent's axes."""
    (c, robot), h = made(library), 1e-5
    q, qd, _ = states(robot)
    rates = (c.q(robot.integrate(q, h * qd)) - c.q(robot.integrate(q, -h * qd))) / (2 * h)
    v, moving = c.v(q, qd), dict(zip(c.position_names, np.moveaxis(rates, -1, 0), strict=True))
    turned = {name for joint, table in TABLES[c.library].items() if "v" in table.turned for name in [joint.__name__]}
    assert turned == ({"Free", "Planar"} if c.library != "Pinocchio" else set())
    for joint in ("root", "z_plane") if turned else ():
        for axis in "xy":
            assert_close(v[:, c.coordinate_names.index(f"{joint}.v{axis}")], moving[f"{joint}.{axis}"], 1e-8)
    one_axis = [name for name in c.coordinate_names if name in moving]
    for name in one_axis:
        assert_close(v[:, c.coordinate_names.index(name)], moving[name], 1e-8)
    assert {"m_hinge", "a_slide"} <= {*one_axis}


@each
def test_there_and_back(library: str) -> None:
    c, robot = made(library)
    q, qd, qdd = states(robot)
    tau, M = ours(robot, "inverse_dynamics", q, qd, qdd), ours(robot, "mass_matrix", q)
    h, J = ours(robot, "bias_forces", q, qd), ours(robot, "jacobian", q, **last(robot))
    p, v = c.q(q), c.v(q, qd)
    back = [
        (c.from_q(p), q), (c.from_v(p, v), qd), (c.from_a(p, v, c.a(q, qd, qdd)), qdd),
        (c.from_tau(p, c.tau(q, tau)), tau), (c.from_mass_matrix(p, c.mass_matrix(q, M)), M),
        (c.from_bias(p, v, c.bias(q, qd, h)), h), (c.from_jacobian(p, c.jacobian(q, J)), J),
    ]  # fmt: skip
    for found, expected in back:
        assert_close(found, expected, 1e-14)


@turning
def test_jacobians_have_any_number_of_rows(library: str) -> None:
    c, robot = made(library)
    q, _, _ = states(robot)
    J = ours(robot, "jacobian", q, **last(robot))
    assert c.jacobian(q[0], J).shape == (3, 6, robot.nv)
    np.testing.assert_array_equal(c.jacobian(q, J[0, :2]), c.jacobian(q, np.broadcast_to(J[0, :2], (3, 2, robot.nv))))


def test_a_free_body_by_the_formulas_of_each_library() -> None:
    """Classes of their documentation: `JointModelFreeFlyer`, freejoint, `QuaternionFloatingJoint`."""
    robot = tree("Helical", "Spherical")
    q, qd, qdd = (x[0] for x in states(robot))
    p, s, w, v, wd, vd = q[:3], q[3:7], qd[:3], qd[3:6], qdd[:3], qdd[3:6]
    R = np.array(Free().transform(q[:7].tolist()).matrix())[:3, :3]
    scalar_first, forward = s[[3, 0, 1, 2]], R @ (vd + np.cross(w, v))
    for make, positions, rates, accelerations in (
        (pinocchio, (p, s), (v, w), (vd, wd)),
        (of_mujoco, (p, scalar_first), (R @ v, w), (forward, wd)),
        (drake, (scalar_first, p), (R @ w, R @ v), (R @ wd, forward)),
    ):
        c = make(robot)
        found = c.q(q)[:7], c.v(q, qd)[:6], c.a(q, qd, qdd)[:6]
        assert_each(assert_close, found, map(np.concatenate, (positions, rates, accelerations)), 1e-14)


def test_quaternions_get_length_one_there() -> None:
    robot = one_joint(Spherical())
    np.testing.assert_allclose(of_mujoco(robot).q([0, 0, 3.0, 4.0]), [0.8, 0, 0, 0.6], atol=1e-15)
    assert np.isnan(of_mujoco(robot).q(np.zeros(4))).all()
    np.testing.assert_array_equal(of_mujoco(robot).from_q([1.0, 0, 0, 0]), robot.neutral())


@each
def test_compiled_functions_take_the_arguments_of_their_methods(library: str) -> None:
    """So `c.jax.bias` and a C function have the same arguments as `c.bias`."""
    c, _ = made(library)
    for name in c.functions():
        inputs = [x.name for x in signature(c, name, {}).inputs]
        assert inputs == [x for x in inspect.signature(getattr(c, name)).parameters if x not in ("out", "threads")]


def test_a_mass_matrix_is_symmetric() -> None:
    robot = revolute.robots.planar(2).to_base("free")
    c, M = of_mujoco(robot), ours(robot, "mass_matrix", *states(robot)[:1])
    q = states(robot)[0]
    rounded = M * (1 + 1e-7 * np.tri(8))
    assert_close(c.mass_matrix(q, rounded), c.mass_matrix(q, M), 1e-6)
    for call, positions in ((c.mass_matrix, q), (c.from_mass_matrix, c.q(q))):
        assert_raises(InputError, "mass_matrix: M is not symmetric; fill both triangles", call, positions, np.triu(M))
    assert np.isnan(c.mass_matrix(q, np.where(np.eye(8) > 0, np.nan, M))[0]).any()


def test_angles_of_cosine_and_sine_are_within_a_turn() -> None:
    c = pinocchio(one_joint(Revolute()))
    assert c.position_names == ("j.cos", "j.sin")
    np.testing.assert_allclose(c.from_q(c.q([[3.0], [4.0], [-9.0]])).ravel(), [3, 4 - 2 * np.pi, -9 + 2 * np.pi])


# --- other libraries -----------------------------------------------------------------------------


def assert_same(c: Conventions, frame: str, reference: str, there: Any, states: tuple[np.ndarray, ...]) -> None:
    """M, forces, bias and a Jacobian of a library are those converted, in every state; and the other way round."""
    (q, qd, qdd), robot = states, c.robot
    tau, M = ours(robot, "inverse_dynamics", q, qd, qdd), ours(robot, "mass_matrix", q)
    h, J = ours(robot, "bias_forces", q, qd), ours(robot, "jacobian", q, frame=frame, reference=reference)
    p, v, a = c.q(q), c.v(q, qd), c.a(q, qd, qdd)
    for k in range(len(q)):
        x = there(p[k], v[k], a[k])
        if robot.nv == c.nv:
            assert_close(c.tau(q[k], tau[k]), x.tau, EXACT, 1.0)
            assert_close(value(c, "mass_matrix", q[k], M[k].ravel()), x.M, EXACT, 1.0)
            assert_close(value(c, "bias", q[k], qd[k], h[k]), x.bias, EXACT, 1.0)
            assert_close(c.jacobian(q[k], J[k]), x.J, EXACT, 1.0)
        assert_close(c.from_tau(p[k], x.tau), tau[k], EXACT, 1.0)
        assert_close(value(c, "from_mass_matrix", p[k], x.M.ravel()), M[k], EXACT, 1.0)
        assert_close(value(c, "from_bias", p[k], v[k], x.bias), h[k], EXACT, 1.0)
        assert_close(c.from_jacobian(p[k], x.J), J[k], EXACT, 1.0)


def by_pinocchio(model: Any, frame: str) -> Any:
    data = model.createData()

    def there(q: Any, v: Any, a: Any) -> SimpleNamespace:
        J = pin.computeFrameJacobian(model, data, q, model.getFrameId(frame), pin.LOCAL)[ANGULAR_FIRST]
        return SimpleNamespace(
            tau=pin.rnea(model, data, q, v, a).copy(), bias=pin.nle(model, data, q, v).copy(),
            M=symmetric(pin.crba(model, data, q)), J=J,
        )  # fmt: skip

    return there


def by_mujoco(model: Any, body: str) -> Any:
    model.opt.disableflags |= mujoco.mjtDisableBit.mjDSBL_CONTACT | mujoco.mjtDisableBit.mjDSBL_LIMIT
    model.dof_damping[:] = model.dof_frictionloss[:] = 0
    data = mujoco.MjData(model)

    def there(q: Any, v: Any, a: Any) -> SimpleNamespace:
        data.qpos, data.qvel = q, v
        mujoco.mj_forward(model, data)
        data.qacc = a
        mujoco.mj_inverse(model, data)
        M, (linear, angular) = np.zeros((model.nv, model.nv)), np.zeros((2, 3, model.nv))
        mujoco.mj_fullM(model, data, M)
        mujoco.mj_jacBody(model, data, linear, angular, model.body(body).id)
        # equalities are constraints, and no part of the tree's forces
        tau = data.qfrc_inverse + data.qfrc_constraint
        return SimpleNamespace(tau=tau, bias=data.qfrc_bias.copy(), M=M, J=np.vstack([angular, linear]))

    return there


def by_drake(plant: Any, frame: str) -> Any:
    from pydrake.multibody.tree import JacobianWrtVariable, MultibodyForces

    context, world = plant.CreateDefaultContext(), plant.world_frame()

    def there(q: Any, v: Any, a: Any) -> SimpleNamespace:
        plant.SetPositions(context, q)
        plant.SetVelocities(context, v)
        gravity, forces = plant.CalcGravityGeneralizedForces(context), MultibodyForces(plant)
        here, kind = plant.GetFrameByName(frame), JacobianWrtVariable.kV
        return SimpleNamespace(
            tau=plant.CalcInverseDynamics(context, a, forces) - gravity,
            bias=plant.CalcBiasTerm(context) - gravity,
            M=plant.CalcMassMatrix(context),
            J=plant.CalcJacobianSpatialVelocity(context, kind, here, np.zeros(3), world, world),
        )

    return there


def drake_plant(text: str, actuators: Any = ()) -> Any:
    plants, parsing = (pytest.importorskip(f"pydrake.multibody.{name}") for name in ("plant", "parsing"))
    plant = plants.MultibodyPlant(0.0)
    parsing.Parser(plant).AddModelsFromString(text, "urdf")
    for name, inertia, ratio in actuators:
        motor = plant.AddJointActuator(f"{name} motor", plant.GetJointByName(name))
        motor.set_default_rotor_inertia(inertia)
        motor.set_default_gear_ratio(ratio)
    plant.Finalize()
    return plant


def bare(name: str, base: bool = False) -> str:
    """The text of a URDF file without shapes, mimics and what is not URDF; with a floating base for MuJoCo."""
    root = ET.parse(FILES[name]).getroot()
    for element in [*root.findall("link"), *root.findall("joint"), root]:
        for tag in ("visual", "collision", "mimic", "dynamics", "transmission", "gazebo", "safety_controller"):
            for x in element.findall(tag):
                element.remove(x)
    if base:
        ET.SubElement(root, "link", name="ground")
        joint = ET.SubElement(root, "joint", name="floating base", type="floating")
        ET.SubElement(joint, "parent", link="ground")
        ET.SubElement(joint, "child", link=load(name).link_names[0])
    return ET.tostring(root, encoding="unicode")


HUMANOIDS = {
    "talos_data/talos_reduced": "arm_left_7_link",
    "g1_description/g1_29dof_rev_1_0": "left_ankle_roll_link",
    "go2_description/go2": "FL_calf",
}
"""Two humanoids and a quadruped, each with a link."""

each_humanoid = pytest.mark.parametrize(
    ("name", "frame"),
    [pytest.param(*x, marks=pytest.mark.slow if "g1" in x[0] else (), id=x[0]) for x in HUMANOIDS.items()],
)


@each_humanoid
def test_free_robots_are_pinocchios(name: str, frame: str) -> None:
    robot, model = load(name, "free"), pin.buildModelFromUrdf(str(FILES[name]), pin.JointModelFreeFlyer())
    model.armature[:] = 0
    c = pinocchio(robot, model)
    assert c.joint_names == pinocchio(robot).joint_names == tuple(model.names)[1:]
    q, qd, qdd = states(robot)
    assert_same(c, frame, "body", by_pinocchio(model, frame), (q, qd, qdd))
    moved = pin.integrate(model, c.q(q)[0], 0.1 * c.v(q, qd)[0])
    assert_close(moved, c.q(robot.integrate(q, 0.1 * qd))[0], EXACT)


@each_humanoid
def test_free_robots_are_mujocos(name: str, frame: str) -> None:
    robot, model = load(name, "free"), mujoco.MjModel.from_xml_string(bare(name, base=True))
    model.dof_armature[:] = 0
    c = of_mujoco(robot, model)
    assert c.joint_names == of_mujoco(robot).joint_names
    assert_same(c, frame, "aligned", by_mujoco(model, frame), states(robot))


@each_humanoid
def test_free_robots_are_drakes(name: str, frame: str) -> None:
    robot, plant = load(name, "free"), drake_plant(bare(name))
    c = drake(robot, plant)
    assert c.joint_names == drake(robot).joint_names
    assert_same(c, frame, "aligned", by_drake(plant, frame), states(robot))


def test_integration_of_mujoco_differs_by_the_square_of_the_step() -> None:
    """It moves the base along a straight line, and Revolute along a screw: half of h^2 w x v apart."""
    robot = load("go2_description/go2", "free")
    model = mujoco.MjModel.from_xml_string(bare("go2_description/go2", base=True))
    c, (q, qd, _) = of_mujoco(robot, model), states(robot)
    apart = []
    for h in (1e-2, 1e-3):
        there = c.q(q)[0].copy()
        mujoco.mj_integratePos(model, there, c.v(q, qd)[0], h)
        difference = c.q(robot.integrate(q, h * qd))[0] - there
        assert np.abs(difference[3:]).max() < 1e-15 < np.abs(difference[:3]).max()
        apart.append(difference[:3] / (h * h / 2))
    R = np.array(Free().transform(q[0, :7].tolist()).matrix())[:3, :3]
    assert_close(apart[1], R @ np.cross(qd[0, :3], qd[0, 3:6]), 2e-3)
    np.testing.assert_allclose(apart[0], apart[1], rtol=0, atol=0.03 * np.abs(apart[1]).max())


def test_trees_of_every_joint_are_pinocchios() -> None:
    robot = tree()
    model = pinocchio_model(robot)
    for name in robot.joint_names:
        model.addBodyFrame(f"{name}_link", model.getJointId(name), pin.SE3.Identity(), 0)
    c = pinocchio(robot, model)  # its hinges have angles
    assert c.nq == robot.nq + 1 and "c_wheel" in c.position_names
    assert_same(c, "b_screw_link", "body", by_pinocchio(model, "b_screw_link"), states(robot))


def test_trees_of_every_joint_but_screws_are_mujocos() -> None:
    robot = tree("Helical")
    model = mujoco.MjModel.from_xml_string(robot.to_mjcf())
    c = of_mujoco(robot, model)
    assert c.position_names[7:11] == ("m_hinge", "a_slide", "c_wheel", "z_plane.x")
    assert_same(c, "k_ball_link", "aligned", by_mujoco(model, "k_ball_link"), states(robot))


def test_trees_of_every_joint_but_balls_and_screws_are_drakes() -> None:
    robot = tree("Helical", "Spherical")
    plant = drake_plant(robot.to_urdf())
    assert_same(drake(robot, plant), "z_plane_link", "aligned", by_drake(plant, "z_plane_link"), states(robot))


ROTORS = {"c_wheel": (1e-3, 10.0), "a_slide": (2e-2, -5.0)}


def geared() -> tuple[Robot, revolute.DrivenRobot]:
    robot = tree("Helical", "Spherical")
    return robot, robot.with_drives({name: Drive(rotor_inertia=I, gear_ratio=n) for name, (I, n) in ROTORS.items()})


def test_armature_is_that_of_geared_rotors() -> None:
    """n^2 I, in data of Pinocchio and in a file for MuJoCo."""
    (robot, driven), frame = geared(), "z_plane_link"
    at = states(driven)
    model = pinocchio_model(robot)
    model.addBodyFrame(frame, model.getJointId("z_plane"), pin.SE3.Identity(), 0)
    for name, (I, n) in ROTORS.items():
        model.armature[model.idx_vs[model.getJointId(name)]] = I * n * n
    assert_same(pinocchio(driven, model), frame, "body", by_pinocchio(model, frame), at)
    theirs = mujoco.MjModel.from_xml_string(driven.described().to_mjcf())
    assert_same(of_mujoco(driven, theirs), frame, "aligned", by_mujoco(theirs, frame), at)


def test_rotors_are_those_of_drakes_actuators() -> None:
    robot, driven = geared()
    plant = drake_plant(robot.to_urdf(), [(name, *rotor) for name, rotor in ROTORS.items()])
    assert_same(drake(driven, plant), "z_plane_link", "aligned", by_drake(plant, "z_plane_link"), states(driven))


@cache
def gripper() -> tuple[Any, Any]:
    """A hand on a free base whose finger follows another, with an offset; and its file."""
    fingers = [Joint(x, "palm", f"{x}_link", Prismatic((0, 1, 0)), limits=Limits((0.0,), (0.1,))) for x in ("b", "a")]
    links = [Link("world"), Link("palm", BOX), Link("b_link", BOX), Link("a_link", BOX)]
    robot = Robot.from_links("hand", links, [Joint("root", "world", "palm", Free()), *fingers])
    return robot.with_drives({"a": Drive(mimic=Mimic("b", -2.0, 0.05))}), robot


def test_joints_that_follow_others() -> None:
    """The other library has both fingers, as MuJoCo and Drake have; or Pinocchio's that of the coordinate alone."""
    hand, both = gripper()
    model = mujoco.MjModel.from_xml_string(both.to_mjcf())
    c, (q, qd, qdd) = of_mujoco(hand, model), states(hand)
    assert (c.nv, hand.nv) == (8, 7) and c.coordinate_names[6:] == ("b", "a")
    np.testing.assert_allclose(c.q(q)[:, 8], 0.05 - 2 * q[:, 7])
    np.testing.assert_allclose(c.a(q, qd, qdd)[:, 7], -2 * qdd[:, 6])
    assert_same(c, "a_link", "aligned", by_mujoco(model, "a_link"), (q, qd, qdd))
    tau = c.tau(q, qdd)
    assert not tau[:, 7].any()  # the leader's drive moves both
    p, v = c.q(q), c.v(q, qd)
    assert_close(c.from_q(p), q, 1e-14)
    assert_close(c.from_v(p, v), qd, 1e-14)
    assert_close(c.from_a(p, v, c.a(q, qd, qdd)), qdd, 1e-14)
    assert_close(c.from_tau(p, tau), qdd, 1e-14)
    for call in (c.mass_matrix, c.jacobian):
        assert_raises(InputError, "'hand' has joints that follow others", call, q, np.zeros((3, 7, 7)))
    assert_raises(InputError, "bias: 'hand' has joints that follow others", c.bias, q, qd, qdd)


@pytest.mark.parametrize("name", ["panda_description/panda", "tiago_pro_description/tiago_pro"])
def test_mimics_of_files(name: str) -> None:
    """Pinocchio reads them as joints of their own, or with `mimic=True` as joints that follow."""
    robot = Robot.from_model(load(name)).with_drives({})
    for mimic in (False, True):
        model = pin.buildModelFromUrdf(str(FILES[name]), mimic=mimic)
        c = pinocchio(robot, model)
        assert c.nv == model.nv == (robot.nv if mimic else robot.robot.nv) and robot.nv < robot.robot.nv


def test_orders_of_files_are_those_of_the_readers() -> None:
    """By default those of Pinocchio's reader, but where fixed joints stand between; a file may say that axes turn."""
    found = {}
    for name in (*FEW_ARMS, "tiago_pro_description/tiago_pro"):
        names = tuple(pin.buildModelFromUrdf(str(FILES[name])).names)[1:]
        found[name] = pinocchio(load(name)).joint_names == names == pinocchio(load(name), names).joint_names
    assert [name for name, same in found.items() if not same] == ["tiago_pro_description/tiago_pro"]
    _, both = gripper()
    assert (pinocchio(both).joint_names, drake(both).joint_names) == (("root", "a", "b"), ("root", "b", "a"))
    turning = "iris_description/iris"  # revolute joints without limits, which Pinocchio has as angles
    model = pin.buildModelFromUrdf(str(FILES[turning]))
    assert pinocchio(load(turning)).nq == model.nq + 4 and pinocchio(load(turning), model).nq == model.nq


# --- what is refused -----------------------------------------------------------------------------


class Own(Revolute):
    """A joint type of a user."""


@pytest.mark.parametrize(
    ("make", "robot", "words"),
    [
        (drake, one_joint(Spherical()), "joint 'j': Drake has no ball joint with a quaternion, but one with roll"),
        (of_mujoco, one_joint(Helical()), "joint 'j': MuJoCo has no helical joint, but a hinge and a slide"),
        (pinocchio, one_joint(Own()), "joint 'j': Pinocchio has no own joint"),
        (drake, one_joint(Planar((1, 0, 0))), "joint 'j': Drake has no planar joint but across z"),
        (pinocchio, one_joint(Planar((0, 0, -1))), "joint 'j': Pinocchio has no planar joint but across z"),
        (of_mujoco, floating_tool(), "joint 'float': MuJoCo has no free joint except from the world's origin"),
        (drake, floating_tool(), "joint 'float': Drake has no free joint except from the world's origin"),
    ],
)
def test_joints_without_counterpart(make: Any, robot: Robot, words: str) -> None:
    assert_raises(ModelError, words, make, robot)


def test_coordinates_that_are_no_joints() -> None:
    """A coupling matrix, whatever its coordinates are called."""
    arm, words = revolute.robots.planar(2), "the coordinates of 'planar2' are not joints: convert `robot.robot`"
    for names in (None, list(arm.joint_names)):
        assert_raises(InputError, words, pinocchio, arm.with_drives(coupling=[[1, 0], [-1, 1]], names=names))
    assert_raises(InputError, words, pinocchio, arm.with_drives(offset=[0, 0.1], names=list(arm.joint_names)))


def test_symbols_need_values() -> None:
    driven = revolute.robots.planar(2).with_drives({"joint2": Drive(mimic=Mimic("joint1", sympy.Symbol("n")))})
    assert_raises(InputError, "coupling needs numbers", of_mujoco, driven)


def test_models_of_other_robots() -> None:
    arm = revolute.robots.planar(2)
    lacks = r"conventions.mujoco: the model lacks these joints of 'planar2': 'joint2'; its other joints: none"
    assert_raises(InputError, lacks, of_mujoco, arm, ["joint1"])
    assert_raises(InputError, r"lacks .*: none; its other joints: 'box'", of_mujoco, arm, ["joint1", "box", "joint2"])
    assert_raises(InputError, "joints: 'elbow'", of_mujoco, arm, ["joint1", "elbow"])  # no free base
    assert_raises(
        InputError, "conventions.drake: model must be from Drake, or names of joints, not int", drake, arm, 5
    )
    assert_raises(InputError, "conventions.drake: model: each must be of the type str", drake, arm, [1])
    closed = arm.with_closures(revolute.PointClosure("tip", at_b=(1.0, 0.5, 0.0)))
    for robot in (None, "arm", closed, arm.with_elastic_joints(1e3, 0.1)):
        assert_raises(InputError, "pinocchio: robot must be of the type Robot or DrivenRobot", pinocchio, robot)
    slides = pin.Model()
    parent = 0
    for name in ("joint1", "joint2"):
        parent = slides.addJoint(parent, pin.JointModelFreeFlyer(), pin.SE3.Identity(), name)
    words = "the model has 14 positions and 12 velocities, but 'planar2' would have 2"
    assert_raises(InputError, words, pinocchio, arm, slides)


def test_links_name_free_joints() -> None:
    """As in Drake, where a free body has no joint in the file."""
    links = [Link("world"), *(Link(name, BOX) for name in "abc")]
    free = [Joint(f"{name}_joint", "world", name, Free()) for name in "ab"]
    robot = Robot.from_links("two", links, [*free, Joint("hinge", "a", "c", Revolute((0, 0, 1)))])
    assert drake(robot, ["b", "a", "hinge"]).joint_names == ("b_joint", "a_joint", "hinge")
    assert_raises(InputError, "joints: 'c'", drake, robot, ["b", "a", "c"])


def test_names_stand_for_a_model() -> None:
    robot = tree("Helical")
    names = ["universe", "root", "k_ball", "z_plane.x", "z_plane.y", "z_plane.angle", "c_wheel", "a_slide", "m_hinge"]
    c = of_mujoco(robot, names)
    assert c.joint_names == ("root", "k_ball", "z_plane", "c_wheel", "a_slide", "m_hinge")
    assert of_mujoco(robot, ["", *names[2:]]).joint_names == c.joint_names  # a free base has any name
    swapped = [*names[:3], "z_plane.y", "z_plane.x", *names[5:]]
    assert_raises(InputError, "'z_plane'; its other joints: 'z_plane.y', 'z_plane.x'", of_mujoco, robot, swapped)
    assert_raises(InputError, "joints: 'k_ball'", of_mujoco, robot, [*names, "k_ball"])
    assert repr(c) == "<Conventions of MuJoCo for 'tree': nq=17, nv=15>"


@pytest.mark.parametrize(
    ("call", "arrays", "words"),
    [
        ("v", (9, 9), r"v: qd has shape \(9,\)"),
        ("v", (8, 8), r"v: q has shape \(8,\)"),
        ("from_q", (8,), r"from_q: q has shape \(8,\).*9"),
        ("jacobian", (9, 8), r"jacobian: J has shape \(8,\), but \(\.\.\., m, 8\) is needed"),
        ("mass_matrix", (9, (8, 7)), r"mass_matrix: M has shape \(8, 7\).* needs \(\.\.\., 8, 8\)"),
        ("mass_matrix", (9, (2, 8)), r"mass_matrix: M has shape \(2, 8\)"),
        ("bias", (9, 8, 7), r"bias: bias has shape \(7,\)"),
    ],
)
def test_wrong_shapes(call: str, arrays: tuple[Any, ...], words: str) -> None:
    c = of_mujoco(revolute.robots.planar(2).to_base("free"))
    assert_raises(ShapeError, words, getattr(c, call), *map(np.ones, arrays))


def test_public_names_are_these() -> None:
    assert revolute.conventions.__all__ == ["Conventions", "drake", "mujoco", "pinocchio"]


def test_the_page_has_the_tables() -> None:
    page = (Path(__file__).parents[2] / "docs" / "other-libraries.md").read_text(encoding="utf-8")
    kinds = {"free": Free, "ball": Spherical, "planar": Planar}
    for library, tables in TABLES.items():
        section = page.partition(f"\n## {library}\n")[2].partition("\n## ")[0]
        rows = re.findall(r"^\| (\w+) \| `([^`]+)` \| `([^`]+)` \|$", section, re.MULTILINE)
        assert {kinds[name]: (q, qd) for name, q, qd in rows} == {
            kind: (table.q or " ".join(kind.q_names), table.qd or " ".join(kind.qd_names))
            for kind, table in tables.items()
            if kind.nv > 1
        }
        assert ("| continuous | `cos sin` |" in section) == (library == "Pinocchio")
