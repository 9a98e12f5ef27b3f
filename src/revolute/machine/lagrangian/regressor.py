"""Regressor of equations that are linear in parameters, with a minimal set of constants. SHV 6.122."""

from __future__ import annotations

from collections.abc import Sequence

import sympy

from revolute.errors import InputError
from revolute.machine.lagrangian.symbols import Expression, Symbol

__all__ = ["regressor"]

Polynomial = dict[Expression, Expression]
"""{product of constants: number}."""


def regressor(tau: sympy.Matrix, constants: Sequence[Symbol]) -> tuple[sympy.Matrix, sympy.Matrix]:
    """Y and Theta with tau = Y Theta. SHV 6.122, "linearity in the parameters".

    Each equation is a sum of motions, such as ddq1 cos(q2), times a polynomial in the constants. A polynomial that is
    independent of those before becomes the next Theta; the longest ones of an equation come first.

    Args:
        tau: (n,) forces.
        constants: the parameters that Theta consists of.
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
    Theta = sympy.Matrix([sympy.Add(*(c * m for m, c in polynomial.items())) for polynomial in base])
    return Y, Theta


def _coefficients(x: Expression, constants: Sequence[Symbol]) -> dict[Expression, Polynomial]:
    """{motion: its coefficient, a polynomial in the constants}."""
    coefficients: dict[Expression, Polynomial] = {}
    for term in sympy.Add.make_args(sympy.expand(x, trig=False)):
        motion, product = term.as_independent(*constants, as_Add=False) if constants else (term, sympy.S.One)
        number, motion = motion.as_coeff_Mul()
        if motion.has(*constants) or any(f.is_Add or f.is_Function for f in sympy.Mul.make_args(product)):
            raise InputError(f"the equations are not linear in parameters: {term} is not parameters times a motion")
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
    """Factors of the base polynomials whose sum is the polynomial; None if there are none."""
    unknown = sympy.symbols(f"share:{len(base)}") if base else ()
    rows = [[b.get(m, sympy.S.Zero) for b in base] + [polynomial.get(m, sympy.S.Zero)] for m in monomials]
    solution = sympy.linsolve(sympy.Matrix(rows), *unknown) if base else sympy.S.EmptySet
    return list(next(iter(solution))) if solution else None
