"""Hollerbach's recursive Lagrangian algorithm with rotation matrices and vectors."""

from revolute.model.model import Model
from revolute.published.serial import serial
from revolute.spatial import IDENTITY, ZERO, Matrix, Scalar, Scalars, Vector, dot, tilde
from revolute.spatial.tensors import tensor_product


def hollerbach_3x3(model: Model, q: Scalars, qd: Scalars, qdd: Scalars) -> list[Scalar]:
    """Inverse dynamics by recursions of 3x3 matrices. BP Alg. 5.2, 5.2.15-5.2.16; Hollerbach 1980.

    See also BP 5.4.1, 5.4.5-5.4.6, A.11-A.16.

    BP 5.2.15d lacks the motion of the origins along a prismatic joint, with the axis z_i, and 5.2.16d the
    force along it. They follow from s_0i = s_0,i-1 + W_{i-1} s_i and 5.2.14:

        sddot_0i = sddot_0,i-1 + Wddot_{i-1} s_i + W_i z qdd_i + 2 Wdot_i z qd_i
        tau_i = W_i z . (e_i - mbar_i g)
    """
    arm = serial(model, "hollerbach_3x3")
    n = arm.n
    poses = [arm.links[i].pose(q[i - 1]) for i in range(1, n + 1)]
    A, s = [IDENTITY, *(X.R.matrix() for X in poses)], [ZERO, *(X.p for X in poses)]

    W, Wd, Wdd, sdd = [IDENTITY], [tilde(ZERO)], [tilde(ZERO)], [ZERO]
    for i in range(1, n + 1):
        v, a = qd[i - 1], qdd[i - 1]
        sdd.append(sdd[-1] + Wdd[-1] @ s[i])
        if arm.links[i].sigma:
            dA = _by_angle(A[i])
            WdA = W[-1] @ dA
            Wdd.append(Wdd[-1] @ A[i] + (Wd[-1] @ dA) * (2 * v) + (W[-1] @ _by_angle(dA)) * (v * v) + WdA * a)
            Wd.append(Wd[-1] @ A[i] + WdA * v)
            W.append(W[-1] @ A[i])
        else:
            Wdd.append(Wdd[-1] @ A[i])
            Wd.append(Wd[-1] @ A[i])
            W.append(W[-1] @ A[i])
            sdd[i] += W[i].T[2] * a + Wd[i].T[2] * (2 * v)

    m: Scalar = 0
    e, D, c = ZERO, tilde(ZERO), ZERO
    tau: list[Scalar] = [0] * n
    for i in range(n, 0, -1):
        link = arm.links[i]
        D_i = tensor_product(link.n, sdd[i]) + link.J_o @ Wdd[i].T
        c_i: Vector = link.n
        if i < n:
            D_i = A[i + 1] @ D + tensor_product(s[i + 1], e) + D_i
            c_i = c_i + s[i + 1] * m + A[i + 1] @ c
        D, c = D_i, c_i
        e = e + sdd[i] * link.m + Wdd[i] @ link.n
        m = link.m + m
        if link.sigma:
            dW = _by_angle(W[i])
            tau[i - 1] = sum(dot(dW[k], D.T[k]) for k in range(3)) - dot(arm.gravity, dW @ c)
        else:
            tau[i - 1] = dot(W[i].T[2], e - arm.gravity * m)
    return tau


def _by_angle(A: Matrix) -> Matrix:
    """The derivative with respect to q of a matrix whose last factor is a rotation by q about z."""
    return Matrix((row[1], -row[0], 0) for row in A)
