"""Surfaces of contacts that are functions: equal to planes and spheres, on a cylinder, on stairs; what is refused."""

import functools
import pickle
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from comparing import assert_raises

from revolute import Contact, Inertia, InputError, Link, Plane, Robot
from revolute.simulate.contact_wrenches import contact_wrenches
from revolute.spatial.dual import unit_gradient
from revolute.spatial.scalar import select, sqrt

G, H = 9.81, 1e-3
CENTER, R, r = (0.2, -0.1, 1.0), 0.5, 0.1


@functools.cache
def ball() -> Robot:
    """2 kg of 0.1 m."""
    return Robot.from_links("ball", [Link("ball", Inertia.sphere(2.0, r))], [], base="free")


def slope(p: Any) -> Any:
    """A plane, as a function that is no distance."""
    return 3 * (0.6 * p[0] + 0.8 * p[2])


def globe(p: Any) -> Any:
    return sqrt(sum((x - c) * (x - c) for x, c in zip(p, CENTER, strict=True))) - R


def globe_squared(p: Any) -> Any:
    """Zero on the same sphere, but no distance."""
    return sum((x - c) ** 2 for x, c in zip(p, CENTER, strict=True)) - R * R


def cylinder(p: Any) -> Any:
    return sqrt(p[0] * p[0] + p[2] * p[2]) - R


def stairs(p: Any) -> Any:
    """Steps of 0.1 m at x = 0 and x = 0.5."""
    return p[2] - select(p[0] < 0, 0.0, select(p[0] < 0.5, 0.1, 0.2))


@dataclass
class Level:
    """A plane that cannot be a key of a dictionary."""

    height: float

    def __call__(self, p: Any) -> Any:
        return p[2] - self.height


@pytest.mark.parametrize("friction", [0.0, 0.3, 5.0])
def test_a_function_of_a_plane_is_the_plane(friction: float) -> None:
    n = np.array([0.6, 0, 0.8])
    state = np.r_[r * n, 0, 0, 0, 1], np.array([0.3, 0.2, 0.1, 1.0, 0.5, 0.0])
    still = np.zeros(6)
    for call in (
        lambda c: ball().contact_forces(*state, still, [c]),
        lambda c: ball().contact_step(*state, still, H, [c]),
        lambda c: ball().impact(state[0], [0, 0, 0, 0, 0, -1.0], [c]),
    ):
        of_plane, of_function = (
            call(Contact("ball", radius=r, friction=friction, surface=x)) for x in (Plane(tuple(n)), slope)
        )
        for x, y in zip(of_plane[:-1], of_function[:-1], strict=True):
            np.testing.assert_allclose(x, y, rtol=0, atol=1e-12)


@pytest.mark.parametrize("friction", [0.0, 5.0])
@pytest.mark.parametrize(("surface", "radius"), [(globe, r), (globe, 0.0), (globe_squared, 0.0)])
def test_a_function_of_a_sphere_is_the_sphere(surface: Any, radius: float, friction: float) -> None:
    """Its normal turns: N = m (g cos a - v^2 / (R + radius)), and 2/7 m g sin a of a ball that rolls."""
    a, v = 0.6, 0.8
    n, t = np.array([np.sin(a), 0, np.cos(a)]), np.array([np.cos(a), 0, -np.sin(a)])
    rolls = bool(friction) and radius > 0
    q = np.r_[(R + radius) * n + CENTER, 0, 0, 0, 1]
    qd = np.r_[(v / r) * np.array([0, 1, 0]) * rolls, v * t]
    contact = Contact("ball", radius=radius, friction=friction, surface=surface)
    found = ball().contact_forces(q, qd, np.zeros(6), [contact])
    normal = 2 * (G * np.cos(a) - v * v / (R + radius))
    drag = 2 / 7 * 2 * G * np.sin(a) if rolls else friction * normal
    np.testing.assert_allclose(found.forces[0], normal * n - drag * t, rtol=0, atol=1e-9)


