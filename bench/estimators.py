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
from revolute import control
from revolute.identification import ClosedLoop, ForceModel, Samples, identify
from revolute.identification.closed_loop.simulation import driven_parameters
from revolute.identification.fit.linear_fit import fit_model
from revolute.identification.forces.base_parameters import base_columns

__all__ = ["ARMS", "Arm", "Study", "estimators", "filtered", "studies"]

Array = NDArray[Any]

PAGE = Path(__file__).with_name("ESTIMATORS.md")
RATE, KEPT = 1000, 5
"""Samples a second of the log, and of how many of them one is fitted."""

STEP = 2 * np.pi / 2**17
"""Of the encoders [rad]."""

SECONDS, SETTLING = 10.0, 0.5
"""Length of a log, and what is left out at its end, where filters settle [s]."""

FILTERS: tuple[tuple[str, float | None], ...] = (
    ("good, 20 Hz", 20.0),
    ("too high, 100 Hz", 100.0),
    ("too low, 3 Hz", 3.0),
)

NONE, RAW = (("not used", 0.0),), (("none", 0.0),)


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
        """Amplitudes (nv, 5) of sines and cosines, at 0.2 ... 1 Hz."""
        rng = np.random.default_rng(7)
        return rng.uniform(-0.3, 0.3, (2, self.robot.nv, 5)) / np.sqrt(np.arange(1, 6))

    def reference(self, t: float) -> tuple[Array, Array, Array]:
        """q, qd and qdd at a time; at rest at first, for a second."""
        s, ds, dds = _started(t)
        w = 2 * np.pi * 0.2 * np.arange(1, 6)
        a, b = self.sines
        sin, cos = np.sin(w * t), np.cos(w * t)
        x, xd, xdd = a @ sin + b @ cos, (a * w) @ cos - (b * w) @ sin, -(a * w * w) @ sin - (b * w * w) @ cos
        return self.centre + s * x, ds * x + s * xd, dds * x + 2 * ds * xd + s * xdd

    @cached_property
    def columns(self) -> control.MotionTable:
        """The reference of a log, as its controller got it."""
        t = np.arange(int(SECONDS * RATE) + 1) / RATE
        return control.MotionTable(t, *(np.array(x) for x in zip(*map(self.reference, t), strict=True)))

    def law(self, reference: Any, wrong: float = 1.0) -> control.PDWithGravity:
        """The controller of the log, whose model is that of the description; or one with wrong gains."""
        K_p, K_d = self.gains
        return control.PDWithGravity(self.robot, reference, wrong * K_p, wrong * K_d)

    def law_with_low_pass(self, reference: Any) -> Callable[[float, Array, Array], Array]:
        """The controller of the log with the low-pass behind its encoders: a function with a memory."""
        law, seen = self.law(reference), _Encoders(np.zeros(self.robot.nv), 0.0)
        return lambda time, q, qd: np.asarray(law.torque(time, *seen(q)))

    def logs(self, count: int, seed: int = 0) -> tuple[Array, Array, Array]:
        """t (T,), and q and tau (count, T, nv) as they were measured."""
        rng, n = np.random.default_rng(seed), self.robot.nv
        t = np.arange(int(SECONDS * RATE) + 1) / RATE
        law, seen = self.law(self.columns), _Encoders(rng.uniform(0, STEP, (count, n)))

        def torque(time: float, q: Array, qd: Array) -> Array:
            return law.torque(time, *seen(q))

        first = np.broadcast_to(self.reference(0.0)[0], (count, n))
        truth = driven_parameters(self.model, self.truth)
        motion = self.driven.simulate(first, np.zeros((count, n)), torque, t, parameters=truth, progress=False)
        noise = self.torque_noise * np.sqrt(np.mean(motion.tau**2, axis=(0, 1)))
        return t, np.stack(seen.q, axis=1), motion.tau[:, : len(seen.q)] + rng.normal(0, 1, motion.tau.shape) * noise


class _Encoders:
    """Quantised positions, and velocities by their differences through a low-pass of 100 Hz; a step of 0 is exact."""

    def __init__(self, phase: Array, step: float = STEP) -> None:
        self._phase, self._step, self.q, self._qd = phase, step, list[Array](), np.zeros_like(phase)

    def __call__(self, q: Array) -> tuple[Array, Array]:
        seen = np.round((q + self._phase) / self._step) * self._step - self._phase if self._step else np.array(q)
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


