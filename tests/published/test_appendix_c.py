"""BP appendix C: partial derivatives of all quantities of Algorithm 5.7, against complex steps through its code.

Indices are the book's: links 1 ... n. An upper index i means along the axes of frame i. Every test prints the pair
(i, j) that fails; errors are below 1e-12, from some hundred products of numbers below 10.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from itertools import product
from typing import Any

import numpy as np
import pytest
import sympy

from revolute.machine.counting import general_arm
from revolute.published.sensitivity import nominal
from revolute.spatial.vectors import tilde

N = 4
LINKS = range(1, N + 1)
PAIRS = list(product(LINKS, LINKS))
STEP = 1e-30
ARM = general_arm(N)
AT = tuple(np.random.default_rng(5).uniform(-1.5, 1.5, (3, N)))
Z = np.array([0.0, 0, 1])

Q, QD, QDD = range(3)


def array(x: Any) -> np.ndarray:
    return np.array([[*row] if isinstance(row, tuple) else row for row in x])


def skew(a: Any) -> np.ndarray:
    return array(tilde(a))


class Quantities:
    """What Algorithm 5.7 computes, and sums of it, as arrays."""

    def __init__(self, q: Any, qd: Any, qdd: Any) -> None:
        it = nominal(ARM, list(q), list(qd), list(qdd))
        self.A = [array(A.matrix()) for A in it.A]
        self.s, self.u, self.w, self.sdd, self.Udd, self.eta = (
            [array(x) for x in values] for values in (it.s, it.u, it.w, it.sdd, it.Udd, it.eta)
        )
        self.K, self.K_hat, self.Omega = ([array(T) for T in values] for values in (it.K, it.K_hat, it.Omega))
        self.W = [np.eye(3)]
        for i in LINKS:
            self.W.append(self.W[-1] @ self.A[i])

    def turn(self, i: int, j: int) -> np.ndarray:
        """iW_j: from frame j to frame i."""
        return self.W[i].T @ self.W[j]

    def Wd(self, i: int) -> np.ndarray:
        return self.W[i] @ skew(self.w[i])  # C.1

    def Wdd(self, i: int) -> np.ndarray:
        return self.W[i] @ self.Omega[i]  # C.2

    def wd(self, i: int) -> np.ndarray:
        O = self.Omega[i]
        return np.array([O[2, 1] - O[1, 2], O[0, 2] - O[2, 0], O[1, 0] - O[0, 1]]) / 2

    def mu(self, i: int) -> np.ndarray:
        O = self.Omega[i] @ self.K_hat[i]
        M = O - O.T
        return np.array([M[2, 1], M[0, 2], M[1, 0]])

    def along(self, i: int, j: int, x: np.ndarray) -> np.ndarray:
        """x of frame j, along frame i."""
        return self.turn(i, j) @ x

    def z(self, j: int, i: int) -> np.ndarray:
        return self.along(i, j, Z)

    def zd(self, j: int, i: int) -> np.ndarray:
        return self.along(i, j, np.cross(self.w[j], Z))  # C.8

    def zdd(self, j: int, i: int) -> np.ndarray:
        return self.along(i, j, self.Omega[j] @ Z)

    def way(self, j: int, i: int, order: int = 0) -> np.ndarray:
        """s_{j,i} along frame i, or its absolute derivative, for j <= i."""
        factor: Callable[[int], np.ndarray] = [lambda k: np.eye(3), lambda k: skew(self.w[k])][order]
        return sum((self.along(i, k, factor(k) @ self.s[k + 1]) for k in range(j, i)), np.zeros(3))

    def sdd_step(self, i: int) -> np.ndarray:
        """The second derivative of s_{i,i+1}."""
        return self.Omega[i] @ self.s[i + 1]

    def U(self, i: int) -> np.ndarray:
        return sum((self.along(i, k, self.u[k]) for k in range(i, N + 1)), np.zeros(3))

    def Ud(self, i: int) -> np.ndarray:
        return sum((self.along(i, k, np.cross(self.w[k], self.u[k])) for k in range(i, N + 1)), np.zeros(3))

    def L_hat(self, i: int) -> np.ndarray:
        return skew(self.w[i]) @ self.K_hat[i]

    def E(self, i: int) -> np.ndarray:
        """Inertia tensor of the generalised link. C.16, the sum."""
        total = np.zeros((3, 3))
        for k in range(i, N + 1):
            beyond = self.A[k + 1] @ self.U(k + 1) if k < N else np.zeros(3)
            own = self.K[k] - skew(self.u[k]) @ skew(self.way(i, k)) - skew(self.s[k + 1]) @ skew(beyond)
            total = total + self.turn(i, k) @ own @ self.turn(i, k).T
        return total

    def L(self, i: int) -> np.ndarray:
        """C.15, where dots are lost in print: Ud beside s, sd beside U."""
        if i > N:
            return np.zeros((3, 3))
        if i == N:
            return self.L_hat(i)
        A, sd = self.A[i + 1], np.cross(self.w[i], self.s[i + 1])
        between = skew(self.s[i + 1]) @ skew(A @ self.Ud(i + 1)) + skew(A @ self.U(i + 1)) @ skew(sd)
        return self.L_hat(i) + between + A @ self.L(i + 1) @ A.T


it = Quantities(*AT)


@cache
def moved(kind: int, j: int) -> Quantities:
    """After a complex step of q_j, qd_j or qdd_j."""
    x = [np.array(values, dtype=complex) for values in AT]
    x[kind][j - 1] += 1j * STEP
    return Quantities(*x)


def partial(of: Callable[[Quantities], np.ndarray], kind: int, j: int) -> np.ndarray:
    return np.imag(of(moved(kind, j))) / STEP


def holds(of: Callable[[Quantities, int], np.ndarray], kind: int, inside: Any, beyond: Any = None) -> None:
    """The derivative of a quantity of link i by joint j: `inside(i, j)` for j <= i, else `beyond(i, j)` or zero."""
    for i, j in PAIRS:
        found = partial(lambda x, i=i: of(x, i), kind, j)
        expected = inside(i, j) if j <= i else beyond(i, j) if beyond else np.zeros_like(found)
        np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-12, err_msg=f"i = {i}, j = {j}")


# --- preliminaries -----------------------------------------------------------------------------


def later(of: Callable[[Quantities], np.ndarray]) -> np.ndarray:
    """The derivative by time, along the motion."""
    q, qd, qdd = AT
    return np.imag(of(Quantities(q + 1j * STEP * qd, qd + 1j * STEP * qdd, qdd))) / STEP


@pytest.mark.parametrize(("i", "j"), [pair for pair in PAIRS if pair[1] <= pair[0]])
def test_rates_of_turns(i: int, j: int) -> None:
    w = it.along(i, j, it.w[j])
    rate = later(lambda x: x.turn(j, i))
    np.testing.assert_allclose(it.turn(j, i).T @ rate, skew(it.w[i]) - skew(w), atol=1e-12)  # C.6
    second = later(lambda x: x.turn(j, i) @ (skew(x.w[i]) - skew(x.along(i, j, x.w[j]))))
    O = it.turn(i, j) @ it.Omega[j] @ it.turn(i, j).T
    np.testing.assert_allclose(
        it.turn(j, i).T @ second, it.Omega[i] + O.T - 2 * skew(w) @ skew(it.w[i]), atol=1e-12
    )  # C.7
    z, zd, zdd = it.z(j, i), it.zd(j, i), it.zdd(j, i)
    np.testing.assert_allclose(skew(zd), skew(w) @ skew(z) - skew(z) @ skew(w), atol=1e-12)  # C.9
    np.testing.assert_allclose(skew(zdd), -O.T @ skew(z) - skew(z) @ O + np.trace(O) * skew(z), atol=1e-12)  # C.11


# --- lemmas ------------------------------------------------------------------------------------


def test_lemma_c_1() -> None:
    """By symbols: A = T Rot(z, q(t)) with any constant T."""
    t = sympy.Symbol("t")
    q = sympy.Function("q")(t)
    x, xd, xdd = sympy.symbols("q qd qdd")
    T = sympy.Matrix(3, 3, sympy.symbols("T1:10"))
    turn = sympy.Matrix([[sympy.cos(q), -sympy.sin(q), 0], [sympy.sin(q), sympy.cos(q), 0], [0, 0, 1]])
    values = [(q.diff(t, 2), xdd), (q.diff(t), xd), (q, x)]
    A, Ad, Add = ((T * turn).diff(t, order).subs(values) if order else (T * turn).subs(values) for order in range(3))
    z = sympy.Matrix(tilde((0, 0, 1)))

    def same(*matrices: sympy.Matrix) -> None:
        assert all((X - matrices[0]).expand() == sympy.zeros(3) for X in matrices[1:])

    same(A.diff(x), Ad.diff(xd), Add.diff(xdd), A * z)  # i
    same(Ad.diff(x), Ad * z)  # ii
    same(Add.diff(x), Add * z)
    same(Add.diff(xd), 2 * Ad.diff(x))  # iii


def test_lemma_c_2() -> None:
    for i, j in PAIRS:
        for kind in (QD, QDD):
            assert not partial(lambda x, i=i: x.W[i], kind, j).any()
        assert not partial(lambda x, i=i: x.Wd(i), QDD, j).any()
        by_q = partial(lambda x, i=i: x.W[i], Q, j)
        np.testing.assert_allclose(partial(lambda x, i=i: x.Wd(i), QD, j), by_q, atol=1e-12)
        np.testing.assert_allclose(partial(lambda x, i=i: x.Wdd(i), QDD, j), by_q, atol=1e-12)
        rate = partial(lambda x, i=i: x.Wd(i), Q, j)
        np.testing.assert_allclose(partial(lambda x, i=i: x.Wdd(i), QD, j), 2 * rate, atol=1e-12)


def test_lemmas_c_3_and_c_4() -> None:
    def by_wd(i: int, j: int) -> np.ndarray:
        return skew(it.zd(j, i)) + skew(it.z(j, i)) @ skew(it.w[i])

    def by_wdd(i: int, j: int) -> np.ndarray:
        zd, z = skew(it.zd(j, i)), skew(it.z(j, i))
        return skew(it.zdd(j, i)) + 2 * zd @ skew(it.w[i]) + z @ it.Omega[i]

    holds(lambda x, i: x.W[i], Q, lambda i, j: it.W[i] @ skew(it.z(j, i)))
    holds(lambda x, i: x.Wd(i), Q, lambda i, j: it.W[i] @ by_wd(i, j))
    holds(lambda x, i: x.Wdd(i), Q, lambda i, j: it.W[i] @ by_wdd(i, j))
    holds(lambda x, i: it.W[i].T @ x.W[i], Q, lambda i, j: skew(it.z(j, i)))
    holds(lambda x, i: it.W[i].T @ x.Wd(i), Q, by_wd)
    holds(lambda x, i: it.W[i].T @ x.Wdd(i), Q, by_wdd)


def test_lemma_c_5() -> None:
    """(ii and iii print a dot over omega; i has it right.)"""
    holds(lambda x, i: skew(x.w[i]), Q, lambda i, j: skew(it.zd(j, i)))
    holds(lambda x, i: skew(x.w[i]), QD, lambda i, j: skew(it.z(j, i)))
    holds(lambda x, i: skew(x.w[i]), QDD, lambda i, j: np.zeros((3, 3)))


def test_lemma_c_6() -> None:
    holds(lambda x, i: x.Omega[i], Q, lambda i, j: skew(it.zdd(j, i)) + 2 * skew(it.zd(j, i)) @ skew(it.w[i]))
    holds(lambda x, i: x.Omega[i], QD, lambda i, j: 2 * (skew(it.zd(j, i)) + skew(it.z(j, i)) @ skew(it.w[i])))
    holds(lambda x, i: x.Omega[i], QDD, lambda i, j: skew(it.z(j, i)))


def test_lemma_c_7() -> None:
    holds(lambda x, i: x.wd(i), Q, lambda i, j: it.zdd(j, i) + np.cross(it.zd(j, i), it.w[i]))
    holds(lambda x, i: x.wd(i), QD, lambda i, j: 2 * it.zd(j, i) + np.cross(it.z(j, i), it.w[i]))
    holds(lambda x, i: x.wd(i), QDD, lambda i, j: it.z(j, i))


def test_lemma_c_8() -> None:
    holds(lambda x, i: x.mu(i), QDD, lambda i, j: it.K[i] @ it.z(j, i))
    holds(lambda x, i: x.mu(i), QD, lambda i, j: 2 * (it.K[i] @ it.zd(j, i) - it.L_hat(i) @ it.z(j, i)))
    holds(lambda x, i: x.mu(i), Q, lambda i, j: it.K[i] @ it.zdd(j, i) - 2 * it.L_hat(i) @ it.zd(j, i))


def test_lemma_c_9() -> None:
    def moments(i: int, j: int) -> tuple[np.ndarray, ...]:
        """U, Ud and Udd of the later of both links, along frame i."""
        k = max(i, j)
        return tuple(it.along(i, k, x) for x in (it.U(k), it.Ud(k), it.Udd[k]))

    def by_q(i: int, j: int) -> np.ndarray:
        U, Ud, Udd = moments(i, j)
        rate = np.cross(it.zdd(j, i), U) + 2 * np.cross(it.zd(j, i), Ud)
        return rate + (np.cross(it.z(j, i), Udd) if j > i else 0)

    def by_qd(i: int, j: int) -> np.ndarray:
        U, Ud, _ = moments(i, j)
        return 2 * (np.cross(it.zd(j, i), U) + np.cross(it.z(j, i), Ud))

    def by_qdd(i: int, j: int) -> np.ndarray:
        return np.cross(it.z(j, i), moments(i, j)[0])

    for kind, rule in ((Q, by_q), (QD, by_qd), (QDD, by_qdd)):
        holds(lambda x, i: x.Udd[i], kind, rule, rule)


def test_lemma_c_10() -> None:
    def rate(i: int) -> np.ndarray:
        return np.cross(it.w[i], it.s[i + 1])

    of = Quantities.sdd_step
    holds(of, Q, lambda i, j: np.cross(it.zdd(j, i), it.s[i + 1]) + 2 * np.cross(it.zd(j, i), rate(i)))
    holds(of, QD, lambda i, j: 2 * (np.cross(it.zd(j, i), it.s[i + 1]) + np.cross(it.z(j, i), rate(i))))
    holds(of, QDD, lambda i, j: np.cross(it.z(j, i), it.s[i + 1]))


def test_lemma_c_11() -> None:
    def by_q(i: int, j: int) -> np.ndarray:
        s, sd, sdd = it.way(j, i), it.way(j, i, 1), it.along(i, j, it.sdd[j])
        return np.cross(it.zdd(j, i), s) + 2 * np.cross(it.zd(j, i), sd) - np.cross(it.z(j, i), sdd)

    def by_qd(i: int, j: int) -> np.ndarray:
        return 2 * (np.cross(it.zd(j, i), it.way(j, i)) + np.cross(it.z(j, i), it.way(j, i, 1)))

    holds(lambda x, i: x.sdd[i], Q, by_q)
    holds(lambda x, i: x.sdd[i], QD, by_qd)
    holds(lambda x, i: x.sdd[i], QDD, lambda i, j: np.cross(it.z(j, i), it.way(j, i)))


def test_the_inertia_of_generalised_links() -> None:
    """C.16, the sum, is the recursion 6.3.6."""
    for i in range(1, N):
        A, s = it.A[i + 1], skew(it.s[i + 1])
        U = skew(A @ it.U(i + 1))
        recursion = it.K[i] - s @ U - U @ s + A @ it.E(i + 1) @ A.T
        np.testing.assert_allclose(it.E(i), recursion, rtol=1e-12, atol=1e-12)


def test_lemma_c_12_by_accelerations() -> None:
    def inside(i: int, j: int) -> np.ndarray:
        return (it.E(i) - skew(it.U(i)) @ skew(it.way(j, i))) @ it.z(j, i)

    def beyond(i: int, j: int) -> np.ndarray:
        return it.turn(i, j) @ (it.E(j) - skew(it.way(i, j)) @ skew(it.U(j))) @ Z

    holds(lambda x, i: x.eta[i], QDD, inside, beyond)


def test_lemma_c_12_by_velocities() -> None:
    """With the dots that are lost in print: L + U sd for j <= i, L + s Ud for j > i."""

    def inside(i: int, j: int) -> np.ndarray:
        U, s, sd = skew(it.U(i)), skew(it.way(j, i)), skew(it.way(j, i, 1))
        return 2 * ((it.E(i) - U @ s) @ it.zd(j, i) - (it.L(i) + U @ sd) @ it.z(j, i))

    def beyond(i: int, j: int) -> np.ndarray:
        s, U, Ud = skew(it.way(i, j)), skew(it.U(j)), skew(it.Ud(j))
        return 2 * it.turn(i, j) @ ((it.E(j) - s @ U) @ it.zd(j, j) - (it.L(j) + s @ Ud) @ Z)

    holds(lambda x, i: x.eta[i], QD, inside, beyond)


def test_lemma_c_12_by_positions() -> None:
    """With the dots that are lost in print: as for velocities, and U sdd, s Udd beside z."""

    def inside(i: int, j: int) -> np.ndarray:
        U, s, sd, sdd = (skew(x) for x in (it.U(i), it.way(j, i), it.way(j, i, 1), it.along(i, j, it.sdd[j])))
        return (it.E(i) - U @ s) @ it.zdd(j, i) - 2 * (it.L(i) + U @ sd) @ it.zd(j, i) + U @ sdd @ it.z(j, i)

    def beyond(i: int, j: int) -> np.ndarray:
        s, U, Ud, Udd = (skew(x) for x in (it.way(i, j), it.U(j), it.Ud(j), it.Udd[j]))
        last = U @ skew(it.sdd[j]) - s @ Udd - skew(it.eta[j])
        return it.turn(i, j) @ ((it.E(j) - s @ U) @ it.zdd(j, j) - 2 * (it.L(j) + s @ Ud) @ it.zd(j, j) + last @ Z)

    holds(lambda x, i: x.eta[i], Q, inside, beyond)
