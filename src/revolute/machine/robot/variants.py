"""Methods of `Robot`: robots derived from this one."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Self, cast

from numpy.typing import ArrayLike

from revolute.errors import InputError
from revolute.io.srdf import read_srdf
from revolute.machine.robot.base import Group
from revolute.model import edit, numeric
from revolute.model.named_configurations import with_configurations
from revolute.spatial import Transform, Vector

if TYPE_CHECKING:
    from revolute.dynamics.closures import At, Closure
    from revolute.machine.constrained import ConstrainedRobot
    from revolute.machine.driven import DrivenRobot, Rotor
    from revolute.machine.elastic import ElasticRobot
    from revolute.machine.operational import OperationalSpace
    from revolute.machine.robot import Robot
    from revolute.model.body import Drive
    from revolute.spatial import Inertia


class Variants(Group):
    """Variants of the robot: other gravity, loads, closed loops, drives, other coordinates."""

    def with_closures(
        self, *closures: Closure | Sequence[Closure], drives: bool = False, smoothing: float = 0.0
    ) -> ConstrainedRobot:
        """The robot with loops closed: parallel linkages, feet on the ground, grasps.

        Args:
            closures: `PointClosure`, `AxisClosure`, `FrameClosure`, `JointClosure` or another `Closure`; or one list of
                closures. They are added to `Robot.closures` and to a `JointClosure` for each joint that mimics another.
            drives: include rotors, springs and friction, with the data of `Drive`.
            smoothing: width of the sign change of friction [rad/s, m/s]: see `with_drives`.

        Raises:
            InputError: there is no closure, or an argument is not a closure.
            UnknownNameError, ModelError: a closure names an unknown link; a joint mimics an unknown joint.

        Example:
            >>> arm = revolute.robots.planar(3)
            >>> linkage = arm.with_closures(revolute.PointClosure("tip", at_b=(1.5, 0.0, 0.0)))
            >>> q, _ = linkage.project([0.5, 1.0, 1.0])
            >>> int(linkage.mobility(q)), bool(abs(linkage.error(q)).max() < 1e-12)
            (1, True)
        """
        from revolute.machine.constrained import with_closures

        robot = cast("Robot", self if self.symbols else numeric(self, "with_closures"))
        listed = closures[0] if len(closures) == 1 and isinstance(closures[0], (list, tuple)) else closures
        return with_closures(robot, listed, drives, smoothing)

    def hold(
        self, link: str, q: ArrayLike, closure: type[Closure] | None = None, *, link_b: str | None = None,
        at: At = (0.0, 0.0, 0.0),
    ) -> Closure:
        """A closure that holds a link where it is at q: a foot on the ground, a hand on another link.

        Args:
            link: name of the link.
            q: (nq,) joint positions [rad, m].
            closure: `FrameClosure` by default; `PointClosure` to leave the orientation free, or `AxisClosure`.
            link_b: name of the other link; the base frame by default.
            at: position [m] or pose in the link's frame that is held.

        Raises:
            UnknownNameError: no link has that name.
            InputError, ShapeError, DtypeError: `closure` is none of these classes, or q does not fit the robot.

        Example:
            >>> arm = revolute.robots.planar(3)
            >>> q = [0.5, -1.0, 0.2]
            >>> held = arm.with_closures(arm.hold("tip", q, revolute.PointClosure))
            >>> bool(abs(held.error(q)).max() < 1e-15), int(held.mobility(q))
            (True, 1)
        """
        from revolute.dynamics.closures import AxisClosure, FrameClosure, PointClosure

        kind = FrameClosure if closure is None else closure
        if not isinstance(kind, type) or kind not in (AxisClosure, FrameClosure, PointClosure):
            raise InputError(f"hold: closure must be FrameClosure, PointClosure or AxisClosure, not {closure!r}")
        kind(link, link_b, at)  # raises errors for wrong arguments
        robot, held = cast("Robot", self), at if isinstance(at, Transform) else Transform(p=Vector(at))
        other = Transform() if link_b is None else Transform.from_matrix(robot.forward_kinematics(q, link_b))
        at_b = (other.inverse() @ Transform.from_matrix(robot.forward_kinematics(q, link)) @ held).merged()
        return kind(link, link_b, at, tuple(at_b.p) if kind is PointClosure else at_b)

    def with_drives(
        self, data: Mapping[str, Drive] | None = None, *, rotors: bool | Sequence[Rotor] = False, coupling: Any = None,
        offset: Any = None, names: Sequence[str] | None = None, smoothing: float = 0.0,
    ) -> DrivenRobot:
        """The robot with its drives: rotors, gears, friction, joint springs, mimics, couplings. SHV 6.92-6.99, ex. 6.1.

        See also JIN Generalized forces. The methods of the original robot include only its links. Neither robot
        includes closed loops: see `with_closures`.

        Args:
            data: {joint name: `Drive`} in place of the robot's own.
            rotors: False: rotors add joint inertia for their own rotation only. True: the rotors of all joints with a
                `Drive.rotor_inertia` are bodies on the parent links. They rotate about the joints' axes, and also with
                these links. Or a list of `revolute.Rotor`s, for other axes and other links.
            coupling: (m, k) matrix A of phi = A q + b, of numbers or SymPy expressions: k independent coordinates for m
                joints with one coordinate and no mimic. Joints with several coordinates are then first in q, unchanged.
                By default q are all joints without a mimic, in their order.
            offset: (m,) b [rad, m]; zero by default.
            names: names of the k coordinates; "p1", "p2" ... by default.
            smoothing: width of the sign change of Coulomb and Stribeck friction, tanh(qd/smoothing) [rad/s, m/s]. With
                0, friction jumps at zero speed, which only inverse dynamics supports.

        Raises:
            ModelError: joints mimic each other in a cycle, or mimic an unknown joint.
            UnknownNameError: no joint or link has that name.
            InputError, ShapeError: the arguments do not fit.

        Example:
            >>> from revolute import Drive, Mimic
            >>> follower, motor = Drive(mimic=Mimic("joint2", -1.0)), Drive(armature=(2.0,))
            >>> revolute.robots.planar(3).with_drives({"joint3": follower, "joint1": motor})
            <DrivenRobot 'planar3': 2 coordinates of 3 joint velocities>
        """
        from revolute.machine.driven import DrivenRobot

        return DrivenRobot(
            cast("Robot", self), data, rotors=rotors, coupling=coupling, offset=offset, names=names, smoothing=smoothing
        )

    def with_elastic_joints(
        self, stiffness: ArrayLike, rotor_inertia: ArrayLike | None = None, damping: ArrayLike = 0.0
    ) -> ElasticRobot:
        """The robot with a spring between every motor and its link. Spong 1987; SHV ex. 6.2.

        Every joint with one coordinate has a motor, including joints that mimic others. Mimics, closures, and friction
        and springs of `Drive` are not included, but its backlash is. Joints with several coordinates, such as that of a
        free base, have no motor. Numbers may be SymPy expressions.

        Args:
            stiffness: stiffness of the springs [N m/rad, N/m], one number or (motors,).
            rotor_inertia: inertia of the motors, reflected through the gears [kg m^2, kg], one number or (motors,); by
                default armature + gear_ratio^2 rotor_inertia of the joints' `Drive`s.
            damping: damping of the springs [N m s/rad, N s/m], one number or (motors,).

        Raises:
            ModelError: no joint has one coordinate.
            ShapeError, InputError: numbers do not fit, or are not positive.

        Example:
            >>> revolute.robots.ur5().with_elastic_joints(1e4, rotor_inertia=0.5)
            <ElasticRobot 'ur5': 6 links, 6 motors>
        """
        from revolute.machine.elastic import ElasticRobot

        return ElasticRobot(cast("Robot", self), stiffness, rotor_inertia, damping)

    def with_gravity(self, gravity: Sequence[float]) -> Self:
        """The same robot with this acceleration of free fall [m/s^2], in the base frame.

        Example:
            >>> revolute.robots.ur5().with_gravity((0, 0, 0)).gravity_forces([0.3] * 6) + 0.0
            array([0., 0., 0., 0., 0., 0.])
        """
        return edit.with_gravity(self, gravity)

    def with_configurations(self, source: Mapping[str, Any] | str | os.PathLike[str]) -> Self:
        """The same robot with named configurations, from an SRDF file or a dict: see `configuration`.

        Args:
            source: {name: configuration}, each {joint: position} [rad, m] or (nq,); or the path of an SRDF file, or
                its text. Every `group_state` of SRDF is read; states of several groups with the same name form one
                configuration. Configurations are added to existing ones, and replace those with the same name.

        Raises:
            UnknownNameError: no joint has that name.
            InputError, ShapeError, DtypeError: a configuration does not fit the robot.
            ModelError: a file cannot be read, or is not SRDF with such states.

        Example:
            >>> up = {"joint1": 90 * revolute.deg}
            >>> arm = revolute.robots.planar(2).with_configurations({"up": up})
            >>> arm.configuration("up").round(3)
            array([1.571, 0.   ])
        """
        if isinstance(source, Mapping):
            return with_configurations(self, source)
        where, states = read_srdf(source)
        return with_configurations(self, states, where)

    def operational_space(
        self, task: str | Callable[..., Sequence[Any]], orientation: str | None = None, *,
        rows: Sequence[int] | None = None,
    ) -> OperationalSpace:
        """The robot in coordinates x = h(q) of a task. BP section 2.2.1, 7.4.1-7.4.5; LP 9.90-9.99.

        Coordinates of a link are three Euler angles or a quaternion, then the position of the link frame in the
        base. Their velocities are time derivatives of the numbers x: see `task_space_dynamics` for twists.

        Args:
            task: name of a link; or a function h(model, q) that returns a list of m scalars. The function is traced,
                like the recursions of `revolute.dynamics`, which it may call, so it must support any scalar type: use
                functions of `revolute.spatial.scalar`.
            orientation: for a link, a sequence of Euler angles, such as "ZYX" (by default) or "ZYZ", about axes that
                rotate with the link: R = R_Z(x0) R_Y(x1) R_X(x2), see `SphericalEuler`. "quaternion" for (x, y, z, w).
            rows: which of the three angles and x, y, z, as numbers 0 ... 5; all if None.

        Raises:
            UnknownNameError: no link has that name.
            InputError: the orientation or a row does not exist, or h does not return scalars.

        Example:
            >>> from revolute.dynamics.kinematics import frame_pose
            >>> from revolute.spatial.scalar import atan2, sqrt
            >>> def polar(model, q):
            ...     x, y, z = frame_pose(model, q, "tip").p
            ...     return [sqrt(x * x + y * y), atan2(y, x)]
            >>> space = revolute.robots.planar(2).operational_space(polar)
            >>> space.coordinates([0.0, np.pi / 2]).round(3)
            array([1.414, 0.785])
            >>> space.mass_matrix([0.0, np.pi / 2]).round(3)
            array([[0.833, 0.707],
                   [0.707, 1.667]])
        """
        from revolute.machine.operational import OperationalSpace, operational_coordinates

        robot = cast("Robot", self)
        return OperationalSpace(robot, operational_coordinates(robot, task, orientation, rows))

    def lock(self, positions: Mapping[str, float | Sequence[float]]) -> Self:
        """The robot with some joints locked: {joint name: position [rad, m]}.

        Locked bodies are merged into their parents; their link frames are kept, by name. Couplings between only locked
        joints are removed.

        Raises:
            UnknownNameError: a joint does not exist.
            InputError: the positions do not fit; a closure couples a joint to a locked joint.

        Example:
            >>> robot = revolute.robots.planar(3)
            >>> robot.lock({robot.joint_names[2]: 0.5}).nv
            2
        """
        return edit.lock(self, positions)

    def with_payload(self, link: str, inertia: Inertia) -> Self:
        """The robot with a rigid load fixed to a link; `inertia` is about the link's frame.

        Example:
            >>> arm = revolute.robots.planar(1)
            >>> loaded = arm.with_payload("tip", revolute.Inertia.from_com(2.0))  # 2 kg at 1 m
            >>> (loaded.gravity_forces([0.0]) - arm.gravity_forces([0.0])).round(3)
            array([19.62])
        """
        return edit.with_payload(self, link, inertia)

    def with_inertial_parameters(self, parameters: Any, *, implausible: str = "warn") -> Self:
        """The robot with other masses, centres of mass and inertias of its moving links.

        The parameters of a body include those of all links fixed to it, and refer to the body's frame. So a robot file
        written later stores them in the body's link, and links fixed to it have no mass; the dynamics are the same. The
        base, which does not move, keeps its inertia. Setting only "link.m" changes neither the first moment "link.mx"
        ..., nor the inertia "link.Ixx" ....

        Args:
            parameters: (n, 10), or (10 n,) flattened, in the order of `inertial_parameters`; or {name: value} for some
                of them, by the names of `parameter_names`, such as "link1.mx". Values may be symbols.
            implausible: how to treat physically inconsistent inertias, which unconstrained fits can return: "warn",
                "refuse", or "accept".

        Raises:
            ShapeError, DtypeError: the parameters do not fit the robot, or are not real numbers.
            UnknownNameError: no parameter has that name.
            InputError: a number is not finite, or a mass is negative; or, with "refuse", an inertia is inconsistent.

        Warns:
            ModelWarning: an inertia is physically inconsistent.

        Example:
            >>> arm = revolute.robots.planar(2)
            >>> heavier = arm.with_inertial_parameters(1.1 * arm.inertial_parameters)
            >>> (heavier.gravity_forces([0.3, 0.5]) / arm.gravity_forces([0.3, 0.5])).round(9)
            array([1.1, 1.1])
        """
        from revolute.model.set_parameters import with_inertial_parameters

        return with_inertial_parameters(self, parameters, implausible)