def filtered(t: Array, q: Array, tau: Array, cutoff: float) -> Samples:
    """Samples of a log: a low-pass without phase for positions, and central differences; forces without a filter.

    Forces are held from an instant to the next: central differences belong to the mean of two.
    """
    q = signal.sosfiltfilt(signal.butter(4, cutoff, fs=RATE, output="sos"), q, axis=0, padlen=RATE)
    qd = np.gradient(q, 1 / RATE, axis=0)
    qdd = np.gradient(qd, 1 / RATE, axis=0)
    tau = np.concatenate([tau[:1], (tau[1:] + tau[:-1]) / 2])
    return Samples(t, q, qd, qdd, tau)


def unfiltered(t: Array, q: Array, tau: Array) -> Samples:
    """Samples of a log whose accelerations do not count; forces as they were commanded."""
    return Samples(t, q, np.gradient(q, 1 / RATE, axis=0), np.zeros_like(q), tau)


class Study(NamedTuple):
    """An estimator over all seeds.

    Attributes:
        estimator, cutoff: what, and with which filter of positions.
        bias: root mean square over base parameters of mean error over spread.
        coverage: share of 95 % intervals that hold the true value.
        forces: error of predicted forces along a motion without noise, relative to the forces.
        seconds: median time of a fit.
    """

    estimator: str
    cutoff: str
    bias: float
    coverage: float
    forces: float
    seconds: float


class Estimate(NamedTuple):
    """What is compared: base parameters, and what some estimators say besides."""

    values: Array
    intervals: Array | None = None


Estimator = Callable[[Samples], Estimate]
Filters = Sequence[tuple[str, float]]


def estimators(arm: Arm) -> list[tuple[str, Estimator, Filters]]:
    """Name, estimator, and filters that it is tried with."""
    model, columns = arm.model, arm.columns
    known, wrong = ClosedLoop(arm.law, columns), ClosedLoop(lambda x: arm.law(x, 0.9), columns)
    rescaled, exact = ClosedLoop(arm.law, columns, rescaled=True), ClosedLoop(arm.law_with_low_pass, columns)

    def said(fit: Any) -> Estimate:
        return Estimate(fit.values, fit.intervals())

    def by(name: str, log: Samples, loop: ClosedLoop) -> Estimate:
        return said(identify(model, log, estimator=name, loop=loop, check=False))

    whole: list[tuple[str, Estimator, Filters]] = [
        ("CLOE, low-pass of the velocities simulated", lambda log: by("output_error", log, exact), RAW),
    ]
    return [
        ("OLS, weighted", lambda log: said(fit_model(model, log)), FILTERS),
        ("TLS", lambda log: total(model, log), FILTERS[:2]),
        ("IDIM-IV", lambda log: by("instrumental", log, known), FILTERS),
        ("IDIM-IV, gains 10 % wrong", lambda log: by("instrumental", log, wrong), FILTERS[1:2]),
        ("DIDIM", lambda log: by("direct_inverse", log, known), NONE),
        ("DIDIM, gains rescaled", lambda log: by("direct_inverse", log, rescaled), NONE),
        ("DIDIM, gains 10 % wrong", lambda log: by("direct_inverse", log, wrong), NONE),
        ("CLOE", lambda log: by("output_error", log, known), RAW),
        ("CLOE, gains 10 % wrong", lambda log: by("output_error", log, wrong), RAW),
        *(whole if arm.robot.nv == 2 else []),  # it runs in Python
    ]


def total(model: ForceModel, log: Samples) -> Estimate:
    """Total least squares, of columns of unit length: the right singular vector of the smallest singular value."""
    R = fit_model(model, log).triangle
    scale = np.linalg.norm(R, axis=0)
    v = np.linalg.svd(R / scale)[2][-1] / scale
    return Estimate(-v[:-1] / v[-1])


def studies(arm: Arm, count: int) -> Iterator[Study]:
    """All estimators with all their filters."""
    t, q, tau = arm.logs(count)
    base = base_columns(arm.model)
    true = base.matrix @ arm.truth
    test = _test_regressor(arm)[..., base.columns].reshape(-1, len(base))
    inside = t <= SECONDS - SETTLING  # the motion begins at rest
    for name, estimate, filters in estimators(arm):
        for label, cutoff in filters:
            found, seconds = [], []
            for k in range(count):
                log = filtered(t, q[k], tau[k], cutoff) if cutoff else unfiltered(t, q[k], tau[k])
                log = log[inside][::KEPT]
                started = time.perf_counter()
                found.append(estimate(log))
                seconds.append(time.perf_counter() - started)
            yield _study(name, label, found, true, test, seconds)


