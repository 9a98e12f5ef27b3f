"""The kernels that simulate a machine under the forces of a task, with their options and inputs."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import cached_property, partial
from typing import Any

import numpy as np

from revolute.arguments import Array, by_names
from revolute.compiler.kernel import Kernel
from revolute.dynamics.steps import METHODS
from revolute.errors import InputError
from revolute.records import dataclass
from revolute.simulate.adaptive import ADAPTIVE
from revolute.simulate.owner import Mechanism
from revolute.simulate.request import MotionTask, Request, prepare, start
from revolute.simulate.result import Simulation
from revolute.simulate.torque import in_batch
from revolute.simulate.touching import touched
from revolute.simulate.watching import State


@dataclass(frozen=True, eq=False)
class ForcedMachine:
    """A machine and a task: the kernels that simulate the machine under the task's forces, and their inputs."""

    mechanism: Mechanism
    task: MotionTask
    acting: Mapping[str, Any]  # options of the kernels, such as damping, except for wrenches
    parameters: Mapping[str, Array]  # inertial parameters of the moving robot, by name; empty if they are its own

    @property
    def options(self) -> dict[str, Any]:
        """Options of the kernels of steps and of the state's rate."""
        return {**self.acting, **({"wrenches": self.task.links} if self.task.links else {})}

    @property
    def regrouped(self) -> tuple[Array, ...]:
        """Inertial parameters that are the last input of kernels, if any."""
        return (self.parameters["regrouped_parameters"],) if self.parameters else ()

    @property
    def step_name(self) -> str:
        """Name of the kernel of a step, without "_step"."""
        return "touching" if self.task.request.touching else self.task.request.method

    @property
    def step_options(self) -> dict[str, Any]:
        """Options of the kernel of a step."""
        touching = self.task.request.touching
        return {**self.options, **(touching.options if touching else {})}

    @cached_property
    def step(self) -> Callable[..., Any]:
        """(q, qd, forces, h) -> the state after a step; with contacts also accelerations, forces and a residual."""
        kernel, touching = self.kernel(f"{self.step_name}_step", self.step_options), self.task.request.touching
        if not touching:
            return kernel
        own = tuple(touching.arrays.values())
        return lambda q, qd, forces, h: kernel(q, qd, forces, h, *own)

    def kernel(self, name: str, options: Mapping[str, Any] | None = None) -> Callable[..., Any]:
        """A kernel whose third argument contains joint forces, wrenches (six numbers per link) and further inputs."""
        threads = self.task.request.threads
        chosen = self.options if options is None else options
        kernel: Callable[..., Any] = self.mechanism.machine.kernel(name, **chosen)
        if threads is not None:
            kernel = partial(kernel, threads=threads)
        elif isinstance(kernel, Kernel):
            kernel = kernel.fast_call(kernel)
        n, more = self.task.n, self.regrouped
        sizes = [*self.task.loads.values()]
        if not sizes and not more:
            return kernel
        places = [slice(end - size, end) for size, end in zip(sizes, n + np.cumsum(sizes, dtype=int), strict=True)]

        def call(q: Array, qd: Array, applied: Array, *step: float) -> Any:
            return kernel(q, qd, applied[..., :n], *step, *(applied[..., at] for at in places), *more)

        return call

    @cached_property
    def rate(self) -> Callable[..., State]:
        """(q, qd, forces) -> (dq/dt, qdd)."""
        return self.kernel("state_rate")

    def energies(self, q: Array, qd: Array) -> tuple[Array, Array]:
        """Kinetic and potential energy."""
        robot = self.mechanism.machine
        if not self.parameters:
            return robot.kinetic_energy(q, qd), robot.potential_energy(q)
        kinetic = robot.kernel("kinetic_energy", parameters="regrouped")  # regrouped parameters preserve only this one
        potential = robot.kernel("potential_energy", parameters="inertial")
        return kinetic(q, qd, *self.regrouped), potential(q, self.parameters["inertial_parameters"])

    def motion(self, *arrays: Array) -> Simulation:
        """The motion from t, q, qd, qdd, tau, kinetic and potential energy, with the states of a control law.

        With contacts and stops, the last arrays are their forces and the residual.
        """
        motion, law = Simulation.of(self.mechanism.owner, *arrays[:7]), self.task.feedback
        if touching := self.task.request.touching:
            motion = touched(motion, touching, *arrays[7:])
        return replace(motion, controller=law.states_at(motion.t)) if law and law.state else motion


def prepared(mechanism: Mechanism, request: Request, acting: Mapping[str, Any]) -> ForcedMachine:
    """The machine with the checked request; `ReferenceStopped` if the reference of a controller fails."""
    space, parameters = mechanism.space, dict[str, Array]()
    state = start(
        space,
        by_names("simulate: q0", request.q0, space.position_names, "q."),
        by_names("simulate: qd0", request.qd0, space.coordinate_names, "qd."),
    )
    task = prepare(request, (*METHODS, *ADAPTIVE), space, state, mechanism.scene, mechanism.owner.forces)
    law = task.feedback
    if law and law.state and request.method not in METHODS:
        raise InputError(f"simulate: {law.name} has a state and requires fixed steps: {', '.join(METHODS)}")
    if request.parameters is not None:
        acting = {**acting, "parameters": "regrouped"}
        kernel = mechanism.machine.kernel("regrouped_parameters")
        given = np.asarray(request.parameters, dtype=float)
        in_batch("parameters", given, len(kernel.inputs[0].shape), task.batch)
        parameters = {"inertial_parameters": given, "regrouped_parameters": kernel(given)}
    return ForcedMachine(mechanism, task, acting, parameters)
