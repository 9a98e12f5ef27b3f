"""Walker and Orin's four methods: two with unit accelerations, composite rigid bodies, conjugate gradients."""

from revolute.model.model import Model
from revolute.published.augmented_links import augmented_links
from revolute.published.matrices import dot
from revolute.published.serial import Arm, along_z, serial
from revolute.spatial import ZERO, Matrix, Rows, Scalar, Scalars, cross, transposed
from revolute.spatial.tensors import point_inertia


def unit_accelerations(model: Model, q: Scalars) -> Rows:
    """Mass matrix by inverse dynamics at rest, once per joint. BP 6.2.4; method 1 of Walker & Orin 1982.

    Column i is tau without gravity for qdd_i = 1 and zero accelerations of the other joints.
    """
    arm = serial(model, "unit_accelerations")
    n = arm.n
    columns = [accelerated(arm, q, [int(k == i) for k in range(n)]) for i in range(n)]
    return transposed(columns)


def unit_accelerations_by_symmetry(model: Model, q: Scalars) -> Rows:
    """Mass matrix by inverse dynamics at rest, on and below the diagonal. BP 6.2.4; method 2 of Walker & Orin 1982.

    Links before joint i do not move, and their forces are known from earlier columns.
    """
    arm = serial(model, "unit_accelerations_by_symmetry")
    n = arm.n
    D: Rows = [[0] * n for _ in range(n)]
    for i in range(n):
        for k, force in enumerate(accelerated(arm, q, [int(k == i) for k in range(n)], i), i):
            D[k][i] = D[i][k] = force
    return D


def accelerated(arm: Arm, q: Scalars, qdd: Scalars, first: int = 0) -> list[Scalar]:
    """D qdd: BP Alg. 5.3 at rest and without gravity; forces from joint `first` (of 0 ... n-1) on."""
    n, links = arm.n, arm.links
    A, s = arm.poses(q)
    wd, a = [ZERO] * (n + 1), [ZERO] * (n + 1)
    for i in range(1, n + 1):
        wd[i], a[i] = A[i].T @ wd[i - 1], A[i].T @ (a[i - 1] + cross(wd[i - 1], s[i]))
        if links[i].sigma:
            wd[i] += along_z(qdd[i - 1])
        else:
            a[i] += along_z(qdd[i - 1])
    f, eta = ZERO, ZERO
    tau: list[Scalar] = []
    for i in range(n, first, -1):
        F = (a[i] + cross(wd[i], links[i].r)) * links[i].m
        f = A[i + 1] @ f
        eta = links[i].I_c @ wd[i] + cross(links[i].r, F) + A[i + 1] @ eta + cross(s[i + 1], f)
        f = F + f
        tau.append(eta[2] if links[i].sigma else f[2])
    return tau[::-1]


def walker_orin(model: Model, q: Scalars) -> Rows:
    """Mass matrix by composite rigid bodies, method 3 of Walker & Orin 1982. BP Alg. 6.1, 6.2.8-6.2.9.

    Links i ... n move as one body under a unit acceleration of joint i: the composite mass, its centre R and the
    inertia E about it determine the force and moment at joint i, which are then transformed towards the base. (BP
    6.2.9b has f of frame j+1 next to s in frame j; 6.2.9c has sigma_i and z_i for sigma_j and z_j.)
    """
    arm = serial(model, "walker_orin")
    n, links = arm.n, arm.links
    A, s = arm.poses(q)
    D: Rows = [[0] * n for _ in range(n)]
    m: Scalar = 0
    R, E = ZERO, Matrix((ZERO,) * 3)
    for i in range(n, 0, -1):
        link, beyond, m = links[i], m, links[i].m + m
        tip = s[i + 1] + A[i + 1] @ R
        R = link.r if i == n else (link.r * link.m + tip * beyond) * (1 / m)
        shift = point_inertia(link.m, link.r - R)
        E = link.I_c + shift + point_inertia(beyond, tip - R) + A[i + 1].conjugate(E)
        f = cross(along_z(1), R * m) if link.sigma else along_z(m)
        eta = cross(R, f)
        if link.sigma:
            eta = E @ along_z(1) + eta
        D[i - 1][i - 1] = eta[2] if link.sigma else f[2]
        for j in range(i - 1, 0, -1):
            f = A[j + 1] @ f
            eta = A[j + 1] @ eta + cross(s[j + 1], f)
            D[j - 1][i - 1] = D[i - 1][j - 1] = eta[2] if links[j].sigma else f[2]
    return D


_TINY = 1e-300  # positive number added to a divisor, so that 0 / 0 is zero when the residual is zero


def conjugate_gradient(
    model: Model, q: Scalars, qd: Scalars, tau: Scalars, iterations: int | None = None
) -> list[Scalar]:
    """D qdd = tau - b, solved by products D x, without D. BP section 6.2; method 4 of Walker & Orin 1982.

    A product is one inverse-dynamics evaluation at rest without gravity. In exact arithmetic n iterations suffice; with
    rounding, arms with a dozen joints need about 3n.
    """
    arm = serial(model, "conjugate_gradient")
    n = arm.n
    b = augmented_links(model, q, qd, (0,) * n)
    x: list[Scalar] = [0] * n
    r = [t - y for t, y in zip(tau, b, strict=True)]
    p, rr = r, dot(r, r)
    for _ in range(3 * n if iterations is None else iterations):
        Dp = accelerated(arm, q, p)
        alpha = rr / (dot(p, Dp) + _TINY)
        x = [y + z * alpha for y, z in zip(x, p, strict=True)]
        r = [y - z * alpha for y, z in zip(r, Dp, strict=True)]
        before, rr = rr, dot(r, r)
        p = [y + z * (rr / (before + _TINY)) for y, z in zip(r, p, strict=True)]
    return x
