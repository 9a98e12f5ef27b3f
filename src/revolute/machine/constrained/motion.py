"""Motions of a constrained robot, from one closed state to the next, and messages about singular ones."""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from revolute.arguments import wrenches_by_link
from revolute.dynamics.coordinate_rates import coordinate_rates
from revolute.dynamics.steps import check_method
from revolute.errors import InputError, SimulationError
from revolute.machine.constrained.passage import SingularPassage, Undetermined
from revolute.machine.machine import Array
from revolute.machine.robot import Robot
from revolute.simulate import ADAPTIVE, Course, Simulation
from revolute.simulate.adaptive import SolverStopped, adaptive, runge_kutta_4
from revolute.simulate.energy_balance import forces_between, warn_of_gain
from revolute.simulate.record import Record, march, position_names
from revolute.simulate.run import check_tolerances, instants, start
from revolute.simulate.torque import Table, joined, source, wrench_sources

if TYPE_CHECKING:
    from revolute.machine.constrained.constrained_robot import ConstrainedRobot

STAGES = 16
"""Number of recent states searched for a singular one after a failed step: the number of stages of DOP853."""

WIDTH = 1e-3
"""Distance from a singular position below which a motion may pass through it [rad, m]: see `SingularPassage`."""

ASIDE = 0.03
"""Maximum distance of a motion that passes through a singular position, as a fraction of the width."""

OPEN_BY = 1e-10
"""Maximum closure error of a loop that counts as closed in a singular position [m]."""


def simulate(
    linkage: ConstrainedRobot, q0: ArrayLike, qd0: ArrayLike, torque: Any, t: ArrayLike, method: str,
    stabilization: float, projection: bool, wrenches: Mapping[str, Any] | None, rtol: float, atol: float,
    course: Course,
) -> Simulation:
    """See `ConstrainedRobot.simulate`."""
    check_method("simulate", method, ("runge_kutta_4", *ADAPTIVE))
    check_tolerances(rtol, atol)
    robot, times = linkage.robot, instants(t)
    q, qd = linkage.project(*start(robot, q0, qd0))
    links, _ = wrenches_by_link(wrenches)
    for link in links:
        robot.frame(link)  # raises an error if the link is unknown
    batch = q.shape[:-1]
    forces = joined([source(robot, torque, times, batch), *wrench_sources(wrenches or {}, times, batch)])
    names, n = (position_names(robot), robot.coordinate_names), robot.nv
    along = course.along(robot.name, robot._scene, times, q, qd)
    observe = along.events.observe if along.events else None
    fixed = method == "runge_kutta_4"  # the stages of a fixed step have larger errors
    width = 10 * WIDTH if fixed else min(max(WIDTH, 100 * rtol**0.5), 10 * WIDTH)
    passage = SingularPassage(linkage, q, width, width if fixed else ASIDE * width, max(OPEN_BY, rtol))
    record = Record(along, names, n + 6 * len(links), batch, forces)

    def accelerations(q: Array, qd: Array, applied: Array, rate: float = 0.0, strict: bool = False) -> Array:
        loads = {link: applied[..., n + 6 * k : n + 6 * k + 6] for k, link in enumerate(links)}
        return passage.accelerations(q, qd, applied[..., :n], rate, loads, strict)

    def advance(k: int, span: tuple[float, float], q: Array, qd: Array, held: Array) -> tuple[Array, Array]:
        visits: deque[tuple[float, Array]] = deque(maxlen=STAGES)

        def rates(time: float, q: Array, qd: Array) -> tuple[Array, Array]:
            visits.append((time, q.copy()))
            tau = held if method == "runge_kutta_4" else forces(k, time, q, qd)
            return _rates(robot, q, qd), accelerations(q, qd, tau, stabilization, strict=True)

        try:
            if method == "runge_kutta_4":
                q, qd = runge_kutta_4(rates, span, q, qd)
            else:
                q, qd = adaptive(rates, span, q, qd, method, rtol, atol, observe)
            q = robot.normalize(q)
            finite = np.isfinite(q).all() and np.isfinite(qd).all()  # the record reports the joint that diverges
            return passage.project(q, qd) if projection and finite else (q, qd)
        except Undetermined as error:
            there = singular_closures(linkage, error.q[None], np.concatenate([passage.nearby, *record.reached()[1:2]]))
            raise SimulationError(
                f"simulate: the motion is not determined after t={visits[-1][0]:g} s: {there}, and they are at rest; "
                "start with a velocity, or near this position"
            ) from error
        except (InputError, SolverStopped, np.linalg.LinAlgError) as error:
            visited = np.concatenate([x.reshape(-1, robot.nq) for _, x in visits])
            singular = singular_closures(linkage, visited, record.reached()[1])
            if singular:
                message = (
                    f"{method} stopped near t={visits[-1][0]:g} s: {singular}, and the motion may branch; "
                    "start elsewhere, or change lengths"
                )
            elif fixed and isinstance(error, InputError):  # the step leads too far away to close the loops
                joint = names[1][np.abs(qd).reshape(-1, n).max(axis=0).argmax()]
                message = (
                    f"the motion diverges at t={span[1]:g} s, most in joint '{joint}': its loops do not close again; "
                    f"use smaller steps than {span[1] - span[0]:g} s, or check the forces"
                )
            else:
                message = f"at t={span[1]:g} s: {str(error).removeprefix('simulate: ')}"
            raise SimulationError(f"simulate: {message}") from error

    def motion() -> Simulation:
        t, q, qd, applied = record.reached()
        energies = linkage.model.kinetic_energy(q, qd), linkage.model.potential_energy(q)
        return Simulation.of(linkage._owner, t, q, qd, accelerations(q, qd, applied), applied[..., :n], *energies)

    found = march(q, qd, record, advance, motion)
    if method == "runge_kutta_4" and along.every == 1 and not links:
        held = isinstance(forces, Table)
        warn_of_gain(
            found, method, robot.difference, None if held else partial(forces_between, found, forces, robot.integrate)
        )
    return found