def test_a_ball_in_equilibrium_on_a_cylinder_and_on_stairs() -> None:
    for surface, x, height in ((cylinder, 0.0, R), (stairs, -0.2, 0.0), (stairs, 0.2, 0.1), (stairs, 0.7, 0.2)):
        contact = Contact("ball", radius=r, surface=surface)
        motion = ball().simulate([x, 0, height + r + 0.02, 0, 0, 0, 1], np.zeros(6), None, 0.5, contacts=[contact])
        assert abs(motion.q[-1, 2] - height - r) <= 1e-12 and motion.contact_forces is not None
        np.testing.assert_allclose(motion.contact_forces[-1], [[0, 0, 2 * G]], rtol=0, atol=1e-9)
        wrench = contact_wrenches(ball(), motion[-1])["ball"]
        np.testing.assert_allclose(wrench, [[0, 0, 0, 0, 0, 2 * G]], rtol=0, atol=1e-9)
        assert motion.residual is not None and motion.residual.max() <= 1e-12


def test_rows_and_pickles_of_functions() -> None:
    """A row has the bits of the same step alone; contacts with functions of a module pickle."""
    contacts = [pickle.loads(pickle.dumps(Contact("ball", radius=r, surface=cylinder)))]
    assert contacts == [Contact("ball", radius=r, surface=cylinder)]
    rng = np.random.default_rng(0)
    q, qd = np.tile([0, 0, R + r, 0, 0, 0, 1.0], (20, 1)), rng.standard_normal((20, 6))
    q[:, 2] += rng.uniform(-1e-3, 1e-3, 20)
    whole = ball().contact_step(q, qd, np.zeros(6), H, contacts, threads=2)
    for k in range(20):
        for x, y in zip(whole, ball().contact_step(q[k], qd[k], np.zeros(6), H, contacts), strict=True):
            np.testing.assert_array_equal(x[k], y)


@pytest.mark.parametrize(("surface", "message"), [
    (lambda p: 1.0, "gradient of the surface of 'ball' vanishes"),
    (lambda p: p[0] - p[0] + 3, "gradient of the surface of 'ball' vanishes"),
    (lambda p: p[3], "surface of 'ball' failed at p = .*index out of range"),
    (lambda x, y: x, "surface of 'ball' failed"),
    (lambda p: "high", "surface of 'ball' failed"),
    (lambda p: p[0] / 0, "surface of 'ball' failed"),
    (lambda p: p[2] / (p[0] + 1.3), r"failed at p = \[-1.3, 0.7, 2.9\]"),
    (lambda p: p[2] - (0.1 if p[0] < 0 else 0.2), "of 'ball' branches on the point p, .*use .*scalar.select"),
    (lambda p: max(p[2], 0.1), "of 'ball' branches on the point p"),
    (Level(0.1), "surface of 'ball': unhashable type: 'Level'; make its class frozen, or give a function"),
    ("stairs", "must be a revolute.Plane.*or a function of a point, not 'stairs'.*to_mjcf"),
])  # fmt: skip
def test_surfaces_that_cannot_be(surface: Any, message: str) -> None:
    assert_raises(InputError, message, Contact, "ball", surface=surface)


def test_points_without_a_normal_feel_nothing() -> None:
    """The gradient of |p|^2 vanishes at its centre: finite, and no force."""
    contact = Contact("ball", surface=lambda p: sum(x * x for x in p) - 1)
    step = ball().contact_step(ball().neutral(), np.zeros(6), np.zeros(6), H, [contact])
    assert all(np.isfinite(x).all() for x in step) and not step.impulses.any()


def test_a_clipped_distance_is_kept_far_from_its_surface() -> None:
    """Its gradient is zero there, its value is not."""
    from_surface = unit_gradient(lambda p: select(p[1] + 0.5 < 0.3, p[1] + 0.5, 0.3), [0.0, 0.0, 0.0])
    assert from_surface == [0.3, 0, 0, 0]
