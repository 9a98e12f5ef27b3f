"""Contact schedules: which contacts hold at which step, where feet land, how high they swing, how the base moves."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from revolute.arguments import Array, finite_array, finite_rows, instances, nearest, positive, whole_number
from revolute.control.checks import machine
from revolute.errors import InputError, UnknownNameError
from revolute.model.contact import Contact
from revolute.model.joints import Free
from revolute.optimal.gaits import Phase


@dataclass(frozen=True, eq=False, repr=False)
class ContactSchedule:
    """Contacts that hold at each step, and motions of the feet and the base: inputs of `OptimalControl.solve`.

    Attributes:
        t: (T + 1,) times of the nodes [s].
        active: (T, contacts) 1 where a contact holds during a step, otherwise 0.
        heights: (T + 1, contacts) heights of swinging contacts above the ground [m].
        places: (T + 1, contacts, 3) points at which contacts hold, or will land [m].
        states: (T + 1, nq + nv) states with the base on its path and the joints at rest, for the goal of `StateCost`
            and the first guess.
        phases: names of the phases of the T steps.

    Example:
        >>> import revolute
        >>> from revolute import Contact
        >>> from revolute.optimal import ContactSchedule, Phase
        >>> arm, tip = revolute.robots.planar(2), [Contact("tip")]
        >>> phases = [Phase("push", 0.1, ["tip"]), Phase("leave", 0.1, [])]
        >>> schedule = ContactSchedule.of(arm, tip, phases, [0.3, 0.4], dt=0.05)
        >>> schedule.active[:, 0]
        array([1., 1., 0., 0.])
    """

    t: Array
    active: Array
    heights: Array
    places: Array
    states: Array
    phases: tuple[str, ...]

    @staticmethod
    def feet(robot: Any, contacts: Sequence[Contact], q: ArrayLike) -> dict[str, Array]:
        """{link: (3,) mean position of its contacts [m]}, in the order of the contacts, in the frame of the base."""
        what = "ContactSchedule.feet"
        q = finite_rows(what, "q", q, machine(what, robot).nq)
        origin, R, _ = _base(robot, q)
        places, links = (_places(robot, contacts, q) - origin) @ R, np.array([contact.link for contact in contacts])
        return {str(link): places[links == link].mean(axis=0) for link in dict.fromkeys(links)}

    @classmethod
    def of(
        cls, robot: Any, contacts: Sequence[Contact], phases: Sequence[Phase], q0: ArrayLike, *, dt: float,
        step_height: float = 0.05,
    ) -> ContactSchedule:
        """The schedule of successive phases, from a configuration with all feet at their nominal positions.

        The base follows the velocities of the phases; while no foot holds, it flies along a parabola. A foot lands at
        its nominal position relative to the pose of the base halfway through the stance that follows.

        Args:
            robot: a `Robot` or `DrivenRobot`, with or without a free base.
            contacts: contacts of the problem.
            phases: see `gait`. Their ends are rounded to whole steps.
            q0: (nq,) the configuration [rad, m].
            dt: length of a step [s].
            step_height: largest height of a swinging foot [m].

        Raises:
            InputError: a phase is rounded to zero steps, or a number is invalid.
            UnknownNameError: a foot of a phase has no contact.
        """
        what, dt = "ContactSchedule", float(positive("ContactSchedule: dt", dt))
        q0 = finite_rows(what, "q0", q0, machine(what, robot).nq)
        height = float(finite_array(f"{what}: step_height", step_height))
        links = [contact.link for contact in instances(f"{what}: contacts", contacts, Contact)]
        phases = instances(f"{what}: phases", phases, Phase)
        for name, foot in ((x.name, foot) for x in phases for foot in x.feet if foot not in links):
            raise UnknownNameError(f"Phase '{name}': '{foot}' has no contact; {nearest(foot, links)}")
        counts = np.diff(np.rint(np.cumsum([phase.duration for phase in phases]) / dt), prepend=0).astype(int)
        if not counts.all() or not phases:
            names = ", ".join(f"'{phase.name}'" for phase, n in zip(phases, counts, strict=True) if n == 0)
            raise InputError(f"{what}: give phases of at least one step of dt = {dt:g} s; shorter: {names or 'none'}")
        each = np.repeat(np.arange(len(phases)), counts)
        active = np.array([[float(link in phase.feet) for link in links] for phase in phases])[each]
        velocity = np.array([phases[k].velocity for k in (*each, each[-1])], float)
        origin, R, free = _base(robot, q0)
        ahead = np.exp(1j * np.arctan2(R[1, 0], R[0, 0])) * (velocity[:, :2] @ [1, 1j])  # x + iy, before it turns
        yaw, path = np.zeros(len(velocity)), np.zeros(len(velocity), complex)
        yaw[1:] = dt * np.cumsum(velocity[:-1, 2])
        path[1:] = dt * np.cumsum(np.exp(0.5j * (yaw[1:] + yaw[:-1])) * ahead[:-1])
        nominal = _places(robot, contacts, q0)
        places, heights = np.tile(nominal, (len(yaw), 1, 1)), np.zeros((len(yaw), len(links)))
        for k, leg in enumerate((nominal - origin) @ [1, 1j, 0]):
            swing = 0
            for first, last, held in _runs(active[:, k]):
                if not held:
                    swing, half_turn = first, np.linspace(0, np.pi, last - first + 1)
                    heights[first : last + 1, k] = height * np.sin(half_turn) ** 2
                elif first:
                    middle = [(first + last) // 2, (first + last + 1) // 2]
                    z = origin @ [1, 1j, 0] + (path[middle] + np.exp(1j * yaw[middle]) * leg).mean()
                    places[swing:, k, :2] = z.real, z.imag
        states = np.tile(np.append(q0, np.zeros(robot.nv)), (len(yaw), 1))
        if free:
            turn, (up, climb) = np.zeros((len(yaw), robot.nv)), np.zeros((2, len(yaw)))
            for first, last, held in _runs(active.max(axis=1)):
                if not held:
                    s, end, g = dt * np.arange(last - first), dt * (last - first), np.linalg.norm(robot.gravity)
                    up[first:last], climb[first:last] = g * s * (end - s) / 2, g * (end / 2 - s)
            turn[:, :3] = np.outer(yaw, R[2])
            states[:, : robot.nq] = robot.integrate(q0, turn)
            states[:, :3] = origin + np.transpose([path.real, path.imag, up])
            twist = np.outer(velocity[:, 2], R[2]), np.transpose([ahead.real, ahead.imag, climb]) @ R
            states[:, robot.nq : robot.nq + 6] = np.concatenate(twist, axis=1)
        return cls(dt * np.arange(len(yaw)), active, heights, places, states, tuple(phases[k].name for k in each))

    def window(self, first: int, steps: int) -> ContactSchedule:
        """The part of the schedule from step `first`, for predictive control; beyond the end, the last node repeats.

        Raises:
            InputError: first or steps is not a whole number, or is too small.
        """
        first, steps = whole_number("window: first", first, 0), whole_number("window: steps", steps, 1)
        nodes = np.minimum(np.arange(first, first + steps + 1), len(self.active))
        at = np.minimum(nodes[:-1], len(self.active) - 1)
        moved = {name: getattr(self, name)[nodes] for name in ("heights", "places", "states")}
        names = tuple(self.phases[k] for k in at)
        return replace(self, t=self.t[1] * np.arange(steps + 1), active=self.active[at], phases=names, **moved)

    def __repr__(self) -> str:
        spans = [f"{self.phases[a]} {self.t[b] - self.t[a]:.3g} s" for a, b, _ in _runs(np.array(self.phases))]
        return f"<ContactSchedule of {self.active.shape[1]} contacts, {len(self.active)} steps: {', '.join(spans)}>"


def _places(robot: Any, contacts: Sequence[Contact], q: ArrayLike) -> Array:
    """(contacts, 3) points of contacts in the base frame."""
    poses = [robot.forward_kinematics(q, contact.link) for contact in contacts]
    return np.array([X[:3, :3] @ x.point + X[:3, 3] for X, x in zip(poses, contacts, strict=True)])


def _base(robot: Any, q: Array) -> tuple[Array, Array, bool]:
    """Origin and axes of the base, and whether it is free."""
    body = getattr(robot, "space", robot).bodies[1]
    if not isinstance(body.joint, Free):
        return np.zeros(3), np.eye(3), False
    return q[:3], robot.forward_kinematics(q, body.name)[:3, :3], True


def _runs(values: Array) -> Iterator[tuple[int, int, Any]]:
    """First, end and value of each run of equal values."""
    ends = [0, *(np.flatnonzero(values[1:] != values[:-1]) + 1), len(values)]
    return ((int(a), int(b), values[a]) for a, b in pairwise(ends))
