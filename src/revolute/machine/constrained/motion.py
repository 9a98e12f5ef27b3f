"""Motions of a constrained robot, from one closed state to the next, and messages about singular ones."""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING

import numpy as np

from revolute.dynamics.coordinate_rates import coordinate_rates
from revolute.errors import InputError, SimulationError
from revolute.machine.constrained.passage import SingularPassage, Undetermined
from revolute.machine.machine import Array
from revolute.machine.robot import Robot
from revolute.simulate import ADAPTIVE, Request, Simulation
from revolute.simulate.adaptive import STAGES, SolverStopped, solver
from revolute.simulate.advice import warn_of_gain
from revolute.simulate.record import Record, march
from revolute.simulate.request import Task, prepare, start
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
    robot, method = linkage.robot, request.method
    state = linkage.project(*start(robot, request.q0, request.qd0))
    task = prepare(request, ("runge_kutta_4", *ADAPTIVE), robot, state, robot._scene)
    for link in task.links:
        robot.frame(link)  # raises an error if the link is unknown
    motion = _Motion(linkage, Record(task), passage(linkage, task), stabilization, projection)
    found = march(motion.record, motion.advance, motion.reached)
    if method == "runge_kutta_4":
        warn_of_gain(task, found, lambda *_: "use shorter steps")
    return found


def passage(linkage: ConstrainedRobot, task: Task) -> SingularPassage:
    """The singular positions that a motion may pass."""
    fixed, rtol = task.request.method == "runge_kutta_4", task.request.rtol
    width = 10 * WIDTH if fixed else min(max(WIDTH, 100 * rtol**0.5), 10 * WIDTH)  # stages of fixed steps err more
    return SingularPassage(linkage, task.q, width, width if fixed else ASIDE * width, max(OPEN_BY, rtol))


class _Motion:
    """A motion from one closed state to the next; `visits` are the latest states of a solver."""

    def __init__(
        self, linkage: ConstrainedRobot, record: Record, passage: SingularPassage, stabilization: float,
        projection: bool,
    ) -> None:
        self.linkage, self.record, self._passage = linkage, record, passage
        self._stabilization, self._projection = stabilization, projection
        self._visits: deque[tuple[float, Array]] = deque(maxlen=STAGES)
        self._step = solver(record.task, self._rates)

    def advance(self, k: int, span: tuple[float, float], q: Array, qd: Array, held: Array) -> State:
        """The closed state at the end of an interval."""
        self._visits.clear()
        try:
            q, qd = self._step(k, span, q, qd, held)
            q = self.linkage.robot.normalize(q)
            finite = np.isfinite(q).all() and np.isfinite(qd).all()  # the record reports the joint that diverges
            return self._passage.project(q, qd) if self._projection and finite else (q, qd)
        except Undetermined as error:
            regular = np.concatenate([self._passage.nearby, self.record.reached()[1]])
            raise SimulationError(
                f"simulate: the motion is not determined after t={self._visits[-1][0]:g} s: "
                f"{singular_closures(self.linkage, error.q[None], regular)}, and they are at rest; "
                "start with a velocity, or near this position"
            ) from error
        except (InputError, SolverStopped, np.linalg.LinAlgError) as error:
            raise SimulationError(f"simulate: {self._stopped(error, span, qd)}") from error

    def reached(self) -> Simulation:
        """The motion so far."""
        model, n, (t, q, qd, forces) = self.linkage.model, self.record.task.n, self.record.reached()
        energies = model.kinetic_energy(q, qd), model.potential_energy(q)
        qdd = self._accelerations(q, qd, forces)
        return Simulation.of(self.linkage._owner, t, q, qd, qdd, forces[..., :n], *energies)

    def _rates(self, time: float, q: Array, qd: Array, forces: Array) -> State:
        self._visits.append((time, q.copy()))
        return _rates(self.linkage.robot, q, qd), self._accelerations(q, qd, forces, self._stabilization, True)

    def _accelerations(
        self, q: Array, qd: Array, forces: Array, stabilization: float = 0.0, strict: bool = False
    ) -> Array:
        n, links = self.record.task.n, enumerate(self.record.task.links)
        wrenches = {link: forces[..., n + 6 * k : n + 6 * k + 6] for k, link in links}
        return self._passage.accelerations(q, qd, forces[..., :n], stabilization, wrenches, strict)

    def _stopped(self, error: Exception, span: tuple[float, float], qd: Array) -> str:
        """The message about a step that failed; qd is the latest velocity."""
        robot, method, visits = self.linkage.robot, self.record.task.request.method, self._visits
        visited = np.concatenate([x.reshape(-1, robot.nq) for _, x in visits])
        if singular := singular_closures(self.linkage, visited, self.record.reached()[1]):
            return (
                f"{method} stopped near t={visits[-1][0]:g} s: {singular}, and the motion may branch; "
                "start elsewhere, or change lengths"
            )
        if method == "runge_kutta_4" and isinstance(error, InputError):  # the step leads too far away
            joint = robot.coordinate_names[np.abs(qd).reshape(-1, robot.nv).max(axis=0).argmax()]
            return (
                f"the motion diverges at t={span[1]:g} s, most in joint '{joint}': its loops do not close again; "
                f"use smaller steps than {span[1] - span[0]:g} s, or check the forces"
            )
        return f"at t={span[1]:g} s: {str(error).removeprefix('simulate: ')}"


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
