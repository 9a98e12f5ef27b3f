"""Kane's equations in the form of Angeles, Ma and Rojas, with the sums by recursion."""

from __future__ import annotations

from collections.abc import Sequence

from revolute.model.model import Model
from revolute.published.serial import SerialLink
from revolute.published.tensor_newton_euler import by_accelerations
from revolute.spatial.scalar import Scalar
from revolute.spatial.vectors import Matrix, Vector, cross

__all__ = ["kane_recursive"]


def kane_recursive(model: Model, q: Sequence[Scalar], qd: Sequence[Scalar], qdd: Sequence[Scalar]) -> list[Scalar]:
    """Inverse dynamics by BP 5.2.36-5.2.37, from the tip to the base. Angeles, Ma & Rojas 1989.

    With f_i = sum_{j>=i} m_j rdd_0j and eta_i = sum_{j>=i} (M_Cj + m_j r_ij x rdd_0j), along the links' axes,

        f_i = F_i + A f_{i+1}
        eta_i = M_Ci + r_ii x F_i + A eta_{i+1} + s_{i,i+1} x A f_{i+1}

    and accelerations by recursion too. BP gives the sums and the count. This order takes the printed 105
    multiplications a joint: accelerations by the tensor Omega of BP 5.3.7, Euler's equation in vectors.

    Args:
        model: serial arm on a fixed base.
        q, qd, qdd: (n,) positions, velocities, accelerations.

    Returns:
        n joint forces [N m, N].
    """
    return by_accelerations("kane_recursive", _euler, model, q, qd, qdd)


def _euler(link: SerialLink, w: Vector, wd: Vector, Omega: Matrix) -> Vector:
    """Euler's equation in vectors. BP 5.2.23f."""
    moment: Vector = link.I_c @ wd + cross(w, link.I_c @ w)
    return moment
