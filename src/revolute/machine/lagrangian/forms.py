"""Forms of a system's equations: readable sums, a regressor times constants, and the Hamiltonian form."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations_with_replacement

import sympy

from revolute.errors import InputError
from revolute.machine.lagrangian.symbols import Expression, Symbol
from revolute.symbolic.form import Form
from revolute.symbolic.fourier import Fourier, OutOfTime, Ring

BUDGET = 5.0
"""Time limit for the simplification of each expression [s]. An expression that takes longer is not simplified."""


def readable(x: Expression, rates: Sequence[Symbol] = ()) -> Expression:
    """An expression with sums of angles, cos(q1 + q2), and one coefficient for every product of rates.

    `rates` are symbols of accelerations and velocities.
    """
    ring = Ring(time.monotonic() + BUDGET)
    form = Form(ring, tolerance=0.0)
    try:
        scalar = ring.scalar(x)
        if not isinstance(scalar, Fourier):
            return form.expression(scalar)
        groups = _by_products(scalar.expression(), rates)
        return sympy.Add(*(product * form.expression(ring.scalar(part)) for product, part in groups))
    except OutOfTime:
        return x


def _by_products(x: Expression, rates: Sequence[Symbol]) -> list[tuple[Expression, Expression]]:
    """[(product of rates, its coefficient)]: first single rates, then squares and products, then other terms."""
    order = [*rates, *(a * b for a, b in combinations_with_replacement(rates, 2))]
    parts: dict[Expression, list[Expression]] = {}
    for term in sympy.Add.make_args(x):
        rest, product = term.as_independent(*rates, as_Add=False) if rates else (term, sympy.S.One)
        parts.setdefault(product, []).append(rest)
    ordered = sorted(parts, key=lambda y: order.index(y) if y in order else len(order))
    return [(product, sympy.Add(*parts[product])) for product in ordered]


Polynomial = dict[Expression, Expression]  # a polynomial in constants, as {product of constants: coefficient}


def regressor(tau: sympy.Matrix, constants: Sequence[Symbol]) -> tuple[sympy.Matrix, sympy.Matrix]:
    """Y and Theta with tau = Y Theta, where Theta consists of `constants`. SHV 6.122, "linearity in the parameters".

    Each term of an equation is a function of the motion, such as ddq1 cos(q2), times a polynomial in the constants. A
    polynomial that is linearly independent of the previous ones becomes the next entry of Theta; the longest
    polynomials of an equation come first.
    """
    equations = [_coefficients(x, constants) for x in tau]
    monomials = sorted({m for equation in equations for p in equation.values() for m in p}, key=str)
    base: list[Polynomial] = []
    for equation in equations:
        for polynomial in sorted(equation.values(), key=len, reverse=True):
            normal = _normal(polynomial)
            if _shares(normal, base, monomials) is None:
                base.append(normal)
    Y = sympy.zeros(len(equations), len(base))
    for i, equation in enumerate(equations):
        for motion, polynomial in equation.items():
            shares = _shares(polynomial, base, monomials)
            assert shares is not None
            for k, share in enumerate(shares):
                Y[i, k] += share * motion
    return Y, sympy.Matrix([sympy.Add(*(c * m for m, c in polynomial.items())) for polynomial in base])


def _coefficients(x: Expression, constants: Sequence[Symbol]) -> dict[Expression, Polynomial]:
    """{function of the motion: its coefficient, a polynomial in the constants}."""
    coefficients: dict[Expression, Polynomial] = {}
    for term in sympy.Add.make_args(sympy.expand(x, trig=False)):
        motion, product = term.as_independent(*constants, as_Add=False) if constants else (term, sympy.S.One)
        number, motion = motion.as_coeff_Mul()
        if motion.has(*constants) or any(f.is_Add or f.is_Function for f in sympy.Mul.make_args(product)):
            raise InputError(
                f"the equations are not linear in parameters: {term} is not a product of parameters and a function of "
                "the motion"
            )
        polynomial = coefficients.setdefault(motion, {})
        polynomial[product] = polynomial.get(product, sympy.S.Zero) + number
    return coefficients


def _normal(polynomial: Polynomial) -> Polynomial:
    """The polynomial divided by its first coefficient."""
    first = next(iter(polynomial.values()))
    return {m: c / first for m, c in polynomial.items()}


def _shares(
    polynomial: Polynomial, base: Sequence[Polynomial], monomials: Sequence[Expression]
) -> list[Expression] | None:
    """Factors with which the polynomials of `base` add up to `polynomial`; None if they do not exist."""
    unknown = sympy.symbols(f"share:{len(base)}") if base else ()
    rows = [[b.get(m, sympy.S.Zero) for b in base] + [polynomial.get(m, sympy.S.Zero)] for m in monomials]
    solution = sympy.linsolve(sympy.Matrix(rows), *unknown) if base else sympy.S.EmptySet
    return list(next(iter(solution))) if solution else None


@dataclass(frozen=True, eq=False)
class Hamiltonian:
    """H(q, p) = p^T M^-1 p / 2 + U, and dq/dt = dH/dp, dp/dt = -dH/dq + tau.

    Without dissipation, only the power of the forces changes the energy: dH/dt = dq^T tau.

    Attributes:
        H: the energy [J].
        q, p: symbols of coordinates and momenta, p = M dq.
        q_rates: (n,) dq/dt.
        p_rates: (n,) dp/dt without the forces tau, which must be added.
    """

    H: Expression
    q: tuple[Symbol, ...]
    p: tuple[Symbol, ...]
    q_rates: sympy.Matrix
    p_rates: sympy.Matrix

    @classmethod
    def of(cls, q: tuple[Symbol, ...], p: tuple[Symbol, ...], M: sympy.Matrix, potential: Expression) -> Hamiltonian:
        """The Hamiltonian form of a system with mass matrix M and potential energy `potential`."""
        momenta = sympy.Matrix(p)
        inverse = M.adjugate() / M.det() if len(q) <= 3 else M.inv()
        v = (inverse * momenta).applyfunc(sympy.factor_terms)
        H = momenta.dot(v) / 2 + potential
        p_rates = [(v.T * M.diff(x) * v)[0] / 2 - potential.diff(x) for x in q]
        return cls(sympy.factor_terms(H), q, p, v, sympy.Matrix(p_rates).applyfunc(sympy.factor_terms))
