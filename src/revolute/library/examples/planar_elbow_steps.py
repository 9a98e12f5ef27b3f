"""The planar elbow by the Newton-Euler method, step by step. SHV 6.164-6.180."""

from dataclasses import dataclass
from typing import Any

import sympy


@dataclass(frozen=True)
class LinkStep:
    """Results of the recursion for a link: (3, 1) matrices, expressed in the link's frame."""

    # omega, alpha: angular velocity and angular acceleration
    omega: Any
    alpha: Any
    # a_c, a_e: linear acceleration of the centre of mass, and of the link's end
    a_c: Any
    a_e: Any
    g: Any  # acceleration of free fall
    # f, tau: force and moment that the previous link applies to this one
    f: Any
    tau: Any


def planar_elbow_steps() -> tuple[LinkStep, LinkStep]:
    """Both links of `planar_elbow`, by the forward and the backward recursion. SHV 6.164-6.180.

        omega_i = R^T omega_i-1 + k dq_i,    alpha_i = R^T alpha_i-1 + k ddq_i
        a_c,i   = R^T a_e,i-1 + alpha_i x r_c + omega_i x (omega_i x r_c);    a_e,i the same with r in place of r_c
        f_i     = R f_i+1 + m_i a_c,i - m_i g_i
        tau_i   = R tau_i+1 - f_i x r_c + (R f_i+1) x (r_c - r) + I_i alpha_i + omega_i x I_i omega_i

    r_c = lc_i i and r = l_i i point from joint i to the centre of mass and to the end; R transforms vectors from the
    next link's frame to the frame of this link. All joint axes are k, so alpha has no term omega x k dq. Our copy of
    the text lacks these equations; they are derived anew. The third component of tau is the joint torque.

    Example:
        >>> from revolute.library import examples
        >>> first, second = examples.planar_elbow_steps()
        >>> second.omega.T
        Matrix([[0, 0, dq1 + dq2]])
        >>> first.a_e.T
        Matrix([[-dq1**2*l1, ddq1*l1, 0]])
    """
    q, qd, qdd = (sympy.symbols(f"{rate}q1 {rate}q2") for rate in ("", "d", "dd"))
    m, I, l, lc = (sympy.symbols(f"{name}1 {name}2") for name in ("m", "I", "l", "lc"))
    i, j, k = (sympy.eye(3)[:, column] for column in range(3))
    omega = alpha = a_e = sympy.zeros(3, 1)
    g = -sympy.Symbol("g") * j
    outward = []
    for n in range(2):
        R = _about_z(q[n])
        omega, alpha = R.T * omega + k * qd[n], R.T * alpha + k * qdd[n]
        before, g = R.T * a_e, (R.T * g).applyfunc(sympy.trigsimp)
        a_c, a_e = (before + alpha.cross(r) + omega.cross(omega.cross(r)) for r in (lc[n] * i, l[n] * i))
        outward.append((omega, alpha, a_c, a_e, g))
    steps: list[LinkStep] = []
    f_next = tau_next = sympy.zeros(3, 1)
    for n in (1, 0):
        omega, alpha, a_c, a_e, g = outward[n]
        f = f_next + m[n] * a_c - m[n] * g
        tau = tau_next - f.cross(lc[n] * i) + f_next.cross((lc[n] - l[n]) * i)
        tau += I[n] * alpha + omega.cross(I[n] * omega)  # I[n] replaces I[n] k k^T: rotation is about k
        steps.insert(0, LinkStep(omega, alpha, a_c, a_e, g, f, tau))
        R = _about_z(q[n])
        f_next, tau_next = R * f, R * tau
    return steps[0], steps[1]


def _about_z(angle: Any) -> sympy.Matrix:
    c, s = sympy.cos(angle), sympy.sin(angle)
    return sympy.Matrix([[c, -s, 0], [s, c, 0], [0, 0, 1]])
