"""Simulate the motion of a log with its reference and controller; forces of terms are inputs."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, partial
from typing import Any

import numpy as np

from revolute.compiler.kernel import Kernel, compiled
from revolute.compiler.signature import Signature
from revolute.control import MotionTable
from revolute.errors import SimulationError
from revolute.graph import Input
from revolute.identification.closed_loop.loop import ClosedLoop
from revolute.identification.forces.force_model import ForceModel
from revolute.identification.forces.friction import smoothed
from revolute.identification.samples import Array, Samples
from revolute.machine.driven import DrivenRobot
from revolute.simulate import Simulation
from revolute.simulate.feedback import Feedback, Law, Plant

LONGEST = 1e-3  # default of the maximum time step of a simulation [s]
SMOOTHING = 0.01  # default speed range over which dry friction changes its sign smoothly [rad/s, m/s]

MOST_STEPS, STIFFNESS = 64, 1.2
"""Maximum number of steps per sample due to friction; and product of the step and the decay rate of smoothed friction,
which must be below 2.78 for the stability of the Runge-Kutta method."""


class ClosedLoopSimulation:
    """Simulations of one block of samples, at its times, for successive sets of parameters."""

    def __init__(self, model: ForceModel, loop: ClosedLoop, samples: Samples) -> None:
        self.model, self._loop, self._t = model, loop, samples.t
        self._robot = smooth_robot(model, loop)
        held = loop.sampled(model.robot.space, samples.t)
        q, qd, qdd = (np.asarray(x) for x in (held.q, held.qd, held.qdd))
        self.reference = Samples(samples.t, q, qd, qdd, samples.tau)
        self._scale = inertias(model, self.reference, model.values) if loop.rescaled else None
        self._references: dict[int, MotionTable] = {}
        self._terms = len(model.values) - len(model.terms)

    def run(self, parameters: Array, before: Samples | None = None) -> Samples:
        """The simulated motion for (p,) parameters; its `tau` are the measured forces.

        Forces of terms are evaluated along `before`, a motion with similar parameters; by default the reference.
        """
        scale = None if self._scale is None else inertias(self.model, self.reference, parameters) / self._scale
        motion = self._moved(parameters, before, self._steps(parameters), scale)
        return Samples(self._t, motion.q, motion.qd, motion.qdd, self.reference.tau)

    def run_beside(
        self, parameters: Array, others: Array, before: Samples | None, first: tuple[Array, Array]
    ) -> tuple[Samples, Array]:
        """The motion for (p,) parameters, and (k, T, nq) positions for (k, p) others, with the same time steps.

        Equal time steps make finite differences of positions smooth. `before`: see `run`; `first`: initial positions
        (1 + k, nq) and velocities (1 + k, nv).
        """
        every = self._steps(parameters)
        whole = np.concatenate([parameters[None], others])
        if isinstance(self._loop.controlled(self._followed(every)), Law):
            motion = self._moved(whole, before, every, None, first)
            q, qd, qdd = motion.q, motion.qd, motion.qdd
        else:  # functions of (t, q, qd) supplied by the user may not accept batches
            rows = zip(whole, *first, strict=True)
            runs = [self._moved(each, before, every, None, (p, v)) for each, p, v in rows]
            q, qd, qdd = (np.stack([getattr(run, name) for run in runs]) for name in ("q", "qd", "qdd"))
        return Samples(self._t, q[0], qd[0], qdd[0], self.reference.tau), q[1:]

    def _moved(
        self, parameters: Array, before: Samples | None, every: int, scale: Array | None,
        first: tuple[Array, Array] | None = None,
    ) -> Simulation:
        """The motion for (..., p) parameters, with `every` steps from a sample to the next."""
        reference = self._followed(every)
        t = np.asarray(reference.t)
        controller = self._loop.controlled(reference, scale)
        forces = self._forces_of_terms(parameters, self.reference if before is None else before)
        if forces is not None:
            rows = np.concatenate([np.repeat(forces[..., :-1, :], every, axis=-2), forces[..., -1:, :]], axis=-2)
            controller = reduced_by(controller, rows, t)
        if first is None:
            first = np.asarray(reference.q)[0], np.asarray(reference.qd)[0]
        full = driven_parameters(self.model, parameters)
        motion = self._robot.simulate(*first, controller, t, parameters=full, every=every, progress=False)
        if len(motion.t) < len(self._t):
            raise SimulationError("the simulated motion stops before the end of the log")
        return motion

    def _followed(self, every: int) -> MotionTable:
        """The reference at the time steps of a simulation; that for the latest `every` is cached."""
        if every not in self._references:
            self._references = {every: self._loop.sampled(self._robot.space, _refined(self._t, every))}
        return self._references[every]

    def _steps(self, parameters: Array) -> int:
        """Number of steps from a sample to the next for which the integration of smoothed friction is stable."""
        longest = float(np.diff(self._t).max())
        step = min(self._loop.step or LONGEST, longest)
        inertia = np.maximum(_felt(self.model, self.reference, parameters), 1e-12)
        fastest = float((_dry(self.model, parameters) / (inertia * self._robot.drivetrain.smoothing)).max(initial=0.0))
        wanted = max(longest / step, fastest * longest / STIFFNESS)
        return max(1, min(int(np.ceil(wanted * (1 - 1e-9))), MOST_STEPS * int(np.ceil(longest / step - 1e-9))))

    def _forces_of_terms(self, parameters: Array, along: Samples) -> Array | None:
        """(..., T, nv) forces of offsets and terms; None if all are zero."""
        forces = np.zeros((*parameters.shape[:-1], *along.tau.shape))
        for k, term in enumerate(self.model.terms, self._terms):
            if np.any(value := parameters[..., k, None, None]):
                forces += value * term.column(along)
        return forces if forces.any() else None


def smooth_robot(model: ForceModel, loop: ClosedLoop) -> DrivenRobot:
    """The robot with smoothed dry friction."""
    robot = model.robot
    return robot if robot.drivetrain.smoothing and not loop.smoothing else smoothed(robot, loop.smoothing or SMOOTHING)


def driven_parameters(model: ForceModel, parameters: Array) -> Array:
    """(..., 10 n + d) `parameters` of the driven robot; zero for those that the model lacks."""
    places = {name: k for k, name in enumerate(model.names)}
    names = [name.partition(":")[0] for name in model.robot.parameter_names]
    full = np.zeros((*parameters.shape[:-1], len(names)))
    there = [k for k, name in enumerate(names) if name in places]
    full[..., there] = parameters[..., [places[names[k]] for k in there]]
    return full


def inertias(model: ForceModel, samples: Samples, parameters: Array) -> Array:
    """(nv,) mean diagonal of the mass matrix along a motion."""
    return np.asarray(np.mean(np.diagonal(mass_matrices(model, samples, parameters), axis1=1, axis2=2), axis=0))


def mass_matrices(model: ForceModel, samples: Samples, parameters: Array) -> Array:
    """(m, nv, nv) mass matrices at some of the samples, computed as forces of unit accelerations."""
    robot, full = model.robot, driven_parameters(model, parameters)
    q = samples.q[:: max(len(samples) // 50, 1)]
    still = np.zeros((len(q), robot.nv))
    at_rest = robot.regressor(q, still, still)
    columns = [(robot.regressor(q, still, still + e) - at_rest) @ full for e in np.eye(robot.nv)]
    return np.stack(columns, axis=-1)


def _felt(model: ForceModel, samples: Samples, parameters: Array) -> Array:
    """(nv,) smallest apparent inertia of each coordinate along a motion, with all other coordinates free."""
    M = mass_matrices(model, samples, parameters)
    w = np.linalg.eigvalsh(M)
    if w.min() <= 0:
        raise SimulationError("the mass matrix with these parameters is not positive definite")
    return np.asarray((1 / np.diagonal(np.linalg.inv(M), axis1=1, axis2=2)).min(axis=0))


def _dry(model: ForceModel, parameters: Array) -> Array:
    """(nv,) sums of the magnitudes of dry friction parameters by coordinate."""
    sizes, shares = np.zeros(model.robot.nv), model.robot.coupling**2
    names = {name: k for k, name in enumerate(model.robot.tree.coordinate_names)}
    for name, value in zip(model.names, parameters, strict=True):
        joint, _, kind = name.rpartition(".")
        if kind in ("friction", "friction_backward", "stribeck") and joint in names:
            sizes += abs(value) * shares[names[joint]]
    return sizes


def _refined(t: Array, every: int) -> Array:
    """Subdivide each time step into `every` equal steps."""
    parts = t[:-1, None] + np.diff(t)[:, None] * np.arange(every) / every
    return np.append(parts.ravel(), t[-1])


def reduced_by(controller: Any, forces: Array, t: Array) -> Any:
    """A controller of `simulate` minus (T, nv) forces, which depend only on time and change at the times t (T,)."""
    if isinstance(controller, Law):
        return _Reduced(controller, forces)
    torque = getattr(controller, "torque", controller)

    def less(time: float, q: Array, qd: Array) -> Array:
        row = max(int(np.searchsorted(t, time, side="right")) - 1, 0)
        return np.asarray(np.asarray(torque(time, q, qd)) - forces[row])

    return less


@dataclass(frozen=True, eq=False)
class _Reduced(Law):
    """A control law minus forces, compiled into the loop like the law itself."""

    law: Law
    forces: Array

    def _feedback(self, plant: Plant) -> Feedback:
        inner = self.law._feedback(plant)
        form, kernel = _reduced(inner.form)
        arrays = {**inner.arrays, _NAME: plant.table("forces of terms", self.forces, plant.n)}
        return Feedback(inner.name, form, arrays, kernel, plant, {name: x[0] for name, x in inner.state.items()})


_NAME = "forces of terms"


@cache
def _reduced(form: Signature) -> tuple[Signature, Kernel]:
    """A control law minus the forces of its last input, and its kernel."""
    n = form.outputs[0][1]

    def body(*given: Any) -> Sequence[Any]:
        results = form.body(*given[:-1])
        forces, *state = results if len(form.outputs) > 1 else (results,)
        less = [x - y for x, y in zip(forces, given[-1], strict=True)]
        return [less, *state] if state else less

    less = Signature(f"{form.name}_less_terms", (*form.inputs, Input(_NAME, n)), form.outputs, body)
    return less, compiled("robot", "any", less, np.float64, None, partial(_kernel, form))


def _kernel(form: Signature) -> Kernel:
    return _reduced(form)[1]
