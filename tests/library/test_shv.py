"""Robots of SHV's section 6.4 and of its problems, against Lagrange's equations of their links."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import sympy
from comparing import assert_raises

import revolute
from revolute import InputError
from revolute.library import examples
from revolute.library.examples.motion import along, functions, moving_link

I = (1 + 1 / 16) / 12
"""Moment of inertia of a solid of length 1, width 1/4 and mass 1 about its centre."""

def point(x: Any, y: Any) -> Any:
    return sympy.Matrix([x, y])


LINKS: dict[str, Callable[..., list[tuple[Any, Any]]]] = {
    "cartesian": lambda a, b: [(point(0.5, a), 0), (point(b + 0.5, a), 0)],
    "elbow": lambda a, b: [(along(a, 0.5), a), (along(a, 1) + along(a + b, 0.5), a + b)],
    "rp": lambda a, b: [(along(a, 0.5), a), (along(a, b + 0.5), a)],
    "pr": lambda a, b: [(point(a + 0.5, 0), 0), (point(a + 1, 0) + along(b, 0.5), b)],
    "rrr": lambda a, b, c: [
        (along(a, 0.5), a), (along(a, 1) + along(a + b, 0.5), a + b),
        (along(a, 1) + along(a + b, 1) + along(a + b + c, 0.5), a + b + c),
    ],
}  # fmt: skip
"""Centre and angle of each link of the arms in a plane."""


@pytest.mark.parametrize("name", LINKS)
def test_an_arm_moves_as_its_links_say(name: str) -> None:
    robot = revolute.load(f"shv:{name}")
    q = functions("a b c")[: robot.nv]
    links = LINKS[name](*q)
    kinetic = sum(moving_link(1, centre, I, angle) for centre, angle in links)
    system = revolute.lagrange(q, kinetic, 9.81 * sum(centre[1] for centre, _ in links))
    for state in np.random.default_rng(1).normal(size=(5, 3, robot.nv)):
        np.testing.assert_allclose(robot.inverse_dynamics(*state), system.inverse_dynamics(*state), atol=1e-12)
    assert robot == revolute.robots.shv(name)


def test_the_five_bar_linkage_is_the_printed_one() -> None:
    """SHV 6.107: the angles of links 3 and 4 are q1 and q2; it is decoupled, as m3 l2 lc3 = m4 l1 lc4 here."""
    robot = revolute.load("shv:five_bar")
    closed = robot.with_closures()
    one = {f"{x}{k}": value for x, value in (("m", 1), ("I", I), ("lc", 0.5)) for k in range(1, 5)}
    printed = examples.five_bar()
    turns = {"joint1": (1, 0), "joint2": (0, 1), "joint3": (1, -1), "joint4": (-1, 1)}
    E = np.array([turns[joint] for joint in robot.joint_names])
    for q, qd, qdd in np.random.default_rng(3).normal(size=(5, 3, 2)):
        assert np.abs(closed.error(E @ q)).max() < 1e-14 and closed.mobility(E @ q) == 2
        found = E.T @ robot.inverse_dynamics(E @ q, E @ qd, E @ qdd)
        wanted = printed.inverse_dynamics(q, qd, qdd, {**one, "l1": 1, "l2": 1, "g": 9.81})
        np.testing.assert_allclose(found, wanted, atol=1e-12)
        np.testing.assert_allclose(E.T @ robot.mass_matrix(E @ q) @ E, np.diag([1.5 + 2 * I, 1.5 + 2 * I]), atol=1e-14)


def test_three_links_at_right_angles_have_a_constant_inertia_matrix() -> None:
    """The Cartesian robot of the problems: D = diag(3, 2, 1), and no Christoffel symbols."""
    robot = revolute.load("shv:cartesian3")
    for q in np.random.default_rng(4).normal(size=(3, 3)):
        assert np.array_equal(robot.mass_matrix(q), np.diag([3.0, 2, 1]))
        assert not robot.christoffel_symbols(q).any()
        np.testing.assert_allclose(robot.gravity_forces(q), [3 * 9.81, 0, 0], atol=1e-14)


def test_other_names_are_refused() -> None:
    assert_raises(InputError, "there is no robot 'elbo'; near: elbow", revolute.load, "shv:elbo")
    assert_raises(InputError, "missing a required argument: 'name'; shv takes name", revolute.load, "shv")
