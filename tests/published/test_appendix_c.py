"""BP appendix C: partial derivatives of all quantities of Algorithm 5.7, against complex steps through its code.

Indices are the book's: links 1 ... n. An upper index i means along the axes of frame i. Every test prints the pair
(i, j) that fails; errors are below 1e-12, from some hundred products of numbers below 10.
"""

from collections.abc import Callable
from functools import cache
from itertools import product
from typing import Any

import numpy as np
import pytest
import sympy
from comparing import assert_raises

import revolute
from revolute.errors import InputError, ModelError
from revolute.published.augmented_links import nominal
from revolute.published.counting import general_arm
from revolute.published.motion_partials import MotionPartials
from revolute.spatial.tensors import euler_moment, euler_of_inertia
from revolute.spatial.vectors import tilde

N = 4
LINKS = range(1, N + 1)
PAIRS = list(product(LINKS, LINKS))
STEP = 1e-30
ARM = general_arm(N)
AT = tuple(np.random.default_rng(5).uniform(-1.5, 1.5, (3, N)))
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

    def sdd_next(self, i: int) -> np.ndarray:
        """The second derivative of s_{i,i+1}."""
        return self.Omega[i] @ self.s[i + 1]


it = Quantities(*AT)


@cache
def moved(kind: int, j: int) -> Quantities:
    """After a complex step of q_j, qd_j or qdd_j."""
    x = [np.array(values, dtype=complex) for values in AT]
    x[kind][j - 1] += 1j * STEP
    return Quantities(*x)


def partial(of: Callable[[Quantities], np.ndarray], kind: int, j: int) -> np.ndarray:
    return np.imag(of(moved(kind, j))) / STEP


OF = MotionPartials(ARM, *map(list, AT))


def later(of: Callable[[Quantities], np.ndarray]) -> np.ndarray:
    """The derivative by time, along the motion."""
    q, qd, qdd = AT
    return np.imag(of(Quantities(q + 1j * STEP * qd, qd + 1j * STEP * qdd, qdd))) / STEP


@pytest.mark.parametrize(("i", "j"), [pair for pair in PAIRS if pair[1] <= pair[0]])
def test_rates_of_turns(i: int, j: int) -> None:
    w = it.turn(i, j) @ it.w[j]
    rate = later(lambda x: x.turn(j, i))
    np.testing.assert_allclose(it.turn(j, i).T @ rate, skew(it.w[i]) - skew(w), atol=1e-12)  # C.6
    second = later(lambda x: x.turn(j, i) @ (skew(x.w[i]) - skew(x.turn(i, j) @ x.w[j])))
    O = it.turn(i, j) @ it.Omega[j] @ it.turn(i, j).T
    np.testing.assert_allclose(
        it.turn(j, i).T @ second, it.Omega[i] + O.T - 2 * skew(w) @ skew(it.w[i]), atol=1e-12
    )  # C.7
    z, zd, zdd = map(array, OF.axis(j, i))
    np.testing.assert_allclose(skew(zd), skew(w) @ skew(z) - skew(z) @ skew(w), atol=1e-12)  # C.9
    np.testing.assert_allclose(skew(zdd), -O.T @ skew(z) - skew(z) @ O + np.trace(O) * skew(z), atol=1e-12)  # C.11


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
    for i, j in PAIRS:
        for of, expected in zip((lambda x, i: x.W[i], Quantities.Wd, Quantities.Wdd), OF.W(i, j), strict=True):
            found = partial(lambda x, of=of, i=i: of(x, i), Q, j)
            np.testing.assert_allclose(it.W[i].T @ found, array(expected), rtol=1e-12, atol=1e-12)


LEMMAS = {
    5: (lambda x, i: x.w[i], OF.w),  # ii and iii print a dot over omega; i has it right
    6: (lambda x, i: x.Omega[i], OF.Omega),
    7: (Quantities.wd, OF.wd),
    8: (Quantities.mu, OF.mu),
    9: (lambda x, i: x.Udd[i], OF.Udd),
    10: (Quantities.sdd_next, OF.sdd_next),
    11: (lambda x, i: x.sdd[i], OF.sdd),
    12: (lambda x, i: x.eta[i], OF.eta),
}


@pytest.mark.parametrize("number", LEMMAS)
def test_lemmas_c_5_to_c_12(number: int) -> None:
    """A lemma has the derivatives of a quantity of link i by q_j, qd_j and qdd_j."""
    of, lemma = LEMMAS[number]
    for i, j in PAIRS:
        found = [partial(lambda x, i=i: of(x, i), kind, j) for kind in (Q, QD, QDD)]
        for one, expected in zip(found, lemma(i, j), strict=True):
            np.testing.assert_allclose(one, array(expected), rtol=1e-12, atol=1e-12, err_msg=f"i = {i}, j = {j}")


def test_the_trace_of_lagrange_is_the_moment_of_euler() -> None:
    """BP 5.4.9 and B.4, of every link j and joint i; with derivatives of rotations as in 5.4.8."""
    for i, j in PAIRS:
        if i <= j:
            J = euler_of_inertia(ARM.bodies[j].inertia.I)
            moment = array(it.W[j]) @ np.array(euler_moment(it.Omega[j], J))
            by_q = partial(lambda x, j=j: x.W[j], Q, i)
            trace = np.trace(by_q @ array(J) @ it.Wdd(j).T)
            z = it.W[i] @ [0, 0, 1]
            np.testing.assert_allclose(trace, z @ moment, rtol=1e-12, atol=1e-12)
            for of, part in zip((lambda x, j: x.W[j], Quantities.Wd, Quantities.Wdd), OF.W(j, i), strict=True):
                found = partial(lambda x, of=of, j=j: of(x, j), Q, i)
                np.testing.assert_allclose(it.W[j] @ array(part), found, rtol=1e-12, atol=1e-12)


def test_moments_of_generalized_links_are_the_sums_that_the_book_prints() -> None:
    """C.16 and C.17, the sums, are the recursions 6.3.6 and 7.3.18a."""
    for i in LINKS:
        U, E = np.zeros(3), np.zeros((3, 3))
        for k in range(i, N + 1):
            turn, way = array(OF.turn(i, k).matrix()), array(OF.way(i, k, along=k)[0])
            beyond = it.A[k + 1] @ (array(OF.moments[k + 1][0]) if k < N else np.zeros(3))
            U = U + turn @ it.u[k]
            own = it.K[k] - skew(it.u[k]) @ skew(way) - skew(it.s[k + 1]) @ skew(beyond)
            E = E + turn @ own @ turn.T
        np.testing.assert_allclose(array(OF.moments[i][0]), U, rtol=1e-12, atol=1e-12)
        np.testing.assert_allclose(array(OF.moments[i][2]), E, rtol=1e-12, atol=1e-12)


def test_what_is_no_arm_of_revolute_joints_is_refused() -> None:
    with pytest.raises(ModelError, match="MotionPartials is for revolute joints"):
        MotionPartials(revolute.robots.stanford(), [0] * 6, [0] * 6, [0] * 6)
    assert_raises(InputError, r"links and joints are numbered 1 \.\.\. 4, not 1, 5", OF.eta, 1, 5)
