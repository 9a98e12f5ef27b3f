"""Link frames on common normals: the same robot, with fewer constants from joint to joint."""

from dataclasses import replace

import numpy as np
import pytest
import robots
from comparing import EPS

import revolute
from revolute.dynamics.articulated_body import articulated_body
from revolute.dynamics.kinematics import frame_poses
from revolute.dynamics.mass_matrix import mass_matrix
from revolute.dynamics.newton_euler import newton_euler
from revolute.library.random_tree import TYPES
from revolute.model.link_frames import on_common_normals
from revolute.model.reduce import reduced, reduced_in_place
from revolute.spatial import Rotation, Transform

TREES = [
    revolute.robots.random_tree(12, rng=1, branching=0),
    revolute.robots.random_tree(12, rng=2, branching=0.6, oblique=1),
    revolute.robots.random_tree(12, rng=3, branching=0.5, oblique=0, prismatic=0.4),
    revolute.robots.random_tree(10, rng=4, branching=0.3, base="free"),
    revolute.robots.random_tree(14, rng=5, branching=0.3, types=tuple(TYPES)),
    revolute.robots.ur5(),
    revolute.robots.panda(),
]


def state(robot: revolute.Robot) -> list[list[float]]:
    return [x.tolist() for x in robots.state(robot)]


def general_chain(n: int) -> revolute.Robot:
    """All joints revolute and oblique."""
    return revolute.robots.random_tree(n, rng=1, branching=0, prismatic=0, oblique=1)


@pytest.mark.parametrize("robot", TREES, ids=lambda robot: robot.name)
def test_links_keep_their_poses(robot: revolute.Robot) -> None:
    q, *_ = state(robot)
    for ours, theirs in zip(frame_poses(on_common_normals(robot), q), frame_poses(robot, q), strict=True):
        # some 30 roundings a body; feet of common normals are up to five times as far away as the frames
        np.testing.assert_allclose(ours.matrix(), theirs.matrix(), rtol=0, atol=5 * 30 * len(robot.bodies) * EPS)


@pytest.mark.parametrize("robot", TREES, ids=lambda robot: robot.name)
def test_forces_and_accelerations_are_the_same(robot: revolute.Robot) -> None:
    q, qd, qdd = state(robot)
    loads = {robot.link_names[-1]: (1.0, -2.0, 3.0, 30.0, 20.0, -10.0)}
    tau = np.array(newton_euler(robot, q, qd, qdd, loads))
    rounding = 1000 * len(robot.bodies) * EPS  # some hundred roundings a body, of terms up to ten times as large
    for same in (on_common_normals(robot), reduced(robot), reduced_in_place(robot)):
        found = newton_euler(same, q, qd, qdd, loads)
        np.testing.assert_allclose(found, tau, rtol=0, atol=rounding * np.abs(tau).max())
    M = np.array(mass_matrix(robot, q), dtype=float)
    found = articulated_body(reduced(robot), q, qd, tau.tolist(), loads)
    np.testing.assert_allclose(found, qdd, rtol=0, atol=rounding * float(np.linalg.cond(M)))


def test_the_way_to_the_next_joint_is_two_steps() -> None:
    """Denavit and Hartenberg: a turn and a shift along x, then along the joint's z."""
    first, *others = on_common_normals(general_chain(8)).bodies[1:]
    assert len(first.placement.steps) == 3  # from the base, whose frame stays
    for body in others:
        along_x, along_z = body.placement.steps
        for step, k in ((along_x, 0), (along_z, 2)):
            assert step.R.matrix()[k][k] == 1 and not any(step.p[j] for j in range(3) if j != k)


def test_axes_that_are_nearly_parallel_have_no_common_normal() -> None:
    """Its feet are a kilometre away for an angle of 1e-3; lengths would lose three digits, and inertias six."""
    robot = general_chain(4)
    bodies = list(robot.bodies)
    for i, angle in ((2, 1e-3), (3, 1e-13)):  # the second one counts as parallel
        bodies[i] = replace(bodies[i], placement=Transform(Rotation.from_rpy(angle, 0, 0), (0.1, 0.2, 0.3)))
        bodies[i] = replace(bodies[i], joint=bodies[i - 1].joint)
    near = replace(robot, bodies=tuple(bodies))
    assert max(abs(x) for body in on_common_normals(near).bodies for x in body.placement.p) < 5
    q, qd, qdd = state(near)
    tau = np.array(newton_euler(near, q, qd, qdd))
    found = newton_euler(reduced(near), q, qd, qdd)
    np.testing.assert_allclose(found, tau, rtol=0, atol=5000 * EPS * np.abs(tau).max())


@pytest.mark.parametrize(("name", "most"), [("inverse_dynamics", 160), ("forward_dynamics", 380)])
def test_operations_of_a_general_chain(name: str, most: int) -> None:
    """Additions and multiplications a joint; by full rotations and positions they are 200 and 610."""
    assert general_chain(30).count(name).arithmetic < most * 30
