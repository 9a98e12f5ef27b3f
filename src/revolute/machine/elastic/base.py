"""The base class of all groups of methods of `ElasticRobot`: its data, and how its functions are compiled."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from revolute.dynamics.elastic import motor_places
from revolute.dynamics.invertible import require_invertible
from revolute.machine.function import Function, Subject
from revolute.machine.machine import Array, LinkWrenches, Machine, Out, Threads
from revolute.machine.on_robot import OnRobot
from revolute.machine.robot import Robot
from revolute.model.model import Model
from revolute.model.scalars import by_name
from revolute.model.symbols import numeric

__all__ = ["OWN", "Array", "ElasticGroup", "LinkWrenches", "Out", "Threads"]

OWN = ("stiffness", "damping", "rotor_inertia")
"""In declarations: the robot's own arrays, in the order of the kernels' inputs."""


class ElasticGroup(OnRobot, Machine):
    """A group of methods of `ElasticRobot`, with the robot's data."""

    _kind = "robot with elastic joints"
    _elsewhere = ". See `robot.kernel` for those of the rigid robot"

    robot: Robot
    stiffness: Array
    damping: Array
    rotor_inertia: Array

    @property
    def motor_names(self) -> tuple[str, ...]:
        """Names of the joints with a motor and a spring: those of one coordinate, in the order of theta.

        Example:
            >>> import revolute
            >>> tree = revolute.robots.random_tree(2, rng=1, base="free")
            >>> tree.with_elastic_joints(100.0, rotor_inertia=0.1).motor_names
            ('joint1', 'joint2')
        """
        return tuple(self.robot.coordinate_names[k] for _, k in motor_places(self.robot))

    @property
    def symbols(self) -> tuple[Any, ...]:
        """The SymPy symbols of the robot, its springs and its rotors, by name."""
        free = set(self.robot.symbols)
        for column in (self.stiffness, self.damping, self.rotor_inertia):
            for x in column:
                free |= getattr(x, "free_symbols", set())
        return by_name(free)

    def _labels(self) -> Mapping[str, Sequence[str]]:
        robot = self.robot
        return {"nq": robot.position_names, "nv": robot.coordinate_names, "motors": self.motor_names}

    def _subject(self, function: Function, options: Mapping[str, Any]) -> Subject:
        model = self._numeric(function.name)
        if function.inverts:
            require_invertible(model)
        nq, nv, motors = model.nq, model.nv, len(self.stiffness)
        sizes = {"nq": nq, "nv": nv, "motors": motors, "nq+motors": nq + motors, "nv+motors": nv + motors}
        return Subject(self.robot.name, (model,), {**sizes, "2(nv+motors)": 2 * (nv + motors)}, model.digest)

    def _numeric(self, what: str) -> Model:
        """The rigid robot, if neither it nor its springs and rotors have symbols."""
        self._require_values(what, "springs")
        return numeric(self.robot, what)
