"""Linear models of machines in continuous time, and in discrete time with zero-order hold of the input."""

from math import comb, perm
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from revolute.arguments import common_batch, real_array, wrenches_by_link
from revolute.errors import InputError
from revolute.machine.machine import Array, LinkWrenches, Machine, Threads

_REACH = 5.37  # maximum 1-norm for which the Pade approximant is exact to rounding in float64: Higham 2005, Table 2.3
_DEGREE = 13
_WEIGHTS = [comb(_DEGREE, k) / perm(2 * _DEGREE, k) for k in range(_DEGREE + 1)]


def linear_model(
    machine: Machine, state: tuple[ArrayLike, ...], wrenches: LinkWrenches, step: ArrayLike | None,
    out: Any, threads: Threads, own: tuple[Array, ...] = (),
) -> tuple[Array, Array]:
    """A and B of a machine's `linearize`; with a time step, the matrices of the discrete-time model.

    `own` are the machine's own arrays, the kernel's inputs after the state.
    """
    links, loads = wrenches_by_link(wrenches)
    options = {"wrenches": links} if links else {}
    constants = dict(enumerate(own, len(state)))
    if step is not None and out is not None:
        raise InputError("linearize: out is possible only for the continuous-time model, without step")
    arrays = (*state, *own, *loads)
    model: tuple[Array, Array] = machine._run(machine._function("linearize"), arrays, out, threads, options, constants)
    return model if step is None else zero_order_hold(*model, step)


def zero_order_hold(A: Array, B: Array, step: ArrayLike) -> tuple[Array, Array]:
    """The model x[k+1] = Ad x[k] + Bd u[k] of x' = A x + B u, with constant u during a step.

        | Ad Bd |           | A B |
        | 0  1  | = exp(h * | 0 0 |)

    A is (..., n, n), B is (..., n, m), h (...) is `step` [s]. Raise `InputError` unless h is positive and finite.
    """
    h = real_array("step", step)
    if not (np.isfinite(h).all() and (h > 0).all()):
        raise InputError(f"step must be positive times [s], not {step!r}")
    n, m = B.shape[-2:]
    batch = common_batch("batch shapes", ("states", "step"), [A.shape[:-2], h.shape])
    block = np.zeros((*batch, n + m, n + m))
    block[..., :n, :n], block[..., :n, n:] = A, B
    block *= h[..., None, None]
    exponential = _exponential(block).astype(A.dtype, copy=False)
    return exponential[..., :n, :n], exponential[..., :n, n:]


def _exponential(X: Array) -> Array:
    """exp(X) of a stack of matrices: scaling, Pade's approximant, squaring. Higham, SIMAX 26 (2005)."""
    #     exp(X) = (r(X / 2^s))^(2^s),    r = (p(-Y))^-1 p(Y),    p(Y) = sum_k c_k Y^k
    norm = np.abs(X).sum(axis=-2).max(axis=-1, initial=0)
    finite = np.isfinite(norm)
    squarings = np.ceil(np.log2(np.maximum(np.where(finite, norm, 0) / _REACH, 1)))
    Y = np.where(finite[..., None, None], X, 0) / np.exp2(squarings)[..., None, None]
    square, one = Y @ Y, np.eye(X.shape[-1])
    even, odd = np.zeros_like(Y), np.zeros_like(Y)
    for k in range(_DEGREE - 1, -1, -2):  # Horner's rule on pairs of terms
        even, odd = even @ square + _WEIGHTS[k] * one, odd @ square + _WEIGHTS[k + 1] * one
    odd = Y @ odd
    result = np.linalg.solve(even - odd, even + odd)
    for k in range(int(squarings.max(initial=0))):
        result = np.where((squarings > k)[..., None, None], result @ result, result)
    return np.where(finite[..., None, None], result, np.nan)
