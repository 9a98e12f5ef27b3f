"""Sliders of the joints, and joint torques with their limits."""

from __future__ import annotations

import html
import math
from collections.abc import Callable
from typing import Any

import numpy as np

from revolute.model.units import force_units, number, short_names
from revolute.plot.style import COLOURS, LIMIT
from revolute.view.coordinates import Sliders
from revolute.view.viewable import Array, Movable

__all__ = ["Panel", "torque_table"]

FEW = 14
"""Maximum number of coordinates whose torques are shown unfolded."""
CALM, OVER = COLOURS[0], LIMIT


class Panel:
    """A folder with sliders and a table of torques.

    Args:
        gui: of viser.
        title: of the folder.
        robot: the robot.
        reach: range of positions without limits [m].
        gravity: whether the torques are those of gravity or of a motion.
        moved: called with the slider's index and the joint positions after a user moved a slider.
    """

    def __init__(
        self, gui: Any, title: str, robot: Movable, reach: float, moved: Callable[[int, Array], None], gravity: bool
    ) -> None:
        self.robot, self.sliders = robot, Sliders.of(robot, reach)
        self.handles: list[Any] = []
        self._quiet = False
        rest = self.sliders
        with gui.add_folder(
            f"{title}: {'torques against gravity' if gravity else 'torques of the motion'}",
            expand_by_default=robot.space.nv <= FEW,
        ):
            self.table = gui.add_html("")
        with gui.add_folder(title):
            self.home = gui.add_button("Home", hint="The home of the robot, or zero within the limits")
            for k, (name, unit) in enumerate(zip(rest.names, rest.units, strict=True)):
                low, high = float(rest.low[k]), float(rest.high[k])
                start = min(max(0.0, low), high)
                step = (high - low) / 1000
                handle = gui.add_slider(f"{name} [{unit}]", min=low, max=high, step=step, initial_value=start)
                handle.on_update(lambda event, k=k: None if self._quiet else moved(k, self.positions()))
                self.handles.append(handle)

    def positions(self) -> Array:
        """(nq,) joint positions of the sliders."""
        return self.sliders.positions(np.array([handle.value for handle in self.handles]), self.robot.space.nq)

    def set(self, q: Array, tau: Array | None = None) -> None:
        """Move the sliders, and show the given torques, or by default those of gravity."""
        numbers = self.sliders.numbers(q) if len(q) else np.zeros(0)
        self._quiet = True
        try:
            for handle, x, low, high in zip(self.handles, numbers, self.sliders.low, self.sliders.high, strict=True):
                handle.value = float(min(max(x, low), high))
        finally:
            self._quiet = False
        self.table.content = torque_table(self.robot, self.robot.gravity(q) if tau is None else tau)


def torque_table(robot: Movable, tau: Array) -> str:
    """HTML table of joint forces, with bars relative to the rated ones."""
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
