"""Equations that are linear in parameters: the base of constants that they show. SHV 6.5."""

from __future__ import annotations

from collections.abc import Sequence

import sympy

from revolute.errors import InputError
from revolute.machine.lagrangian.symbols import Expression, Symbol

__all__ = ["regressor"]

Polynomial = dict[Expression, Expression]
"""{product of constants: number}."""


def regressor(tau: sympy.Matrix, constants: Sequence[Symbol]) -> tuple[sympy.Matrix, sympy.Matrix]:
    """Y and Theta with tau = Y Theta. SHV 6.5, "linearity in the parameters".

    Each equation is a sum of motions, such as ddq1 cos(q2), times a polynomial in the
    constants. A polynomial that is no combination of those before becomes the next Theta;
    the longest ones of an equation come first.

    Args:
        tau: (n,) forces.
        constants: the parameters that Theta is made of.
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
    """{motion: what it is multiplied by}."""
    found: dict[Expression, Polynomial] = {}
    for term in sympy.Add.make_args(sympy.expand(x, trig=False)):
        motion, product = term.as_independent(*constants, as_Add=False) if constants else (term, sympy.S.One)
        number, motion = motion.as_coeff_Mul()
        if motion.has(*constants) or any(f.is_Add or f.is_Function for f in sympy.Mul.make_args(product)):
            raise InputError(f"the equations are not linear in parameters: {term} is no product of them and a motion")
        polynomial = found.setdefault(motion, {})
        polynomial[product] = polynomial.get(product, sympy.S.Zero) + number
    return found


def _normal(polynomial: Polynomial) -> Polynomial:
    """The polynomial with a first coefficient of one."""
    first = next(iter(polynomial.values()))
    return {m: c / first for m, c in polynomial.items()}


def _shares(
    polynomial: Polynomial, base: Sequence[Polynomial], monomials: Sequence[Expression]
) -> list[Expression] | None:
    """The numbers with which the base adds up to the polynomial; None where it does not."""
    unknown = sympy.symbols(f"share:{len(base)}") if base else ()
    rows = [[b.get(m, sympy.S.Zero) for b in base] + [polynomial.get(m, sympy.S.Zero)] for m in monomials]
    solution = sympy.linsolve(sympy.Matrix(rows), *unknown) if base else sympy.S.EmptySet
    return list(next(iter(solution))) if solution else None
