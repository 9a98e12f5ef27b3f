"""PD control with gravity compensation, over any scalar. Takegaki & Arimoto 1981; SHV (2006) 8.2; LP 11.4.2."""

from __future__ import annotations

from revolute.dynamics.control.tracking import times, tracking
from revolute.dynamics.newton_euler import newton_euler
from revolute.model.model import Model
from revolute.spatial.scalar import Scalar, Scalars

__all__ = ["pd_with_gravity"]


def pd_with_gravity(
    model: Model, q: Scalars, qd: Scalars, q_ref: Scalars, qd_ref: Scalars, K_p: Scalars, K_d: Scalars
) -> list[Scalar]:
    """tau = g(q) - K_p e - K_d ed, with the errors of `tracking`.

    Args:
        q_ref, qd_ref: (nq,), (nv,) the reference.
        K_p, K_d: nv diagonal entries, or nv^2 entries row by row [N m/rad, N/m] and [N m s/rad, N s/m].
    """
    still = (0,) * model.nv
    error = tracking(model, q, qd, q_ref, qd_ref, still)
    gravity = newton_euler(model, q, still, still)
    return [g - p - d for g, p, d in zip(gravity, times(K_p, error.e), times(K_d, error.ed), strict=True)]
