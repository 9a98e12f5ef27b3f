"""Hamiltonian form: the energy as a function of coordinates and momenta. SHV ch. 6, problems."""

from __future__ import annotations

from dataclasses import dataclass

import sympy

from revolute.machine.lagrangian.symbols import Expression, Symbol

__all__ = ["Hamiltonian"]


@dataclass(frozen=True, eq=False)
class Hamiltonian:
    """H(q, p) = p^T M^-1 p / 2 + U, and dq/dt = dH/dp, dp/dt = -dH/dq + tau.

    Without dissipation, only the power of the forces changes the energy: dH/dt = dq^T tau.

    Attributes:
        H: the energy [J].
        q, p: symbols of coordinates and momenta, p = M dq.
        q_rates: (n,) dq/dt.
        p_rates: (n,) dp/dt without the forces tau, which are added to it.
    """

    H: Expression
    q: tuple[Symbol, ...]
    p: tuple[Symbol, ...]
    q_rates: sympy.Matrix
    p_rates: sympy.Matrix

    @classmethod
    def of(cls, q: tuple[Symbol, ...], p: tuple[Symbol, ...], M: sympy.Matrix, potential: Expression) -> Hamiltonian:
        """Hamiltonian form of a system with that mass matrix."""
        momenta = sympy.Matrix(p)
        inverse = M.adjugate() / M.det() if len(q) <= 3 else M.inv()
        v = (inverse * momenta).applyfunc(sympy.factor_terms)
        H = momenta.dot(v) / 2 + potential
        p_rates = [(v.T * M.diff(x) * v)[0] / 2 - potential.diff(x) for x in q]
        return cls(sympy.factor_terms(H), q, p, v, sympy.Matrix(p_rates).applyfunc(sympy.factor_terms))
