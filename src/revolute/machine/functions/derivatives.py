"""Derivatives by the state, and linear models, for compilation."""

from __future__ import annotations

from typing import Any

from revolute.compiler.signature import Function, Signature, position, rate
from revolute.dynamics.christoffel_symbols import christoffel_symbols
from revolute.dynamics.equations_of_motion import equations_of_motion
from revolute.dynamics.gravity_forces_partials import gravity_forces_partials
from revolute.dynamics.inverse_dynamics_partials import inverse_dynamics_partials
from revolute.dynamics.mass_matrix import mass_matrix
from revolute.dynamics.mass_matrix_partials import mass_matrix_partials
from revolute.dynamics.newton_euler import newton_euler
from revolute.machine.functions.cost import cost
from revolute.machine.functions.tangents import along_motion, by_positions
from revolute.model.model import Model
from revolute.model.reduce import reduced

__all__ = ["FUNCTIONS"]


def _flat(*matrices: Any) -> list[list[Any]]:
    return [[x for row in matrix for x in row] for matrix in matrices]


def _inverse_dynamics_partials(model: Model) -> Signature:
    square = (model.nv, model.nv)
    return Signature(
        "inverse_dynamics_partials",
        (position(model), rate(model, "qd"), rate(model, "qdd")),
        (("dtau_dq", square), ("dtau_dqd", square), ("M", square)),
        lambda q, qd, qdd: _flat(*inverse_dynamics_partials(reduced(model), q, qd, qdd)),
    )


def _gravity_forces_partials(model: Model) -> Signature:
    """By recursion or by differentiating the graph, whichever takes fewer operations; and so the next."""
    still = (0,) * model.nv

    def body(q: Any) -> Any:
        light = reduced(model)
        recursion, graph = _flat(
            gravity_forces_partials(light, q), by_positions(model, newton_euler(light, q, still, still), q)
        )
        return min(recursion, graph, key=cost)

    return Signature("gravity_forces_partials", (position(model),), (("dg_dq", (model.nv, model.nv)),), body)


def _mass_matrix_partials(model: Model) -> Signature:
    def body(q: Any) -> Any:
        light = reduced(model)
        rows = [row for matrix in mass_matrix_partials(light, q) for row in matrix]
        entries = [x for row in mass_matrix(light, q) for x in row]
        return min(*_flat(rows, by_positions(model, entries, q)), key=cost)

    cube = (model.nv, model.nv, model.nv)
    return Signature("mass_matrix_partials", (position(model),), (("dM_dq", cube),), body)


def _coriolis_matrix_partials(model: Model) -> Signature:
    def body(q: Any, qd: Any) -> Any:
        light = reduced(model)
        _, C, _ = equations_of_motion(light, q, qd)
        by_q = by_positions(model, [x for row in C for x in row], q)
        return _flat(by_q, [x for matrix in christoffel_symbols(light, q) for x in matrix])

    cube = (model.nv, model.nv, model.nv)
    inputs = (position(model), rate(model, "qd"))
    return Signature("coriolis_matrix_partials", inputs, (("dC_dq", cube), ("dC_dqd", cube)), body)


def _inverse_dynamics_second_partials(model: Model) -> Signature:
    n = range(model.nv)

    def body(q: Any, qd: Any, qdd: Any) -> Any:
        light = reduced(model)
        first_q, first_qd, _ = inverse_dynamics_partials(light, q, qd, qdd)
        # small motions of different joints commute; the inner joint's derivative of the outer's is shorter
        last = [at.stop for body, at in zip(model.bodies, model.v_index, strict=True) for _ in range(body.joint.nv)]
        wanted = [range(last[j]) for _ in n for j in n] + [n for _ in n for _ in n]
        # one walk for both: they share most of what they are made of
        slopes = by_positions(model, [x for matrix in (first_q, first_qd) for row in matrix for x in row], q, wanted)
        second_q, second_q_qd = slopes[: model.nv**2], slopes[model.nv**2 :]

        def by_both(i: int, j: int, k: int) -> Any:
            outer, inner = (j, k) if k < last[j] else (k, j)
            return second_q[i * model.nv + outer][inner]

        G = christoffel_symbols(light, q)
        return (
            [by_both(i, j, k) for i in n for j in n for k in n],
            [second_q_qd[i * model.nv + k][j] for i in n for j in n for k in n],
            [G[i][j][k] + G[i][k][j] for i in n for j in n for k in n],
            [x for matrix in mass_matrix_partials(light, q) for row in matrix for x in row],
        )

    cube = (model.nv, model.nv, model.nv)
    names = ("d2tau_dq_dq", "d2tau_dq_dqd", "d2tau_dqd_dqd", "dM_dq")
    inputs = (position(model), rate(model, "qd"), rate(model, "qdd"))
    return Signature("inverse_dynamics_second_partials", inputs, tuple((name, cube) for name in names), body)


def _inverse_dynamics_rates(model: Model) -> Signature:
    def body(q: Any, *rates: Any) -> Any:
        tau = newton_euler(reduced(model), q, *rates[:2])
        taud = along_motion(model, tau, q, *rates[:3])
        return tau, taud, along_motion(model, taud, q, *rates)

    inputs = (position(model), *(rate(model, name) for name in ("qd", "qdd", "qddd", "qdddd")))
    outputs = tuple((name, (model.nv,)) for name in ("tau", "taud", "taudd"))
    return Signature("inverse_dynamics_rates", inputs, outputs, body)


FUNCTIONS: dict[str, Function] = {
    "inverse_dynamics_partials": Function(_inverse_dynamics_partials),
    "gravity_forces_partials": Function(_gravity_forces_partials),
    "mass_matrix_partials": Function(_mass_matrix_partials),
    "coriolis_matrix_partials": Function(_coriolis_matrix_partials),
    "inverse_dynamics_rates": Function(_inverse_dynamics_rates, frozenset({"parameters"})),
    "inverse_dynamics_second_partials": Function(_inverse_dynamics_second_partials),
}
