"""Logs of real robots: that of the tutorial, and the whole ones where a folder with them is at hand."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from robots import loaded

import revolute
from revolute.identification import Log, MotorSide, read_log

UR10 = Path(__file__).parents[2] / "docs" / "learn" / "data" / "ur10" / "log.csv"
UR10_URDF = UR10.with_name("ur10_robot.urdf")


def real_data(folder: str) -> Path:
    """A folder of `shared/data` beside this checkout; skips the test where there is none."""
    for parent in Path(__file__).resolve().parents:
        if (path := parent / "shared" / "data" / folder).is_dir():
            return path
    pytest.skip(f"no folder shared/data/{folder} beside this checkout")


def ur10() -> Log:
    """Every second row of 27 s of a UR10."""
    return read_log(loaded(UR10_URDF), UR10)


def ur10_whole() -> Log:
    folder = real_data("ur10")
    return read_log(loaded(folder / "ur10_robot.urdf"), folder / "ur10_exciting_trajectory.csv")


TX40_RATIOS = np.diag([32.0, 32, 45, -48, 45, 32])
TX40_RATIOS[5, 4] = 32


def tx40() -> Log:
    """A Staubli TX40, whose motors 5 and 6 turn joint 6 together; no times, 5 kHz."""
    folder = real_data("staubli_tx40")
    files = {"q": folder / "pos_read_data.csv", "tau": folder / "curr_data.csv"}
    motors = MotorSide(TX40_RATIOS, [0, -np.pi / 2, np.pi / 2, 0, 0, 0])
    columns = {"q": "Joint_{n}", "tau": "Joint_{n}"}
    return read_log(loaded(folder / "tx40_mdh_modified.urdf"), files, columns, rate=5000, motor_side=motors)


def tiago() -> Log:
    """A TIAGo: torso and arm, jitter, currents of motors in the columns of forces, none of the wrist."""
    folder = real_data("tiago")
    robot = loaded(folder / "tiago_48_schunk.urdf")
    moving = ["torso_lift_joint", *(f"arm_{k}_joint" for k in range(1, 8))]
    arm = robot.lock({name: 0.0 for name in robot.joint_names if name not in moving})
    quantities = {"q": "position", "qd": "velocity", "tau": "effort"}
    return read_log(arm, {name: folder / f"tiago_{word}.csv" for name, word in quantities.items()})


KR300_GEARS = (256.857, 267.429, 252.333, 221.0, 239.619, 154.323)


def kr300() -> Log:
    """A KUKA KR300 R2500: angles in degrees, torques of motors. Its table of axes is that of its maker; no masses."""
    half = np.pi / 2
    axes = [
        (0.35, half, -0.675, 0.0),
        (1.15, 0.0, -0.189, -half),
        (0.041, -half, 0.189, np.pi),
        (0.0, half, -1.0, 0.0),
        (0.0, -half, 0.0, 0.0),
        (0.0, np.pi, -0.24, 0.0),
    ]
    robot = revolute.Robot.from_dh(axes, gravity=(0, 0, 9.81), name="kr300")
    columns = {"q": "q_motor_deg_{n}", "qd": "qd_motor_degps_{n}", "tau": "tau_abs_Nm_{n}"}
    gears = MotorSide(torque=np.diag(KR300_GEARS))  # positions are of joints already
    return read_log(robot, real_data("kuka_kr300") / "rec_C.csv", columns, units="deg", motor_side=gears)


REAL: dict[str, Callable[[], Log]] = {"ur10": ur10_whole, "tx40": tx40, "kr300": kr300, "tiago": tiago}
"""Logs of whole arms, by name."""