def _rates(robot: Robot, q: Array, qd: Array) -> Array:
    """dq/dt."""
    if all(body.joint.nv <= 1 for body in robot.bodies):
        return qd
    rates = coordinate_rates(robot, list(np.moveaxis(q, -1, 0)), list(np.moveaxis(qd, -1, 0)))
    return np.stack(np.broadcast_arrays(*rates), axis=-1)


NEAR = 1e-4
"""Singular value, relative to the largest one, that counts as zero: about the angle between collinear links [rad]."""


def singular_closures(linkage: ConstrainedRobot, q: Array, regular: Array) -> str | None:
    """Message about the closures that are singular near the most singular of q, (n, nq); None if there are none.

    A state is singular if its Jacobian has fewer singular values well above zero than the best of the regular states.
    Its singular rows are those in the left singular vectors of the lost values, among combinations of rows that are
    independent in a regular state: permanently redundant rows are excluded.
    """
    J, J_regular = linkage.jacobian(q), linkage.jacobian(regular)
    J = J[np.isfinite(J).all(axis=(-2, -1))]
    rank = _rank(J_regular).max(initial=0)
    if not len(J) or _rank(J).min() == rank:
        return None
    J = J[np.argmin(_rank(J))]
    flat = J_regular.reshape(-1, *J_regular.shape[-2:])
    independent = np.linalg.svd(flat[np.argmax(_rank(flat))])[0][:, :rank]
    U, s, _ = np.linalg.svd(independent.T @ J)
    lost = np.abs(independent @ U[:, _rank(J) :]).max(axis=1) > 0.1
    sizes = [len(closure.row_names()) for closure in linkage.closures]
    loops = np.repeat([part.any() for part in np.split(lost, np.cumsum(sizes)[:-1])], sizes)
    moved = np.abs(J_regular[..., loops, :]).reshape(-1, linkage.robot.nv).max(axis=0) > NEAR * np.abs(J_regular).max()
    rows, joints = (
        ", ".join(f"'{name}'" for name, part in zip(names, flags, strict=True) if part)
        for names, flags in ((linkage.row_names, lost), (linkage.robot.coordinate_names, moved))
    )
    return (
        f"closures of '{linkage.robot.name}' are singular there, their Jacobian loses rank: {rows}, in the loops of "
        f"the joints {joints} (singular value {s[rank - 1] / s[0]:.1g} of the largest). "
        "Links are collinear, or joint axes coincide"
    )


def _rank(J: Array) -> Array:
    """(...) number of singular values well above zero."""
    s = np.linalg.svd(J, compute_uv=False)
    return np.asarray((s > NEAR * s.max(axis=-1, keepdims=True, initial=0)).sum(axis=-1))
