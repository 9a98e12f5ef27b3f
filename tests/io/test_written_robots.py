"""Robots written as URDF and MJCF: urdfdom and MuJoCo load them, with the same inertia, and what is lost is told."""

import re
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace

import mujoco
import numpy as np
import pytest
from comparing import assert_raises
from robots import EACH_KIND, chain, load, one_joint, pin

import revolute
from revolute import FrameClosure, Inertia, Joint, Limits, Link, ModelError, ModelWarning, Robot, Shape
from revolute.dynamics.mass_matrix import mass_matrix
from revolute.model.parameters import implausibility

LOSSES = {
    "URDF": ("armature", "rotor_inertia", "stiffness", "stribeck", "gravity"),
    "MJCF": (
        *("stribeck", "velocity limits", "effort limits of zero", "effort limits of several axes"),
        *("closures between frames of one body", "base mass and inertia"),
    ),
}
"""All that a robot may lose besides shapes; docs/getting-started.md lists it."""


@contextmanager
def told(file_format: str) -> Iterator[list[str]]:
    """What is lost: nothing that is not listed."""
    lost: list[str] = []
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always", ModelWarning)
        yield lost
    for warning in found:
        text = str(warning.message)
        match = re.search(rf"{file_format} does not support (.*): omitted\. A \.toml file stores all", text)
        lost += [part.partition(" of '")[0] for part in match[1].split("; ")] if match else []
        assert match or re.search("is not written|are not written|omitted", text), text
    assert set(lost) <= set(LOSSES[file_format])


def assert_urdfdom_reads(robot: Robot) -> list[str]:
    """The diagonal of M at zero, in any order: Pinocchio sorts joints by name. To 1e-9 of the largest."""
    with told("URDF") as lost:
        text = robot.to_urdf()
    model = pin.buildModelFromXML(text)
    assert model.nv == robot.nv
    if robot.nv:
        assert_alike(np.diag(pin.crba(model, model.createData(), pin.neutral(model))), diagonal(robot))
    return lost


def assert_mujoco_reads(robot: Robot) -> list[str]:
    with told("MJCF") as lost:
        text = robot.to_mjcf()
    model = mujoco.MjModel.from_xml_string(text)
    assert model.nv == robot.nv
    if robot.nv:
        data, M = mujoco.MjData(model), np.zeros((model.nv, model.nv))
        mujoco.mj_forward(model, data)
        for k, unit in enumerate(np.eye(model.nv)):
            mujoco.mj_mulM(model, data, M[k], unit)
        assert_alike(np.diag(M) - model.dof_armature, diagonal(robot))
    return lost


def diagonal(robot: Robot) -> np.ndarray:
    return np.diag(np.array(mass_matrix(robot, robot.neutral().tolist()), dtype=float))


def assert_alike(found: np.ndarray, expected: np.ndarray) -> None:
    np.testing.assert_allclose(np.sort(found), np.sort(expected), rtol=0, atol=1e-9 * expected.max())


READERS: list[Callable[[Robot], list[str]]] = [assert_urdfdom_reads, assert_mujoco_reads]


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
@pytest.mark.parametrize("reads", READERS)
@pytest.mark.parametrize("name", EACH_KIND)
def test_robots_of_others(name: str, reads: Callable[[Robot], list[str]]) -> None:
    robot = load(name)
    leaders = {body.drive.mimic.joint for body in robot.bodies if body.drive.mimic}
    if reads is assert_mujoco_reads and any(implausibility(body.inertia) for body in robot.bodies[1:]):
        assert_raises(ModelError, "link '.*': physically inconsistent inertia, which MuJoCo rejects", robot.to_mjcf)
    elif reads is assert_mujoco_reads and leaders - {*robot.joint_names}:
        assert_raises(ModelError, "joint '.*': it mimics '.*', but MJCF couples only existing joints", robot.to_mjcf)
    else:
        reads(robot)


@pytest.mark.parametrize("reads", READERS)
@pytest.mark.parametrize("name", ["panda", "puma560", "stanford", "ur5", "planar:2", "random_tree:6:1"])
def test_robots_of_the_library(name: str, reads: Callable[[Robot], list[str]]) -> None:
    lost = reads(revolute.load(name))
    assert ("gravity" in lost) == (name == "planar:2" and reads is assert_urdfdom_reads)


