"""BP chapter 5 and appendix A: sums over links, typed from the book, which the algorithms turn into recursions.

Indices are the book's: links 1 ... n. Vectors are along the base's axes.
"""

from typing import Any

import numpy as np
import pytest

import revolute
from revolute.published.counting import general_arm

N = 3
LINKS = range(1, N + 1)


def skew(a: Any) -> np.ndarray:
    return np.cross(np.eye(3), a)


def same(a: Any, b: Any) -> None:
    """Sums of some hundred products of numbers below 1e2."""
    np.testing.assert_allclose(a, b, rtol=1e-11, atol=1e-11)


class Twist:
    """Poses, rates and wrenches of an arm in one state; entry 0 is the base."""

    def __init__(self, arm: revolute.Robot, seed: int) -> None:
        self.q, self.qd, self.qdd = np.random.default_rng(seed).normal(size=(3, N))
        q, qd, qdd = self.q, self.qd, self.qdd
        self.g, names = np.array(arm.gravity), arm.link_names[1 : N + 1]
        poses = np.array([np.eye(4), *arm.forward_kinematics(q, names)])
        self.W, self.s = poses[:, :3, :3], poses[:, :3, 3]
        self.z = self.W[:, :, 2]
        v = [np.zeros(6), *(arm.velocity(q, qd, x, "aligned") for x in names)]
        a = [np.r_[0, 0, 0, -self.g], *(arm.acceleration(q, qd, qdd, x, "aligned") for x in names)]
        self.w, self.sd, self.wd = (np.array(x) for x in ([x[:3] for x in v], [x[3:] for x in v], [x[:3] for x in a]))
        self.sdd = np.array([a[0][3:], *(x[3:] - self.g for x in a[1:])])
        self.Omega = np.array([skew(wd) + skew(w) @ skew(w) for w, wd in zip(self.w, self.wd, strict=True)])
        inertias = [body.inertia for body in arm.bodies[1:]]
        self.m = np.array([0, *(x.m for x in inertias)], dtype=float)
        self.n = np.array([np.zeros(3), *(x.h for x in inertias)], dtype=float)  # along the link
        self.r = np.array([np.zeros(3), *(self.W[i + 1] @ x.com() for i, x in enumerate(inertias))])
        turned = [(self.W[i + 1], np.array(x.about_com()), np.array(x.euler())) for i, x in enumerate(inertias)]
        self.J = np.array([np.zeros((3, 3)), *(J for _, _, J in turned)])  # about o_i, along the link
        self.I_c = np.array([np.zeros((3, 3)), *(W @ I @ W.T for W, I, _ in turned)])
        self.rdd = np.array([self.sdd[i] + self.Omega[i] @ self.r[i] for i in range(N + 1)])  # r_{0,i}
        self.M_c = np.array([I @ wd + np.cross(w, I @ w) for I, w, wd in zip(self.I_c, self.w, self.wd, strict=True)])
        self.M_o = self.M_c + self.m[:, None] * np.cross(self.r, np.einsum("ijk,ik->ij", self.Omega, self.r))
        wrenches = np.array([np.zeros(6), *arm.joint_wrenches(q, qd, qdd, reference="aligned")])
        self.moments, self.forces = wrenches[:, :3], wrenches[:, 3:]


