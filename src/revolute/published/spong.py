"""Spong, Hutchinson and Vidyasagar's Newton-Euler recursion, in frames at the far ends of the links."""

from revolute.model.model import Model
from revolute.published.serial import SerialLink, along_z, serial
from revolute.spatial import ZERO, Rotation, Transform, cross, dot
from revolute.spatial.scalar import Scalar, Scalars, cos, sin


def spong(model: Model, q: Scalars, qd: Scalars, qdd: Scalars) -> list[Scalar]:
    """Inverse dynamics by forces and torques on each link. SHV section 6.6, from 6.146 on.

    See also SHV 6.150-6.163.

    Frame i is fixed to link i and lies on the axis of joint i+1 (standard Denavit-Hartenberg); b_i
    is the axis of joint i in frame i. r_i,ci and r_i+1,ci are vectors from joints i and i+1 to the centre of mass,
    r_i,i+1 from joint to joint. The joint's torque is the component of tau_i along b_i.

    SHV covers only revolute joints. For a prismatic joint r_i,ci and r_i,i+1 increase by b_i q_i, and the link's points
    have the additional acceleration b_i qdd_i + 2 w_i x b_i qd_i; the joint's force is the component of f_i along b_i.
    """
    arm = serial(model, "spong")
    n, links = arm.n, arm.links
    far = [*(link.placement for link in links[1:]), Transform()]  # pose of frame i in the frame on joint i
    R = [far[0].R]  # rotation of frame i in frame i-1
    R += [_turned(links[i + 1], q[i]) @ far[i + 1].R for i in range(n)]
    R.append(Rotation())
    b = [X.R.T @ along_z(1) for X in far]
    to_next = [X.R.T @ X.p for X in far]
    to_com = [X.R.T @ link.r for X, link in zip(far, links, strict=True)]
    inertia = [X.R.T.conjugate(link.I_c) for X, link in zip(far, links, strict=True)]
    for i in range(1, n + 1):
        if links[i].prismatic:
            to_next[i] += b[i] * q[i - 1]
            to_com[i] += b[i] * q[i - 1]

    g = [R[0].T @ arm.gravity]
    w, alpha, a_e, a_c = [ZERO], [ZERO], [ZERO], [ZERO]
    for i in range(1, n + 1):
        RT = R[i].T
        rate, change = b[i] * qd[i - 1], b[i] * qdd[i - 1]
        g.append(RT @ g[-1])
        w.append(RT @ w[-1])
        alpha.append(RT @ alpha[-1])
        joint = RT @ a_e[-1]
        if links[i].sigma:
            w[i] += rate
            alpha[i] += change + cross(w[i], rate)
        else:
            joint += change + cross(w[i] * 2, rate)
        a_e.append(joint + cross(alpha[i], to_next[i]) + cross(w[i], cross(w[i], to_next[i])))
        a_c.append(joint + cross(alpha[i], to_com[i]) + cross(w[i], cross(w[i], to_com[i])))

    f, tau = ZERO, ZERO
    torques: list[Scalar] = [0] * n
    for i in range(n, 0, -1):
        beyond = R[i + 1] @ f
        f = beyond + a_c[i] * links[i].m - g[i] * links[i].m
        tau = (
            R[i + 1] @ tau
            - cross(f, to_com[i])
            + cross(beyond, to_com[i] - to_next[i])
            + inertia[i] @ alpha[i]
            + cross(w[i], inertia[i] @ w[i])
        )
        torques[i - 1] = dot(b[i], tau if links[i].sigma else f)
    return torques


def _turned(link: SerialLink, q: Scalar) -> Rotation:
    """The rotation of a joint at the position q; the identity for a prismatic joint."""
    return Rotation.about((0, 0, 1), cos(q), sin(q)) if link.sigma else Rotation()
