"""Estimators beside each other on synthetic closed loops: `python -m bench.estimators` writes ESTIMATORS.md.

Robots of 2, 6 and 7 joints follow a reference of sines under PD control with gravity compensation. The controller sees
quantised encoders and their filtered differences; torques are measured with noise. True parameters differ from those
of the description, from which all iterations start, by up to 30 %.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import signal

import revolute
from bench.tables import machine, table
from bench.timing import only_cores
from revolute.control import PDWithGravity
from revolute.identification import ForceModel, Samples, base_columns, direct_inverse, fit_model, instrumental
from revolute.identification.closed_loop_simulation import driven_parameters

__all__ = ["ARMS", "Arm", "Study", "estimators", "filtered", "studies"]

Array = NDArray[Any]

PAGE = Path(__file__).with_name("ESTIMATORS.md")
RATE, KEPT = 1000, 5
"""Samples a second of the log, and of how many of them one is fitted."""

STEP = 2 * np.pi / 2**16
"""Of the encoders [rad]."""

SECONDS, SETTLING = 10.0, 0.5
"""Length of a log, and what is left out at its end, where filters settle [s]."""

FILTERS: tuple[tuple[str, float | None], ...] = (("good, 20 Hz", 20.0), ("too high, 100 Hz", 100.0), ("too low, 1.5 Hz", 1.5))


@dataclass(frozen=True)
class Arm:
    """A robot that is identified.

    Attributes:
        label: in tables.
        robot: its links.
        stiffness: position gain of every joint over its inertia [1/s^2]; the loop is damped critically.
        torque_noise: standard deviation as a share of the root mean square of the torque.
    """

    label: str
    robot: revolute.Robot
    stiffness: float = 900.0
    torque_noise: float = 0.02

    @cached_property
    def driven(self) -> revolute.DrivenRobot:
        """With drives: rotors, viscous and Coulomb friction, smoothed."""
        M = np.mean([np.diag(self.robot.mass_matrix(q)) for q in self._poses], axis=0)
        drives = {
            body.joint_name: revolute.Drive(armature=0.3 * m + 0.05, damping=0.5 + m, friction=0.5 + m)
            for body, m in zip(self._moving, M, strict=True)
        }
        return self.robot.with_drives(drives, smoothing=0.05)

    @property
    def _moving(self) -> list[Any]:
        return [body for body in self.robot.bodies if body.joint.nv]

    @property
    def _poses(self) -> Array:
        return np.random.default_rng(0).uniform(-1, 1, (20, self.robot.nq)) + self.centre

    @cached_property
    def centre(self) -> Array:
        """Positions about which the reference moves."""
        return np.asarray(self.robot.home(), dtype=float)

    @cached_property
    def model(self) -> ForceModel:
        """Links, armature, both kinds of friction."""
        return ForceModel(self.driven, drives=["armature", "damping", "friction"], offsets=False)

    @cached_property
    def truth(self) -> Array:
        """True parameters: those of each link, and each parameter of a drive, times 0.7 to 1.3."""
        rng = np.random.default_rng(5)
        factors = rng.uniform(0.7, 1.3, len(self.model.values))
        factors[: self.model.links] = np.repeat(rng.uniform(0.7, 1.3, self.robot.n_joints), 10)
        return self.model.values * factors

    @cached_property
    def gains(self) -> tuple[Array, Array]:
        """Position and velocity gains, by the inertias of the description."""
        M = np.mean([np.diag(self.driven.mass_matrix(q)) for q in self._poses], axis=0)
        return self.stiffness * M, 2 * np.sqrt(self.stiffness) * M

    @cached_property
    def sines(self) -> tuple[Array, Array]:
        """Amplitudes (nv, 5) of sines and cosines, at 0.1 ... 0.5 Hz."""
        rng = np.random.default_rng(7)
        return rng.uniform(-0.3, 0.3, (2, self.robot.nv, 5)) / np.sqrt(np.arange(1, 6))

    def reference(self, t: float) -> tuple[Array, Array, Array]:
        """q, qd and qdd at a time; at rest at first, for a second."""
        s, ds, dds = _started(t)
        w = 2 * np.pi * 0.1 * np.arange(1, 6)
        a, b = self.sines
        sin, cos = np.sin(w * t), np.cos(w * t)
        x, xd, xdd = a @ sin + b @ cos, (a * w) @ cos - (b * w) @ sin, -(a * w * w) @ sin - (b * w * w) @ cos
        return self.centre + s * x, ds * x + s * xd, dds * x + 2 * ds * xd + s * xdd

    def law(self, reference: Any) -> PDWithGravity:
        """The controller of the log: its model is that of the description."""
        return PDWithGravity(self.robot, reference, *self.gains)

    def logs(self, count: int, seed: int = 0) -> tuple[Array, Array, Array]:
        """t (T,), and q and tau (count, T, nv) as they were measured."""
        rng, n = np.random.default_rng(seed), self.robot.nv
        t = np.arange(int(SECONDS * RATE) + 1) / RATE
        law, seen = self.law(self.reference), _Encoders(rng.uniform(0, STEP, (count, n)))

        def torque(time: float, q: Array, qd: Array) -> Array:
            return law.torque(time, *seen(q))

        first = np.broadcast_to(self.reference(0.0)[0], (count, n))
        truth = driven_parameters(self.model, self.truth)
        motion = self.driven.simulate(first, np.zeros((count, n)), torque, t, parameters=truth, progress=False)
        noise = self.torque_noise * np.sqrt(np.mean(motion.tau**2, axis=(0, 1)))
        return t, np.stack(seen.q, axis=1), motion.tau[:, : len(seen.q)] + rng.normal(0, 1, motion.tau.shape) * noise


class _Encoders:
    """Quantised positions, and velocities by their differences through a low-pass of 100 Hz."""

    def __init__(self, phase: Array) -> None:
        self._phase, self.q, self._qd = phase, list[Array](), np.zeros_like(phase)

    def __call__(self, q: Array) -> tuple[Array, Array]:
        seen = np.round((q + self._phase) / STEP) * STEP - self._phase
        if self.q:
            share = 1 - np.exp(-2 * np.pi * 100 / RATE)
            self._qd = self._qd + share * ((seen - self.q[-1]) * RATE - self._qd)
        self.q.append(seen)
        return seen, self._qd


def _started(t: float) -> tuple[float, float, float]:
    """From 0 to 1 within a second, without a jump of acceleration, and its rates."""
    s = min(t, 1.0)
    if t >= 1:
        return 1.0, 0.0, 0.0
    return 10 * s**3 - 15 * s**4 + 6 * s**5, 30 * s**2 * (1 - s) ** 2, 60 * s * (1 - s) * (1 - 2 * s)


def filtered(t: Array, q: Array, tau: Array, cutoff: float | None) -> Samples:
    """Samples of a log: a low-pass without phase for positions, central differences; forces as they are."""
    if cutoff is not None:
        q = signal.sosfiltfilt(signal.butter(4, cutoff, fs=RATE, output="sos"), q, axis=0, padlen=RATE)
    qd = np.gradient(q, 1 / RATE, axis=0)
    qdd = np.gradient(qd, 1 / RATE, axis=0)
    return Samples(t, q, qd, qdd, tau)


class Study(NamedTuple):
    """An estimator over all seeds.

    Attributes:
        estimator, cutoff: what, and with which filter.
        bias: root mean square over base parameters of mean error over spread.
        worst: the largest.
        significant: share of base parameters whose mean error exceeds two standard errors of the mean.
        coverage: share of 95 % intervals that hold the true value.
        forces: error of predicted forces along a motion without noise, relative to the forces.
        iterations: mean and most.
        seconds: median time of a fit.
    """

    estimator: str
    cutoff: str
    bias: float
    worst: float
    significant: float
    coverage: float
    forces: float
    iterations: str
    seconds: float


def estimators(arm: Arm) -> list[tuple[str, Callable[[Samples], Any], Sequence[tuple[str, float | None]]]]:
    """Name, estimator, and filters that it is tried with."""
    loop = (arm.law, arm.reference)
    return [
        ("OLS, weighted", lambda log: fit_model(arm.model, log), FILTERS),
        ("IDIM-IV", lambda log: instrumental(arm.model, log, *loop), FILTERS),
        ("DIDIM", lambda log: direct_inverse(arm.model, log, *loop), FILTERS[1:2]),
    ]


def studies(arm: Arm, count: int) -> Iterator[Study]:
    """All estimators with all their filters."""
    t, q, tau = arm.logs(count)
    base = base_columns(arm.model)
    true = base.matrix @ arm.truth
    test = _test_regressor(arm)[..., base.columns].reshape(-1, len(base))
    inside = t <= SECONDS - SETTLING  # the motion begins at rest
    for name, estimate, filters in estimators(arm):
        for label, cutoff in filters:
            fits, seconds = [], []
            for k in range(count):
                log = filtered(t, q[k], tau[k], cutoff)[inside][::KEPT]
                started = time.perf_counter()
                fits.append(estimate(log))
                seconds.append(time.perf_counter() - started)
            yield _study(name, label, fits, true, test, seconds)


def _study(name: str, label: str, fits: list[Any], true: Array, test: Array, seconds: list[float]) -> Study:
    errors = np.array([fit.values - true for fit in fits])
    mean, spread = errors.mean(axis=0), errors.std(axis=0, ddof=1)
    intervals = np.array([fit.intervals() for fit in fits])
    held = (intervals[..., 0] <= true) & (true <= intervals[..., 1])
    forces = np.linalg.norm(test @ errors.T, axis=0) / np.linalg.norm(test @ true)
    steps = [fit.iterations for fit in fits if hasattr(fit, "iterations")]
    return Study(
        name,
        label,
        float(np.sqrt(np.mean((mean / spread) ** 2))),
        float(np.abs(mean / spread).max()),
        float(np.mean(np.abs(mean) > 2 * spread / np.sqrt(len(fits)))),
        float(held.mean()),
        float(np.sqrt(np.mean(forces**2))),
        f"{np.mean(steps):.1f}, {max(steps)}" if steps else "",
        float(np.median(seconds)),
    )


def _test_regressor(arm: Arm) -> Array:
    """Y of another motion: the reference, 3 s later and faster."""
    rows = [arm.reference(x) for x in np.linspace(2, 9, 200)]
    q, qd, qdd = (np.array(x) for x in zip(*rows, strict=True))
    return arm.model.regressor(Samples(np.arange(200), q[::-1], -1.2 * qd[::-1], 1.4 * qdd[::-1], qd))


ARMS = (
    Arm("planar, 2 joints", revolute.robots.planar(2)),
    Arm("UR5, 6 joints", revolute.robots.ur5()),
    Arm("Panda, 7 joints", revolute.robots.panda()),
)
