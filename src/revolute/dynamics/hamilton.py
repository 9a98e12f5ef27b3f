"""Hamilton's equations in coordinates and momenta, and a momentum observer, for any scalar type."""

from dataclasses import replace

from revolute.dynamics.articulated_body import articulated_body
from revolute.dynamics.kinematics import in_child
from revolute.dynamics.newton_euler import relieve
from revolute.model.model import Model
from revolute.spatial import ZERO, Scalar, Scalars, Transform, Twist, Wrench, Wrenches, cross

Balance = tuple[Scalars, Scalars]
"""(p, beta): the generalized momenta p, and the term beta of their time derivative pd = tau + beta + tau_ext."""


def velocities(model: Model, q: Scalars, p: Scalars) -> list[Scalar]:
    """qd = M(q)^-1 p, in O(n), computed as the accelerations that forces p cause at rest and without gravity."""
    return articulated_body(replace(model, gravity=ZERO), q, (0,) * model.nv, p)


def hamiltons_equations(model: Model, q: Scalars, p: Scalars, tau: Scalars) -> tuple[list[Scalar], list[Scalar]]:
    """Hamilton's equations qd = dH/dp, pd = tau - dH/dq, with H = p^T M^-1 p / 2 + U. SHV, exercises of ch. 6.

    The momentum of joint i is p_i = S_i . P_i, where P_i is the momentum of its load. Forces and weight change P_i, and
    the axes S_i move with their body:

        pd_i = tau_i + S_i . G_i + (V_i x S_i) . P_i = tau_i + S_i . (G_i - V_i x* P_i)

    with the weight G_i of the load of joint i. The momenta of a free, spherical or planar joint are expressed in its
    body frame, which rotates. For them dH/dq is taken along the joint's velocities, and the same pd_i satisfies the
    Lie-Poisson equations, pd = tau - dH/dq + ad^T p.
    """
    qd = velocities(model, q, p)
    _, beta = momentum_and_rate(model, q, qd)
    return qd, [force + x for force, x in zip(tau, beta, strict=True)]


def momentum_and_rate(model: Model, q: Scalars, qd: Scalars) -> tuple[list[Scalar], list[Scalar]]:
    """p = M qd, and beta of pd = tau + beta, in O(n): see `hamiltons_equations`.

        beta = C(q, qd)^T qd - g(q)

    for any C with Mdot = C + C^T. Neither M nor C is formed.
    """
    return _momenta(model, q, qd, turning=True)


def lagrangian_partials(
    model: Model, q: Scalars, qd: Scalars, wrenches: Wrenches = None
) -> tuple[list[Scalar], list[Scalar]]:
    """dL/dqd and dL/dq for L = T - U, in O(n); wrenches are treated like weight.

        dL/dqd_i = S_i . P_i,    dL/dq_i = S_i . (G_i - (V_i - S_i qd_i) x* P_i)

    with P_i and G_i of `hamiltons_equations`. Derivatives with respect to q of a free, spherical or planar joint are
    taken along its velocities.
    """
    return _momenta(model, q, qd, turning=False, wrenches=wrenches)


def _momenta(
    model: Model, q: Scalars, qd: Scalars, turning: bool, wrenches: Wrenches = None
) -> tuple[list[Scalar], list[Scalar]]:
    """S_i . P_i and S_i . (G_i - V x* P_i): V is V_i if the axes rotate with their body, otherwise V_i - S_i qd_i."""
    n = len(model.bodies)
    X, V, g = [Transform()] * n, [Twist(ZERO, ZERO)] * n, [model.gravity] * n
    carried, P, G = [Twist(ZERO, ZERO)] * n, [Wrench(ZERO, ZERO)] * n, [Wrench(ZERO, ZERO)] * n
    for i, body in enumerate(model.bodies[1:], 1):
        X[i] = body.placement @ body.joint.transform(q[model.q_index[i]])
        carried[i] = in_child(X[i], V[body.parent])
        V[i] = carried[i] + body.joint.velocity(qd[model.v_index[i]])
        g[i] = X[i].R.T @ g[body.parent]
        P[i] = body.inertia.momentum(V[i])
        G[i] = Wrench(cross(body.inertia.h, g[i]), g[i] * body.inertia.m)
    if wrenches:
        relieve(model, taken := [Wrench(ZERO, ZERO)] * n, wrenches)
        G = [weight - load for weight, load in zip(G, taken, strict=True)]

    p: list[Scalar] = [0] * model.nv
    rates: list[Scalar] = [0] * model.nv
    for i in range(n - 1, 0, -1):
        body, at = model.bodies[i], model.v_index[i]
        net = G[i] - (V[i] if turning else carried[i]).cross_force(P[i])
        p[at], rates[at] = body.joint.force(P[i]), body.joint.force(net)
        if body.parent > 0:
            P[body.parent] += X[i] @ P[i]
            G[body.parent] += X[i] @ G[i]
    return p, rates


def observed(after: Balance, before: Balance, tau: Scalars, decay: Scalars, h: Scalar, r: Scalars) -> list[Scalar]:
    """One step of the generalized-momentum observer. De Luca & Mattone 2003; Haddadin et al. 2017.

    The momentum balance over the step, with beta by the trapezoidal rule, yields the mean external force w. For
    constant w, the first-order filter r' = (w - r) / T has this exact solution:

        w = (p(t + h) - p(t)) / h - tau - (beta(t) + beta(t + h)) / 2
        r(t + h) = w + exp(-h / T) (r(t) - w)

    Args:
        after, before: (p, beta) at the end of the step and at its start.
        tau: (nv,) joint forces, constant during the step [N m, N].
        decay: (nv,) exp(-h / T), with the time constant T of each filter.
        h: length of the step [s].
        r: (nv,) residual at the start of the step [N m, N].
    """
    forces = []
    for p, beta, p0, beta0, applied, factor, residual in zip(*after, *before, tau, decay, r, strict=True):
        w = (p - p0) / h - applied - (beta + beta0) / 2
        forces.append(w + factor * (residual - w))
    return forces
