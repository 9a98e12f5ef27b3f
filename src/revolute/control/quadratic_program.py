"""Quadratic programs of whole-body control, solved by DAQP (active set) or Clarabel (interior point).

    least  z^T H z / 2 + g^T z  with a diagonal H,    lower <= (z_1 ... z_b, A z) <= upper
"""

from __future__ import annotations

from dataclasses import dataclass
from importlib.util import find_spec

import numpy as np

from revolute.arguments import Array
from revolute.errors import InputError, extra
from revolute.simulate.torque import all_finite

TOLERANCE = 1e-9
"""Maximum violation of a scaled row that DAQP accepts."""

PENALTY = 1e6
"""Weight of squared violations of rows that cannot hold. With 1e8, DAQP cycles in one of ten programs."""

ROUNDS = 1000
"""Maximum number of DAQP's steps; 20 to 60 suffice."""

NEEDED = (
    "whole-body control requires the package daqp (or, slower, clarabel and SciPy, as on musl and on Windows on Arm, "
    "for which daqp has no wheel)"
)

AT_UPPER, AT_LOWER, EQUAL, NONE = 1, 3, 5, 1e30
"""DAQP's codes for kinds of rows, and the value of a missing bound."""


@dataclass(frozen=True, eq=False)
class QuadraticProgram:
    """A quadratic program in arrays that a kernel overwrites. Rows of A: equalities, friction pyramids, others."""

    # H, g, A, lower, upper: see above; the bounds are those of the first variables, then of the rows of A
    H: Array
    g: Array
    A: Array
    lower: Array
    upper: Array
    # firm, equal, pyramids: numbers of equalities that can always hold, of all equalities, and of pyramids
    firm: int
    equal: int
    pyramids: int
    friction: Array  # mu of each contact, if its force (f_n, f_t1, f_t2) is in a cone and the pyramids do not count
    forces: int  # index of the first force in z

    @property
    def box(self) -> int:
        """Number of bounded variables."""
        return len(self.lower) - len(self.A)

    def lenient(self) -> QuadraticProgram:
        """The program with penalized slack variables for all bounds except firm equalities and friction."""
        # They follow z: those of equalities, of rows after the pyramids, then of the first variables.
        n, b = len(self.g), self.box
        A, order = np.vstack([self.A, np.eye(b, n)]), np.r_[b : len(self.lower), :b]
        soft = np.r_[self.firm : self.equal, self.equal + self.pyramids : len(A)]
        errors = np.zeros((len(A), len(soft)))
        errors[soft, range(len(soft))] = 1
        H, g = np.diag(np.r_[np.diag(self.H), np.full(len(soft), PENALTY)]), np.r_[self.g, np.zeros(len(soft))]
        counts = self.firm, self.equal, self.pyramids, self.friction, self.forces
        return QuadraticProgram(H, g, np.hstack([A, errors]), self.lower[order], self.upper[order], *counts)


class ActiveSet:
    """The solver DAQP, which starts with the active rows of the previous call. Arnström, Bemporad & Axehill 2022."""

    def __init__(self, program: QuadraticProgram) -> None:
        with extra(NEEDED, "control"):
            import daqp
        self.program, self._model, self._new = program, daqp.Model(), True
        self._model.settings = {"primal_tol": TOLERANCE, "dual_tol": TOLERANCE / 10, "iter_limit": ROUNDS}
        self._kinds = np.zeros(len(program.lower), np.intc)
        self._kinds[program.box : program.box + program.equal] = EQUAL
        self._free, self._sense = self._kinds == 0, self._kinds.copy()

    def solve(self) -> Array | None:
        """The minimizer z; None if none is found."""
        p = self.program
        for _ in range(2):
            arrays = p.g, p.A, p.upper, p.lower, self._sense
            flag = self._model.setup(p.H, *arrays)[0] if self._new else self._model.update(None, *arrays)
            self._new = flag < 0
            if flag >= 0:
                z, _, flag, info = self._model.solve()
            np.copyto(self._sense, self._kinds)
            if flag > 0 and all_finite(z):  # NaN has the flag of a minimum
                multipliers = info["lam"]
                self._sense[self._free & (multipliers > 0)] = AT_UPPER
                self._sense[self._free & (multipliers < 0)] = AT_LOWER
                return np.asarray(z)
        return None


class InteriorPoint:
    """The solver Clarabel, which also supports exact friction cones. Goulart & Chen 2024."""

    def __init__(self, program: QuadraticProgram) -> None:
        with extra("solver='clarabel' and cones=True require the packages clarabel and SciPy", "control"):
            import clarabel
            from scipy import sparse
        self.program, self._clarabel, self._sparse = program, clarabel, sparse.csc_matrix
        self._settings = clarabel.DefaultSettings()
        self._settings.verbose = False
        for name in ("tol_gap_abs", "tol_gap_rel", "tol_feas"):
            setattr(self._settings, name, 1e-14)  # where that cannot be had, it ends "AlmostSolved"

    def solve(self) -> Array | None:
        """The minimizer z; None if none is found."""
        p, n, of = self.program, len(self.program.g), self._clarabel
        rows, equal = np.vstack([np.eye(p.box, n), p.A]), range(p.box, p.box + p.equal)
        high, low = np.abs(p.upper) < NONE, np.abs(p.lower) < NONE
        high[equal] = low[equal] = False
        if len(p.friction):
            high[equal.stop : equal.stop + p.pyramids] = False
        G, b = [rows[equal], rows[high], -rows[low]], [p.upper[equal], p.upper[high], -p.lower[low]]
        cones = [of.ZeroConeT(p.equal), of.NonnegativeConeT(int(high.sum() + low.sum()))]
        for k, mu in enumerate(p.friction):
            cone = np.zeros((3, n))
            cone[range(3), range(p.forces + 3 * k, p.forces + 3 * k + 3)] = -mu, -1, -1
            G, b, cones = [*G, cone], [*b, np.zeros(3)], [*cones, of.SecondOrderConeT(3)]
        arrays = self._sparse(p.H), p.g, self._sparse(np.vstack(G)), np.concatenate(b)
        solution = of.DefaultSolver(*arrays, cones, self._settings).solve()
        return np.array(solution.x) if str(solution.status) in ("Solved", "AlmostSolved") else None


SOLVERS: dict[str, type[ActiveSet] | type[InteriorPoint]] = {"daqp": ActiveSet, "clarabel": InteriorPoint}
"""Solvers by name."""


def solver_named(what: str, name: str | None, cones: bool) -> str:
    """The name of a solver; None: DAQP if it is installed and there are no cones, otherwise Clarabel."""
    if name not in (None, *SOLVERS):
        raise InputError(f"{what}: solver must be 'daqp' or 'clarabel', not {name!r}")
    if name == "daqp" and cones:
        raise InputError(f"{what}: daqp does not support cones; with cones=True, omit solver= to use Clarabel")
    alone = find_spec("daqp") is None and find_spec("clarabel") is not None
    return name or ("clarabel" if cones or alone else "daqp")
