"""Motions that excite arms, and samples of them with noise."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from revolute.identification import Samples
from revolute.machine.driven import DrivenRobot

Array = NDArray[Any]


def fourier(nv: int, rows: int, rate: float, seed: int = 1, size: float = 0.3) -> tuple[Array, Array, Array, Array]:
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
