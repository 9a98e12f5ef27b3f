"""Logs of real robots: that of the tutorial, and the whole ones where a folder with them is at hand."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from robots import loaded

from bench import identification_logs as published
from revolute.identification import Log, MotorSide, read_log

UR10 = Path(__file__).parents[2] / "docs" / "learn" / "data" / "ur10" / "log.csv"
UR10_URDF = UR10.with_name("ur10_robot.urdf")


def real_data(folder: str) -> Path:
    """A folder of published logs; skips the test where there is none."""
    if not (published.DATA / folder).is_dir():
        pytest.skip(f"no folder {published.DATA / folder}")
    return published.DATA / folder


def ur10() -> Log:
    """Every second row of 27 s of a UR10."""
    return read_log(loaded(UR10_URDF), UR10)


def ur10_whole() -> Log:
    folder = real_data("ur10")
    return read_log(loaded(folder / "ur10_robot.urdf"), folder / "ur10_exciting_trajectory.csv")


def tx40() -> Log:
    """A Staubli TX40, whose motors 5 and 6 turn joint 6 together; no times, 5 kHz."""
    return published.tx40_log(loaded(real_data("staubli_tx40") / "tx40_mdh_modified.urdf"))


def tiago() -> Log:
    """A TIAGo: torso and arm, jitter, currents of motors in the columns of forces, none of the wrist."""
    folder = real_data("tiago")
    robot = loaded(folder / "tiago_48_schunk.urdf")
    moving = ["torso_lift_joint", *(f"arm_{k}_joint" for k in range(1, 8))]
    arm = robot.lock({name: 0.0 for name in robot.joint_names if name not in moving})
    quantities = {"q": "position", "qd": "velocity", "tau": "effort"}
    return read_log(arm, {name: folder / f"tiago_{word}.csv" for name, word in quantities.items()})


def kr300() -> Log:
    """A KUKA KR300 R2500: angles in degrees, torques of motors."""
    columns = {"q": "q_motor_deg_{n}", "qd": "qd_motor_degps_{n}", "tau": "tau_abs_Nm_{n}"}
    gears = MotorSide(torque=np.diag(published.GEARS))  # positions are of joints already
    path = real_data("kuka_kr300") / "rec_C.csv"
    return read_log(published.kr300(), path, columns, units="deg", motor_side=gears)


REAL: dict[str, Callable[[], Log]] = {"ur10": ur10_whole, "tx40": tx40, "kr300": kr300, "tiago": tiago}
"""Logs of whole arms, by name."""
