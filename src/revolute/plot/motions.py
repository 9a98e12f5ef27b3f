"""Figures of simulated motions: joint positions, energies, and forces of contacts."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from revolute.arguments import Array
from revolute.errors import printable
from revolute.model import Model, limit_column
from revolute.plot.figures import heading, joint_panels, legend_above
from revolute.plot.style import COLOURS, DASHED, INK

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

STILL = 1e-9  # range up to which a motion counts as rounding errors and is drawn as a constant [rad, m]


def motion(robot: Model | None, simulation: Any, title: str, names: Sequence[str] = ()) -> Figure:
    """Plot a simulated motion: the positions, one panel per joint, the energies, and the forces of contacts.

    Dashed lines are limits near the motion, dotted lines the motors of elastic joints. For a free or planar joint, the
    panel shows the position of its body in the joint's frame; for a spherical joint, the quaternion.

    Args:
        robot: the robot; None if the simulation is of a system that is not a robot.
        simulation: a `revolute.Simulation` of one motion, not of a batch.
        title: title of the figure.
        names: names of the coordinates of a system that is not a robot.

    Raises:
        MissingExtraError: Matplotlib is not installed.

    Example:
        >>> from revolute.plot import motion
        >>> robot = revolute.robots.planar(2)
        >>> fall = robot.simulate([0.0, 0.0], [0.0, 0.0], None, np.linspace(0, 1, 101))
        >>> len(motion(robot, fall, "falling").axes)
        3
    """
    shown = slice(None, None, max(len(simulation.t) // 4000, 1))  # more points than pixels are useless
    t, q = simulation.t[shown], simulation.q[shown]
    count = len(names) if robot is None else robot.n_joints
    forces = simulation.contact_forces
    with joint_panels(count + 1 + (forces is not None), title, "time [s]") as (figure, panels):
        joint_axes, (energy_axes, *force_axes) = panels[:count], panels[count:]
        for i, axes in enumerate(joint_axes):
            if robot is None:
                axes.plot(t, q[:, i], color=COLOURS[i % len(COLOURS)])
                _finish(axes, printable(names[i]), COLOURS[i % len(COLOURS)], "position")
            else:
                _positions(axes, robot, i, t, q[:, robot.q_index[i + 1]])
        if robot is not None and simulation.theta is not None:
            _motors(joint_axes, robot, t, simulation.theta[shown])
        energies = (simulation.kinetic_energy, simulation.potential_energy, simulation.energy)
        for energy, name, colour in zip(energies, ("kinetic", "potential", "total"), (*COLOURS[:2], INK), strict=True):
            energy_axes.plot(t, energy[shown], color=colour, label=name)
        _finish(energy_axes, "energy", INK, "energy [J]", legend=True)
        for axes in force_axes:
            for k, (name, force) in enumerate(zip(simulation.owner.contacts, forces.swapaxes(0, 1), strict=True)):
                size = [math.hypot(*x) for x in force[shown].tolist()]
                axes.plot(t, size, color=COLOURS[k % len(COLOURS)], label=printable(name).replace("_", " "))
            _finish(axes, "contacts", INK, "force [N]")
            axes.legend(loc="upper right", ncols=2)
    return figure


def _positions(axes: Axes, robot: Model, i: int, t: Array, q: Array) -> None:
    """Plot one joint's positions, and the limits near them."""
    body, colour = robot.bodies[i + 1], COLOURS[i % len(COLOURS)]
    name = printable(body.joint_name).removesuffix("_joint").replace("_", " ")
    if body.joint.nq > 1:
        lengths = [part for part in body.joint.q_names if part in ("x", "y", "z")]
        for k, part in enumerate(lengths or body.joint.q_names):
            axes.plot(t, q[:, k], color=COLOURS[k], label=part)
        _finish(axes, name, INK, "position [m]" if lengths else "quaternion", legend=True)
        return
    axes.plot(t, q, color=colour)
    low, high = float(q.min()), float(q.max())
    if high - low < STILL:
        axes.set_ylim(low - 1e-3, high + 1e-3)
    for side, default in (("lower", -math.inf), ("upper", math.inf)):
        limit = limit_column(robot, side, "nq", default)[robot.q_index[i + 1]][0]
        if low - (high - low) / 4 <= limit <= high + (high - low) / 4:
            axes.axhline(limit, **DASHED)
    _finish(axes, name, colour, "position [m]" if body.joint.linear[0] else "angle [rad]")


def _motors(panels: Sequence[Axes], robot: Model, t: Array, theta: Array) -> None:
    """Plot positions of motors in the panels of their joints."""
    driven = [axes for axes, body in zip(panels, robot.bodies[1:], strict=True) if body.joint.nv == 1]
    for axes, column in zip(driven, theta.T, strict=True):
        axes.plot(t, column, color=INK, linestyle=":", label="motor")
        legend_above(axes)


def _finish(axes: Axes, name: str, colour: str, label: str, legend: bool = False) -> None:
    axes.margins(x=0, y=0.15)
    heading(axes, name, colour)
    axes.set_ylabel(label)
    if legend:
        legend_above(axes)
