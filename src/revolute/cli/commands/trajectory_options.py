"""Options of `revolute trajectory`, declared once."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from revolute.cli.commands import completion

__all__ = ["Drawing", "TrajectoryFile", "TrajectoryOptions"]

TrajectoryFile = Annotated[
    Path | None, typer.Option("--output", "-o", help="Write the trajectory to this CSV or Parquet file.")
]
Drawing = Annotated[Path | None, typer.Option(help="Draw it in this .png, .svg or .pdf (needs the extra plot).")]


@dataclass(frozen=True)
class TrajectoryOptions:
    """Waypoints, their times, limits, and files to write."""

    via: Annotated[
        list[str],
        typer.Option(
            metavar="NUMBERS|FILE",
            help="A waypoint, to be given for each of them; or a table with columns q.JOINT, and t if it has times.",
        ),
    ]
    kind: Annotated[
        str | None,
        typer.Option(
            help="cubic, quintic: at rest at each waypoint. minimum_jerk, spline: through them. "
            "trapezoid, jerk_limited: from one to the next as fast as --limits allow. By default quintic, with "
            "--time-optimal spline.",
            autocompletion=completion.known("trajectories"),
        ),
    ] = None
    times: Annotated[
        str | None, typer.Option(metavar="NUMBERS", help="Times of the waypoints [s]; by default those of the file.")
    ] = None
    duration: Annotated[float | None, typer.Option(help="Seconds, divided evenly between waypoints.")] = None
    limits: Annotated[
        str | None,
        typer.Option(
            metavar="LIMITS",
            help="velocity=2,acceleration=10,jerk=100,torque=50 for all joints, elbow.velocity=1 for one. "
            "Velocities and torques are by default those of the robot.",
        ),
    ] = None
    fastest: Annotated[
        bool, typer.Option("--fastest", help="Run it as a whole as fast as limits of velocity and torque allow.")
    ] = False
    time_optimal: Annotated[
        bool,
        typer.Option("--time-optimal", help="Take the least time along its path (needs the extra control)."),
    ] = False
    drives: Annotated[
        bool, typer.Option("--drives", help="Torques include rotors, friction and springs of the joints.")
    ] = False
    step: Annotated[float, typer.Option(help="Seconds from row to row of the output.")] = 0.001
    output: TrajectoryFile = None
    plot: Drawing = None
