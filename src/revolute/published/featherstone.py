"""Featherstone's recursion in spatial vectors with a line part and a moment part."""

from revolute.model.model import Model
from revolute.published.serial import SerialLink, along_z, serial
from revolute.spatial import ZERO, Scalar, Scalars, Transform, Vector, cross

Spatial = tuple[Vector, Vector]  # a spatial vector (line, moment): (w, v) of a motion, (f, n) of a force


def featherstone(model: Model, q: Scalars, qd: Scalars, qdd: Scalars) -> list[Scalar]:
    """Inverse dynamics in spatial algebra. BP Alg. 5.4, 5.2.25-5.2.30; Featherstone 1984.

    Motions and forces are both (line, moment), so one transform and one cross product apply to both. (BP 5.2.30 prints
    the transform of a pure rotation, without the shift of the origin, and starts without gravity; here the base
    accelerates against it. BP 5.2.25 lacks a minus sign in one of its two forms.)
    """
    arm = serial(model, "featherstone")
    n = arm.n
    X = [Transform(), *(link.pose(q[i]) for i, link in enumerate(arm.links[1:]))]
    v: list[Spatial] = [(ZERO, ZERO)]
    a: list[Spatial] = [(ZERO, -arm.gravity)]
    F: list[Spatial] = [(ZERO, ZERO)]
    for i in range(1, n + 1):
        link = arm.links[i]
        velocity = _axis(link, qd[i - 1])
        v.append(_plus(_to_child(X[i], v[-1]), velocity))
        a.append(_plus(_to_child(X[i], a[-1]), _cross(v[-1], velocity), _axis(link, qdd[i - 1])))
        F.append(_plus(_inertia(link, a[-1]), _cross(v[-1], _inertia(link, v[-1]))))

    tau: list[Scalar] = [0] * n
    f: Spatial = (ZERO, ZERO)
    for i in range(n, 0, -1):
        f = _plus(_to_parent(X[i + 1], f), F[i]) if i < n else F[i]
        line, moment = f
        tau[i - 1] = moment[2] if arm.links[i].sigma else line[2]
    return tau


def _axis(link: SerialLink, rate: Scalar) -> Spatial:
    return (along_z(rate), ZERO) if link.sigma else (ZERO, along_z(rate))


def _plus(*vectors: Spatial) -> Spatial:
    (line, moment), *others = vectors
    for a, b in others:
        line, moment = line + a, moment + b
    return line, moment


def _cross(x: Spatial, y: Spatial) -> Spatial:
    """The spatial cross product. BP 5.2.29."""
    (a, b), (c, d) = x, y
    return cross(a, c), cross(b, c) + cross(a, d)


def _to_child(X: Transform, x: Spatial) -> Spatial:
    a, b = x
    return X.R.T @ a, X.R.T @ (b - cross(X.p, a))


def _to_parent(X: Transform, x: Spatial) -> Spatial:
    a, b = (X.R @ part for part in x)
    return a, b + cross(X.p, a)


def _inertia(link: SerialLink, x: Spatial) -> Spatial:
    """The spatial inertia times a motion. BP 5.2.25, with the rows (-m r, m 1) above (I, m r)."""
    a, b = x
    return b * link.m - cross(link.n, a), link.I_o @ a + cross(link.n, b)
