"""Published logs of real arms: where they are, what they need, and what was published of them."""

from __future__ import annotations

import re
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import NamedTuple

import numpy as np

import revolute
from bench.robots import Array
from revolute.identification import ForceModel, Log, MotorSide, Samples, Term, counterbalance, coupled_drive, read_log

__all__ = ["DATA", "Published", "form", "kr300", "kr300_counterbalance", "kr300_log", "tx40", "tx40_published", "ur10"]

PLACES = [parent / "shared" / "data" for parent in Path(__file__).resolve().parents[2:]]
DATA = next((place for place in PLACES if place.is_dir()), PLACES[0])
"""Logs that other groups published; its README has their sources and licences."""

DRIVES = ("armature", "damping", "friction")


# --- Staubli TX40: thanhndv212/figaroh-plus, Apache-2.0 ----------------------------------------


@cache
def tx40() -> tuple[revolute.Robot, Samples]:
    """The arm, and 37,000 samples at 5 kHz: positions filtered at 50 Hz, torques as recorded."""
    robot = revolute.load(DATA / "staubli_tx40" / "tx40_mdh_modified.urdf")
    samples = tx40_log(robot).samples(50.0, torque_cutoff=np.inf, every=1)
    return robot, samples[(samples.t >= 0.1) & (samples.t < 7.5)]


def tx40_log(robot: revolute.Robot) -> Log:
    """The log of the arm, whose motors 5 and 6 turn joint 6 together; no times, 5 kHz."""
    folder = DATA / "staubli_tx40"
    ratios = np.diag([32.0, 32, 45, -48, 45, 32])
    ratios[5, 4] = 32
    half = np.pi / 2
    return read_log(
        robot,
        {"q": folder / "pos_read_data.csv", "tau": folder / "curr_data.csv"},
        {"q": "Joint_{n}", "tau": "Joint_{n}"},
        rate=5000,
        motor_side=MotorSide(ratios, [0, -half, half, 0, 0, 0]),
    )


class Published(NamedTuple):
    """A base parameter as it was published, its standard deviations in percent."""

    name: str
    ordinary: float
    ordinary_percent: float
    weighted: float
    weighted_percent: float


def tx40_published() -> list[Published]:
    """The 60 base parameters of figaroh."""
    lines = (DATA / "staubli_tx40" / "TX40_bp_5_results.csv").read_text().splitlines()
    return [Published(name, *map(float, rest)) for name, *rest in (line.split(",") for line in lines)]


def tx40_model(robot: revolute.Robot) -> ForceModel:
    """The model of the published fit: a motor that turns with joints 5 and 6, whose inertia stands for joint 6, too."""
    wrist = coupled_drive("motor6", [0, 0, 0, 0, 1, 1])
    names = ForceModel(robot, drives=DRIVES, terms=wrist).names
    return ForceModel(robot, drives=DRIVES, terms=wrist, only=[name for name in names if name != "joint_6.armature"])


OWN = {"Ia": "armature", "fv": "damping", "fs": "friction", "off": "offset"}
WRIST = {"Iam": "armature", "fvm": "damping", "fsm": "friction"}


def form(name: str, names: tuple[str, ...]) -> Array:
    """(p,) factors of our parameters in a published sum such as "Ixx2 - 1.0*Iyy2".

    There, the wrist's columns have forces of one joint by the motion of the other alone; our motor 6 has both, so
    inertia and damping of joints 5 and 6 there are those here and the motor's.
    """
    factors = np.zeros(len(names))
    for sign, size, kind, n in re.findall(r"([+-]?) ?(?:([\d.]+)\*)?([A-Za-z]+)(\d)", name):
        factor = (-1 if sign == "-" else 1) * float(size or 1)
        own = (
            f"motor6.{WRIST[kind]}"
            if kind in WRIST
            else f"joint_{n}.{OWN[kind]}"
            if kind in OWN
            else f"link_{n}.{kind}"
        )
        factors[names.index(own)] += factor
        if kind in ("Ia", "fv") and n in "56":
            factors[names.index(f"motor6.{OWN[kind]}")] += factor
    return factors


# --- UR10: unisa-acg/inverse-dynamics-solver, BSD-3; Petrone et al., arXiv 2502.11940 -----------


