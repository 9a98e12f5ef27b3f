"""Impulses of contacts and stops by an interior-point method, for any scalar type. Acary et al. 2024.

For contacts of `revolute.dynamics.cones`, x = (mu p_n, p_t) and y = (u_n + mu |u_t|, mu u_t) are in the cone

    K = {(v_0, v_1, v_2): |(v_1, v_2)| <= v_0},    and  x . y = 0,  x_0 y_t + y_0 x_t = 0

Steps of Newton's method follow x . y = mu tau to tau = 0, with x and y inside K. They include the derivative of De
Saxce's term mu |u_t|. Bounds and limits are expressed by pairs of numbers x, y >= 0 with x y = 0.

Where Gauss-Seidel converges slowly, as for feet with more contact points than degrees of freedom, this method takes 20
to 35 steps, each as costly as ten rounds of Gauss-Seidel. Where contacts are near the border of two modes, such as
sticking and sliding, the final error is about 1e-9 of the impulses.
"""

from __future__ import annotations

from typing import Any

from revolute.dynamics.active_set import Bounds
from revolute.dynamics.coupling import Coupling, diagonal
from revolute.dynamics.mobility import dot, plus
from revolute.spatial.dual import TINY
from revolute.spatial.loop import converged
from revolute.spatial.scalar import Rows, Scalar, Scalars, between, select, sqrt

ROUNDS = 40
"""Maximum number of steps."""

INSIDE = 0.8
"""Fraction of the distance to the boundary of the cones that a step covers."""

FASTER, SLOWER = 0.2, 0.8
"""Factors of tau after a long step, and after a shorter one."""

ENOUGH, NEAR, SHORT = 1e-15, 1e-12, 0.05
"""Steps end at errors up to ENOUGH, and at errors up to NEAR after a step of length up to SHORT."""

FRICTIONLESS = 1e-6
"""Minimum friction: without friction, the cone has no interior."""

FAR = 1e9
"""Velocity beyond which bounds count as absent."""

ROUNDING = 1e-16
"""Minimum determinant v_0^2 - v_1^2 - v_2^2 of a vector v inside K, relative to v_0^2."""

State = tuple[list[Scalar], list[Scalar]]


def interior_point(
    A: Coupling, b: Scalars, friction: Scalars, bounds: Bounds, limits: Scalars, first: Any
) -> list[Scalar]:
    """Impulses p: see `solve` of `revolute.dynamics.cones`. Only batch rows for which `first` holds are computed."""
    count = 3 * len(friction)
    at = [k + (k % 3 == 0) if k < count else k for k in range(len(b))]
    own = [A.entry(k, k) for k in at]
    stiff = sum(own) / len(own) + TINY
    size: Scalar = TINY
    for x in (*b, *(x for ends in bounds for x in ends)):
        size = select(abs(x) > size, select(abs(x) < FAR / 2, abs(x), size), size)
    # contacts that do not act separate at a velocity that does not cost digits
    b = [select(x > FAR / 2, 100 * size, x) if k < count and k % 3 == 0 else x for k, x in enumerate(b)]
    laws: list[_Cone | _Range | _Limit] = [_Cone(3 * k, mu) for k, mu in enumerate(friction)]
    laws += [_Range(count + i, *ends) for i, ends in enumerate(bounds)]
    laws += [_Limit(len(b) - len(limits) + i, limit) for i, limit in enumerate(limits)]

    def step(state: list[State], factor: Scalar) -> tuple[list[State], Scalar, Any]:
        """The state after a step, the factor of tau for the next step, and whether there is a next step."""
        p = [value for law, x in zip(laws, state, strict=True) for value in law.impulse(*x)]
        u = plus(b, A.product(p))
        gap = sum(law.gap(*x) for law, x in zip(laws, state, strict=True)) / len(laws)
        tau, blocks, right, missing = factor * gap, [], [], []
        for law, x in zip(laws, state, strict=True):
            block, rhs, r = law.linear(*x, u[law.rows], tau)
            missing.append(r)
            right += rhs
            blocks.append((diagonal([1] * len(block)), block))
        dp = A.solver(blocks)(right)
        du = A.product(dp)
        moves = [
            law.move(*x, dp[law.rows], du[law.rows], r, tau) for law, x, r in zip(laws, state, missing, strict=True)
        ]
        reach: Scalar = INSIDE
        for law, x, dx in zip(laws, state, moves, strict=True):
            for beyond in law.beyond(*x, *dx):
                reach = select(beyond > reach, beyond, reach)
        share = select(abs(sum(dp)) < 1 / TINY, INSIDE / reach, 0.0)  # a step that is not finite is not taken
        error = gap / size * (stiff / size)
        for value in (abs(x) / size for r in missing for x in r):
            error = select(value > error, value, error)
        following = [
            (_ahead(x, dx, share), _ahead(y, dy, share))
            for (x, y), (dx, dy) in zip(state, moves, strict=True)
        ]
        again = select(error > ENOUGH, select(share > SHORT, 1.0, (error - NEAR) * share), -1.0) > 0
        return following, select(share > 0.6, FASTER, select(share > 0.2, SLOWER, 1.0)), again

    start = [law.start(size / stiff, size) for law in laws]
    state, _ = converged(step, start, FASTER, most=ROUNDS, first=first)
    return [value for law, x in zip(laws, state, strict=True) for value in law.impulse(*x)]


