"""Integration steps of fixed length at constant joint forces, for any scalar type. LP Euler integration."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from revolute.dynamics.coordinate_rates import coordinate_rates, euler_step, normalized, parent_axes_rates
from revolute.dynamics.implicit_steps import implicit_midpoint, variational_midpoint
from revolute.dynamics.mechanics import Mechanics
from revolute.errors import InputError
from revolute.model.model import Model
from revolute.model.other_libraries import other_names
from revolute.spatial import Scalar, Scalars, repeated

State = tuple[Scalars, Scalars]


def explicit_euler(mechanics: Mechanics, q: Scalars, qd: Scalars, h: Scalar) -> State:
    """Explicit Euler: derivatives of q and qd are those at the start of the step. Order 1. LP Euler integration."""
    space = mechanics.space
    return euler_step(space, q, qd, _moved(qd, parent_axes_rates(space, qd, mechanics.accelerate(q, qd)), h), h)


def semi_implicit_euler(mechanics: Mechanics, q: Scalars, qd: Scalars, h: Scalar) -> State:
    """Semi-implicit Euler: positions move with the new velocities. Energy errors stay bounded. Order 1."""
    space = mechanics.space
    qd = _moved(qd, parent_axes_rates(space, qd, mechanics.accelerate(q, qd)), h)
    return euler_step(space, q, qd, qd, h)


def runge_kutta_4(mechanics: Mechanics, q: Scalars, qd: Scalars, h: Scalar) -> State:
    """The classical Runge-Kutta method. Order 4.

    A quaternion is integrated as four numbers, with the derivative that `coordinate_rates` returns. At the stages it
    does not have unit length; at the end it is normalized.
    """
    space = mechanics.space

    def rates(q: Scalars, qd: Scalars) -> State:
        return coordinate_rates(space, q, qd), mechanics.accelerate(q, qd)

    q, qd = _runge_kutta(rates, q, qd, h, mechanics.rolled)
    return normalized(space, q), qd


def runge_kutta_munthe_kaas_4(mechanics: Mechanics, q: Scalars, qd: Scalars, h: Scalar) -> State:
    """The classical Runge-Kutta method for x in q = q0 exp(x). Order 4. Munthe-Kaas 1998; Hairer et al. IV.8.

    Every stage stays on the manifold of rotations. Without quaternions the method equals `runge_kutta_4`.
    """
    space = mechanics.space

    def rates(x: Scalars, qd: Scalars) -> State:
        there = _charted(space, q, x)
        places = zip(space.bodies, space.q_index, space.v_index, strict=True)
        x_rates = [a for body, at, to in places for a in body.joint.chart_rate(there[at], x[to], qd[to])]
        return x_rates, mechanics.accelerate(there, qd)

    x, qd = _runge_kutta(rates, [0] * space.nv, qd, h, mechanics.rolled)
    return normalized(space, _charted(space, q, x)), qd


_EXPLICIT = (explicit_euler, semi_implicit_euler, runge_kutta_4, runge_kutta_munthe_kaas_4)

METHODS: dict[str, Callable[[Mechanics, Scalars, Scalars, Scalar], State]] = {
    method.__name__: method for method in (*_EXPLICIT, implicit_midpoint, variational_midpoint)
}
"""Integration methods by name: functions that compute the state after one step."""

IMPLICIT = ("implicit_midpoint", "variational_midpoint")
"""Implicit integration methods by name. A state becomes NaN if Newton's method does not solve its equations."""


def check_method(caller: str, method: str, methods: Sequence[str]) -> None:
    """Raise `InputError` unless the method exists. For names of other libraries, the message gives the name here."""
    if not isinstance(method, str) or method not in methods:
        meant = other_names().methods.get(str(method).lower())
        hint = f"; write '{meant}'" if meant in methods else ""
        raise InputError(f"{caller}: no method '{method}'{hint}; available: {', '.join(methods)}")


def _runge_kutta(rates: Callable[[Scalars, Scalars], State], x: Scalars, qd: Scalars, h: Scalar, rolled: bool) -> State:
    """One step of the classical Runge-Kutta method; if `rolled`, in a traced loop over its stages."""
    if rolled:

        def stage(state: tuple[State, State], part: Scalar, weight: Scalar) -> tuple[tuple[State, State], tuple[()]]:
            (dx, dqd), ends = state
            k = rates(_moved(x, dx, part * h), _moved(qd, dqd, part * h))
            return (k, (_moved(ends[0], k[0], weight * h), _moved(ends[1], k[1], weight * h))), ()

        still = [0.0] * len(x), [0.0] * len(qd)
        end: State
        (_, end), _ = repeated(stage, (still, ([*x], [*qd])), [[0.0, 0.5, 0.5, 1.0], [1 / 6, 1 / 3, 1 / 3, 1 / 6]])
        return end
    k1 = rates(x, qd)
    k2 = rates(_moved(x, k1[0], h / 2), _moved(qd, k1[1], h / 2))
    k3 = rates(_moved(x, k2[0], h / 2), _moved(qd, k2[1], h / 2))
    k4 = rates(_moved(x, k3[0], h), _moved(qd, k3[1], h))
    mean = [
        [(a + 2 * b + 2 * c + d) / 6 for a, b, c, d in zip(k1[part], k2[part], k3[part], k4[part], strict=True)]
        for part in (0, 1)
    ]
    return _moved(x, mean[0], h), _moved(qd, mean[1], h)


def _charted(space: Model, q: Scalars, x: Scalars) -> list[Scalar]:
    """Positions at local coordinates x about q: see `JointType.chart`."""
    places = zip(space.bodies, space.q_index, space.v_index, strict=True)
    return [a for body, at, rate_at in places for a in body.joint.chart(q[at], x[rate_at])]


def _moved(x: Scalars, rate: Scalars, h: Scalar) -> list[Scalar]:
    return [a + h * b for a, b in zip(x, rate, strict=True)]
