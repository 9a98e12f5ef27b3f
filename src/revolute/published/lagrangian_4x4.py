"""Lagrange's equations in 4x4 matrices: Uicker and Kahn's closed form, and recursions of Waters and Hollerbach."""

from revolute.model.model import Model
from revolute.published.matrices import Rows, dot, plus, product, times, transpose
from revolute.published.serial import Arm, SerialLink, serial
from revolute.spatial import Scalar, Scalars, Transform


def uicker_kahn(model: Model, q: Scalars, qd: Scalars, qdd: Scalars) -> list[Scalar]:
    """Inverse dynamics by Lagrange's equations with 4x4 matrices. BP 5.2.7; Uicker 1965, Kahn 1969.

        tau_i = sum_{j>=i} ( sum_{k<=j} tr(dW_j/dq_k J_j dW_j^T/dq_i) qdd_k
                + sum_{k,l<=j} tr(dW_j/dq_i J_j d2W_j^T/dq_k dq_l) qd_k qd_l
                - m_j g^T dW_j/dq_i r_jj )

    (BP prints q_i in both derivatives of the first trace; one should be q_k.)
    """
    arm = serial(model, "uicker_kahn")
    n, g = arm.n, (*arm.gravity, 0)
    _, D = derivatives(arm, q)
    H: dict[tuple[int, int], Rows] = {}
    tau: list[Scalar] = [0] * (n + 1)
    for j in range(1, n + 1):
        link = arm.links[j]
        A, J = link.pose(q[j - 1]).rows(), pseudo_inertia(link)
        H = {pair: product(before, A) for pair, before in H.items()}
        H.update({(k, j): joint_derivative(link, D[j][k]) for k in range(1, j + 1)})
        for i in range(1, j + 1):
            left = product(D[j][i], J)
            for k in range(1, j + 1):
                tau[i] += trace_product(left, D[j][k]) * qdd[k - 1]
                for l in range(1, j + 1):
                    tau[i] += trace_product(left, H[min(k, l), max(k, l)]) * qd[k - 1] * qd[l - 1]
            weight = times(D[j][i], (*link.n, link.m))
            tau[i] -= g[0] * weight[0] + g[1] * weight[1] + g[2] * weight[2]
    return tau[1:]


def waters(model: Model, q: Scalars, qd: Scalars, qdd: Scalars) -> list[Scalar]:
    """Inverse dynamics with recursions for W and its time derivatives. BP 5.2.9-5.2.10; Waters 1979.

        tau_i = sum_{j>=i} ( tr(dW_j/dq_i J_j Wdd_j^T) - m_j g^T dW_j/dq_i r_jj )
    """
    arm = serial(model, "waters")
    _, D = derivatives(arm, q)
    _, Wdd = accelerations(arm, q, qd, qdd)
    tau: list[Scalar] = [0] * (arm.n + 1)
    for j in range(1, arm.n + 1):
        link = arm.links[j]
        JW = transpose(product(pseudo_inertia(link), transpose(Wdd[j])))
        for i in range(1, j + 1):
            weight = times(D[j][i], (*link.n, link.m))
            tau[i] += trace_product(D[j][i], JW) - dot(arm.gravity, weight[:3])
    return tau[1:]


def accelerations(arm: Arm, q: Scalars, qd: Scalars, qdd: Scalars) -> tuple[list[Rows], list[Rows]]:
    """W_i and Wdd_i by the recursion of BP 5.2.10; entry 0 is the base."""
    still = tuple((0,) * 4 for _ in range(4))
    W, Wd, Wdd = [Transform().rows()], [still], [still]
    for i in range(1, arm.n + 1):
        link, v, a = arm.links[i], qd[i - 1], qdd[i - 1]
        A = link.pose(q[i - 1]).rows()
        dA = joint_derivative(link, A)
        ddA = joint_derivative(link, dA)
        WdA = product(W[-1], dA)
        turned = scaled(product(Wd[-1], dA), 2 * v), scaled(product(W[-1], ddA), v * v), scaled(WdA, a)
        Wdd.append(plus(product(Wdd[-1], A), *turned))
        Wd.append(plus(product(Wd[-1], A), scaled(WdA, v)))
        W.append(product(W[-1], A))
    return W, Wdd


def hollerbach_4x4(model: Model, q: Scalars, qd: Scalars, qdd: Scalars) -> list[Scalar]:
    """Inverse dynamics by two recursions of 4x4 matrices. BP Alg. 5.1, 5.2.12-5.2.13; Hollerbach 1980.

    (BP 5.2.13b prints r_ij for r_ii.)
    """
    arm = serial(model, "hollerbach_4x4")
    n = arm.n
    W, Wdd = accelerations(arm, q, qd, qdd)
    D: Rows = ()
    c: tuple[Scalar, ...] = ()
    tau: list[Scalar] = [0] * n
    for i in range(n, 0, -1):
        link = arm.links[i]
        D_i: Rows = product(pseudo_inertia(link), transpose(Wdd[i]))
        c_i: tuple[Scalar, ...] = (*link.n, link.m)
        if i < n:
            A = arm.links[i + 1].pose(q[i]).rows()
            D_i = plus(D_i, product(A, D))
            c_i = tuple(x + y for x, y in zip(c_i, times(A, c), strict=True))
        D, c = D_i, c_i
        dW = joint_derivative(link, W[i])
        tau[i - 1] = trace_product(dW, transpose(D)) - dot(arm.gravity, times(dW, c)[:3])
    return tau


def derivatives(arm: Arm, q: Scalars) -> tuple[list[Rows], list[dict[int, Rows]]]:
    """4x4 matrices W_j of the links in the base frame, and dW_j/dq_i for i <= j, by link j.

    Entry 0 is the base.
    """
    W: list[Rows] = [Transform().rows()]
    D: list[dict[int, Rows]] = [{}]
    for j in range(1, arm.n + 1):
        A = arm.links[j].pose(q[j - 1]).rows()
        W.append(product(W[-1], A))
        D.append({i: product(before, A) for i, before in D[-1].items()})
        D[j][j] = joint_derivative(arm.links[j], W[j])
    return W, D


def joint_derivative(link: SerialLink, W: Rows) -> Rows:
    """W Q: the derivative with respect to the link's joint, for a 4x4 matrix W whose last factor is the link's pose.

    A joint's motion about or along z commutes with its generator Q.
    """
    if link.prismatic:
        return tuple((0, 0, 0, row[2]) for row in W)
    return tuple((row[1], -row[0], 0, 0) for row in W)


def pseudo_inertia(link: SerialLink) -> Rows:
    """The pseudo-inertia tensor, the integral of (r, 1) (r, 1)^T dm. BP 5.2.3."""
    J, n = link.J_o, link.n
    return (*((*J[k], n[k]) for k in range(3)), (*n, link.m))


def trace_product(A: Rows, B: Rows) -> Scalar:
    """tr(A B^T), the sum of the products of their entries."""
    return dot([a for row in A for a in row], [b for row in B for b in row])


def scaled(A: Rows, x: Scalar) -> Rows:
    """A x, for a scalar x."""
    return tuple(tuple(a * x for a in row) for row in A)
