"""GOA's Coriolis matrix, by its difference from that of the Christoffel symbols, over any scalar. GOA 6b, 24c."""

from __future__ import annotations

from collections.abc import Iterator

from revolute.dynamics.kinematics import in_child, poses_in_parents
from revolute.dynamics.skew_load import Moments, SkewLoad
from revolute.model.model import Model
from revolute.spatial import Motion
from revolute.spatial.scalar import Cube, Rows, Scalars
from revolute.spatial.vectors import ZERO

__all__ = ["goa_difference", "goa_symbols_difference"]


def goa_difference(model: Model, q: Scalars, qd: Scalars) -> Rows:
    """C of GOA 6b minus C of `equations_of_motion`: skew, and zero times qd.

        C = sum_k J_k^T ((Lambda_k adj_k - adj_k^T Lambda_k) J_k + Lambda_k Jd_k)         GOA 6b

    By GOA 28 column j of Jd_k is (V_j - V_k) x J_kj, with V_j the twist of joint j's body.
    Lambda_k adj_k cancels, and with Sd_j = V_j x S_j

        C_ij = sum_k S_i . (Lambda_k Sd_j + V_k x* Lambda_k S_j)

    The sum is over the bodies k that joints i and j both carry. The C of the Christoffel symbols has the operator B_k
    in place of V_k x* Lambda_k: see `MovingLoad`. So the difference is S_i . D S_j, where D belongs to the load of the
    outer joint: see `SkewLoad`.

    C depends on how mass is distributed among bodies: `regrouped` preserves M and Christoffel's C, but not this C.

    Args:
        model: kinematic tree, not regrouped.
    """
    X = poses_in_parents(model, q)
    V, carried = [Motion(ZERO, ZERO)], [SkewLoad()]
    for i, body in enumerate(model.bodies[1:], 1):
        V.append(in_child(X[i], V[body.parent]) + body.joint.velocity(qd[model.v_index[i]]))
        carried.append(SkewLoad.of(Moments.of(body.inertia), V[i]))
    D: Rows = [[0] * model.nv for _ in range(model.nv)]
    for i in range(len(model.bodies) - 1, 0, -1):
        for k, S in _columns(model, i):
            f, j = carried[i].wrench(S), i
            while j > 0:
                for place, T in _columns(model, j):
                    if place < k:
                        D[place][k] = T.power(f)
                        D[k][place] = -D[place][k]
                f, j = X[j] @ f, model.bodies[j].parent
        carried[model.bodies[i].parent] += carried[i].seen(X[i])
    return D


def goa_symbols_difference(model: Model, q: Scalars) -> Cube:
    """dC/dqd of GOA 6b minus the Christoffel symbols. GOA 24c.

    C is linear in qd: entry ijk is S_i . D S_j for the twists of unit velocity of joint k. It changes sign when two of
    its indices are exchanged. So only one of six entries is computed, with k the outermost joint and D of its load.

    Args:
        model: kinematic tree, not regrouped.
    """
    X, nv = poses_in_parents(model, q), model.nv
    carried = [Moments.of(body.inertia) for body in model.bodies]
    cube: Cube = [[[0] * nv for _ in range(nv)] for _ in range(nv)]
    for outer in range(len(model.bodies) - 1, 0, -1):
        for k, S in _columns(model, outer):
            D, middle = SkewLoad.of(carried[outer], S), outer
            while middle > 0:
                for j, T in _columns(model, middle):
                    f, inner = D.wrench(T), middle
                    while inner > 0 and j < k:
                        for i, U in _columns(model, inner):
                            if i < j:
                                x = U.power(f)
                                cube[i][j][k] = cube[j][k][i] = cube[k][i][j] = x
                                cube[j][i][k] = cube[i][k][j] = cube[k][j][i] = -x
                        f, inner = X[inner] @ f, model.bodies[inner].parent
                D, middle = D.seen(X[middle]), model.bodies[middle].parent
        carried[model.bodies[outer].parent] += carried[outer].seen(X[outer])
    return cube


def _columns(model: Model, i: int) -> Iterator[tuple[int, Motion]]:
    """The columns S of joint i, expressed in its body frame, by index in qd."""
    return enumerate(model.bodies[i].joint.columns(), model.v_index[i].start)