def ur10() -> tuple[revolute.Robot, Samples, Samples]:
    """The arm, the exciting trajectory, and the one of validation, whose torques are the authors' model's."""
    folder = DATA / "ur10"
    robot = revolute.load(folder / "ur10_robot.urdf")
    columns = {"q": "q{n}", "tau": "tau{n}", "qd": None, "qdd": None}
    logs = [
        read_log(robot, folder / f"{name}.csv", columns)
        for name in ("ur10_exciting_trajectory", "validation_trajectory")
    ]
    first, second = (log.samples(10.0, every=1) for log in logs)
    return robot, first, second


# --- KUKA KR300 R2500 ultra: JonasWeigand/Robot_Identification, MIT; Weigand et al., IROS 2021 --

GEARS = (256.857, 267.429, 252.333, 221, 239.619, 154.323)

LINKS = (
    (395.40, (-0.353, 0.174, -0.004), (16.733765, 29.799119, 32.814954, -1.703664, 4.404062, 0.129384)),
    (339.12, (-0.709, -0.001, 0.023), (7.507819, 88.886691, 88.673761, 0.430046, -4.396607, 0.173157)),
    (105.21, (-0.018, -0.018, -0.076), (10.783798, 10.186135, 1.943179, 0.118474, -0.101950, -0.606384)),
    (35.80, (0.0, 0.236, 0.001), (0.425035, 0.217993, 0.428465, -4e-6, -2.7e-5, -0.011353)),
    (31.46, (0.0, -0.080, -0.009), (0.283826, 0.229562, 0.258266, -4e-6, -0.000120, -0.019521)),
    (217.78, (0.0, 0.0, 0.0878), (1.0, 1.0, 1.0, 0.0, 0.0, 0.0)),
)
"""Mass, centre and inertia about it (xx, yy, zz, xy, xz, yz) of each link, by its maker's drawings; the last one with a
payload of 200 kg, whose inertia is a guess."""


@cache
def kr300() -> revolute.Robot:
    """The arm, from its published table; coordinates are 0 where it points forward."""
    half = np.pi / 2
    rows = [
        (0.35, half, -0.675, 0.0),
        (1.15, 0.0, -0.189, -half),
        (0.041, -half, 0.189, np.pi),
        (0.0, half, -1.0, 0.0),
        (0.0, -half, 0.0, 0.0),
        (0.0, np.pi, -0.24, 0.0),
    ]
    inertias = []
    for m, c, (xx, yy, zz, xy, xz, yz) in LINKS:
        inertias.append(revolute.Inertia.from_com(m, c, ((xx, xy, xz), (xy, yy, yz), (xz, yz, zz))))
    return revolute.Robot.from_dh(rows, inertias=inertias, gravity=(0, 0, 9.81), name="kr300")


def kr300_counterbalance() -> list[Term]:
    """A hydropneumatic cylinder from the turning column to the arm: nitrogen, at constant temperature.

    Its ends are 0.8 m and 0.2 m from axis 2, in line 5 degrees from where the arm stands upright; the piston has
    16.7 cm^2, the gas 0.96 l where the cylinder is shortest.
    """
    angle = np.radians(-95)
    column = ("frame1", (0.8 * np.cos(angle), 0.8 * np.sin(angle), 0.0))
    area = np.pi / 4 * (0.055**2 - 0.03**2)
    (force,) = counterbalance(
        kr300(), "counterbalance", column, ("link2", (0.2, 0.0, 0.0)), length=0.6, compression=area / 0.96e-3
    )
    pressure = 1.01 * 296.8 * 328 * 0.159 / 0.96e-3  # Z R T m / V
    return [replace(force, value=pressure * area)]


def kr300_log(name: str) -> Samples:
    """The log A, B or C, filtered at 8 Hz."""
    log = read_log(
        kr300(),
        DATA / "kuka_kr300" / f"rec_{name}.csv",
        {"q": "q_motor_deg_{n}", "tau": "tau_abs_Nm_{n}", "qd": None, "qdd": None},
        units={"q": "deg"},
    )
    samples = log.samples(8.0, every=1)
    return replace(samples, tau=samples.tau * GEARS)
