"""Recursive Newton-Euler in CasADi's SX, body by body as Pinocchio computes it: what users of CasADi would generate."""

from __future__ import annotations

from typing import Any

__all__ = ["rnea"]


def rnea(file: str) -> Any:
    """A `casadi.Function` rnea(q, v, a) of a URDF with joints that turn or slide about coordinate axes."""
    import casadi as ca
    import pinocchio as pin

    m = pin.buildModelFromUrdf(file)
    q, v, a = (ca.SX.sym(x, m.nv) for x in "qva")
    zero = ca.SX(3, 1)
    w, l, wd, ld = ([zero] * m.njoints for _ in range(4))
    ld[0] = ca.SX(-m.gravity.linear)
    R, p, f, t = ([None] * m.njoints for _ in range(4))
    tau = [None] * m.nv
    for i in range(1, m.njoints):
        k, j, name = m.idx_vs[i], m.parents[i], m.joints[i].shortname()
        axis, turns = "XYZ".index(name[-1]), name.startswith("JointModelR")
        s = ca.SX(3, 1)
        s[axis] = 1
        R[i], p[i] = _placed(ca, m.jointPlacements[i], axis, q[k], turns)
        w[i], wd[i] = R[i].T @ w[j], R[i].T @ wd[j]
        l[i], ld[i] = R[i].T @ (l[j] - ca.cross(p[i], w[j])), R[i].T @ (ld[j] - ca.cross(p[i], wd[j]))
        if turns:
            w[i] += s * v[k]
            wd[i] += s * a[k] + ca.cross(w[i], s * v[k])
            ld[i] += ca.cross(l[i], s * v[k])
        else:
            l[i] += s * v[k]
            ld[i] += s * a[k] + ca.cross(w[i], s * v[k])
        h, H = _momentum(ca, m.inertias[i], w[i], l[i])
        hd, Hd = _momentum(ca, m.inertias[i], wd[i], ld[i])
        f[i] = hd + ca.cross(w[i], h)
        t[i] = Hd + ca.cross(w[i], H) + ca.cross(l[i], h)
    for i in range(m.njoints - 1, 0, -1):
        name, j = m.joints[i].shortname(), m.parents[i]
        tau[m.idx_vs[i]] = (t[i] if name.startswith("JointModelR") else f[i])["XYZ".index(name[-1])]
        if j > 0:
            g = R[i] @ f[i]
            f[j], t[j] = f[j] + g, t[j] + R[i] @ t[i] + ca.cross(p[i], g)
    return ca.Function("rnea", [q, v, a], [ca.cse(ca.vertcat(*tau))])


def _placed(ca: Any, placement: Any, axis: int, q: Any, turns: bool) -> tuple[Any, Any]:
    """Rotation and position of a body in its parent."""
    R, p = ca.sparsify(ca.SX(placement.rotation)), ca.sparsify(ca.SX(placement.translation))
    if not turns:
        return R, p + R[:, axis] * q
    turn, b, c = ca.SX(3, 3), (axis + 1) % 3, (axis + 2) % 3
    turn[axis, axis] = 1
    turn[b, b] = turn[c, c] = ca.cos(q)
    turn[b, c], turn[c, b] = -ca.sin(q), ca.sin(q)
    return R @ turn, p


def _momentum(ca: Any, inertia: Any, w: Any, l: Any) -> tuple[Any, Any]:
    """Linear and angular momentum about the joint of a body that moves with (w, l)."""
    c = ca.sparsify(ca.SX(inertia.lever))
    h = inertia.mass * (l - ca.cross(c, w))
    return h, ca.SX(inertia.inertia) @ w + ca.cross(c, h)
