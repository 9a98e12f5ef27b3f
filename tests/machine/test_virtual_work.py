"""Generalised forces of forces at points: by Jacobians of robots, and by the power that forces do. SHV 6.30-6.31."""

from typing import Any

import numpy as np
import pytest
import sympy
from comparing import assert_raises

import revolute
from revolute import InputError, UnknownNameError
from revolute.library.examples.motion import along, functions, moving_link, t

l, m, F, moment, c = sympy.symbols("l m F M c")
q1, q2 = q = functions("q1 q2")
TIP = along(q1, 1) + along(q1 + q2, 1)
KINETIC = moving_link(1, along(q1, 1)) + moving_link(1, TIP)


def test_forces_at_a_tip_are_those_of_the_jacobian() -> None:
    """Q = J^T F of the planar arm, to some roundings of numbers near one."""
    fx, fy = sympy.symbols("fx fy")
    arm = revolute.lagrange(q, KINETIC, point_forces=[(TIP, (fx, fy)), (q1 + q2, moment)])
    numbers = np.random.default_rng(2).uniform(-1, 1, 3)
    angles = np.random.default_rng(3).uniform(-2, 2, (5, 2))
    bent = dict(zip(("fx", "fy", "M"), numbers, strict=True))
    still = np.zeros(2)
    free = revolute.lagrange(q, KINETIC).inverse_dynamics(angles, still, still)
    wrench = [0, 0, numbers[2], numbers[0], numbers[1], 0]
    wanted = np.einsum("...kn,k->...n", revolute.robots.planar(2).jacobian(angles, "tip", "aligned"), wrench)
    assert free - arm.inverse_dynamics(angles, still, still, bent) == pytest.approx(wanted, abs=1e-14)
    assert arm.driven and arm.unknown == (0, 0)


def test_they_add_to_forces_on_coordinates() -> None:
    u = sympy.Symbol("u")
    arm = revolute.lagrange(q, KINETIC, forces={q2: u}, point_forces=[(TIP, (F, 0)), (TIP, (0, -2))])
    s, cs = sympy.sin, sympy.cos
    a, b = sympy.symbols("q1 q2")
    wanted = [F * (-s(a) - s(a + b)) - 2 * (cs(a) + cs(a + b)), F * -s(a + b) - 2 * cs(a + b) + u]
    assert [sympy.expand(x - y) for x, y in zip(arm.forces, wanted, strict=True)] == [0, 0]


def test_a_drag_takes_the_power_of_its_velocity() -> None:
    """F = -c v at the tip: Q . qd = -c |v|^2."""
    v = TIP.diff(t)
    arm = revolute.lagrange(q, KINETIC, point_forces=[(TIP, -c * v)])
    power = sum(Q * dq for Q, dq in zip(arm.forces, arm.dq, strict=True))
    assert sympy.simplify(power + revolute.lagrange(q, c * v.dot(v)).kinetic) == 0


def test_a_point_that_time_moves_is_displaced_at_a_fixed_time() -> None:
    """A bead on a rod that turns at a given rate: only the displacement along the rod does work."""
    (s,) = functions("s")
    w, fx, fy = sympy.symbols("w fx fy")
    bead = revolute.lagrange([s], moving_link(m, along(w * t, s)), point_forces=[(along(w * t, s), (fx, fy))])
    assert bead.forces[0] == fx * sympy.cos(w * t) + fy * sympy.sin(w * t)
    x, dx = sympy.symbols("x dx")
    assert revolute.lagrange([x], dx**2, point_forces=[(abs(x), F)]).forces == (F * sympy.sign(x),)
    arm = revolute.lagrange(q, KINETIC, point_forces=[(q2, moment)])
    assert arm.driven and list(arm.forces) == [0, moment]


@pytest.mark.parametrize(("loads", "text"), [
    (TIP[0], r"point_forces must be pairs \(point, force\), not"),
    ([TIP], r"point_forces: pair 1 must be \(point, force\)"),
    ([(TIP, (F, 0)), (TIP, F)], "pair 2: the point has 2 components, but the force has 1"),
    ([(TIP, ("F", 0))], "pair 1: force must be a SymPy expression or a number, not text: 'F'"),
    ((TIP, (F, 0)), r"point_forces: pair 1 must be \(point, force\)"),
    ((q, (0, F)), r"pair 2: the point \(0\) depends on none of the coordinates q1, q2; give a list of pairs"),
    ([(TIP, (F, 0)), ((l, 1), (F, 0))], r"pair 2: the point \(l, 1\) depends on none of the coordinates"),
    ([((q1, q2.diff(t)), (F, 0))], r"pair 1: the point \(q1, dq2\) depends on the rate 'dq2'; give positions only"),
    ([(q1, {F, c})], "pair 1: force must be a SymPy expression or a number, not set"),
    ([{q1: F, q2: F}], r"pair 1 must be \(point, force\), not"),
    ([(q1, F * q1.diff(t, 2))], "depends on the acceleration|neither a coordinate"),
])  # fmt: skip
def test_pairs_that_are_none_say_so(loads: Any, text: str) -> None:
    assert_raises((InputError, UnknownNameError), text, revolute.lagrange, q, KINETIC, point_forces=loads)


@pytest.mark.parametrize("pairs", [
    *([pair] for pair in (sympy.Tuple(q1, F), np.array([q1, F]), [q1, F], iter((q1, F)))),
    {q1: F}.items(), sympy.Tuple((q1, F)), iter([(q1, F)]),
])  # fmt: skip
def test_pairs_are_anything_that_lists_what_has_length_two(pairs: Any) -> None:
    assert revolute.lagrange(q, KINETIC, point_forces=pairs).forces == (F, 0)
