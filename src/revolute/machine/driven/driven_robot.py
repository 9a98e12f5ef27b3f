"""A robot with its drives, in independent coordinates."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from revolute.arguments import instance, number
from revolute.errors import InputError
from revolute.machine.driven.coordinates import DriveForces, DrivenCoordinates
from revolute.machine.driven.couplings import coupled, whole_or_float
from revolute.machine.driven.parameters import DriveParameters
from revolute.machine.driven.rotors import Rotor, with_rotors
from revolute.machine.driven.variants import DrivenVariants
from revolute.machine.machine import Array
from revolute.machine.robot import Robot
from revolute.machine.robot.robot import CommonMethods
from revolute.model.body import Drive
from revolute.model.symbols import substituted, values_of

if TYPE_CHECKING:
    from revolute.symbolic import DrivenEquations
    from revolute.view.motion import Movable

SLOWEST, FASTEST = 1e-12, 1e300
"""Minimum and maximum of `smoothing` [rad/s, m/s], for which the reciprocal is a finite number."""


class DrivenRobot(DrivenCoordinates, DriveForces, DriveParameters, DrivenVariants, CommonMethods):
    """A robot with its drives, created by `Robot.with_drives`. SHV 6.92-6.99, ex. 6.1; JIN 50.

    Its coordinates q are independent: the joints without a mimic, or others defined by a coupling matrix. The joints of
    the tree follow them: positions A q + b, velocities v = A qd. With the data of `Drive` at every joint,

        A^T (M vd + C v + g + I_a vd + D v
             + (F_c + F_s exp(-(v/v_s)^2)) sgn(v) + K (A q + b - rest_position)) = tau

    where I_a = armature + gear_ratio^2 rotor_inertia: only the rotors' own rotation counts, which is accurate for high
    gear ratios. Rotors that are bodies (`rotors=`) also rotate with the links that carry them. tau are forces
    of the coordinates: motor forces times the ratio of motor speed to coordinate speed. A is constant, so C is still
    the matrix of Christoffel symbols; with kind="goa" it is A^T C A, with GOA's C of links and rotors that are bodies.

    Arrays have the shapes (..., nq) and (..., nv): joints with several coordinates keep their own positions and
    velocities, with nq > nv for quaternions.

    Jacobians are J A, for the coordinates; matrices, momenta and energies include the rotors; forces include
    friction and springs, except pure gravity or Coriolis forces. Derivatives are with respect to the coordinates, and
    to all `parameters`, including those of drives; with Coulomb friction they need `smoothing`. Rotors that are not
    bodies have no position in space, so centroidal momenta and joint wrenches exclude them.

    Attributes:
        robot: the tree robot without drives.
        space: a robot without mass whose joints are the coordinates: for their names, limits,
            `neutral`, `random_configuration`, `integrate` and `difference`.
        tree: the robot with bodies for rotors.
        drivetrain: A and b of A q + b, the positions of the joints of `tree`.
    """

    def __init__(
        self, robot: Robot, data: Mapping[str, Drive] | None = None, *, rotors: bool | Sequence[Rotor] = False,
        coupling: Any = None, offset: Any = None, names: Sequence[str] | None = None, smoothing: float = 0.0,
    ) -> None:
        instance("DrivenRobot: robot", robot, Robot)
        smoothing = number("with_drives: smoothing", smoothing)
        if not (smoothing == 0 or SLOWEST <= smoothing <= FASTEST):
            raise InputError(
                f"with_drives: smoothing must be zero, or a speed of at least {SLOWEST:g} [rad/s, m/s], not "
                f"{smoothing!r}"
            )
        options = {"rotors": rotors, "coupling": coupling, "offset": offset, "names": names, "smoothing": smoothing}
        self._options: dict[str, Any] = options
        self.robot = robot = _with_data(robot, data)
        self.name = robot.name
        self.tree, self.drivetrain = with_rotors(robot, coupled(robot, coupling, offset, names, smoothing), rotors)
        self.space = Robot.from_model(replace(self.drivetrain.space, name=robot.name))

    def __reduce__(self) -> tuple[Any, ...]:
        return partial(DrivenRobot, self.robot, **self._options), ()

    def __repr__(self) -> str:
        rotors = f", {len(self.drivetrain.rotors)} rotors" if self.drivetrain.rotors else ""
        return f"<DrivenRobot {self.robot.name!r}: {self.nv} coordinates of {self.robot.nv} joint velocities{rotors}>"

    def _movable(self) -> Movable:
        return replace(
            self.robot._movable(),
            space=self.space,
            lower=self.lower_limits,
            upper=self.upper_limits,
            effort=self.effort_limits,
            poses=lambda q: self.robot.forward_kinematics(self.joint_positions(q)),
            gravity=lambda q: self.robot.gravity_forces(self.joint_positions(q)) @ self.coupling,
        )

    def _in_joints(self, q: Array) -> Array:
        return self.joint_positions(q)

    def _substituted(self, values: Mapping[Any, Any]) -> Self:
        table = values_of(f"'{self.name}' with its drives", self.symbols, values)

        def change(x: Any) -> Any:
            return whole_or_float(x.subs(table)) if hasattr(x, "free_symbols") else x

        options = dict(self._options)
        for name in ("coupling", "offset"):
            if (entries := options[name]) is not None:
                array = np.array(entries.tolist() if hasattr(entries, "tolist") else entries, dtype=object)
                options[name] = np.vectorize(change, otypes=[object])(array) if array.size else array
        if not isinstance(rotors := options["rotors"], bool):
            options["rotors"] = tuple(replace(x, ratio=change(x.ratio), inertia=change(x.inertia)) for x in rotors)
        robot = substituted(self.robot, {key: value for key, value in table.items() if key in self.robot.symbols})
        return self._of(robot, **options)

    def equations(self, budget: float = 20.0) -> DrivenEquations:
        """The equations of motion in SymPy: M qdd + C qd + g + springs + friction = tau. SHV 6.92-6.99.

        Returns:
            M, C, g, springs, friction and tau, kinetic and potential: a `revolute.symbolic.DrivenEquations`. Arguments
            and errors: see `Robot.equations`.

        Example:
            >>> import sympy
            >>> r, I = sympy.symbols("r I_m")
            >>> drive = revolute.Drive(gear_ratio=(r,), rotor_inertia=(I,))
            >>> revolute.robots.planar(1, mass=3.0).with_drives({"joint1": drive}).equations().M
            Matrix([[I_m*r**2 + 1]])
        """
        from revolute.symbolic import DrivenEquations

        return DrivenEquations(self.robot.name, self.tree, self.drivetrain, budget)


def _with_data(robot: Robot, data: Mapping[str, Drive] | None) -> Robot:
    for body in robot.bodies if data is None else ():
        if any(x != 0 for x in body.drive.backlash):
            raise InputError(
                f"with_drives: joint '{body.joint_name}' of '{robot.name}' has backlash, which with_drives "
                "does not model; use robot.with_elastic_joints(...), or give the joint a Drive without backlash"
            )
    if data is None:
        return robot
    if not isinstance(data, Mapping) or not all(isinstance(drive, Drive) for drive in data.values()):
        raise InputError(f"with_drives needs {{joint name: Drive(...)}}, not {data!r}")
    bodies = list(robot.bodies)
    for name, drive in data.items():
        i = robot.joint_index(name)
        bodies[i] = replace(bodies[i], drive=drive)
    return _with_data(replace(robot, bodies=tuple(bodies)), None)
