"""Integration steps of fixed length, over any scalar. LP 9.5; joint forces are constant during a step."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from revolute.errors import InputError
from revolute.model import other_libraries
from revolute.model.model import Model
from revolute.spatial.scalar import Scalar

__all__ = [
    "METHODS",
    "check_method",
    "coordinate_rates",
    "explicit_euler",
    "retracted",
    "runge_kutta_4",
    "semi_implicit_euler",
]

Vector = Sequence[Scalar]
Accelerate = Callable[[Vector, Vector], Vector]
"""Joint accelerations from q and qd."""


def coordinate_rates(model: Model, q: Vector, qd: Vector) -> list[Scalar]:
    """dq/dt: qd itself, except for joints such as free ones (GOA remark 7)."""
    return [
        rate
        for body, at, rate_at in zip(model.bodies, model.q_index, model.v_index, strict=True)
        for rate in body.joint.coordinate_rate(q[at], qd[rate_at])
    ]


def retracted(model: Model, q: Vector, d: Vector) -> list[Scalar]:
    """q after a small motion d along the velocities, to first order; quaternions stay of length one."""
    return _normalized(model, _moved(q, coordinate_rates(model, q, d), 1))


def explicit_euler(model: Model, accelerate: Accelerate, q: Vector, qd: Vector, h: Scalar) -> tuple[Vector, Vector]:
    """The algorithm of LP 9.5: both rates at the start of the step. Order 1."""
    qdd = accelerate(q, qd)
    return _normalized(model, _moved(q, coordinate_rates(model, q, qd), h)), _moved(qd, qdd, h)


def semi_implicit_euler(
    model: Model, accelerate: Accelerate, q: Vector, qd: Vector, h: Scalar
) -> tuple[Vector, Vector]:
    """Velocities first, then positions with the new velocities: energy errors stay bounded. Order 1."""
    qd = _moved(qd, accelerate(q, qd), h)
    return _normalized(model, _moved(q, coordinate_rates(model, q, qd), h)), qd


def runge_kutta_4(model: Model, accelerate: Accelerate, q: Vector, qd: Vector, h: Scalar) -> tuple[Vector, Vector]:
    """The classical Runge-Kutta method. Order 4."""

    def rates(q: Vector, qd: Vector) -> tuple[Vector, Vector]:
        return coordinate_rates(model, q, qd), accelerate(q, qd)

    k1 = rates(q, qd)
    k2 = rates(_moved(q, k1[0], h / 2), _moved(qd, k1[1], h / 2))
    k3 = rates(_moved(q, k2[0], h / 2), _moved(qd, k2[1], h / 2))
    k4 = rates(_moved(q, k3[0], h), _moved(qd, k3[1], h))
    mean = [
        [(a + 2 * b + 2 * c + d) / 6 for a, b, c, d in zip(k1[part], k2[part], k3[part], k4[part], strict=True)]
        for part in (0, 1)
    ]
    return _normalized(model, _moved(q, mean[0], h)), _moved(qd, mean[1], h)


METHODS: dict[str, Callable[..., tuple[Vector, Vector]]] = {
    method.__name__: method for method in (explicit_euler, semi_implicit_euler, runge_kutta_4)
}
"""Step methods by name."""


def check_method(caller: str, method: str, methods: Sequence[str]) -> None:
    """The method is one of these, or `InputError`, which translates names of other libraries."""
    if not isinstance(method, str) or method not in methods:
        meant = other_libraries.METHODS.get(str(method).lower())
        hint = f"; write '{meant}'" if meant in methods else ""
        raise InputError(f"{caller}: no method '{method}'{hint}; there are: {', '.join(methods)}")


def _moved(x: Vector, rate: Vector, h: Scalar) -> list[Scalar]:
    return [a + h * b for a, b in zip(x, rate, strict=True)]


def _normalized(model: Model, q: Vector) -> list[Scalar]:
    return [
        x for body, at in zip(model.bodies, model.q_index, strict=True) for x in body.joint.normalized(q[at])
    ]