class _Cone:
    """A contact: x = (p_n, p_t) and y = (u_n + mu |u_t|, u_t), without the factors mu."""

    def __init__(self, at: int, friction: Scalar) -> None:
        self.rows, self.mu = slice(at, at + 3), select(friction > FRICTIONLESS, friction, FRICTIONLESS)

    def start(self, p: Scalar, u: Scalar) -> State:
        return [p, 0.0, 0.0], [u, 0.0, 0.0]

    def impulse(self, p: Scalars, w: Scalars) -> Scalars:
        return p

    def gap(self, p: Scalars, w: Scalars) -> Scalar:
        return dot(p, w)

    def linear(self, p: Scalars, w: Scalars, u: Scalars, tau: Scalar) -> tuple[Rows, list[Scalar], list[Scalar]]:
        """W and c of W dp + du = c, and the difference r between u and w."""
        mu, (x0, *xt), (y0, *yt) = self.mu, self._scaled_p(p), self._scaled_w(w)
        long = _length(w[1:])
        r = [u[0] + mu * long - w[0], u[1] - w[1], u[2] - w[2]]
        inverse_det, inverse_x = 1 / _det([x0, *xt]), 1 / x0

        def back(z: Scalars) -> list[Scalar]:
            """E^-1 X^-1 z, with X the matrix of products with x, and dy = E (du + r)."""
            first = (x0 * z[0] - dot(xt, z[1:])) * inverse_det
            t = [(a - b * first) * inverse_x / mu for a, b in zip(z[1:], xt, strict=True)]
            return [first - mu * dot(w[1:], t) / long, *t]

        columns = [back([mu * y0, mu * yt[0], mu * yt[1]]), back([yt[0], y0, 0.0]), back([yt[1], 0.0, y0])]
        target = [mu * tau - x0 * y0 - dot(xt, yt), *(-(x0 * a + y0 * b) for a, b in zip(yt, xt, strict=True))]
        right = [a - b for a, b in zip(back(target), r, strict=True)]
        return [list(row) for row in zip(*columns, strict=True)], right, r

    def move(self, p: Scalars, w: Scalars, dp: Scalars, du: Scalars, r: Scalars, tau: Scalar) -> State:
        t = [a + b for a, b in zip(du[1:], r[1:], strict=True)]
        return list(dp), [du[0] + r[0] + self.mu * dot(w[1:], t) / _length(w[1:]), *t]

    def beyond(self, p: Scalars, w: Scalars, dp: Scalars, dw: Scalars) -> list[Scalar]:
        return [_beyond(self._scaled_p(p), self._scaled_p(dp)), _beyond(self._scaled_w(w), self._scaled_w(dw))]

    def _scaled_p(self, p: Scalars) -> list[Scalar]:
        return [self.mu * p[0], *p[1:]]

    def _scaled_w(self, w: Scalars) -> list[Scalar]:
        return [w[0], *(self.mu * x for x in w[1:])]