BLOCK, ROD, POINT = (
    Inertia.box(2.0, (0.1, 0.2, 0.3)),
    Inertia.from_com(2.0, (0.5, 0, 0), ((0, 0, 0), (0, 0.1, 0), (0, 0, 0.1))),
    Inertia.from_com(2.0, (0.5, 0, 0)),
)


@pytest.mark.parametrize("inertia", [BLOCK, ROD, POINT], ids=["block", "rod", "point"])
@pytest.mark.parametrize("joint", [revolute.Prismatic(), revolute.Revolute((0, 1, 0))])
@pytest.mark.parametrize("limits", [
    {},
    {"lower": (0.5,), "upper": (0.5,)},
    {"upper": (1.0,)},
    {"lower": (-np.inf,), "upper": (2.0,), "effort": (0.0,), "velocity": (0.0,)},
    {"lower": (-1.0,), "upper": (1.0,), "effort": (np.inf,), "velocity": (np.inf,)},
    {"effort": (3.0,), "velocity": (2.0,)},
    {"effort": (3.0,)},
    {"velocity": (2.0,)},
])  # fmt: skip
def test_limits_of_every_kind(joint: object, inertia: Inertia, limits: dict[str, tuple[float, ...]]) -> None:
    """Where a robot has no limit, or an endless one, it has none when it comes back from URDF."""
    robot = one_joint(joint, inertia, limits=Limits(**limits))
    lost = [loss for reads in READERS for loss in reads(robot)]
    assert ("velocity limits" in lost) == bool(np.isfinite(limits.get("velocity", (np.inf,))[0]))
    assert ("effort limits of zero" in lost) == (limits.get("effort") == (0.0,))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ModelWarning)
        back = revolute.load(robot.to_urdf())
    for name in ("lower_limits", "upper_limits", "effort_limits", "velocity_limits"):
        np.testing.assert_array_equal(getattr(back, name), getattr(robot, name))


def test_urdfdom_has_every_shape() -> None:
    """Capsules are of URDF 1.1; before, urdfdom drops all shapes of a link that has one."""
    solids = {"sphere": (0.1,), "cylinder": (0.1, 0.2), "box": (0.1, 0.2, 0.3), "capsule": (0.1, 0.2)}
    for kinds in (("sphere", "cylinder", "box"), ("capsule", "sphere"), tuple(solids)):
        shapes = tuple(Shape(kind, solids[kind], color=(1.0, 0.0, 0.0, 1.0)) for kind in kinds)
        links = [Link("base"), Link("body", BLOCK, shapes, shapes[1:])]
        joint = Joint("j", "base", "body", revolute.Revolute())
        text = Robot.from_links("one", links, [joint]).to_urdf()
        model = pin.buildModelFromXML(text)
        counts = [pin.buildGeomFromUrdfString(model, text, use).ngeoms for use in (pin.VISUAL, pin.COLLISION)]
        assert counts == [len(shapes), len(shapes) - 1]
        assert (' version="1.1"' in text) == ("capsule" in kinds)


def test_massless_links_that_move() -> None:
    """A link without mass below another; one that no body can be is refused by name."""
    light = chain((BLOCK, revolute.Revolute()), (Inertia(), revolute.Revolute((0, 1, 0))))
    assert mujoco.MjModel.from_xml_string(light.to_mjcf()).nv == 2
    with pytest.warns(ModelWarning, match="triangle inequality"):
        wrong = one_joint(revolute.Revolute(), Inertia.from_com(1.0, (0, 0, 0), ((1, 0, 0), (0, 1, 0), (0, 0, 3))))
    assert_raises(ModelError, r"link 'body': physically inconsistent inertia", wrong.to_mjcf)


def test_a_closure_within_a_body_is_told() -> None:
    robot = replace(one_joint(revolute.Revolute(), BLOCK), closures=(FrameClosure("body", "body"),))
    assert assert_mujoco_reads(robot) == ["closures between frames of one body"]


def test_robots_without_joints_come_back() -> None:
    base = Robot.from_links("r", [Link("base", BLOCK), Link("tool")], [Joint("mount", "base", "tool")])
    assert (assert_mujoco_reads(base), assert_urdfdom_reads(base)) == (["base mass and inertia"], [])
    with told("MJCF"):
        assert revolute.load(base.to_urdf()).nv == revolute.load(base.to_mjcf()).nv == 0
