"""`revolute payload`: mass, centre and inertia of a load on a link, from a short log."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Console

from revolute.cli.commands import screen
from revolute.cli.commands.log_blocks import LogBlocks, columns_line, progress
from revolute.cli.commands.log_options import LogOptions
from revolute.cli.commands.logs import files_of, moving, open_log
from revolute.cli.commands.targets import check_document
from revolute.files import save
from revolute.identification import Payload, identify_payload
from revolute.machine.robot import Robot
from revolute.model.parameters import NAMES
from revolute.model.parameters import to_vector as ten_parameters

__all__ = ["run"]


def run(
    robot: Robot, log: str, link: str, without: str | None, options: LogOptions, offsets: bool, output: Path | None,
    as_json: bool, console: Console,
) -> None:
    """Find a load; print it, and write the robot with it.

    Args:
        robot: with its drives, as it was identified; or as it was without the load.
        log: argument LOG, with the load; `without`: one without it, or None.
        link: that carries the load.
        options: how logs are read.
        offsets: see `identify_payload`.
        output: file for the robot with its load, or None.
        as_json: print one JSON object.
        console: where to print.

    Raises:
        InputError, TrajectoryError, UnknownNameError: an argument, log or setting cannot be used.
    """
    if output is not None:
        check_document(output, ".urdf", ".xml", ".toml")
    settings = options.settings()
    robot = moving(robot, settings)
    robot.frame(link)  # an unknown one is told before the log is read
    texts = [log] if without is None else [log, without]
    with progress([path for text in texts for path in files_of(text)]) as tell:
        blocks = [
            LogBlocks([open_log(robot, text, settings, options.gains)], settings, files_of(text), partial(_count, tell))
            for text in texts
        ]
        other = None if without is None else list(blocks[1])
        load = identify_payload(robot, list(blocks[0]), link, without=other, offsets=offsets)
    if as_json:
        screen.print_json(_data(load))
    else:
        lines = [f"{log.name}: {text}" for each in blocks for log in each.logs if (text := columns_line(log))]
        for line in [*str(load).split("\n"), *lines]:
            screen.say(console, line)
    if output is not None:
        save(robot.with_payload(link, load.inertia), output)
        if not as_json:
            screen.say(console, f"Written to {output}")


def _count(tell: Any, count: int) -> None:
    tell(f"reading: {count:,} samples")


def _data(load: Payload) -> dict[str, Any]:
    """For programs."""
    rows: Sequence[tuple[str, float, float, float]] = list(
        zip(NAMES, map(float, ten_parameters(load.inertia)), load.estimate, load.standard_errors, strict=True)
    )
    return {
        "link": load.link,
        "mass": load.mass,
        "mass_error": load.mass_error,
        "centre_of_mass": load.com.tolist(),
        "centre_of_mass_errors": np.asarray(load.com_errors).tolist(),
        "parameters": {
            name: {"body": body, "estimate": float(estimate), "standard_error": float(error)}
            for name, body, estimate, error in rows
        },
    }
