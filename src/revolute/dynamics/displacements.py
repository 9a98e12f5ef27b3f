"""Exact steps with constant velocities, and steps between two positions, for any scalar type. LP section 3.2.3."""

from collections.abc import Callable, Sequence

from revolute.dynamics.linear_models import product, total
from revolute.model import Model, Turning
from revolute.spatial.quaternion import exponential_series, logarithm_series
from revolute.spatial.scalar import Rows, Scalar, Scalars, nearest_turn


def integrated(model: Model, q: Scalars, d: Scalars) -> list[Scalar]:
    """q exp(d): the positions after one unit of time with the constant velocities d. LP 3.88."""
    places = zip(model.bodies, model.q_index, model.v_index, strict=True)
    return [x for body, at, to in places for x in body.joint.integrate(q[at], d[to])]


def difference(model: Model, q0: Scalars, q1: Scalars, turning: Sequence[Turning] = ()) -> list[Scalar]:
    """log(q0^-1 q1): the step d with integrated(q0, d) = q1; angles in `turning` rotate the shorter way. LP 3.92."""
    places = zip(model.bodies, model.q_index, strict=True)
    d = [x for body, at in places for x in body.joint.difference(q0[at], q1[at])]
    for at in turning:
        d[at.qd] = nearest_turn(d[at.qd], 0)
    return d


def integrated_partials(model: Model, d: Scalars) -> tuple[Rows, Rows]:
    """Derivatives of `integrated` with respect to small motions of q, and to d: e^x and (e^x - 1) / x at x = -ad.

    ad is the matrix of `JointType.bracket`. LP section 3.2.3; Iserles et al., Lie-group methods, 2000.
    """
    return _blocks(model, d, _exponentials)


def difference_partials(model: Model, d: Scalars) -> tuple[Rows, Rows]:
    """Derivatives of a difference d along small motions of q0 and q1: -x / (1 - e^-x) and x / (e^x - 1) at x = -ad."""
    return _blocks(model, d, _logarithms)


def _exponentials(x: Rows, square: Scalar) -> tuple[Rows, Rows]:
    """e^x and (e^x - 1) / x, by Horner's rule."""
    power = before = [[0] * len(x)] * len(x)
    for c in (*reversed(exponential_series(square)), 1, 1):
        before, power = power, total(product(x, power), _diagonal(c, len(x)))
    return power, before


def _logarithms(x: Rows, square: Scalar) -> tuple[Rows, Rows]:
    c_2, c_4 = logarithm_series(square)
    xx, one = product(x, x), _diagonal(1, len(x))
    even, half = total(one, product(xx, total(_scaled(c_2, one), _scaled(c_4, xx)))), _scaled(0.5, x)
    return _scaled(-1, total(even, half)), total(even, _scaled(-1, half))


def _blocks(model: Model, d: Scalars, of: Callable[[Rows, Scalar], tuple[Rows, Rows]]) -> tuple[Rows, Rows]:
    """Two block-diagonal matrices, with the blocks `of(-ad, squared angle of rotation)` of every joint."""
    first, second = ([[0] * model.nv for _ in range(model.nv)] for _ in range(2))
    for body, at in zip(model.bodies, model.v_index, strict=True):
        x = _scaled(-1, body.joint.bracket(d[at]))
        square = sum(w * w for w, linear in zip(d[at], body.joint.linear, strict=True) if not linear)
        for k, *rows in zip(range(at.start, at.stop), *of(x, square), strict=True):
            first[k][at], second[k][at] = rows
    return first, second


def _diagonal(c: Scalar, n: int) -> Rows:
    return [[c if i == j else 0 for j in range(n)] for i in range(n)]


def _scaled(c: Scalar, rows: Sequence[Scalars]) -> Rows:
    return [[c * x for x in row] for row in rows]
