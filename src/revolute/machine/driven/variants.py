"""Methods of `DrivenRobot`: robots derived from this one, with the same drives."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Self

import numpy as np

from revolute.errors import warn_caller
from revolute.machine.driven.base import DrivenGroup
from revolute.machine.driven.parameters import changed_robot
from revolute.machine.robot import Robot
from revolute.model import Body, edit
from revolute.spatial import Inertia


class DrivenVariants(DrivenGroup):
    """Variants of the robot with the same drives: other gravity, loads, fewer coordinates."""

    _options: Mapping[str, Any]

    def with_gravity(self, gravity: Sequence[float]) -> Self:
        """The same robot and drives with this acceleration of free fall [m/s^2], in the base frame."""
        return self._of(self.robot.with_gravity(gravity))

    def with_payload(self, link: str, inertia: Inertia) -> Self:
        """The same robot and drives with a rigid load fixed to a link; `inertia` is about the link frame's origin."""
        return self._of(self.robot.with_payload(link, inertia))

    def with_parameters(self, parameters: Any, *, implausible: str = "warn") -> Self:
        """The robot with other parameters of links and drives, such as identified masses, friction, springs and rotors.

        Drive parameters are stored in the `Drive` of each joint. If an armature includes a geared rotor, both terms
        keep their ratio. Masses, damping, Coulomb friction, stiffness and inertias of drives must not be negative.

        Args:
            parameters: (10 n + d,) in the order of `parameters`; or {name: value} for some of them, by the names of
                `parameter_names`, such as "link1.m" or "joint1.friction". Values may be symbols.
            implausible: how to treat physically inconsistent inertias: see `Robot.with_inertial_parameters`.

        Raises:
            ShapeError, DtypeError: the parameters do not fit the robot, or are not real numbers.
            UnknownNameError: no parameter has that name. Direction-dependent friction, Stribeck friction and springs
                are parameters only if the robot's `Drive` has them.
            InputError: a number is not finite, or is negative where this is not allowed; with "refuse", an inertia is
                physically inconsistent.
            ModelError: a link has less inertia than a rotor in it.

        Warns:
            ModelWarning: an inertia is physically inconsistent.

        Example:
            >>> drive = revolute.Drive(friction=2.0)
            >>> arm = revolute.robots.planar(2).with_drives({"joint1": drive})
            >>> fitted = arm.with_parameters({"joint1.friction": 1.5, "link2.m": 0.9})
            >>> fitted.robot.bodies[1].drive.friction, fitted.robot.bodies[2].inertia.m
            ((1.5,), 0.9)
        """
        options = self._options["rotors"]
        robot, rotors = changed_robot(self.robot, self.tree, self.drivetrain, options, parameters, implausible)
        return self._of(robot, rotors=rotors)

    def described(self) -> Robot:
        """The robot with the data of its drives, as stored in files. Its `with_drives` returns the driven robot again.

        Warns:
            ModelWarning: files cannot store these options of `with_drives`: coupling, offset, names, smoothing, rotors
                that are bodies.

        Example:
            >>> drive = revolute.Drive(damping=0.5)
            >>> driven = revolute.robots.planar(1).with_drives({"joint1": drive})
            >>> driven.described().drives.damping
            array([0.5])
        """
        options = [x for x in ("coupling", "offset", "names") if self._options[x] is not None]
        options += [x for x in ("rotors", "smoothing") if self._options[x]]
        if options:
            warn_caller(
                f"robot '{self.name}': files store the data of drives, not the options {', '.join(options)} of "
                "with_drives; give them again: revolute.load(path).with_drives(...)"
            )
        return self.robot

    def lock(self, positions: Mapping[str, float | Sequence[float]]) -> Self:
        """The robot with some coordinates locked: {coordinate name: position [rad, m]}.

        Joints that follow only locked coordinates are merged into their parents, and their rotors are at rest. Joints
        that also follow other coordinates keep moving with them.

        Raises:
            UnknownNameError: a coordinate does not exist: see `coordinate_names`.
            InputError: the positions do not fit, or a closure couples a joint to a locked joint.

        Example:
            >>> elbow = revolute.robots.planar(2).with_drives(coupling=[[1, 0], [-1, 1]])
            >>> held = elbow.lock({"p1": 0.3})  # the first link; q2 = p2 - 0.3
            >>> held, held.joint_positions([0.3]).round(3) + 0.0
            (<DrivenRobot 'planar2': 1 coordinates of 1 joint velocities>, array([0.]))
        """
        edit.lock(self.space, positions)  # called only because it raises an error if the arguments are invalid
        still = {
            at.start: np.atleast_1d(np.asarray(positions[body.joint_name], dtype=float)).tolist()
            for body, at in zip(self.space.bodies[1:], self.space.v_index[1:], strict=True)
            if body.joint_name in positions
        }
        joints = {
            body.joint_name: self._at(k, still) if body.joint.nv == 1 else still[self.drivetrain.A[k][0][0]]
            for body, k in self._joints()
            if self._is_still(k, still)
        }
        robot, rotors = self._with_rotors_at_rest(still)
        changes: dict[str, Any] = {"rotors": rotors}
        if any(self._options[x] is not None for x in ("coupling", "offset", "names")):
            singles = zip(self.space.bodies[1:], self.space.v_index[1:], strict=True)
            kept = {at.start: b.joint_name for b, at in singles if b.joint.nv == 1 and at.start not in still}
            moving = [
                k
                for body, k in self._joints()
                if body.joint.nv == 1 and not body.drive.mimic and body.joint_name not in joints
            ]
            rows = [dict(self.drivetrain.A[k]) for k in moving]
            changes["coupling"] = np.array([[row.get(k, 0) for k in kept] for row in rows], dtype=object).reshape(
                len(moving), len(kept)
            )
            changes["offset"] = [self._at(k, still) for k in moving]
            changes["names"] = [*kept.values()]
        return self._of(robot.lock(joints), **changes)

    def _joints(self) -> list[tuple[Body, int]]:
        """The robot's moving joints, each with the index of its first velocity."""
        return [
            (body, at.start)
            for body, at in zip(self.robot.bodies, self.robot.v_index, strict=True)
            if body.joint.nv
        ]

    def _is_still(self, k: int, still: Mapping[int, Any]) -> bool:
        """Whether velocity k of the tree depends only on locked coordinates."""
        row = self.drivetrain.A[k]
        return bool(row) and all(column in still for column, _ in row)

    def _at(self, k: int, still: Mapping[int, Any]) -> Any:
        """Position of the joint with index k in qd, if all unlocked coordinates are zero."""
        return self.drivetrain.b[k] + sum(f * still[column][0] for column, f in self.drivetrain.A[k] if column in still)

    def _with_rotors_at_rest(self, still: Mapping[int, Any]) -> tuple[Robot, Any]:
        """The robot with the inertias of locked rotors added to links that exclude them; and the unlocked rotors."""
        rotors = self._options["rotors"]
        if isinstance(rotors, bool):
            return self.robot, rotors
        first = len(self.robot.bodies)
        bodies, turning = list(self.robot.bodies), []
        for body, rotor, k in zip(self.tree.bodies[first:], rotors, self.tree.v_index[first:], strict=True):
            if not self._is_still(k.start, still):
                turning.append(rotor)
            elif not rotor.included:
                carrier = bodies[body.parent]
                bodies[body.parent] = replace(carrier, inertia=carrier.inertia + body.placement @ body.inertia)
        return replace(self.robot, bodies=tuple(bodies)), turning

    def _of(self, robot: Robot, **changes: Any) -> Self:
        make: Callable[..., Self] = type(self)
        return make(robot, **{**self._options, **changes})
