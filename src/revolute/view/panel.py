"""Sliders, one per position, but three for the rotation vector of a quaternion; joint torques with their limits."""

from __future__ import annotations

import html
import math
from collections.abc import Callable
from typing import Any

import numpy as np

from revolute.arguments import Array
from revolute.errors import printable
from revolute.model.units import force_units, number, short_names
from revolute.plot.style import COLOURS, LIMIT
from revolute.records import dataclass
from revolute.view.motion import Movable

REACH = 1.0  # range of a slider without limits, to both sides [m]; sliders of angles have half a turn
FEW = 14  # maximum number of coordinates for which the torque table is expanded at first
CALM, OVER = COLOURS[0], LIMIT


@dataclass(frozen=True, eq=False)
class Sliders:
    """The sliders of a robot, and their conversion from values s to positions q."""

    names: tuple[str, ...]  # of the sliders
    units: tuple[str, ...]  # "rad" or "m"
    # low, high: bounds of the sliders' values
    low: Array
    high: Array
    places: tuple[tuple[int, ...], ...]  # for each slider, the indices of the positions in q that it changes
    rotations: tuple[tuple[int, int], ...]  # (first slider, first index in q) of the rotation vectors

    @classmethod
    def of(cls, robot: Movable, reach: float = REACH) -> Sliders:
        """The sliders of a robot."""
        names, units, low, high, rotations = list[str](), list[str](), list[float](), list[float](), []
        places: list[tuple[int, ...]] = []
        for body, at in zip(robot.space.bodies, robot.space.q_index, strict=True):
            joint, label = body.joint, printable(body.joint_name or "").removesuffix("_joint").replace("_", " ")
            straight = joint.nq if joint.quaternion_at is None else joint.quaternion_at
            linear = joint.linear if joint.quaternion_at is None else (True,) * straight
            for k in range(straight):
                names.append(" ".join(filter(None, (label, joint.q_names[k]))))
                units.append("m" if linear[k] else "rad")
                most = reach if linear[k] else math.pi
                low.append(max(float(robot.lower[at.start + k]), -1e3))
                high.append(min(float(robot.upper[at.start + k]), 1e3))
                if not robot.lower[at.start + k] > -1e3:
                    low[-1] = min(-most, high[-1] - most)
                if not robot.upper[at.start + k] < 1e3:
                    high[-1] = max(most, low[-1] + most)
                if not low[-1] < high[-1]:
                    low[-1], high[-1] = low[-1] - 1e-3, low[-1] + 1e-3
                places.append((at.start + k,))
            if joint.quaternion_at is not None:
                first = at.start + joint.quaternion_at
                rotations.append((len(names), first))
                names += [f"{label} turn {axis}" for axis in "xyz"]
                units += ["rad"] * 3
                low += [-math.pi] * 3
                high += [math.pi] * 3
                places += [tuple(range(first, first + 4))] * 3
        return cls(tuple(names), tuple(units), np.array(low), np.array(high), tuple(places), tuple(rotations))

    def positions(self, s: Array, nq: int) -> Array:
        """(nq,) joint positions for the sliders' values."""
        q = np.zeros(nq)
        for x, place in zip(s, self.places, strict=True):
            if len(place) == 1:
                q[place[0]] = x
        for k, first in self.rotations:
            angle = float(np.linalg.norm(s[k : k + 3]))
            q[first : first + 3] = np.sinc(angle / 2 / math.pi) / 2 * s[k : k + 3]
            q[first + 3] = math.cos(angle / 2)
        return q

    def numbers(self, q: Array) -> Array:
        """The sliders' values for joint positions: the inverse of `positions`."""
        s = np.array([q[place[0]] for place in self.places])
        for k, first in self.rotations:
            v, w = q[first : first + 3], q[first + 3]
            if w < 0:
                v, w = -v, -w
            sine = float(np.linalg.norm(v))
            s[k : k + 3] = v * (2 * math.atan2(sine, w) / sine if sine > 1e-12 else 2.0)
        return s


class Panel:
    """A folder with sliders and a table of joint torques, which balance gravity or belong to a motion.

    `reach` is the range of lengths without limits, to both sides [m]. After a user moves a slider, `moved` is called
    with its index and the joint positions.
    """

    def __init__(
        self, gui: Any, title: str, robot: Movable, reach: float, moved: Callable[[int, Array], None], gravity: bool
    ) -> None:
        self.robot, self.sliders = robot, Sliders.of(robot, reach)
        self.handles: list[Any] = []
        self._quiet = False
        rest, shown = self.sliders, "torques against gravity" if gravity else "torques of the motion"
        with gui.add_folder(f"{title}: {shown}", expand_by_default=robot.space.nv <= FEW):
            self.table = gui.add_html("")
        with gui.add_folder(title):
            self.home = gui.add_button("Home", hint="The home of the robot, or zero within the limits")
            for k, (name, unit) in enumerate(zip(rest.names, rest.units, strict=True)):
                low, high = float(rest.low[k]), float(rest.high[k])
                ends = {"min": low, "max": high, "step": (high - low) / 1000, "initial_value": min(max(0.0, low), high)}
                handle = gui.add_slider(f"{name} [{unit}]", **ends)
                handle.on_update(lambda event, k=k: None if self._quiet else moved(k, self.positions()))
                self.handles.append(handle)

    def positions(self) -> Array:
        """(nq,) joint positions of the sliders."""
        return self.sliders.positions(np.array([handle.value for handle in self.handles]), self.robot.space.nq)

    def set(self, q: Array, tau: Array | None = None) -> None:
        """Move the sliders, and show the given torques, by default the torques that balance gravity."""
        numbers = self.sliders.numbers(q) if len(q) else np.zeros(0)
        self._quiet = True
        try:
            for handle, x, low, high in zip(self.handles, numbers, self.sliders.low, self.sliders.high, strict=True):
                handle.value = float(min(max(x, low), high))
        finally:
            self._quiet = False
        self.table.content = torque_table(self.robot, self.robot.gravity(q) if tau is None else tau)


def torque_table(robot: Movable, tau: Array) -> str:
    """HTML table of joint forces, with bars relative to the rated efforts."""
    rated = np.where(np.isfinite(robot.effort) & (robot.effort > 0), robot.effort, np.inf)
    most = max(float(np.abs(tau).max(initial=0)), 1e-9)
    rows = []
    for name, unit, x, limit in zip(short_names(robot.space), force_units(robot.space), tau, rated, strict=True):
        share = abs(x) / (limit if math.isfinite(limit) else most)
        colour = OVER if math.isfinite(limit) and share > 1 else CALM
        width = 100 * min(share, 1.0) if math.isfinite(share) else 100
        of = f" of {number(float(limit))}" if math.isfinite(limit) else ""
        rows.append(
            f"<tr><td style='padding-right:8px'>{html.escape(name)}</td>"
            f"<td style='text-align:right;white-space:nowrap;color:{colour}'>{number(float(x))}{of} {unit}</td>"
            "<td style='width:32%;padding-left:8px'><div style='background:#e6e9ed;height:8px'>"
            f"<div style='background:{colour};height:8px;width:{width:.1f}%'></div></div></td></tr>"
        )
    return f"<table style='width:100%;font-size:12px;padding:0 12px'>{''.join(rows)}</table>"
