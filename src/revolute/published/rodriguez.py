"""Rodriguez's recursion with the transition matrices of spatial operators."""

from revolute.model.model import Model
from revolute.published.serial import serial
from revolute.spatial import ZERO, Scalar, Scalars, cross, dot


def rodriguez(model: Model, q: Scalars, qd: Scalars, qdd: Scalars) -> list[Scalar]:
    """Inverse dynamics as a two-point boundary-value problem in space. BP Alg. 5.5, 5.2.34-5.2.35; Rodriguez 1987.

    Spatial vectors are (w, v) and (n, f) at the frame origins, expressed in the base frame, so Phi(i, i+1) = (1,
    tilde(s); 0, 1) has no rotation. BP does not define the biases; here they belong to the origin's acceleration vd =
    d/dt v:

        alpha = (w_i x z qd if revolute, w_i x (w_i x s) + 2 w_i x z qd if prismatic)
        beta  = (w x I w, m w x (w x r))

    (BP starts with a(0) = 0, without gravity; here the base accelerates against it.)
    """
    arm = serial(model, "rodriguez")
    n, links = arm.n, arm.links
    W, origin = arm.in_base(q)
    z = [R.T[2] for R in W]  # unit vectors along the joint axes
    h = [R @ link.n for R, link in zip(W, links, strict=True)]
    I = [R @ link.I_o @ R.T for R, link in zip(W, links, strict=True)]

    w, wd, vd = [ZERO] * (n + 1), [ZERO] * (n + 1), [ZERO] * (n + 1)
    vd[0] = -arm.gravity
    for i in range(n):
        s, rate, change = origin[i + 1] - origin[i], z[i + 1] * qd[i], z[i + 1] * qdd[i]
        w[i + 1], wd[i + 1] = w[i], wd[i]
        vd[i + 1] = vd[i] - cross(s, wd[i]) + cross(w[i], cross(w[i], s))
        if links[i + 1].sigma:
            w[i + 1] += rate
            wd[i + 1] += change + cross(w[i], rate)
        else:
            vd[i + 1] += change + cross(w[i] * 2, rate)

    moment, force = ZERO, ZERO
    tau: list[Scalar] = [0] * n
    for i in range(n, 0, -1):
        if i < n:
            moment = moment + cross(origin[i + 1] - origin[i], force)
        moment = moment + I[i] @ wd[i] + cross(h[i], vd[i]) + cross(w[i], I[i] @ w[i])
        force = force + vd[i] * links[i].m - cross(h[i], wd[i]) + cross(w[i], cross(w[i], h[i]))
        tau[i - 1] = dot(z[i], moment) if links[i].sigma else dot(z[i], force)
    return tau
