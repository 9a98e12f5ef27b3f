"""Read a log from files or from memory: columns, units, signs, motors."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from revolute.arguments import instance, number, positive
from revolute.errors import InputError, advice, warn_caller
from revolute.identification.forces.floating_bases import require_joints
from revolute.identification.forces.force_model import ForceModel
from revolute.identification.log.columns import Place, places_of, unread, wrench_places
from revolute.identification.log.decimation import runs
from revolute.identification.log.delay import torque_delay
from revolute.identification.log.log import Log
from revolute.identification.log.motor_side import MotorSide
from revolute.identification.log.recording import AMPERES, Recording, factors, signs_of
from revolute.identification.log.sources import parts_of
from revolute.io.plain import listed
from revolute.machine.driven import DrivenRobot
from revolute.machine.robot import Robot
from revolute.model.model import Model


def read_log(
    robot: Robot | DrivenRobot, source: Any, columns: Mapping[str, Any] | None = None, *,
    units: str | Mapping[str, str] | None = None, rate: float | None = None, motor_side: MotorSide | None = None,
    flip: Sequence[str] = (), delay: float | str = 0.0,
) -> Log:
    """Open a log of positions and forces, from files or from memory. Initially only the header is read.

    Columns are found by name: `q.<joint>`, `<joint>`, `<joint>_position`, `q1`, ... for positions, and likewise with
    qd or velocity, qdd or acceleration, tau, torque or effort; `t` or `time` in seconds. Numbers start at 0 if any of
    them is 0, as in `q_0`, otherwise at 1. `columns` specifies other names; `Log.columns` shows those that are read.

    Args:
        robot: the robot that moved. Lock joints that the log does not contain: see `robot.lock`. Joints that mimic
            others need no columns.
        source: path of a CSV or Parquet file; `{"q": path, "tau": path, ...}`; a data frame; or a mapping of columns,
            or of t, q, qd, qdd and tau, to arrays.
        columns: `{quantity: columns}`: a list in the order of `robot.coordinate_names`, a mapping from these, or a
            pattern such as "motor_{n}" (from 1), "motor_{n0}" (from 0) or "{name}/effort". None in a list of forces:
            not measured. A quantity that is None is not read. "wrench" is `{link: columns}`: six names, or a pattern
            with "{axis}" for mx, my, mz, fx, fy and fz, about the link's origin and expressed in its frame, as applied
            by the environment to the robot. All contacts must be included; {} means no contact.
        units: "deg" if all angles are in degrees, or `{"q": "deg", "qd": "deg/s", "tau": "A", "t": "ms"}`.
        rate: rows per second of a log without times [Hz].
        motor_side: gears, couplings and gains, if the log contains motor quantities.
        flip: coordinates whose forces have the opposite sign in the log, or "all"; "q.elbow", "q.all" for positions,
            velocities and accelerations.
        delay: delay of the forces relative to the positions [s]; "auto": the delay with the smallest residual of a fit.

    Returns:
        The log; its `samples()` are the input of estimators.

    Raises:
        TrajectoryError: a file cannot be read, or lacks columns of some joints.
        InputError: an argument is invalid; forces are currents and gains are missing.
        UnknownNameError: `flip` contains an unknown coordinate.

    Warns:
        ModelWarning: columns of joints that the robot lacks are not read.

    Example:
        >>> from revolute.identification import read_log
        >>> t = np.arange(1000) / 100
        >>> log = read_log(
        ...     revolute.robots.planar(1), {"t": t, "q": np.sin(t), "tau": np.cos(t)}
        ... )
        >>> log.samples(cutoff=5.0)
        <Samples: 441 instants, t from 0.6 to 9.4 s, 1 forces>
    """
    if not isinstance(robot, (Robot, DrivenRobot)):
        raise InputError(f"read_log: robot must be a Robot or DrivenRobot, not {type(robot).__name__}")
    driven = robot if isinstance(robot, DrivenRobot) else robot.with_drives()
    require_joints(driven.robot)
    robot = robot if driven.nv == robot.nv else driven  # joints that mimic other joints have no coordinates
    model = robot.space if isinstance(robot, DrivenRobot) else robot
    parts, touched, wrench = parts_of(source), None, None
    _check_widths(model, source)
    if isinstance(columns, Mapping):
        columns, wrenches = {k: x for k, x in columns.items() if k != "wrench"}, columns.get("wrench")
        if wrenches is not None:
            touched, wrench = wrench_places(driven.robot.link_names, parts, wrenches)
    places = places_of(model, parts, columns)
    name = " + ".join(dict.fromkeys(str(part.table.path) for part in parts))
    known = *model.position_names, *driven.robot.joint_names
    if not columns and (others := unread(parts, places, known)):
        warn_caller(
            f"{name}: '{model.name}' has no joint for {listed(others)}, which {'is' if len(others) == 1 else 'are'} "
            "not read: if that joint moved, load a robot that has it"
        )
    _check_clock(name, places, rate)
    scales = {**factors(units), "wrench": 1.0}
    if wrench is not None:
        places["wrench"] = wrench
    _check_motors(name, model, motor_side, isinstance(units, Mapping) and units.get("tau") == AMPERES)
    unknown = motor_side is not None and motor_side.unknown_gains
    recording = Recording(model, name, rate, parts, places, scales, motor_side, signs_of(model, flip))
    late = 0.0 if delay == "auto" else number("read_log: delay", delay)
    log = Log(robot, name, tuple(places), unknown, rate, recording, touched, late)
    return replace(log, delay=_best_delay(log)) if delay == "auto" else log


def _check_motors(name: str, model: Model, motor_side: MotorSide | None, amperes: bool) -> None:
    """Raise `InputError` for motors that do not fit the robot, and for currents without gains."""
    if motor_side is not None:
        instance("read_log: motor_side", motor_side, MotorSide)
        if model.nq != model.nv:
            raise InputError(f"read_log: motor_side: '{model.name}' has joints without a motor, such as a free joint")
        motor_side.check(model.nv)
    if amperes and (motor_side is None or motor_side.gains is None):
        raise InputError(
            f"{name}: forces are currents: give the gains of the drives [N m/A], by "
            + advice(
                "motor_side=MotorSide(gains=[...]), or gains='unknown' to estimate them",
                "--gains NUMBERS, or --gains unknown to estimate them",
            )
        )


def _best_delay(log: Log) -> float:
    """The delay of the forces [s] with the smallest residual of a fit."""
    model = ForceModel(log.robot, drives=("armature", "damping", "friction"))
    found = torque_delay(model, max(runs(log.beginning(math.inf)), key=len))
    if found.at_limit:
        raise InputError(
            f"{log.name}: {advice('delay=', '--delay ')}auto: the best delay, {1e3 * found.seconds:.3g} ms, is at the "
            f"limit of the search; give {advice('it in seconds', '--delay SECONDS')}, or record with one clock"
        )
    return found.seconds


def _check_widths(model: Model, source: Any) -> None:
    """Raise `InputError` for arrays with more columns than coordinates."""
    for name, wanted in (("q", model.nq), ("qd", model.nv), ("qdd", model.nv), ("tau", model.nv)):
        array = source.get(name) if isinstance(source, Mapping) else None
        width = np.shape(array)[1] if isinstance(array, (list, tuple, np.ndarray)) and np.ndim(array) == 2 else 1
        if width > wanted:
            raise InputError(
                f"read_log: {name} has {width} columns, and '{model.name}' has {wanted} coordinates; omit columns of "
                "other joints"
            )


def _check_clock(name: str, places: Mapping[str, Place], rate: float | None) -> None:
    if rate is not None:
        positive("rate", rate, "number of rows per second")
        if "t" in places:
            instead = advice("omit rate, or give columns={'t': None}", "omit --rate, or give --columns t=none")
            raise InputError(f"{name}: it has a time column, so {instead} to use the rate")
    elif "t" not in places:
        raise InputError(
            f"{name}: no time column [s]; name it with "
            + advice("columns={'t': ...}, or give rate=", "--columns t=COLUMN, or give --rate")
            + " [Hz] if rows are equally spaced"
        )
