"""Balafoutis and Patel's algorithms with augmented and generalised links."""

from dataclasses import dataclass

from revolute.model.model import Model
from revolute.published.newton_euler import motions_by_tensors
from revolute.published.serial import along_z, serial
from revolute.spatial import ZERO, Matrix, Rotation, Rows, Scalar, Scalars, Vector, cross, tilde
from revolute.spatial.tensors import euler_moment, euler_of_inertia, point_inertia, twice_symmetric


def augmented_links(model: Model, q: Scalars, qd: Scalars, qdd: Scalars) -> list[Scalar]:
    """Inverse dynamics with augmented links. BP Alg. 5.7, 5.3.44-5.3.46.

    See also BP Def. 5.1-5.2, Lemma 5.1-5.2, 5.3.9-5.3.13, 5.3.30-5.3.36, 5.3.39-5.3.43, Table 5.1-5.2.

    An augmented link is a link with the mass of all links beyond it at the origin of the
    next frame; between revolute joints its moments are constants of the arm. (BP 5.3.46b
    prints Udd and zeta of frame i+1 without the A_{i+1} of its derivation 5.3.43; 5.3.44b
    prints tilde(u) for u; 5.3.45e has the factor 1 - sigma of zeta twice.)
    """
    it = nominal(model, q, qd, qdd)
    return [it.eta[i][2] if it.sigma[i] else it.m[i] * it.sdd[i][2] + it.Udd[i][2] for i in range(1, len(it.A) - 1)]


@dataclass(frozen=True)
class Nominal:
    """Quantities of BP Alg. 5.7 for links 1 ... n, also used by Alg. 7.1; entry n + 1, if present, is zero."""

    sigma: list[int]  # 1 for a revolute joint, 0 for a prismatic one
    # A, s: link transforms; s[i] = s_{i-1,i} in frame i-1, sd[i] its time derivative
    A: list[Rotation]
    s: list[Vector]
    sd: list[Vector]
    m: list[Scalar]  # mass carried by the joint
    p: list[Vector]  # its momentum along a prismatic joint, m z qd; zero for a revolute joint
    # u, K, K_hat: first moment, inertia and Euler tensor of the augmented links
    u: list[Vector]
    K: list[Matrix]
    K_hat: list[Matrix]
    # w, Omega: angular velocities and angular-acceleration tensors
    w: list[Vector]
    Omega: list[Matrix]
    sdd: list[Vector]  # accelerations of the frames' origins, gravity included
    Udd: list[Vector]  # second derivatives of the generalised links' first moments
    eta: list[Vector]  # moments at the joints


def nominal(model: Model, q: Scalars, qd: Scalars, qdd: Scalars, formulation: str = "augmented_links") -> Nominal:
    """The quantities of BP Alg. 5.7 at one state; `formulation` names the caller in messages."""
    arm = serial(model, formulation)
    n, links = arm.n, (*arm.links, arm.links[0])
    A, s = arm.poses(q)

    # step 1: moments of the augmented links
    u = [ZERO] * (n + 2)
    K, K_hat = ([tilde(ZERO)] * (n + 2) for _ in range(2))
    m: list[Scalar] = [0] * (n + 2)
    for i in range(n, 0, -1):
        u[i] = links[i].n + s[i + 1] * m[i + 1]
        K[i] = links[i].I_o + point_inertia(m[i + 1], s[i + 1])
        K_hat[i] = euler_of_inertia(K[i])
        m[i] = links[i].m + m[i + 1]

    # step 2: outwards
    w, _, sdd, Omega = motions_by_tensors(arm, A, s, qd, qdd)
    sd, zeta, p = ([ZERO] * (n + 2) for _ in range(3))
    for i in range(1, n + 1):
        rate = along_z(qd[i - 1])
        sd[i] = cross(w[i - 1], s[i])
        if not links[i].sigma:
            zeta[i] = cross(w[i], rate) * 2 + along_z(qdd[i - 1])
            sd[i] += A[i] @ rate
            p[i] = rate * m[i]

    # step 3: inwards
    Udd, eta = ([ZERO] * (n + 2) for _ in range(2))
    for i in range(n, 0, -1):
        beyond = A[i + 1] @ (Udd[i + 1] + zeta[i + 1] * m[i + 1])
        Udd[i] = Omega[i] @ u[i] + beyond
        mu = euler_moment(Omega[i], K_hat[i])
        eta[i] = mu + cross(u[i], sdd[i]) + cross(s[i + 1], beyond) + A[i + 1] @ eta[i + 1]
    sigma = [link.sigma for link in links]
    return Nominal(sigma, A, s, sd, m, p, u, K, K_hat, w, Omega, sdd, Udd, eta)


def generalized_links(model: Model, q: Scalars) -> Rows:
    """Inertia matrix with generalised and augmented links. BP Alg. 6.2, 6.3.28-6.3.30.

    See also BP Def. 5.1-5.2, Lemma 5.1-5.2, 5.3.9-5.3.13, 5.3.39-5.3.42, Lemma 6.1, 6.3.1-6.3.8,
    6.3.11-6.3.27, 6.3.46, Table 6.1.

    A generalised link consists of all links that joint i carries, as one body. Its moments U and E about o_i are
    computed from those of the augmented link, u and K, which are constants between revolute joints. (BP 6.3.29e omits
    (1 - sigma_i) tilde(U_i) z_i, the moment about o_i of a prismatic joint's force; coupling with earlier revolute
    joints needs it.)
    """
    arm = serial(model, "generalized_links")
    n, links = arm.n, arm.links
    A, s = arm.poses(q)
    ahead = [A[i].T @ s[i] for i in range(n + 2)]  # 6.3.29b: s_{i-1,i} along frame i
    D: Rows = [[0] * n for _ in range(n)]
    m: Scalar = 0
    U, E = ZERO, Matrix((ZERO,) * 3)
    for i in range(n, 0, -1):
        # step 1: moments of the augmented link
        u = links[i].n + s[i + 1] * m
        K = links[i].I_o + point_inertia(m, s[i + 1])
        m = links[i].m + m

        # step 2: moments of the generalised link, and its wrench for a unit acceleration of joint i
        E = K + A[i + 1].conjugate(E - twice_symmetric(ahead[i + 1], U))  # 6.3.29c
        U = u + A[i + 1] @ U  # 6.3.29a
        f = cross(along_z(1), U) if links[i].sigma else along_z(m)
        eta = E @ along_z(1) if links[i].sigma else cross(U, along_z(1))
        D[i - 1][i - 1] = eta[2] if links[i].sigma else f[2]

        # step 3: the forces of the joints before it
        for j in range(i - 1, 0, -1):
            eta = A[j + 1] @ (cross(ahead[j + 1], f) + eta)  # 6.3.30b
            f = A[j + 1] @ f  # 6.3.30a
            D[j - 1][i - 1] = D[i - 1][j - 1] = eta[2] if links[j].sigma else f[2]
    return D
