"""Synthetic logs of a seven-joint arm whose true parameters are known, and are not those of its description."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

import revolute
from revolute.identification import ForceModel, Samples
from revolute.identification.fit.triangle import Triangle
from revolute.model.pseudo_inertia import from_pseudo_inertia, pseudo_inertia

Array = NDArray[Any]

PANDA = revolute.robots.panda().with_drives(
    {name: revolute.Drive(damping=0.5, friction=0.3) for name in revolute.robots.panda().joint_names}
)
MODEL = ForceModel(PANDA, drives=["damping", "friction"], offsets=False)
NOISE = 0.05


@dataclass(frozen=True, eq=False)
class Log:
    """A motion, its regressor and true parameters."""

    samples: Samples
    Y: Array
    truth: Array

    def triangle(self, seed: int, noise: float = NOISE) -> Triangle:
        """Rows [Y tau] with noise of this seed."""
        tau = self.Y @ self.truth
        tau = tau + np.random.default_rng(seed).normal(0, noise, tau.shape)
        triangle = Triangle(self.Y.shape[-1] + 1)
        triangle.add(np.concatenate([self.Y, tau[..., None]], axis=-1).reshape(-1, self.Y.shape[-1] + 1))
        return triangle


def motion(seed: int, instants: int = 1000, robot: Any = PANDA.robot, harmonics: int = 5) -> Samples:
    """Sums of sines within 70 % of the joint limits, in 10 s. Swevers 1997."""
    rng = np.random.default_rng(seed)
    t = np.linspace(0, 10, instants)
    rate = 2 * np.pi / 10 * np.arange(1, harmonics + 1)[:, None, None]
    size, phase = rng.normal(size=(harmonics, 1, robot.nv)), rng.uniform(0, 6, (harmonics, 1, robot.nv))
    angle = rate * t[:, None] + phase
    q, qd, qdd = (np.sum(size * x, axis=0) for x in (np.sin(angle) / rate, np.cos(angle), -rate * np.sin(angle)))
    low, high = np.maximum(robot.lower_limits, -np.pi), np.minimum(robot.upper_limits, np.pi)
    scale = 0.35 * (high - low) / np.abs(q).max(axis=0)
    return Samples(t, q * scale + (low + high) / 2, qd * scale, qdd * scale, np.zeros_like(q))


def log(seed: int, instants: int = 1000) -> Log:
    """Links whose pseudo-inertias differ from the description by 15 % in all directions."""
    rng = np.random.default_rng(seed)
    truth = MODEL.values.copy()
    J = pseudo_inertia(truth[: MODEL.links].reshape(-1, 10))
    L = np.linalg.cholesky(J) @ (np.eye(4) + 0.15 * rng.standard_normal((len(J), 4, 4)))
    truth[: MODEL.links] = from_pseudo_inertia(L @ np.swapaxes(L, 1, 2)).ravel()
    truth[MODEL.links :] *= rng.uniform(0.5, 1.5, len(truth) - MODEL.links)
    samples = motion(seed, instants)
    return Log(samples, MODEL.regressor(samples), truth)


def rank_deficient_solution(R: Array) -> Array:
    """Ordinary least squares of rows [Y tau], of least norm."""
    return np.asarray(np.linalg.lstsq(R[:, :-1], R[:, -1], rcond=1e-9)[0])
