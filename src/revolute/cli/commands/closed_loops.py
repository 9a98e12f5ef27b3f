"""The closed loop of a log, from command-line options."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from revolute.cli.commands.control import NAMES
from revolute.cli.commands.identification_options import FitOptions
from revolute.cli.commands.numbers import joint_numbers
from revolute.control import ComputedTorque, FeedforwardPD, MotionTable, PassivityBased, PDWithGravity
from revolute.errors import InputError
from revolute.identification import ClosedLoop
from revolute.identification.fitting import CLOSED_LOOP, ESTIMATORS
from revolute.io.trajectory import read
from revolute.machine.robot import Robot
from revolute.simulate import Law, StateFeedback

__all__ = ["CONTROLLERS", "check", "loop_of"]

Array = NDArray[Any]

CONTROLLERS = ("pd", *NAMES)
"""Names of --controller; pd does not use a model of the robot."""


def check(options: FitOptions) -> None:
    """Raise InputError, before logs are read, for an unknown estimator, or missing or inapplicable options."""
    of_loop = {
        "--controller": options.controller, "--reference": options.reference,
        "--position-gains": options.position_gains, "--velocity-gains": options.velocity_gains,
    }  # fmt: skip
    name = options.estimator
    if name not in (*ESTIMATORS, *CLOSED_LOOP):
        raise InputError(f"no estimator is called {name!r}; they are {', '.join((*ESTIMATORS, *CLOSED_LOOP))}")
    given = [key for key, value in {**of_loop, "--control-step": options.control_step}.items() if value is not None]
    if name in ESTIMATORS and given:
        raise InputError(f"{given[0]} is for the estimators that simulate the loop: {', '.join(CLOSED_LOOP)}")
    if name in CLOSED_LOOP and (missing := [key for key, value in of_loop.items() if value is None]):
        raise InputError(f"--estimator {name} simulates the loop and needs {', '.join(missing)}")
    if options.controller is not None and options.controller not in CONTROLLERS:
        raise InputError(f"--controller must be one of {', '.join(CONTROLLERS)}, not '{options.controller}'")


def loop_of(options: FitOptions, robot: Robot) -> ClosedLoop | None:
    """The closed loop of the logs; None without a controller.

    Raises:
        InputError, TrajectoryError: gains or the reference do not fit the robot.
    """
    if options.controller is None or options.reference is None:
        return None
    if robot.nq != robot.nv:
        raise InputError("--controller: robots with quaternions, such as floating ones, cannot be simulated here")
    names, none = robot.coordinate_names, np.zeros(robot.nv)
    K_p = joint_numbers("--position-gains", options.position_gains or "", names, none)
    K_d = joint_numbers("--velocity-gains", options.velocity_gains or "", names, none)
    law = partial(_law, options.controller, robot, K_p, K_d)
    return ClosedLoop(law, _Table(robot, options.reference), options.control_step)


def _law(name: str, robot: Robot, K_p: Array, K_d: Array, reference: MotionTable) -> Law:
    if name == "pd":
        return StateFeedback(K_p, K_d, reference.q, reference.qd)
    if name == "passivity_based":
        return PassivityBased(robot, reference, K_p, K_d)
    laws: dict[str, Any] = {
        "computed_torque": ComputedTorque, "feedforward_pd": FeedforwardPD, "pd_with_gravity": PDWithGravity
    }  # fmt: skip
    return laws[name](robot, reference, K_p, K_d)  # type: ignore[no-any-return]


class _Table:
    """A reference from a file: a function of time, linear between rows."""

    def __init__(self, robot: Robot, path: Path) -> None:
        table = read(robot, path)
        if table.t is None or len(table.t) < 2:
            raise InputError(f"{path}: a reference needs a column of time, 't' [s], and two rows or more")
        self._path, self._t, self._n = path, np.asarray(table.t, dtype=float), robot.nq
        self._rows = np.concatenate([table.q, table.qd, table.qdd], axis=1)
        self._slack = 1.5 * float(np.median(np.diff(self._t)))

    def __call__(self, t: float) -> tuple[Array, ...]:
        first, last = float(self._t[0]), float(self._t[-1])
        if not first - self._slack <= t <= last + self._slack:
            raise InputError(f"{self._path} has times from {first:g} to {last:g} s; it needs those of the log")
        k = int(np.clip(np.searchsorted(self._t, t, side="right") - 1, 0, len(self._t) - 2))
        share = float(np.clip((t - self._t[k]) / (self._t[k + 1] - self._t[k]), 0, 1))
        row = (1 - share) * self._rows[k] + share * self._rows[k + 1]
        return tuple(np.split(row, 3))
