"""The closed loop in which a log was recorded, from command-line options."""

from collections.abc import Callable
from functools import partial
from pathlib import Path

import numpy as np

from revolute.arguments import Array
from revolute.cli.commands.control import LAWS, reference_rows
from revolute.cli.commands.identification_options import FitOptions
from revolute.cli.commands.numbers import joint_numbers
from revolute.control import MotionTable
from revolute.errors import InputError
from revolute.identification import ClosedLoop
from revolute.identification.fitting import CLOSED_LOOP, ESTIMATORS
from revolute.machine.robot import Robot
from revolute.simulate import Law, StateFeedback

CONTROLLERS = ("pd", *LAWS)  # values of --controller; only "pd" works without a model of the robot


def check(options: FitOptions) -> None:
    """Raise InputError, before logs are read, for an unknown estimator, or missing or inapplicable options."""
    of_loop = {
        "--controller": options.controller, "--reference": options.reference,
        "--position-gains": options.position_gains, "--velocity-gains": options.velocity_gains,
    }  # fmt: skip
    name = options.estimator
    if name not in (*ESTIMATORS, *CLOSED_LOOP):
        raise InputError(f"unknown estimator {name!r}; available: {', '.join((*ESTIMATORS, *CLOSED_LOOP))}")
    given = [key for key, value in {**of_loop, "--control-step": options.control_step}.items() if value is not None]
    if name in ESTIMATORS and given:
        raise InputError(f"{given[0]} requires an estimator that simulates the loop: {', '.join(CLOSED_LOOP)}")
    if name in CLOSED_LOOP and (missing := [key for key, value in of_loop.items() if value is None]):
        raise InputError(f"--estimator {name} simulates the loop and needs {', '.join(missing)}")
    if options.controller is not None and options.controller not in CONTROLLERS:
        raise InputError(f"--controller must be one of {', '.join(CONTROLLERS)}, not '{options.controller}'")


def loop_of(options: FitOptions, robot: Robot) -> ClosedLoop | None:
    """The closed loop in which the logs were recorded; None if no controller is given."""
    if options.controller is None or options.reference is None:
        return None
    if robot.nq != robot.nv:
        raise InputError("--controller: robots with quaternions, such as floating ones, cannot be simulated here")
    names, none = robot.coordinate_names, np.zeros(robot.nv)
    K_p = joint_numbers("--position-gains", options.position_gains or "", names, none)
    K_d = joint_numbers("--velocity-gains", options.velocity_gains or "", names, none)
    law = partial(_law, options.controller, robot, K_p, K_d)
    return ClosedLoop(law, _reference(robot, options.reference), options.control_step)


def _law(name: str, robot: Robot, K_p: Array, K_d: Array, reference: MotionTable) -> Law:
    if name == "pd":
        return StateFeedback(K_p, K_d, reference.q, reference.qd)
    return LAWS[name](robot, reference, K_p, K_d)


def _reference(robot: Robot, path: Path) -> Callable[[float], tuple[Array, ...]]:
    """The reference in a file as a function of time, linear between rows."""
    times, motions = reference_rows(robot, path)
    columns, slack = np.concatenate(motions, axis=1).T, 1.5 * float(np.median(np.diff(times)))

    def at(t: float) -> tuple[Array, ...]:
        if not times[0] - slack <= t <= times[-1] + slack:
            span = f"from {times[0]:g} to {times[-1]:g} s"
            raise InputError(f"{path} has times {span}; it must cover the times of the log")
        return tuple(np.split(np.array([np.interp(t, times, x) for x in columns]), 3))

    return at
