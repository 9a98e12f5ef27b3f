"""Motions of a constrained robot, from one closed state to the next, and messages about singular ones."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from revolute.errors import InputError
from revolute.machine.constrained.passage import SingularPassage, Undetermined
from revolute.machine.machine import Array
from revolute.machine.motion_loop import scene_of
from revolute.simulate import ADAPTIVE, Request, Simulation
from revolute.simulate.adaptive import Visits, projected
from revolute.simulate.advice import warn_of_gain
from revolute.simulate.record import Record, march
from revolute.simulate.request import prepare, start
from revolute.simulate.watching import State

if TYPE_CHECKING:
    from revolute.machine.constrained.constrained_robot import ConstrainedRobot

WIDTH = 1e-3
"""Distance from a singular position below which a motion may pass through it [rad, m]: see `SingularPassage`."""

ASIDE = 0.03
"""Maximum distance of a motion that passes through a singular position, as a fraction of the width."""

OPEN_BY = 1e-10
"""Maximum closure error of a loop that counts as closed in a singular position [m]."""


def simulate(linkage: ConstrainedRobot, request: Request, stabilization: float, projection: bool) -> Simulation:
    """See `ConstrainedRobot.simulate`."""
    robot, fixed = linkage.robot, request.method == "runge_kutta_4"
    state = linkage.project(*start(robot, request.q0, request.qd0))
    task = prepare(request, ("runge_kutta_4", *ADAPTIVE), robot, state, partial(scene_of, robot))
    for link in task.links:
        robot.frame(link)  # raises an error if the link is unknown
    # the stages of a fixed step have larger errors
    width = 10 * WIDTH if fixed else min(max(WIDTH, 100 * request.rtol**0.5), 10 * WIDTH)
    aside, open_by = width if fixed else ASIDE * width, max(OPEN_BY, request.rtol)
    passage = SingularPassage(linkage, task.q, width, aside, open_by, projection)
    record, n = Record(task), task.n

    def rates(time: float | Array, q: Array, qd: Array, applied: Array, strict: bool = True) -> State:
        loads = {link: applied[..., n + 6 * k : n + 6 * k + 6] for k, link in enumerate(task.links)}
        return passage.rates(q, qd, applied[..., :n], stabilization if strict else 0.0, loads, strict)

    def project(time: float, q: Array, qd: Array, visits: Visits) -> State:
        finite = np.isfinite(q).all() and np.isfinite(qd).all()  # the record reports the joint that diverges
        return passage.project(q, qd) if projection and finite else (robot.normalize(q), qd)

    def motion() -> Simulation:
        t, q, qd, applied = record.reached()
        _, qdd = rates(t, q, qd, applied, strict=False)
        energies = linkage.model.kinetic_energy(q, qd), linkage.model.potential_energy(q)
        return Simulation.of(linkage._owner, t, q, qd, qdd, applied[..., :n], *energies)

    advance = projected(task, rates, project, partial(_explained, linkage, record, passage))
    found = march(record, advance, motion)
    if fixed:
        warn_of_gain(task, found, lambda *_: "use shorter steps")
    return found


def _explained(
    linkage: ConstrainedRobot, record: Record, passage: SingularPassage, error: Exception, visits: Visits,
    span: tuple[float, float], qd: Array,
) -> str:
    method, robot, regular, last = record.task.request.method, linkage.robot, record.reached()[1], visits[-1][0]
    if isinstance(error, Undetermined):
        there = singular_closures(linkage, error.q[None], np.concatenate([passage.nearby, regular]))
        return (
            f"the motion is not determined after t={last:g} s: {there}, and they are at rest; "
            "start with a velocity, or near this position"
        )
    if there := singular_closures(linkage, np.concatenate([x.reshape(-1, robot.nq) for _, x in visits]), regular):
        return (
            f"{method} stopped near t={last:g} s: {there}, and the motion may branch; "
            "start elsewhere, or change lengths"
        )
    if method == "runge_kutta_4" and isinstance(error, InputError):  # the step leads too far away to close the loops
        joint = robot.coordinate_names[np.abs(qd).reshape(-1, robot.nv).max(axis=0).argmax()]
        return (
            f"the motion diverges at t={span[1]:g} s, most in joint '{joint}': its loops do not close again; "
            f"use smaller steps than {span[1] - span[0]:g} s, or check the forces"
        )
    return f"at t={span[1]:g} s: {str(error).removeprefix('simulate: ')}"


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