class _TwoSides:
    """A row whose law consists of two pairs of numbers x, y >= 0 with x y = 0."""

    def gap(self, x: Scalars, y: Scalars) -> Scalar:
        return dot(x, y) / 2

    def moved(self, x: Scalars, y: Scalars, dy: list[Scalar], tau: Scalar) -> State:
        """The step dx, with y dx + x dy = tau - x y, and dy."""
        return [(tau - a * (b + c)) / b for a, b, c in zip(x, y, dy, strict=True)], dy

    def beyond(self, x: Scalars, y: Scalars, dx: Scalars, dy: Scalars) -> list[Scalar]:
        return [-d / v for v, d in zip((*x, *y), (*dx, *dy), strict=True)]


class _Range(_TwoSides):
    """A row with bounds on its velocity: impulses x up and down, and distances y of the velocity from the bounds."""

    def __init__(self, at: int, lower: Scalar, upper: Scalar) -> None:
        self.rows = slice(at, at + 1)
        self.lower, self.upper = between(lower, -FAR, FAR), between(upper, -FAR, FAR)

    def start(self, p: Scalar, u: Scalar) -> State:
        return [p, p], [u, u]

    def impulse(self, x: Scalars, y: Scalars) -> list[Scalar]:
        return [x[0] - x[1]]

    def linear(self, x: Scalars, y: Scalars, u: Scalars, tau: Scalar) -> tuple[Rows, list[Scalar], list[Scalar]]:
        r = [u[0] - self.lower - y[0], self.upper - u[0] - y[1]]
        up, down = ((tau - a * (b + c)) / b for a, b, c in zip(x, y, r, strict=True))
        W = 1 / (x[0] / y[0] + x[1] / y[1])
        return [[W]], [W * (up - down)], r

    def move(self, x: Scalars, y: Scalars, dp: Scalars, du: Scalars, r: Scalars, tau: Scalar) -> State:
        return self.moved(x, y, [du[0] + r[0], r[1] - du[0]], tau)


class _Limit(_TwoSides):
    """A row with a maximum impulse: velocities x up and down, and distances y of p from -limit and limit."""

    def __init__(self, at: int, limit: Scalar) -> None:
        self.rows, self.limit = slice(at, at + 1), select(limit > TINY, limit, TINY)

    def start(self, p: Scalar, u: Scalar) -> State:
        return [u, u], [self.limit, self.limit]

    def impulse(self, x: Scalars, y: Scalars) -> list[Scalar]:
        return [(y[0] - y[1]) / 2]

    def linear(self, x: Scalars, y: Scalars, u: Scalars, tau: Scalar) -> tuple[Rows, list[Scalar], list[Scalar]]:
        return [[x[0] / y[0] + x[1] / y[1]]], [tau / y[0] - tau / y[1] - u[0]], [u[0] - x[0] + x[1]]

    def move(self, x: Scalars, y: Scalars, dp: Scalars, du: Scalars, r: Scalars, tau: Scalar) -> State:
        return self.moved(x, y, [dp[0], -dp[0]], tau)


def _ahead(x: Scalars, dx: Scalars, share: Scalar) -> list[Scalar]:
    return [select(share > 0, a + share * d, a) for a, d in zip(x, dx, strict=True)]


def _length(t: Scalars) -> Scalar:
    return sqrt(dot(t, t) + TINY)


def _det(v: Scalars) -> Scalar:
    """The determinant v_0^2 - v_1^2 - v_2^2, at least `ROUNDING` v_0^2."""
    long, least = _length(v[1:]), v[0] * v[0] * ROUNDING
    det = (v[0] - long) * (v[0] + long)
    return select(det > least, det, least)


def _beyond(v: Scalars, d: Scalars) -> Scalar:
    """1 / a, where v + a d is on the boundary of K; negative or zero if there is no such a > 0. Vandenberghe 2010."""
    scale = 1 / sqrt(_det(v))
    v, d = [x * scale for x in v], [x * scale for x in d]
    along = v[0] * d[0] - dot(v[1:], d[1:])
    turn = (along + d[0]) / (v[0] + 1)
    return sqrt(sum((b - turn * a) * (b - turn * a) for a, b in zip(v[1:], d[1:], strict=True))) - along