def _study(name: str, label: str, found: list[Estimate], true: Array, test: Array, seconds: list[float]) -> Study:
    errors = np.array([x.values - true for x in found])
    mean, spread = errors.mean(axis=0), errors.std(axis=0, ddof=1)
    intervals = np.array([x.intervals for x in found if x.intervals is not None]).reshape(-1, len(true), 2)
    held = (intervals[..., 0] <= true) & (true <= intervals[..., 1])
    forces = np.linalg.norm(test @ errors.T, axis=0) / np.linalg.norm(test @ true)
    return Study(
        name,
        label,
        float(np.sqrt(np.mean((mean / spread) ** 2))),
        float(held.mean()) if held.size else np.nan,
        float(np.sqrt(np.mean(forces**2))),
        float(np.median(seconds)),
    )


def _test_regressor(arm: Arm) -> Array:
    """Y of other states: positions of one time, faster rates of another."""
    rows = slice(2 * RATE, None, 50)
    q, qd, qdd = (np.asarray(x)[rows] for x in (arm.columns.q, arm.columns.qd, arm.columns.qdd))
    return arm.model.regressor(Samples(np.arange(len(q)), q[::-1], 1.2 * qd, 1.4 * qdd, qd))


ARMS = (
    Arm("planar", revolute.robots.planar(2)),
    Arm("UR5", revolute.robots.ur5()),
    Arm("Panda", revolute.robots.panda()),
)


def page(count: int) -> Iterator[str]:
    """The report, in Markdown."""
    yield "# Estimators of inertial and drive parameters\n\nWritten by `python -m bench.estimators`.\n"
    yield TEXT.format(count=count, seconds=SECONDS, rate=RATE, kept=RATE // KEPT)
    found = {arm.label: {(x.estimator, x.cutoff): x for x in studies(arm, count)} for arm in ARMS}
    rows = []
    for name in found[ARMS[0].label]:
        each = [found[arm.label].get(name) for arm in ARMS]
        rows.append((*name, *(_cell(x, kind) for kind in MEASURES for x in each)))
    yield "; ".join(f"{arm.label}: {len(base_columns(arm.model))} base parameters" for arm in ARMS) + ".\n"
    yield table(("estimator", "low-pass", *(f"{kind}: {arm.label}" for kind in MEASURES for arm in ARMS)), rows) + "\n"
    yield VERDICT
    yield machine() + "\n"


def _cell(x: Study | None, kind: str) -> str:
    return "" if x is None or np.isnan(value := getattr(x, MEASURES[kind][0])) else f"{value:{MEASURES[kind][1]}}"


MEASURES = {
    "bias": ("bias", ".2f"), "intervals": ("coverage", ".0%"), "forces": ("forces", ".2%"), "s": ("seconds", ".2f"),
}  # fmt: skip

TEXT = """\
Synthetic logs of closed loops: PD control with gravity compensation at {rate} Hz; encoders of 2^17 steps per turn;
a motion of five sines from 0.2 to 1 Hz in {seconds:g} s; torques with 2 % white noise. Links, armature and
friction of the robot differ from the description by up to 30 %. Of each of {count} logs, {kept} rows per second are
fitted, with unfiltered torques.

Bias is the mean error of a base parameter, in standard deviations of one estimate; its root mean square by chance
alone is about 1/sqrt({count}). "Intervals" is the share of 95 % intervals that contain the true value. "Forces" is the
error of predictions in other, faster states. "s" is the time of a fit [s], on one core with `OPENBLAS_NUM_THREADS=1`.
"""

VERDICT = """\
## What the table says

- With a suitable filter, least squares is as good as the other estimators.
- With a filter that passes noise, least squares is biased by many standard errors; the bias of IDIM-IV stays within
  one, even with gains that are 10 % wrong.
- With a filter that attenuates the motion, all estimates from these positions are biased. DIDIM does not use positions.
- DIDIM and CLOE need the true controller: gains that are 10 % wrong bias them. CLOE must also simulate the low-pass
  behind the encoders.
- Total least squares is as biased as least squares, or predicts forces badly; Revolute does not include it.
"""

if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--logs", type=int, default=20)
    with only_cores(1):
        PAGE.write_text("\n".join(page(parser.parse_args().logs)), encoding="utf-8")
    print(PAGE.read_text(encoding="utf-8"))
