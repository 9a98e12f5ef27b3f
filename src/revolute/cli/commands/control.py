"""A controller and its reference, from command-line options."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from revolute.arguments import Array
from revolute.cli.commands.forces import times_within
from revolute.cli.commands.motion_options import SimulateOptions
from revolute.control import ComputedTorque, FeedforwardPD, MotionTable, PassivityBased, PDWithGravity
from revolute.errors import InputError
from revolute.io.trajectory import read
from revolute.machine.robot import Robot
from revolute.model.contact import Contact
from revolute.simulate import Controller, Law, Simulation

LAWS: dict[str, Callable[..., Law]] = {
    "pd_with_gravity": PDWithGravity, "computed_torque": ComputedTorque, "feedforward_pd": FeedforwardPD,
    "passivity_based": PassivityBased,
}  # fmt: skip
"""Controllers by name: each function takes the robot, the reference and two gains."""


@dataclass(frozen=True, eq=False)
class ControlledMotion:
    """A controller, its reference at the times of the motion, and the contacts of a plan."""

    law: Law | Controller
    rows: MotionTable
    contacts: tuple[Contact, ...] = ()

    @property
    def start(self) -> tuple[Array, Array]:
        """(nq,) initial positions and (nv,) initial velocities of the reference."""
        return np.asarray(self.rows.q)[0], np.asarray(self.rows.qd)[0]

    def error(self, robot: Robot, motion: Simulation) -> str:
        """A text about the tracking error of a motion."""
        e = np.abs(robot.difference(np.asarray(self.rows.q)[: len(motion.t)], motion.q))
        joint = robot.coordinate_names[int(e.max(axis=0).argmax())]
        return f"largest error of the reference {e.max():.2g}, at joint '{joint}'; {e[-1].max():.2g} at the end"


def followed(robot: Robot, options: SimulateOptions) -> ControlledMotion | None:
    """The controller and reference that the options specify; None without such options.

    Between rows, a reference is linear in q, qd and qdd; with quaternions, it is constant. Gains for a bandwidth w
    critically damp the error: w^2 and 2 w for computed_torque, w and w M for passivity_based, otherwise w^2 M and 2 w
    M, with the diagonal M of the initial mass matrix.
    """
    name, file, w, duration = options.controller, options.reference, options.bandwidth, options.duration
    if options.plan is not None:
        if name is not None or file is not None or options.tau is not None:
            raise InputError("--plan replaces --tau, --controller and --reference: give it alone")
        return replayed(robot, options.plan, duration, options.step)
    if name is None and file is None:
        return None
    if name is None or file is None:
        raise InputError("--controller and --reference must be given together")
    if name not in LAWS:
        raise InputError(f"--controller must be one of {', '.join(LAWS)}, not '{name}'")
    if options.tau is not None:
        raise InputError("give the forces by --tau or by --controller, not both")
    if not 0 < w < np.inf:
        raise InputError(f"--bandwidth must be more than 0 rad/s, not {w:g}")
    own, motions = reference_rows(robot, file)
    t = times_within(str(file), own, duration, options.step)
    if robot.nq > robot.nv:
        held = MotionTable(own, *motions)
        rows = MotionTable(t, *(np.asarray(x)[held.row(t)] for x in (held.q, held.qd, held.qdd)))
    else:
        rows = MotionTable(t, *(np.stack([np.interp(t, own, x) for x in part.T], axis=-1) for part in motions))
    M = np.diag(robot.mass_matrix(np.asarray(rows.q)[0]))
    gains = {"computed_torque": (w**2, 2 * w), "passivity_based": (w, w * M)}.get(name, (w**2 * M, 2 * w * M))
    return ControlledMotion(LAWS[name](robot, rows, *gains), rows)


def replayed(robot: Robot, file: Path, duration: float | None, step: float) -> ControlledMotion:
    """A plan of optimal control as a controller, with the plan's states as the reference."""
    from revolute.optimal import OptimalPlan  # compiles nothing, but most simulations follow no plan

    plan = OptimalPlan.load(file, robot)
    if np.ndim(plan.state):
        raise InputError(f"{file}: this is a batch of plans {np.shape(plan.state)}; save one of them: plan.row(k)")
    t = times_within(str(file), plan.t, duration, step)
    k, q, qd = plan.state_at(t)
    return ControlledMotion(plan, MotionTable(t, q, qd, plan.qdd[k]), plan.problem.contacts)


def reference_rows(robot: Robot, file: Path) -> tuple[Array, tuple[Array, Array, Array]]:
    """The (n,) times of a reference file, and its q, qd and qdd at these times."""
    table = read(robot, file)
    if table.t is None or len(table.t) < 2:
        raise InputError(f"{file}: a reference needs a time column, 't' [s], and at least two rows")
    return np.asarray(table.t, dtype=float), (table.q, table.qd, table.qdd)
