"""Solvers of quadratic programs for `bench.qp_solvers`: `PYTHON qp_solvers_peer.py PROGRAMS.npz`."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable
from importlib.metadata import version
from typing import Any

import numpy as np
from scipy import sparse  # type: ignore[import-untyped]

EPS, HUGE = 1e-9, 1e20  # bounds beyond HUGE are none
Solver = Callable[..., Any]
"""From H, g, A, lower, upper of all rows, and the indices of equalities, to z or None."""


def daqp(H: Any, g: Any, A: Any, low: Any, high: Any, equal: Any) -> Solver:
    import daqp as package

    model = package.Model()
    model.settings = {"primal_tol": EPS, "dual_tol": EPS / 10, "iter_limit": 1000}
    kinds = np.zeros(len(low), np.intc)
    kinds[equal] = 5
    model.setup(H, g, A, high, low, kinds.copy())
    sense = kinds.copy()

    def solve(H: Any, g: Any, A: Any, low: Any, high: Any) -> Any:
        model.update(None, g, A, high, low, sense)
        z, _, flag, info = model.solve()
        sense[:] = kinds
        multipliers = info["lam"]
        sense[(kinds == 0) & (multipliers > 0)], sense[(kinds == 0) & (multipliers < 0)] = 1, 3
        return z if flag > 0 else None

    return solve


def sides(A: Any, low: Any, high: Any, equal: Any) -> tuple[Any, ...]:
    """Rows of equalities and their values; rows of others and their bounds."""
    box = len(low) - len(A)
    rows, others = np.vstack([np.eye(box, A.shape[1]), A]), np.setdiff1d(np.arange(len(low)), equal)
    lower, upper = (np.where(abs(x[others]) < HUGE, x[others], sign * np.inf) for x, sign in ((low, -1), (high, 1)))
    return rows[equal], low[equal], rows[others], lower, upper


def proxqp(H: Any, g: Any, A: Any, low: Any, high: Any, equal: Any) -> Solver:
    from proxsuite import proxqp as package  # type: ignore[import-not-found]

    E, e, C, lower, upper = sides(A, low, high, equal)
    qp = package.dense.QP(len(g), len(e), len(lower))
    qp.settings.eps_abs, qp.settings.eps_rel = EPS, 0
    qp.settings.initial_guess = package.InitialGuess.WARM_START_WITH_PREVIOUS_RESULT
    qp.init(H, g, E, e, C, lower, upper)

    def solve(H: Any, g: Any, A: Any, low: Any, high: Any) -> Any:
        qp.update(H, g, *sides(A, low, high, equal))
        qp.solve()
        return qp.results.x.copy() if str(qp.results.info.status).endswith("PROXQP_SOLVED") else None

    return solve


def piqp(H: Any, g: Any, A: Any, low: Any, high: Any, equal: Any) -> Solver:
    import piqp as package  # type: ignore[import-not-found]

    solver = package.DenseSolver()
    solver.settings.eps_abs, solver.settings.eps_rel = EPS, 0
    solver.setup(H, g, *sides(A, low, high, equal))

    def solve(H: Any, g: Any, A: Any, low: Any, high: Any) -> Any:
        solver.update(H, g, *sides(A, low, high, equal))
        return solver.result.x.copy() if str(solver.solve()).endswith("PIQP_SOLVED") else None

    return solve


def osqp(H: Any, g: Any, A: Any, low: Any, high: Any, equal: Any) -> Solver:
    import osqp as package  # type: ignore[import-untyped]

    box = len(low) - len(A)
    shape = sparse.csc_matrix(np.ones((len(low), len(g))))

    def entries(A: Any) -> Any:
        return np.vstack([np.eye(box, A.shape[1]), A]).ravel(order="F")

    solver = package.OSQP()
    shape.data[:] = entries(A)
    options = {"eps_abs": 1e-6, "eps_rel": 0, "max_iter": 20000, "polishing": True, "verbose": False}
    solver.setup(sparse.csc_matrix(H), g, shape, low, high, **options)

    def solve(H: Any, g: Any, A: Any, low: Any, high: Any) -> Any:
        solver.update(q=g, l=low, u=high, Ax=entries(A))
        found = solver.solve()
        return found.x if found.info.status_val == 1 else None

    return solve


def quadprog(H: Any, g: Any, A: Any, low: Any, high: Any, equal: Any) -> Solver:
    import quadprog as package  # type: ignore[import-untyped]

    def solve(H: Any, g: Any, A: Any, low: Any, high: Any) -> Any:
        E, e, C, lower, upper = sides(A, low, high, equal)
        below, above = lower > -HUGE, upper < HUGE
        rows, ends = np.vstack([E, C[below], -C[above]]), np.concatenate([e, lower[below], -upper[above]])
        return package.solve_qp(H, -g, rows.T.copy(), ends, len(e))[0]

    return solve


def clarabel(H: Any, g: Any, A: Any, low: Any, high: Any, equal: Any) -> Solver:
    import clarabel as package

    settings = package.DefaultSettings()
    settings.verbose = False
    for name in ("tol_gap_abs", "tol_gap_rel", "tol_feas"):
        setattr(settings, name, 1e-12)

    def solve(H: Any, g: Any, A: Any, low: Any, high: Any) -> Any:
        E, e, C, lower, upper = sides(A, low, high, equal)
        below, above = lower > -HUGE, upper < HUGE
        rows, ends = np.vstack([E, -C[below], C[above]]), np.concatenate([e, -lower[below], upper[above]])
        cones = [package.ZeroConeT(len(e)), package.NonnegativeConeT(len(ends) - len(e))]
        arrays = sparse.csc_matrix(H), g, sparse.csc_matrix(rows), ends
        found = package.DefaultSolver(*arrays, cones, settings).solve()
        return np.array(found.x) if str(found.status) in ("Solved", "AlmostSolved") else None

    return solve


def main(path: str) -> None:
    """Print median microseconds, the largest error, and the share solved, of each solver, as JSON."""
    data = np.load(path)
    box, count, _ = data["sizes"]
    equal = np.arange(box, box + count)
    arrays = (data[k] for k in ("H", "g", "A", "lower", "upper"))
    ticks = [(np.diag(h), *x) for h, *x in zip(*arrays, strict=True)]
    solvers: dict[str, Solver] = {"quadprog": quadprog, "daqp": daqp, "proxsuite": proxqp}
    solvers |= {"piqp": piqp, "osqp": osqp, "clarabel": clarabel}
    best, rows = [], {}
    for name, kind in solvers.items():
        solve, times, error, solved = kind(*ticks[0], equal), [], 0.0, 0
        for k, tick in enumerate(ticks):
            began = time.perf_counter()
            z = solve(*tick)
            times.append(1e6 * (time.perf_counter() - began))
            if name == "quadprog":
                best.append(z)
            if z is not None:
                solved += 1
                error = max(error, float(np.abs(z - best[k]).max()))
        rows[f"{name} {version(name)}"] = float(np.median(times)), error, solved / len(ticks)
    print(json.dumps(rows))


if __name__ == "__main__":
    main(*sys.argv[1:])
