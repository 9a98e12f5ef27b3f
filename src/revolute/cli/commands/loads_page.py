"""The report of `revolute torque`: joint loads as one HTML file that needs no network."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from revolute.cli.commands.summary import Summary, load_cells, load_headings, overloaded
from revolute.errors import InputError
from revolute.identification.report.markup import cell, document, figure, table, text
from revolute.machine.robot import Robot
from revolute.model.units import force_units, short_names
from revolute.plot.charts import ChartLine, Mark, chart
from revolute.whole_file import write_whole

__all__ = ["save_loads"]


def save_loads(path: Path, robot: Robot, summary: Summary, title: str, remarks: Sequence[str], timed: bool) -> None:
    """Write the page: remarks, peaks and RMS forces with rated efforts, and plots of forces over time or rows.

    Raises:
        InputError: the file cannot be written.
    """
    rows = [
        [cell(x, "name" if i == 0 else "bad" if bad and i == 5 else "") for i, x in enumerate(cells)]
        for cells, bad in zip(load_cells(robot, summary, timed), overloaded(robot, summary), strict=True)
    ]
    listed = "".join(f"<li>{text(remark)}</li>" for remark in remarks)
    charts = "".join(_chart(robot, summary, k, timed) for k in range(robot.nv))
    body = [
        f"<h1>{text(title)}</h1><ul>{listed}</ul>",
        table([heading.replace("\n", " ") for heading in load_headings(robot, timed)], rows),
        "<h2>Joint forces</h2>",
        "<p class='muted'><span class='key one'></span>force <span class='key three'></span>rated effort, where the "
        "force comes near</p>",
        f"<div class='charts'>{charts}</div>",
    ]
    try:
        write_whole(path, document(title, body))
    except OSError as error:
        raise InputError(f"{path}: the report cannot be written: {error.strerror}") from None


def _chart(robot: Robot, summary: Summary, k: int, timed: bool) -> str:
    name, unit, limit = short_names(robot)[k], force_units(robot)[k], robot.effort_limits[k]
    x, forces = summary.curves()
    marks: list[Mark] = [ChartLine(x, forces[:, k])]
    ends = x[[0, -1]]
    shown = 0 < limit < 2 * abs(forces[:, k]).max()
    marks += [ChartLine(ends, np.full(2, y), "three") for y in (-limit, limit) if shown]
    picture = chart([marks], "t [s]" if timed else "row", [f"force [{unit}]"], f"{name}: force along the motion")
    return figure(name, f"peak {summary.peak_force[k]:.4g} {unit}", picture)
