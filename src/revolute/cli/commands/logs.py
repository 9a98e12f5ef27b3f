"""Logs of `revolute identify` and `revolute payload`: their files, and the joints that moved."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from revolute.arguments import nearest
from revolute.cli.commands.changes import locked
from revolute.cli.commands.numbers import joint_numbers
from revolute.errors import InputError, UnknownNameError
from revolute.identification import Log, MotorSide, read_log
from revolute.identification.log.sources import QUANTITIES
from revolute.machine.robot import Robot

__all__ = ["files_of", "moving", "open_log"]


def moving(robot: Robot, settings: Mapping[str, Any]) -> Robot:
    """The robot with all joints except those of --joints locked, at zero or the nearest limit."""
    joints = settings.get("joints")
    if joints is None:
        return robot
    if not isinstance(joints, list) or not joints or not all(isinstance(name, str) for name in joints):
        raise InputError(f"joints must be a list of names, not {joints!r}")
    if unknown := [name for name in joints if name not in robot.joint_names]:
        raise UnknownNameError(f"--joints: there is no joint '{unknown[0]}'; {nearest(unknown[0], robot.joint_names)}")
    others = [name for name in robot.joint_names if name not in joints]
    return locked(robot, others) if others else robot


def files_of(text: str) -> list[Path]:
    """The files of an argument LOG: one, or one per quantity."""
    source = _source(text)
    return [Path(path) for path in dict.fromkeys(source.values())] if isinstance(source, dict) else [Path(source)]


def _source(text: str) -> str | dict[str, str]:
    """A path, or {quantity: path} of `q=positions.csv,tau=currents.csv`."""
    words = [word.partition("=") for word in text.split(",")]
    if Path(text).exists() or any(word[0].strip() not in QUANTITIES or not word[1] for word in words):
        return text
    return {quantity.strip(): path.strip() for quantity, _, path in words}


def open_log(robot: Robot, text: str, settings: Mapping[str, Any], gains: str | None = None) -> Log:
    """The log of an argument LOG, by the settings of `LogOptions` and the text of --gains."""
    motor: dict[str, Any] = dict(settings.get("motor_side", {}))
    units = settings.get("units")
    if gains is not None:
        names, none = robot.coordinate_names, np.full(robot.nv, np.nan)
        motor["gains"] = "unknown" if gains == "unknown" else joint_numbers("--gains", gains, names, none)
        units = {**({"q": "deg", "qd": "deg/s", "qdd": "deg/s^2"} if units == "deg" else units or {}), "tau": "A"}
    if unknown := [key for key in motor if key not in ("ratios", "offset", "gains", "torque")]:
        raise InputError(f"motor_side: unknown key '{unknown[0]}'; there are ratios, offset, gains, torque")
    side = MotorSide(**motor) if motor else None
    columns = settings["columns"] or None
    delay, flip = settings.get("delay", 0.0), settings.get("flip", ())
    try:
        late = delay if delay == "auto" else float(delay)
    except (TypeError, ValueError):
        raise InputError(f"--delay must be seconds or auto, not '{delay}'") from None
    return read_log(
        robot, _source(text), columns, units=units, rate=settings.get("rate"), motor_side=side, flip=flip, delay=late
    )