def slides() -> revolute.Robot:
    columns = ((0, 0, 0, 0), (0.4, 0.3, 0.9, 0), (0, 0.5, -0.7, 0))
    rows = [dict(zip(("theta", "a", "alpha", "d"), row, strict=True)) for row in columns]
    inertias = [body.inertia for body in general_arm(N).bodies[1:]]
    joints = ["revolute", "prismatic", "revolute"]
    return revolute.Robot.from_dh(rows, convention="modified", joints=joints, inertias=inertias)


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("joints", ["revolute", "with a slide"])
def test_sums_of_chapter_5_and_appendix_a(joints: str, seed: int) -> None:
    arm = slides() if joints == "with a slide" else general_arm(N)
    it = Twist(arm, seed)
    Wd, Wdd = (np.array([x @ W for x, W in zip(rates, it.W, strict=True)]) for rates in (map(skew, it.w), it.Omega))
    for i in LINKS:
        same(it.forces[i], sum(it.m[j] * it.rdd[j] for j in range(i, N + 1)))  # 5.3.37
        carried, beyond = it.m[i:].sum(), range(i, N + 1)
        Udd = sum(it.m[j] * (it.rdd[j] - it.sdd[i]) for j in beyond)  # 5.3.39
        same(it.forces[i], carried * it.sdd[i] + Udd)  # 5.3.38
    sd, n, m = it.sd, it.n, it.m
    kinetic = [m[j] * np.outer(sd[j], sd[j]) + 2 * np.outer(Wd[j] @ n[j], sd[j]) for j in LINKS]
    kinetic += [Wd[j] @ it.J[j] @ Wd[j].T for j in LINKS]
    same(np.trace(sum(kinetic)) / 2, arm.kinetic_energy(it.q, it.qd))  # A.3
    places = [it.s[j] + it.W[j] @ (n[j] / m[j]) for j in LINKS]
    same(-sum(m[j] * it.g @ places[j - 1] for j in LINKS), arm.potential_energy(it.q))  # A.4

    for i in range(1, N):  # the torque of the augmented link i, with the mass beyond it at o_{i+1}
        step, mass = it.s[i + 1] - it.s[i], it.m[i + 1 :].sum()
        turns = joints == "revolute" or i + 1 != 2  # sigma of joint i + 1: 5.3.33
        rate, change = it.z[i + 1] * it.qd[i], it.z[i + 1] * it.qdd[i]
        zeta = 2 * np.cross(it.w[i], rate) + change  # 5.3.32
        stepdd = it.Omega[i] @ step + (1 - turns) * zeta
        same(it.sdd[i + 1] - it.sdd[i], stepdd)  # 5.3.30-5.3.31
        K = it.I_c[i] - it.m[i] * skew(it.r[i]) @ skew(it.r[i]) - mass * skew(step) @ skew(step)  # 5.3.11
        nu = it.M_c[i] + it.m[i] * np.cross(it.r[i], it.Omega[i] @ it.r[i]) + mass * np.cross(step, stepdd)  # 5.3.34
        mu = K @ it.wd[i] + np.cross(it.w[i], K @ it.w[i])
        same(nu, mu + (1 - turns) * mass * np.cross(step, zeta))  # 5.3.35-5.3.36

    tau = arm.inverse_dynamics(it.q, it.qd, it.qdd)
    for i in LINKS if joints == "revolute" else ():
        same(tau[i - 1], it.z[i] @ it.moments[i])  # 5.4.2
        beyond = range(i, N + 1)
        W_i, s_i = ([skew(it.z[i]) @ x for x in part] for part in (it.W, it.s - it.s[i]))  # 5.4.7-5.4.8
        terms = [m[j] * np.outer(s_i[j], it.rdd[j]) + np.outer(W_i[j] @ n[j], it.sdd[j]) for j in beyond]
        same(tau[i - 1], np.trace(sum(terms) + sum(W_i[j] @ it.J[j] @ Wdd[j].T for j in beyond)))  # 5.4.6
        ways = {j: it.s[j] - it.s[i] for j in beyond}
        moments = [it.m[j] * (np.cross(ways[j], it.rdd[j]) + np.cross(it.r[j], it.sdd[j])) + it.M_o[j] for j in beyond]
        terms = [
            it.m[j] * (skew(it.z[i]) @ ways[j] @ it.rdd[j] + skew(it.z[i]) @ it.r[j] @ it.sdd[j]) + it.z[i] @ it.M_o[j]
            for j in beyond
        ]
        same(tau[i - 1], sum(terms))  # 5.4.10
        same(tau[i - 1], it.z[i] @ sum(moments))  # 5.4.11
        same(it.moments[i], sum(moments))  # 5.4.12-5.4.17
        kane = sum(it.M_c[j] + it.m[j] * np.cross(ways[j] + it.r[j], it.rdd[j]) for j in beyond)
        same(it.moments[i], kane)  # 5.4.18-5.4.20
