"""Rodriguez and Kreutz's innovations form of the inertia matrix and accelerations."""

from revolute.model.model import Model
from revolute.published.augmented_links import augmented_links
from revolute.published.matrices import Rows, adjoint, dot, less, plus, product, spatial_inertia, times, transpose
from revolute.published.serial import Arm, serial
from revolute.spatial import Scalar, Scalars, Transform


def innovations(model: Model, q: Scalars) -> list[list[Scalar]]:
    """D = [1 + H Psi L] D^ [1 + H Psi L]^T. BP 6.2.18; Rodriguez & Kreutz 1988.

    H maps a link's wrench to its joint force, and Psi transforms a wrench from link to link. L and D^ are the gains and
    variances of a Kalman filter from the tip to the base: see `_filter`.
    """
    axis, variance, gain, shift = _filter(serial(model, "innovations"), q)
    n = len(axis)
    factor: list[list[Scalar]] = [[int(i == j) for j in range(n)] for i in range(n)]
    for j in range(n):
        wrench: Scalars = gain[j]
        for i in range(j - 1, -1, -1):
            wrench = times(shift[i + 1], wrench)
            factor[i][j] = wrench[axis[i]]
    scaled = [[x * d for x, d in zip(row, variance, strict=True)] for row in factor]
    D: list[list[Scalar]] = [[0] * n for _ in range(n)]
    for i in range(n):
        for j in range(i, n):
            D[i][j] = D[j][i] = dot(scaled[i][j:], factor[j][j:])
    return D


def innovations_accelerations(model: Model, q: Scalars, qd: Scalars, tau: Scalars) -> list[Scalar]:
    """qdd = [1 - H Phi L]^T D^^-1 [1 - H Phi L] (tau - b). BP 6.2.19; Rodriguez & Kreutz 1988.

    The factors are O(n) recursions. The first, from the tip to the base, computes the innovations e = tau - b - H z,
    and passes the wrench z + L e to the next link. The second is the transposed recursion, from the base to the tip.
    """
    axis, variance, gain, shift = _filter(serial(model, "innovations_accelerations"), q)
    n = len(axis)
    b = augmented_links(model, q, qd, (0,) * n)
    z: Scalars = (0,) * 6
    weighed: list[Scalar] = [0] * n
    for i in range(n - 1, -1, -1):
        e = tau[i] - b[i] - z[axis[i]]
        weighed[i] = e / variance[i]
        z = times(shift[i], [x + g * e for x, g in zip(z, gain[i], strict=True)])
    qdd: list[Scalar] = []
    a: list[Scalar] = [0] * 6
    for i in range(n):
        a = list(times(transpose(shift[i]), a))
        qdd.append(weighed[i] - dot(gain[i], a))
        a[axis[i]] = a[axis[i]] + qdd[i]
    return qdd


def _filter(arm: Arm, q: Scalars) -> tuple[list[int], list[Scalar], list[list[Scalar]], list[Rows]]:
    """The Riccati equation of the discrete-step Kalman filter, from the tip to the base.

        P_i = Psi_{i,i+1} P+_{i+1} Psi_{i,i+1}^T + M_i
        D^_i = H_i P_i H_i^T,   G_i = P_i H_i^T / D^_i,   P+_i = (1 - G_i H_i) P_i

    with L_{i-1,i} = Psi_{i-1,i} G_i and Phi_{i-1,i} = Psi_{i-1,i} (1 - G_i H_i).

    Returns:
        for every joint: the index of its axis in a twist (w, v), D^, G, and Psi to the previous link.
    """
    n, (A, s) = arm.n, arm.poses(q)
    poses = [Transform(A[i], s[i]) for i in range(1, n + 1)]
    shift = [transpose(adjoint(pose.inverse())) for pose in poses]
    axis = [2 if link.sigma else 5 for link in arm.links[1:]]
    variance: list[Scalar] = [0] * n
    gain: list[list[Scalar]] = [[] for _ in range(n)]
    beyond: Rows = ((0,) * 6,) * 6
    for i in range(n - 1, -1, -1):
        P = plus(beyond, spatial_inertia(arm.links[i + 1].inertia))
        column = [row[axis[i]] for row in P]
        variance[i] = column[axis[i]]
        gain[i] = [x / variance[i] for x in column]
        gain[i][axis[i]] = 1
        rest = less(P, tuple(tuple(g * x for x in column) for g in gain[i]))
        beyond = product(product(shift[i], rest), transpose(shift[i]))
    return axis, variance, gain, shift
