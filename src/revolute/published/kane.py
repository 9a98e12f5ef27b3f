"""Angeles, Ma and Rojas' form of Kane's equations: sums term by term, and recursive sums."""

from revolute.model.model import Model
from revolute.published.newton_euler import inwards, motions_by_tensors, motions_by_vectors
from revolute.published.serial import serial
from revolute.spatial import ZERO, Scalar, Scalars, cross, dot


def kane_angeles(model: Model, q: Scalars, qd: Scalars, qdd: Scalars) -> list[Scalar]:
    """Inverse dynamics by projection on partial velocities. BP 5.2.36-5.2.37, 5.4.18-5.4.20; Angeles, Ma & Rojas 1989.

        tau_i = z_i . sum_{j>=i} (M_Cj + m_j r_ij x rdd_0j)        revolute
        tau_i = z_i . sum_{j>=i} m_j rdd_0j                        prismatic

    with the accelerations of Luh, Walker and Paul (BP 5.2.23), and the sums expressed in the base frame.
    """
    arm = serial(model, "kane_angeles")
    n, links = arm.n, arm.links
    W, origin = arm.in_base(q)
    z = [R.T[2] for R in W]  # unit vectors along the joint axes
    A, s = arm.poses(q)
    w, wd, sdd = motions_by_vectors(arm, A, s, qd, qdd)
    centre, M_C, ma = [ZERO], [ZERO], [ZERO]
    for j in range(1, n + 1):
        link = links[j]
        rdd = cross(wd[j], link.r) + cross(w[j], cross(w[j], link.r)) + sdd[j]
        centre.append(origin[j] + W[j] @ link.r)
        M_C.append(W[j] @ (link.I_c @ wd[j] + cross(w[j], link.I_c @ w[j])))
        ma.append(W[j] @ (rdd * link.m))

    tau: list[Scalar] = []
    for i in range(1, n + 1):
        total = ZERO
        for j in range(i, n + 1):
            total += M_C[j] + cross(centre[j] - origin[i], ma[j]) if links[i].sigma else ma[j]
        tau.append(dot(z[i], total))
    return tau


def kane_recursive(model: Model, q: Scalars, qd: Scalars, qdd: Scalars) -> list[Scalar]:
    """Inverse dynamics by BP 5.2.36-5.2.37, from the tip to the base. Angeles, Ma & Rojas 1989.

    With f_i = sum_{j>=i} m_j rdd_0j and eta_i = sum_{j>=i} (M_Cj + m_j r_ij x rdd_0j), in link frames,

        f_i = F_i + A f_{i+1}
        eta_i = M_Ci + r_ii x F_i + A eta_{i+1} + s_{i,i+1} x A f_{i+1}

    where the accelerations are recursive, too. BP prints the sums and the count. The printed 105 multiplications per
    joint result from accelerations by the tensor Omega of BP 5.3.7, and Euler's equation in vectors.
    """
    arm = serial(model, "kane_recursive")
    A, s = arm.poses(q)
    w, wd, sdd, Omega = motions_by_tensors(arm, A, s, qd, qdd)
    F = [(x @ link.r + a) * link.m for x, link, a in zip(Omega, arm.links, sdd, strict=True)]
    M = [link.I_c @ b + cross(a, link.I_c @ a) for link, a, b in zip(arm.links, w, wd, strict=True)]
    return inwards(arm, A, s, F, M)
