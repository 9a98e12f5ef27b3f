"""Motions that excite arms, and logs of them: of a UR10 with known friction, as tables that logs are read from."""

from functools import cache
from typing import Any

import numpy as np
from logs import UR10_URDF
from robots import loaded

from revolute import DrivenRobot
from revolute.identification import Samples

RATE = 200.0
FRICTION = np.array([12.0, 14.0, 8.0, 3.0, 3.0, 3.0])
VISCOUS = np.array([8.0, 8.0, 5.0, 1.0, 1.0, 1.0])


@cache
def arm() -> DrivenRobot:
    return loaded(UR10_URDF).with_drives()


@cache
def truth(seconds: float = 10.0, rate: float = RATE) -> Samples:
    """Sums of three sines for each joint, up to 0.8 Hz, and the forces that they take."""
    return motion(np.arange(int(seconds * rate)) / rate)


def motion(t: np.ndarray) -> Samples:
    """The same at any times."""
    rng = np.random.default_rng(5)
    w, phase = 2 * np.pi * rng.uniform(0.1, 0.8, (6, 3)), rng.uniform(0, 6, (6, 3))
    a = rng.uniform(0.2, 0.5, (6, 3))
    s = t[:, None, None] * w + phase
    q = (a * np.sin(s)).sum(axis=-1) + np.array([0, -1.2, 1.0, 0, 0.5, 0])
    qd, qdd = (a * w * np.cos(s)).sum(axis=-1), -(a * w**2 * np.sin(s)).sum(axis=-1)
    tau = arm().inverse_dynamics(q, qd, qdd) + VISCOUS * qd + FRICTION * np.tanh(qd / 0.01)
    return Samples(t, q, qd, qdd, tau)


def noisy(samples: Samples, share: float = 0.02, seed: int = 0) -> dict[str, np.ndarray]:
    """Arrays by quantity, as sensors give them: positions to 1e-6 rad, forces with noise of 2 % of their size."""
    rng = np.random.default_rng(seed)
    tau = samples.tau + share * samples.tau.std(axis=0) * rng.normal(size=samples.tau.shape)
    return {"t": samples.t, "q": samples.q + 1e-6 * rng.normal(size=samples.q.shape), "tau": tau}


def named(arrays: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    """One array a column, named as trajectories name them."""
    columns = {"t": arrays["t"]}
    for quantity in ("q", "qd", "tau"):
        for name, column in zip(arm().coordinate_names, arrays.get(quantity, np.zeros((0, 0))).T, strict=False):
            columns[f"{quantity}.{name}"] = column
    return columns


def fourier(nv: int, rows: int, rate: float, seed: int = 1, size: float = 0.3) -> tuple[np.ndarray, ...]:
    """t (rows,), q, qd and qdd (rows, nv) of sums of five sines with periods of 10 s down to 2 s."""
    t, rng = np.arange(rows) / rate, np.random.default_rng(seed)
    w = 2 * np.pi * 0.1 * np.arange(1, 6)
    a, b = rng.normal(0, size, (2, nv, 5))
    phase = w * t[:, None, None]
    s, c = np.sin(phase), np.cos(phase)
    q, qd, qdd = a * s + b * c, w * (a * c - b * s), -w * w * (a * s + b * c)
    return t, q.sum(-1), qd.sum(-1), qdd.sum(-1)


def sampled(robot: DrivenRobot, rows: int, noise: Any = 0.0, rate: float = 100.0, seed: int = 1) -> Samples:
    """Samples of a robot that follows `fourier`, with white noise of these standard deviations in its forces."""
    t, q, qd, qdd = fourier(robot.nv, rows, rate, seed)
    tau = robot.inverse_dynamics(q, qd, qdd)
    return Samples(t, q, qd, qdd, tau + noise * np.random.default_rng(seed).standard_normal(tau.shape))
