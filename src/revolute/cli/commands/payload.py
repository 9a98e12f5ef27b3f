"""`revolute payload`: find mass, centre and inertia of a load on a link, from a short log."""

from typing import Any

import numpy as np
from rich.console import Console

from revolute.cli.commands import screen
from revolute.cli.commands.identification_options import PayloadOptions
from revolute.cli.commands.log_options import LogOptions
from revolute.cli.commands.logs import LogBlocks, columns_lines, files_of, moving, open_log, progress
from revolute.cli.commands.targets import check_robot
from revolute.files import save
from revolute.identification import Payload, payload
from revolute.machine.robot import Robot
from revolute.model.parameters import NAMES
from revolute.model.parameters import to_vector as ten_parameters


def run(robot: Robot, log: str, options: PayloadOptions, reading: LogOptions, as_json: bool, console: Console) -> None:
    """Find the load from the argument LOG; print the load, and write the robot with it."""
    check_robot(options.output)
    settings = reading.settings()
    robot = moving(robot, settings)
    robot.frame(options.link)  # raises an error for an unknown link before the log is read
    texts = [log] if options.without is None else [log, options.without]
    with progress([path for text in texts for path in files_of(text)]) as show:
        blocks = [
            LogBlocks(
                [open_log(robot, text, settings, reading.gains)], settings, files_of(text),
                lambda count: show(f"reading: {count:,} samples"),
            )
            for text in texts
        ]  # fmt: skip
        other = None if options.without is None else list(blocks[1])
        load = payload(robot, list(blocks[0]), options.link, without=other, offsets=options.offsets)
    if as_json:
        screen.print_json(_data(load))
    names = [line for each in blocks for log in each.logs for line in columns_lines(log)]
    for line in [*str(load).split("\n"), *names]:
        screen.say(console, line)
    if options.output is not None:
        save(robot.with_payload(options.link, load.inertia), options.output)
        screen.say(console, f"Written to {options.output}")


def _data(load: Payload) -> dict[str, Any]:
    rows = zip(NAMES, map(float, ten_parameters(load.inertia)), load.estimate, load.standard_errors, strict=True)
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
