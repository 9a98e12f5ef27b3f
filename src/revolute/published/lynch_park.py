"""Lynch and Park's Newton-Euler recursion in twists and wrenches at the centres of mass."""

from revolute.dynamics.kinematics import in_child
from revolute.model.model import Model
from revolute.published.serial import Arm, SerialLink, along_z, serial
from revolute.spatial import Transform, Twist, Wrench
from revolute.spatial.scalar import Scalar, Scalars
from revolute.spatial.vectors import ZERO, cross


def lynch_park(model: Model, q: Scalars, qd: Scalars, qdd: Scalars) -> list[Scalar]:
    """Inverse dynamics in twists and wrenches, in frames at the centres of mass. LP 9.49-9.57.

    9.55 has [V_i, A_i] qd_i; 9.58 has [Ad V_{i-1}, A_i] qd_i, which is equal, because [A_i, A_i] = 0. (LP starts with
    Vd_0 = (0, g); its own text requires -g. LP 9.51 prints M_{i-1} for M_i; 9.58 prints T_{i-1,i} for T_{i,i-1}.)
    """
    arm = serial(model, "lynch_park")
    n, links = arm.n, arm.links
    T = poses(arm, q)
    A = [screw(link) for link in links]
    V, Vd = [Twist(ZERO, ZERO)], [Twist(ZERO, -arm.gravity)]
    F = [Wrench(ZERO, ZERO)]
    for i in range(1, n + 1):
        V.append(in_child(T[i], V[-1]) + A[i] * qd[i - 1])
        Vd.append(in_child(T[i], Vd[-1]) + V[i].cross(A[i]) * qd[i - 1] + A[i] * qdd[i - 1])
        F.append(_inertia(links[i], Vd[i]) + V[i].cross_force(_inertia(links[i], V[i])))
    tau: list[Scalar] = [0] * n
    for i in range(n, 0, -1):
        if i < n:
            F[i] += T[i + 1] @ F[i + 1]
        tau[i - 1] = A[i].power(F[i])
    return tau


def screw(link: SerialLink) -> Twist:
    """A_i: the joint's twist at unit velocity, in the frame at the centre of mass. LP 9.51."""
    z = along_z(1)
    return Twist(z, cross(z, link.r)) if link.sigma else Twist(ZERO, z)


def poses(arm: Arm, q: Scalars) -> list[Transform]:
    """T_{i-1,i} between frames at the centres of mass. LP 9.53; entry 0 is the base."""
    links = arm.links
    poses = [Transform()]
    for i in range(1, arm.n + 1):
        before = links[i - 1].r if i > 1 else ZERO
        poses.append(Transform(p=-before) @ links[i].pose(q[i - 1]) @ Transform(p=links[i].r))
    return poses


def _inertia(link: SerialLink, V: Twist) -> Wrench:
    """G V, in the frame at the centre of mass. LP 9.52."""
    return Wrench(link.I_c @ V.ang, V.lin * link.m)
