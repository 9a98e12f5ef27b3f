"""GOA's closed forms of M, C and g, as printed, compiled as our functions are: what GOA compare their rates with."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np

import revolute
from revolute.compiler.kernel import Kernel, compiled
from revolute.compiler.signature import Signature, flat
from revolute.dynamics.kinematics import in_child
from revolute.graph import Input
from revolute.model.identity import exact_text
from revolute.spatial import ZERO, Twist

__all__ = ["closed_forms"]


def closed_forms(robot: revolute.Robot) -> Kernel:
    """The kernel (q, qd) -> M, C, g of a tree of joints with one coordinate each. GOA 6, 26-28."""
    square = (robot.nv, robot.nv)
    outputs = (("M", square), ("C", square), ("g", (robot.nv,)))
    inputs = (Input("q", (robot.nq,), "nq"), Input("qd", (robot.nv,), "nv"))
    form = Signature("closed_forms", inputs, outputs, lambda q, qd: _matrices(robot, q, qd))
    again = partial(closed_forms, robot)
    return compiled("robot", robot.name, form, np.float64, exact_text((robot.digest, "closed_forms")), again)


def _matrices(robot: revolute.Robot, q: Sequence[Any], qd: Sequence[Any]) -> tuple[list[Any], list[Any], list[Any]]:
    """Sums over bodies: J^T Lambda J, J^T ((Lambda adj - adj^T Lambda) J + Lambda Jd), J^T Lambda Ad^-1 gamma_0."""
    n = robot.nv
    M = [[0.0] * n for _ in range(n)]
    C = [[0.0] * n for _ in range(n)]
    g = [0.0] * n
    J: list[dict[int, Twist]] = [{}]
    Jd: list[dict[int, Twist]] = [{}]
    gamma = [Twist(ZERO, -robot.gravity)]
    for i, body in enumerate(robot.bodies[1:], 1):
        X = body.placement @ body.joint.transform(q[robot.q_index[i]])
        at = robot.v_index[i]
        (Xi,) = body.joint.columns()
        moved = {k: in_child(X, column) for k, column in J[body.parent].items()}
        rates = {k: in_child(X, d) - (Xi * qd[at.start]).cross(moved[k]) for k, d in Jd[body.parent].items()}
        J.append(moved | {at.start: Xi})
        Jd.append(rates | {at.start: Twist(ZERO, ZERO)})
        gamma.append(in_child(X, gamma[body.parent]))
        v = Twist(ZERO, ZERO)
        for k, column in J[i].items():
            v += column * qd[k]
        weight = body.inertia.momentum(gamma[i])
        for k, column in J[i].items():
            LJ = body.inertia.momentum(column)
            force = body.inertia.momentum(v.cross(column) + Jd[i][k]) + v.cross_force(LJ)
            for j, row in J[i].items():
                M[j][k] += row.power(LJ)
                C[j][k] += row.power(force)
            g[k] += column.power(weight)
    return flat(M), flat(C), g
