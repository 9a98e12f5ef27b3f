"""Motions of links and motors in coordinates x = (q, theta), by the steps and solvers of all machines."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from revolute.compiler.recurrence import TimeLoop
from revolute.compiler.signature import Signature
from revolute.dynamics.elastic import links_and_motors
from revolute.machine.elastic.arguments import first_state
from revolute.machine.machine import Array
from revolute.machine.motion_loop import MotionForms, kept_loop, motion_forms
from revolute.machine.robot import Robot
from revolute.model.contact import Contact
from revolute.simulate import EventMethods, Mechanism, Request, Simulation
from revolute.simulate import simulate as simulate_whole
from revolute.simulate.feedback import Law
from revolute.simulate.torque import read_only_copy

if TYPE_CHECKING:
    from revolute.machine.elastic.elastic_robot import ElasticRobot


def simulate(robot: ElasticRobot, request: Request, theta0: ArrayLike, thetad0: ArrayLike) -> Simulation:
    """See `ElasticRobot.simulate`; q0 and qd0 of the request belong to the links."""
    whole = _Whole(robot)
    first = {"q0": request.q0, "theta0": theta0, "qd0": request.qd0, "thetad0": thetad0}
    q, theta, qd, thetad = first_state(robot.robot, len(robot.stiffness), **first)
    x, xd = np.concatenate([q, theta], axis=-1), np.concatenate([qd, thetad], axis=-1)
    torque, wrenches = whole.in_parts(request.torque), request.wrenches
    if isinstance(wrenches, Mapping):
        wrenches = {link: whole.in_parts(given) for link, given in wrenches.items()}
    mechanism = Mechanism(whole, whole.space, whole.scene, robot._owner, whole.loop)
    return simulate_whole(mechanism, replace(request, q0=x, qd0=xd, torque=torque, wrenches=wrenches), {})


class _Whole:
    """A robot with elastic joints as a mechanical system with coordinates x = (q, theta)."""

    def __init__(self, robot: ElasticRobot) -> None:
        self._robot, self.space = robot, Robot.from_model(links_and_motors(robot._numeric("simulate")))

    def parts(self, x: Array, xd: Array) -> tuple[Array, Array, Array, Array]:
        """q, theta, qd, thetad."""
        nq, nv = self._robot.robot.nq, self._robot.robot.nv
        return x[..., :nq], x[..., nq:], xd[..., :nv], xd[..., nv:]

    def in_parts(self, given: Any) -> Any:
        """Convert functions of (t, q, theta, qd, thetad), or controllers, to functions of (t, x, xd); keep arrays."""
        if not isinstance(given, Law) and callable(method := getattr(given, "torque", None)):
            given = method
        if not callable(given):
            return given
        return lambda time, x, xd: given(time, *map(read_only_copy, self.parts(x, xd)))

    def kernel(self, name: str, **options: Any) -> Callable[..., Any]:
        """A kernel of the robot as a function of x and xd, with the robot's data inserted."""
        robot = self._robot
        data = robot.stiffness, robot.damping, robot.rotor_inertia
        kernel = robot.kernel(name, **options)
        if name != "linearize":
            return partial(kernel, *data)

        def linearize(x: Array, xd: Array, tau: Array, *wrenches: Array, **threads: int) -> Any:
            q, theta, qd, thetad = self.parts(x, xd)
            return kernel(q, theta, qd, thetad, tau, *data, *wrenches, **threads)

        return linearize

    def loop(
        self, method: str, feedback: Signature | None, options: Mapping[str, Any]
    ) -> tuple[TimeLoop, Mapping[str, Array]]:
        """The time loop of a method, and the inputs that the machine gives it: see `Mechanism`."""
        robot = self._robot
        data = {"stiffness": robot.stiffness, "damping": robot.damping, "rotor_inertia": robot.rotor_inertia}
        return kept_loop(robot, method, feedback, options, partial(self._forms, method, options)), data

    def _forms(self, method: str, options: Mapping[str, Any]) -> MotionForms:
        """The functions of a motion, with energies as functions of x and xd."""
        forms = motion_forms(self._robot, method, options)
        stiffness, _, rotor_inertia, x, xd = forms.step.inputs[:5]
        kinetic, potential = forms.kinetic, forms.potential
        nq, nv = self._robot.robot.nq, self._robot.robot.nv

        def kinetic_energy(x: Any, xd: Any, rotor_inertia: Any) -> Any:
            return kinetic.body(x[:nq], xd[:nv], xd[nv:], rotor_inertia)

        def potential_energy(x: Any, stiffness: Any) -> Any:
            return potential.body(x[:nq], x[nq:], stiffness)

        return forms._replace(
            kinetic=Signature(kinetic.name, (x, xd, rotor_inertia), kinetic.outputs, kinetic_energy),
            potential=Signature(potential.name, (x, stiffness), potential.outputs, potential_energy),
        )

    def kinetic_energy(self, x: ArrayLike, xd: ArrayLike, /) -> Array:
        """Kinetic energy of links and motors."""
        q, _, qd, thetad = self.parts(np.asarray(x), np.asarray(xd))
        return self._robot.kinetic_energy(q, qd, thetad)

    def potential_energy(self, x: ArrayLike, /) -> Array:
        """Potential energy of gravity and springs."""
        q, theta = np.split(np.asarray(x), [self._robot.robot.nq], axis=-1)
        return self._robot.potential_energy(q, theta)

    def scene(self) -> EventMethods:
        robot = self._robot.robot

        def gaps(x: Array, contacts: Sequence[Contact]) -> Array:
            return robot._gaps(x[..., : robot.nq], contacts)

        return EventMethods(robot.position_names, robot.lower_limits, robot.upper_limits, gaps, self.parts)
