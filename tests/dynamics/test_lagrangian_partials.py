"""Derivatives of the Lagrangian: momenta, and forces along velocities of all kinds of joints."""

import numpy as np
import pytest

import revolute
from revolute.dynamics.hamilton import lagrangian_partials

JOINTS = {
    "planar": revolute.Planar((0, 1, 0)),
    "spherical": revolute.Spherical(),
    "free": revolute.Free(),
    "helical": revolute.Helical((0, 0, 1), 0.1),
}


@pytest.mark.parametrize("kind", JOINTS)
def test_partials_of_the_lagrangian(kind: str) -> None:
    """By central differences along velocities, which err by 1e-5^2 and by rounding / 1e-5; wrenches by J^T."""
    body = revolute.Inertia.from_com(2.0, (0.1, 0.2, -0.1), np.diag([0.2, 0.3, 0.4]))
    names = ("base", "a", "b", "c")
    links = [revolute.Link("base"), *(revolute.Link(name, body) for name in names[1:])]
    types = (revolute.Revolute((1, 0, 0)), JOINTS[kind], revolute.Revolute((0, 1, 0)))
    joints = [
        revolute.Connection(child, parent, child, joint)
        for parent, child, joint in zip(names[:-1], names[1:], types, strict=True)
    ]
    robot = revolute.Robot.from_links("chain", links, joints)
    rng = np.random.default_rng(4)
    q, qd, load = robot.random_configuration(rng=rng), rng.standard_normal(robot.nv), rng.standard_normal(6)
    p, forces = lagrangian_partials(robot, list(q), list(qd), {"c": list(load)})
    np.testing.assert_allclose(p, robot.generalized_momentum(q, qd), rtol=0, atol=1e-12)
    moves = 1e-5 * np.eye(robot.nv)
    ends = [robot.lagrangian(robot.integrate(q, sign * moves), qd) for sign in (1, -1)]
    slopes = (ends[0] - ends[1]) / 2e-5
    np.testing.assert_allclose(forces, slopes + robot.jacobian(q, "c").T @ load, rtol=0, atol=1e-8)
