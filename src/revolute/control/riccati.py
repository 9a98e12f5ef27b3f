"""Riccati equations, and tests of controllability. Anderson & Moore, Optimal Control, 1990."""

from collections.abc import Sequence

import numpy as np

from revolute.arguments import Array
from revolute.errors import InputError, extra

REACHED = 1e-8  # fraction of the largest input effect below which a direction counts as uncontrollable
MARGIN = 1e-7  # minimum decay of a stable mode: per step in discrete time, relative to the norm of A in continuous time

EQUAL = 1e-6
"""Parts of eigenvalues below this, relative to A, count as zero: rounding by eps splits double ones by sqrt(eps)."""


def uncontrollable_modes(A: Array, B: Array) -> tuple[Array, Array]:
    """The uncontrollable eigenvalues of x' = A x + B u, and the states that participate in them.

    Inputs reach the span of B, A B, A^2 B ..., orthonormalised step by step. A maps this span into itself, so on its
    complement W the dynamics are W^T A W for all inputs. Returns (k,) eigenvalues [1/s], and (k, n) the magnitude of
    each state's participation in them.
    """
    reached = np.zeros((len(A), 0))
    new = B
    while new.size:
        scale = np.linalg.norm(new, 2)
        for _ in range(2):  # a second Gram-Schmidt pass removes rounding errors
            new = new - reached @ (reached.T @ new)
        U, sizes, _ = np.linalg.svd(new, full_matrices=False)
        basis = U[:, sizes > REACHED * scale] if scale > 0 else U[:, :0]
        reached = np.hstack([reached, basis])
        new = A @ basis
    W = np.linalg.svd(reached, full_matrices=True)[0][:, reached.shape[1] :]
    modes, vectors = np.linalg.eig(W.T @ A @ W)
    return modes, np.abs(W @ vectors).T


def require_stabilizable(what: str, A: Array, B: Array, names: Sequence[str], inputs: Sequence[str]) -> None:
    """Raise `InputError` if a mode that does not decay is uncontrollable; the message names these modes."""
    modes, shares = uncontrollable_modes(A, B)
    size = max(float(np.abs(A).max(initial=0.0)), 1.0)
    lost = [k for k, mode in enumerate(modes) if mode.real > -EQUAL * size]
    if not lost:
        return
    unreached: dict[str, None] = {}
    for k in lost:
        both = np.hypot(*shares[k].reshape(2, -1))
        movers = [f"'{name}'" for name, share in zip(names, both, strict=True) if share > 0.1 * both.max()]
        real, imaginary = (x if abs(x) > EQUAL * size else 0.0 for x in (modes[k].real, modes[k].imag))
        rate = f"{real:.3g}" + (f" {imaginary:+.3g}i" if imaginary else "")
        unreached[f"{rate} 1/s of {', '.join(movers)}"] = None
    driven = ", ".join(f"'{name}'" for name in inputs)
    raise InputError(
        f"{what}: forces at {driven} cannot stabilize the modes {'; '.join(unreached)}; actuate another joint, or lock "
        "these"
    )


def optimal_feedback(what: str, A: Array, B: Array, Q: Array, R: Array, discrete: bool) -> tuple[Array, Array]:
    """The gain K of u = -K x, and the matrix P of the minimum cost-to-go x^T P x, by SciPy."""
    #     continuous:  A^T P + P A - P B R^-1 B^T P + Q = 0,              K = R^-1 B^T P
    #     discrete:    P = Q + A^T P A - A^T P B (R + B^T P B)^-1 B^T P A,  K = (R + B^T P B)^-1 B^T P A
    with extra(f"{what} needs SciPy", "scipy"):
        from scipy.linalg import solve_continuous_are, solve_discrete_are
    try:
        P = solve_discrete_are(A, B, Q, R) if discrete else solve_continuous_are(A, B, Q, R)
        K = np.linalg.solve(R + B.T @ P @ B, B.T @ P @ A) if discrete else np.linalg.solve(R, B.T @ P)
        poles = np.linalg.eigvals(A - B @ K)
        slowest = float(np.log(np.abs(poles)).max() if discrete else poles.real.max())
        if not slowest < -(MARGIN if discrete else MARGIN * np.abs(A).max()):
            raise ValueError("the closed loop would have a mode that does not decay")
    except (np.linalg.LinAlgError, ValueError) as error:
        raise InputError(
            f"{what}: the Riccati equation has no stabilizing solution: {error}; give all states that do not decay by "
            "themselves a positive weight in Q, and states and forces weights of similar size"
        ) from None
    return K, (P + P.T) / 2


def feedback_step(A: Array, B: Array, Q: Array, R: Array, P: Array) -> tuple[Array, Array]:
    """One backward step of the discrete Riccati equation: the gain K_k and the matrix P_k from P = P_{k+1}."""
    # The Joseph form, a sum of squares, preserves the symmetry and positivity of P.
    K = np.linalg.solve(R + B.T @ P @ B, B.T @ P @ A)
    closed = A - B @ K
    before = Q + K.T @ R @ K + closed.T @ P @ closed
    return K, (before + before.T) / 2
