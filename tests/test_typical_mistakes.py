"""Typical mistakes of a first day, and all words of the answers."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import revolute
from revolute import DtypeError, Inertia, InputError, ModelError, ShapeError, UnknownNameError
from revolute.arguments import nearest

UR5 = revolute.robots.ur5()
TREE = revolute.robots.random_tree(3, rng=1, base="free")
q, batch, t = np.zeros(6), np.zeros((10, 6)), [0.0, 0.1, 0.2]
METHODS = (
    "explicit_euler, semi_implicit_euler, runge_kutta_4, runge_kutta_munthe_kaas_4, implicit_midpoint, "
    "variational_midpoint, RK45, DOP853, Radau, BDF, LSODA"
)
JOINTS = (
    "'shoulder_pan_joint', 'shoulder_lift_joint', 'elbow_joint', 'wrist_1_joint', 'wrist_2_joint', 'wrist_3_joint'"
)


class Table:
    """What tables of other packages have: names of columns, and the numbers."""

    def __init__(self, numbers: np.ndarray, columns: list[str]) -> None:
        self.numbers, self.columns = numbers, columns

    def __array__(self, dtype: Any = None, copy: Any = None) -> np.ndarray:
        return self.numbers


MISTAKES: dict[str, tuple[Callable[[], Any], type[Exception], str]] = {
    "a name of Pinocchio's": (lambda: UR5.rnea(q, q, q), AttributeError,
        "a robot has no attribute 'rnea'; Pinocchio's rnea is robot.inverse_dynamics(q, qd, qdd)"),
    "a name of the Robotics Toolbox's": (lambda: UR5.fkine(q), AttributeError,
        "a robot has no attribute 'fkine'; Robotics Toolbox's fkine is robot.forward_kinematics(q, link)"),
    "a name of MuJoCo's": (lambda: revolute.mj_inverse(None, None), AttributeError,
        "module 'revolute' has no attribute 'mj_inverse'; MuJoCo's mj_inverse is robot.inverse_dynamics(q, qd, qdd)"),
    "a name of Drake's": (lambda: UR5.CalcMassMatrix(None), AttributeError,
        "a robot has no attribute 'CalcMassMatrix'; Drake's CalcMassMatrix is robot.mass_matrix(q)"),
    "inverse kinematics": (lambda: UR5.ik(np.eye(4)), AttributeError,
        "a robot has no attribute 'ik'; Robotics Toolbox's ik is robot.inverse_kinematics(pose, link)"),
    "a file in place of parts": (lambda: revolute.Robot("arm.urdf"), ModelError,
        "a robot needs bodies: load a file, revolute.load('arm.urdf'), or see Robot.from_links"),
    "a path in place of parts": (lambda: revolute.Robot(Path("arm.urdf")), ModelError,
        "a robot needs bodies: load a file, revolute.load('arm.urdf'), or see Robot.from_links"),
    "a function that reads one kind of file": (lambda: revolute.load_urdf("arm.urdf"), AttributeError,
        "module 'revolute' has no attribute 'load_urdf'; write revolute.load(path)"),
    "a constructor from a file": (lambda: revolute.Robot.from_urdf("arm.urdf"), AttributeError,
        "a robot has no attribute 'from_urdf'; write revolute.load(path)"),
    "a robot in capitals": (lambda: revolute.robots.UR5(), AttributeError,
        "module 'revolute.robots' has no robot 'UR5'; write revolute.robots.ur5; ..."),
    "a robot that is not part of the library": (lambda: revolute.robots.ur16e(), AttributeError,
        "module 'revolute.robots' has no robot 'ur16e'; near: ur10e, ur5e; revolute.load(path) reads a file, "
        'revolute.load("ur16e") finds one in packages of robots'),
    "joints to lock without positions": (lambda: UR5.lock(["elbow_joint"]), InputError,
        "lock needs {joint name: position}, such as {'wrist_3_joint': 0.0}, not list"),
    "a frame of reference of Pinocchio's": (lambda: UR5.jacobian(q, "tool0", "LOCAL_WORLD_ALIGNED"), InputError,
        "there is no reference 'LOCAL_WORLD_ALIGNED': write 'aligned'; available: 'body' (the link frame: its origin, "
        "its axes); 'aligned' (the link frame's origin, the base frame's axes); 'world' (the base frame: its origin, "
        "its axes)"),
    "a free base of Pinocchio's": (lambda: UR5.to_base("freeflyer"), InputError,
        "base must be 'fixed' or 'free', not 'freeflyer'; write 'free'"),
    "a method by its short name": (lambda: UR5.simulate(q, q, None, t, "rk4"), InputError,
        f"simulate: no method 'rk4'; write 'runge_kutta_4'; available: {METHODS}"),
    "a joint in place of a link": (lambda: UR5.forward_kinematics(q, "elbow_joint"), UnknownNameError,
        "robot 'ur5' has no link 'elbow_joint'; 'elbow_joint' is a joint; it carries 'forearm_link'"),
    "a link in place of a joint": (lambda: UR5.lock({"forearm_link": 0.0}), UnknownNameError,
        "robot 'ur5' has no joint 'forearm_link'; 'forearm_link' is a link; 'elbow_joint' carries it"),
    "a misspelt function": (lambda: UR5.kernel("mas_matrix"), UnknownNameError,
        "no function 'mas_matrix' of a robot; near: mass_matrix, mass_matrix_rate, mass_matrix_inverse"),
    "a function that is like none": (lambda: UR5.kernel("xyz"), UnknownNameError,
        "no function 'xyz' of a robot; available: ..."),
    "a misspelt joint": (lambda: UR5.lock({"elbow": 0.0}), UnknownNameError,
        "robot 'ur5' has no joint 'elbow'; near: elbow_joint..."),
    "a misspelt argument": (lambda: UR5.jacobian(q, frames="tool0"), TypeError,
        "Kinematics.jacobian() got an unexpected keyword argument 'frames'; near: frame"),
    "an argument that is like none": (lambda: UR5.jacobian(q, "tool0", xyz=1), TypeError,
        "Kinematics.jacobian() got an unexpected keyword argument 'xyz'; available: q, frame, reference, point..."),
    "a misspelt option": (lambda: UR5.kernel("jacobian", farme="tool0"), InputError,
        "jacobian has no option 'farme'; near: frame"),
    "a letter": (lambda: UR5.M, AttributeError, "a robot has no attribute 'M'; M is robot.mass_matrix(q)"),
    "a word": (lambda: UR5.gravity_compensation, AttributeError,
        "a robot has no attribute 'gravity_compensation'; gravity_compensation is robot.gravity_forces(q)"),
    "a misspelt link": (lambda: UR5.jacobian(q, "tool_0"), UnknownNameError,
        "robot 'ur5' has no link 'tool_0'; near: tool0"),
    "link and positions in the other order": (lambda: UR5.forward_kinematics("tool0", q), DtypeError,
        "forward_kinematics: q must hold real numbers, not 'tool0'; q and frame seem to be swapped"),
    "velocities before positions": (lambda: TREE.inverse_dynamics(np.zeros(9), np.zeros(10), np.zeros(9)), ShapeError,
        "inverse_dynamics: q has shape (9,), but robot 'random_tree3_1' needs (..., 10) (nq); "
        "q and qd seem to be swapped"),
    "times before forces": (lambda: UR5.simulate(q, q, t, np.zeros((3, 6))), InputError,
        "simulate: t must be one row of finite, increasing times [s], or a positive number for a duration; torque and "
        "t seem to be swapped"),
    "load before link": (lambda: UR5.with_payload(Inertia.from_com(1.0), "tool0"), InputError,
        "with_payload needs an Inertia, such as Inertia.from_com(2.0), not str; link and inertia seem to be swapped"),
    "a state a column": (lambda: UR5.mass_matrix(batch.T), ShapeError,
        "mass_matrix: q has shape (6, 10), but robot 'ur5' needs (..., 6) (nq); a row is a state: transpose it"),
    "positions by name": (lambda: UR5.gravity_forces({"elbow_joint": 1.0}), DtypeError,
        "gravity_forces: q must be an array, not a dict; robot.configuration(...) converts it to an array"),
    "a table with one column more": (lambda: UR5.mass_matrix(Table(np.zeros((10, 7)), ["time", *UR5.joint_names])),
        ShapeError,
        "mass_matrix: q is a table with labels, and has 'time' besides; its labels must be the coordinates, in any "
        f"order: {JOINTS}; or pass numbers without labels, in that order: to_numpy()"),
    "gravity set": (lambda: setattr(UR5, "gravity", (0, 0, 0)), AttributeError,
        "gravity of robot 'ur5' cannot be changed; robot.with_gravity(gravity) makes a new robot"),
    "friction set": (lambda: setattr(UR5, "friction", np.ones(6)), AttributeError,
        "friction of robot 'ur5' cannot be set; "
        "robot.with_drives({joint: revolute.Drive(friction=...)}) makes a robot with other drives"),
    "a state set": (lambda: setattr(UR5, "q", q), AttributeError,
        "q of robot 'ur5' cannot be set; a robot has no state: pass it to the robot's methods"),
    "a mass set": (lambda: setattr(UR5.bodies[1].inertia, "m", 2.0), AttributeError,
        "cannot assign to field 'm': Inertia is immutable; dataclasses.replace(it, m=...) creates a changed copy"),
    "a kernel by another library's name": (
        lambda: revolute.robots.planar(1).operational_space("tip", rows=(0,)).kernel("crba"), UnknownNameError,
        "no function 'crba' of a robot in operational space; Pinocchio's crba is robot.mass_matrix(q). "
        "See `robot.kernel` for those of joint space"),
}  # fmt: skip


@pytest.mark.parametrize("mistake", MISTAKES)
def test_the_answer_says_what_to_write(mistake: str) -> None:
    """All words, or the first of them, before "..."; never a long list."""
    call, kind, message = MISTAKES[mistake]
    with pytest.raises(kind) as caught:
        call()
    found, begin = str(caught.value), message.removesuffix("...")
    assert found.startswith(begin) if begin != message else found == message
    assert len(found) < 400


def test_nearest_names() -> None:
    names = [f"joint{k}" for k in range(20)]
    assert nearest("Joint1", names).startswith("near: joint1, ") and nearest("Joint1", names).count(",") == 2
    assert nearest("x", names) == f"available: {', '.join(names[:8])} and 12 more"
    assert nearest("x", []) == "available: none" and nearest(3, ["a"]) == "available: a"
    assert nearest("ARM", ["arm", "Arm"]) in ("near: arm", "near: Arm")
