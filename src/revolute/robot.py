"""`Robot`: an immutable tree of rigid bodies and joints, and the face of the library.

Body 0 is the base, bodies are 1 ... n with parent(i) < i. A robot has no state; its
methods compile themselves on first use and take batches as leading axes.
"""

from __future__ import annotations

import difflib
import hashlib
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from revolute.arguments import random_generator
from revolute.body import Body, Drive, Frame
from revolute.checks import check
from revolute.errors import InputError, UnknownNameError
from revolute.face.configurations import Configurations
from revolute.face.counting import Counting
from revolute.face.derivatives import Derivatives
from revolute.face.descriptions import Descriptions
from revolute.face.energy import Energy
from revolute.face.forward_dynamics import ForwardDynamics
from revolute.face.inverse_dynamics import InverseDynamics
from revolute.face.joint_space import JointSpace
from revolute.face.kernels import Kernels
from revolute.face.kinematics import Kinematics
from revolute.face.linear_models import LinearModels
from revolute.face.rates import Rates
from revolute.face.regressors import Regressors
from revolute.face.simulation import Simulations
from revolute.face.structure import Structure
from revolute.face.symbolic import Symbolic
from revolute.face.task_space import TaskSpace
from revolute.spatial import Inertia, Vector

if TYPE_CHECKING:
    from revolute.constrained import ConstrainedRobot
    from revolute.driven import DrivenRobot, Rotor
    from revolute.dynamics.closures import Closure
    from revolute.elastic import ElasticRobot

__all__ = ["Robot"]

Array = NDArray[Any]


@dataclass(frozen=True, eq=True, repr=False)
class Robot(
    Kernels,
    InverseDynamics,
    Kinematics,
    JointSpace,
    ForwardDynamics,
    Energy,
    TaskSpace,
    Regressors,
    Rates,
    Derivatives,
    LinearModels,
    Structure,
    Counting,
    Simulations,
    Descriptions,
    Symbolic,
    Configurations,
):
    """An open-chain robot: fixed base or floating, any tree.

    Robots come from `revolute.load`, `revolute.robots`, or `revolute.Robot.from_links`.
    They are immutable, compare and hash by content, and pickle. Arrays go in and out as
    NumPy arrays whose leading axes are a batch; the last axis is in the order of
    `joint_names` (depth first, siblings in file order).

    Scalars of placements, inertias, drives and gravity may be SymPy expressions: see
    `symbols`, `subs` and `equations`.

    Attributes:
        name: the robot's name.
        bodies: bodies[0] is the base; `bodies[i].parent < i`.
        frames: link frames by name, with the body that each is fixed to.
        gravity: acceleration of free fall in the base frame [m/s^2].
        closures: what closes the robot's loops, as data: all methods but `with_closures` see the tree.
    """

    name: str
    bodies: tuple[Body, ...]
    frames: tuple[Frame, ...]
    gravity: Vector = field(default=Vector((0, 0, -9.81)))
    closures: tuple[Closure, ...] = ()

    def __post_init__(self) -> None:
        check(self)

    # --- sizes and names ---------------------------------------------------------------

    @cached_property
    def nq(self) -> int:
        """Number of joint positions; a free joint has seven, a spherical one four."""
        return sum(body.joint.nq for body in self.bodies)

    @cached_property
    def nv(self) -> int:
        """Number of joint velocities (degrees of freedom); a free joint has six, a spherical one three."""
        return sum(body.joint.nv for body in self.bodies)

    @property
    def joint_names(self) -> tuple[str, ...]:
        """Names of the moving joints, in the order of q, qd, qdd and tau."""
        return tuple(body.joint_name for body in self.bodies[1:])

    @property
    def link_names(self) -> tuple[str, ...]:
        """Names of all link frames, those of links that a fixed joint carries included."""
        return tuple(frame.name for frame in self.frames)

    @property
    def coordinate_names(self) -> tuple[str, ...]:
        """A name for each of the nv velocity coordinates; a free joint has six: `root_joint.wx`, ..."""
        return tuple(
            f"{body.joint_name}.{part}" if part else body.joint_name
            for body in self.bodies
            for part in body.joint.qd_names
        )

    @cached_property
    def q_index(self) -> tuple[slice, ...]:
        """For every body, where its joint's positions are in q."""
        return _slices(body.joint.nq for body in self.bodies)

    @cached_property
    def v_index(self) -> tuple[slice, ...]:
        """For every body, where its joint's velocities are in qd, qdd and tau."""
        return _slices(body.joint.nv for body in self.bodies)

    def frame(self, name: str) -> Frame:
        """The link frame of that name.

        Raises:
            UnknownNameError: no link has that name.

        Example:
            >>> import revolute
            >>> revolute.robots.planar(2).frame("tip").body
            2
        """
        return self.frames[self._place("link", self.link_names, name)]

    def joint_index(self, name: str) -> int:
        """The index of the body that the joint of that name carries.

        Raises:
            UnknownNameError: no joint has that name.

        Example:
            >>> import revolute
            >>> robot = revolute.robots.planar(2)
            >>> robot.joint_index(robot.joint_names[1])
            2
        """
        return 1 + self._place("joint", self.joint_names, name)

    @property
    def n_joints(self) -> int:
        """Number of joints; each carries one body."""
        return len(self.bodies) - 1

    def _place(self, kind: str, names: Sequence[str], name: str) -> int:
        if isinstance(name, str) and name in names:
            return names.index(name)
        near = difflib.get_close_matches(str(name), names, n=3) or list(names)[:8]
        raise UnknownNameError(f"robot '{self.name}' has no {kind} '{name}'; near: {', '.join(near) or 'none'}")

    # --- limits ------------------------------------------------------------------------

    @cached_property
    def lower_limits(self) -> Array:
        """(nq,) lowest joint positions [rad, m]; -inf where there is no limit."""
        return self._column("limits", "lower", "nq", -math.inf)

    @cached_property
    def upper_limits(self) -> Array:
        """(nq,) highest joint positions [rad, m]; inf where there is no limit."""
        return self._column("limits", "upper", "nq", math.inf)

    @cached_property
    def velocity_limits(self) -> Array:
        """(nv,) largest joint speeds [rad/s, m/s]; inf where none is given."""
        return self._column("limits", "velocity", "nv", math.inf)

    @cached_property
    def effort_limits(self) -> Array:
        """(nv,) rated joint forces [N m, N]; inf where none is given."""
        return self._column("limits", "effort", "nv", math.inf)

    @cached_property
    def damping(self) -> Array:
        """(nv,) viscous friction coefficients [N m s/rad, N s/m], as data."""
        return self._column("drive", "damping", "nv", 0.0)

    @cached_property
    def friction(self) -> Array:
        """(nv,) Coulomb friction [N m, N], as data."""
        return self._column("drive", "friction", "nv", 0.0)

    @cached_property
    def armature(self) -> Array:
        """(nv,) inertias of drives, as the joints feel them [kg m^2, kg], as data: no part of the mass matrix."""
        return self._column("drive", "armature", "nv", 0.0)

    @cached_property
    def gear_ratio(self) -> Array:
        """(nv,) motor speeds over joint speeds, as data."""
        return self._column("drive", "gear_ratio", "nv", 1.0)

    @cached_property
    def rotor_inertia(self) -> Array:
        """(nv,) inertias of rotors on the motors' side of the gears [kg m^2], as data."""
        return self._column("drive", "rotor_inertia", "nv", 0.0)

    @cached_property
    def stiffness(self) -> Array:
        """(nv,) stiffness of joint springs [N m/rad, N/m], as data."""
        return self._column("drive", "stiffness", "nv", 0.0)

    @cached_property
    def rest(self) -> Array:
        """(nv,) joint positions at which the joint springs are slack [rad, m], as data."""
        return self._column("drive", "rest", "nv", 0.0)

    @cached_property
    def stribeck(self) -> Array:
        """(nv,) friction at rest beyond Coulomb friction [N m, N], as data."""
        return self._column("drive", "stribeck", "nv", 0.0)

    @cached_property
    def stribeck_speed(self) -> Array:
        """(nv,) speeds at which `stribeck` has faded to 1/e [rad/s, m/s], as data; inf where none is given."""
        return self._column("drive", "stribeck_speed", "nv", math.inf)

    def _column(self, part: str, name: str, size: str, default: float) -> Array:
        rows = [(getattr(getattr(b, part), name) or (default,) * getattr(b.joint, size)) for b in self.bodies]
        if part == "drive" and self.symbols:
            from revolute.symbols import numeric

            return numeric(self, name)._column(part, name, size, default)
        column = np.array([x for row in rows for x in row], dtype=float)
        column.flags.writeable = False
        return column

    # --- configurations ----------------------------------------------------------------

    def neutral(self) -> Array:
        """(nq,) the zero configuration; free and spherical joints have the identity quaternion.

        Example:
            >>> import revolute
            >>> revolute.robots.random_tree(1, seed=0, base="free").neutral()
            array([0., 0., 0., 0., 0., 0., 1., 0.])
        """
        return np.array([x for body in self.bodies for x in body.joint.neutral()], dtype=float)

    def random_configuration(
        self, rng: np.random.Generator | int | None = None, shape: int | tuple[int, ...] = ()
    ) -> Array:
        """(*shape, nq) random positions, uniform within the limits.

        A joint without limits gets an angle within +-pi or a position within +-1 m; a free or
        spherical joint a uniformly distributed orientation.

        Args:
            rng: a NumPy generator, or a seed for one.
            shape: batch shape.

        Example:
            >>> import revolute
            >>> revolute.robots.ur5().random_configuration(rng=0, shape=(10, 3)).shape
            (10, 3, 6)
        """
        generator = random_generator("random_configuration", rng)
        try:
            batch = np.broadcast_shapes(shape)
        except (TypeError, ValueError):
            raise InputError(f"random_configuration: shape must be sizes, not {shape!r}") from None
        lower, upper = self.lower_limits.tolist(), self.upper_limits.tolist()
        rows = [
            [
                x
                for body, at in zip(self.bodies, self.q_index, strict=True)
                for x in body.joint.random(generator, lower[at], upper[at])
            ]
            for _ in range(math.prod(batch))
        ]
        return np.array(rows, dtype=float).reshape(*batch, self.nq)

    # --- other robots made from this one -------------------------------------------------

    @classmethod
    def from_links(cls, name: str, links: Iterable[Any], joints: Iterable[Any], **options: Any) -> Robot:
        """A robot from `Link`s and `Connection`s: see `revolute.assemble.assemble`.

        Example:
            >>> from revolute import Connection, Link, Revolute, Robot
            >>> links = [Link("stand"), Link("rod")]
            >>> Robot.from_links("arm", links, [Connection("hinge", "stand", "rod", Revolute((0, 0, 1)))]).nv
            1
        """
        from revolute.assemble import assemble

        return assemble(name, links, joints, **options)

    def with_closures(self, *closures: Closure, drives: bool = False, smoothing: float = 0.0) -> ConstrainedRobot:
        """The robot with loops closed: parallel linkages, feet on the ground, grasps.

        Args:
            closures: `PointClosure`, `AxisClosure`, `FrameClosure`, `JointClosure`, or any
                `Closure`. They come after what the description names: `Robot.closures`, and
                joints that mimic others, a `JointClosure` each.
            drives: have rotors, springs and friction in the dynamics, by the data of `Drive`.
            smoothing: of friction: see `with_drives`.

        Returns:
            a `ConstrainedRobot`, with dynamics of its own.

        Raises:
            InputError: no closure, or something else.
            UnknownNameError: a closure names a link that is not there.

        Example:
            >>> import revolute
            >>> arm = revolute.robots.planar(3)
            >>> linkage = arm.with_closures(revolute.PointClosure("tip", at_b=(1.5, 0.0, 0.0)))
            >>> q, _ = linkage.project([0.5, 1.0, 1.0])
            >>> int(linkage.mobility(q)), bool(abs(linkage.error(q)).max() < 1e-12)
            (1, True)
        """
        from revolute.constrained import ConstrainedRobot
        from revolute.dynamics.closures import mimics

        return ConstrainedRobot(self, (*self.closures, *mimics(self), *closures), drives, smoothing)

    def with_drives(
        self,
        data: Mapping[str, Drive] | None = None,
        *,
        rotors: bool | Sequence[Rotor] = False,
        coupling: Any = None,
        offset: Any = None,
        names: Sequence[str] | None = None,
        smoothing: float = 0.0,
    ) -> DrivenRobot:
        """The robot as it is driven: rotors, gears, friction, joint springs, mimics, other couplings. SHV 6.4, ex. 6.1.

        The methods of the robot itself are of its links alone. Closed loops are part of neither:
        see `with_closures`.

        Args:
            data: {joint name: `Drive`} in place of what the robot has.
            rotors: False: rotors feel their own turning alone, as inertias of the joints. True: the
                rotors of all joints with a `Drive.rotor_inertia` are bodies that turn about the
                joints' axes on the links before them, and feel the turning of these, too. Or
                `revolute.driven.Rotor`s, for other axes and other links.
            coupling: (m, k) matrix A of q = A p + b, of numbers or SymPy expressions: k
                independent coordinates for m joints of one coordinate that mimic none. Joints of
                several coordinates then come first in p, unchanged. By default p are those
                joints themselves, in their order.
            offset: (m,) b [rad, m]; zero by default.
            names: of the k coordinates; "p1", "p2" ... by default.
            smoothing: speed [rad/s, m/s] over which Coulomb and Stribeck friction change their
                sign, as tanh(qd/smoothing). With 0 they jump, which is for inverse dynamics only.

        Returns:
            a `revolute.driven.DrivenRobot`.

        Raises:
            ModelError: mimics in a circle, or of joints that are not there.
            UnknownNameError: no joint or link of that name.
            InputError, ShapeError: arguments that do not fit.

        Example:
            >>> import revolute
            >>> from revolute import Drive, Mimic
            >>> arm = revolute.robots.planar(3)
            >>> arm.with_drives({"joint3": Drive(mimic=Mimic("joint2", -1.0)), "joint1": Drive(armature=(2.0,))})
            <DrivenRobot 'planar3': 2 coordinates of 3 joint velocities>
        """
        from revolute.driven import DrivenRobot

        return DrivenRobot(
            self, data, rotors=rotors, coupling=coupling, offset=offset, names=names, smoothing=smoothing
        )

    def with_elastic_joints(
        self, stiffness: ArrayLike, rotor_inertia: ArrayLike | None = None, damping: ArrayLike = 0.0
    ) -> ElasticRobot:
        """The robot with a spring between every motor and its link. Spong 1987; SHV ex. 6.2.

        Args:
            stiffness: of the springs [N m/rad, N/m], one number or (nv,).
            rotor_inertia: of the motors, behind the gears [kg m^2, kg], one number or (nv,); by
                default armature + gear_ratio^2 rotor_inertia of the joints' `Drive`s.
            damping: of the springs [N m s/rad, N s/m], one number or (nv,).

        Returns:
            a `revolute.elastic.ElasticRobot`.

        Raises:
            ModelError: a joint has several coordinates.
            ShapeError, InputError: numbers that do not fit, or are not positive.

        Example:
            >>> import revolute
            >>> revolute.robots.ur5().with_elastic_joints(1e4, rotor_inertia=0.5)
            <ElasticRobot 'ur5': 6 links, 6 motors>
        """
        from revolute.elastic import ElasticRobot

        return ElasticRobot(self, stiffness, rotor_inertia, damping)

    def with_gravity(self, gravity: Sequence[float]) -> Robot:
        """The same robot where bodies fall with this acceleration [m/s^2], in the base frame.

        Example:
            >>> import revolute
            >>> revolute.robots.ur5().with_gravity((0, 0, 0)).gravity_forces([0.3] * 6) + 0.0
            array([0., 0., 0., 0., 0., 0.])
        """
        from revolute import edit

        return edit.with_gravity(self, gravity)

    def lock(self, positions: Mapping[str, float | Sequence[float]]) -> Robot:
        """The robot with some joints held still: {joint name: position [rad, m]}.

        Locked bodies become part of their parents; their link frames stay, by name.

        Example:
            >>> import revolute
            >>> robot = revolute.robots.planar(3)
            >>> robot.lock({robot.joint_names[2]: 0.5}).nv
            2
        """
        from revolute import edit

        return edit.lock(self, positions)

    def with_payload(self, link: str, inertia: Inertia) -> Robot:
        """The robot with a rigid load fixed to a link; `inertia` is about the link's frame.

        Example:
            >>> import revolute
            >>> arm = revolute.robots.planar(1)
            >>> loaded = arm.with_payload("tip", revolute.Inertia.from_com(2.0))
            >>> (loaded.gravity_forces([0.0]) - arm.gravity_forces([0.0])).round(3)  # 2 kg at 1 m
            array([19.62])
        """
        from revolute import edit

        return edit.with_payload(self, link, inertia)

    def subtree(self, link: str) -> Robot:
        """What hangs on a link, as a robot whose fixed base that link is.

        The base frame is the link's frame; gravity keeps its three numbers, which now mean
        that frame: see `with_gravity`.

        Example:
            >>> import revolute
            >>> robot = revolute.robots.planar(3)
            >>> robot.subtree(robot.bodies[1].name).nv
            2
        """
        from revolute import edit

        return edit.subtree(self, link)

    def regrouped(self) -> Robot:
        """The robot with inertia that joints cannot feel moved to the parent bodies, by rule.

        About a revolute axis these are the mass, the first moment along it and a rotor
        symmetric about it, along a prismatic axis the inertia matrix; of a joint whose axis
        is no coordinate axis, the mass alone. Joint forces, the mass matrix and the kinetic
        energy stay the same, the potential energy but for a constant. Wrenches between
        links, centres of mass and momenta of the whole do not, and bodies need no longer be
        possible ones. Kernels of joint forces do this by themselves. Gautier & Khalil 1990.

        Example:
            >>> import revolute
            >>> robot = revolute.robots.ur5()
            >>> print((robot.inertial_parameters != 0).sum(), (robot.regrouped().inertial_parameters != 0).sum())
            26 19
        """
        from revolute import edit

        return edit.regrouped(self)

    @property
    def _robot(self) -> Robot:
        return self

    # --- identity ------------------------------------------------------------------------

    @cached_property
    def digest(self) -> str:
        """A name for the robot's content, the same in every process."""
        content = repr(tuple(getattr(self, f.name) for f in fields(self)))
        if self.symbols:
            from revolute.symbols import identity

            content += identity(self)
        return hashlib.sha256(content.encode()).hexdigest()

    def __getstate__(self) -> dict[str, Any]:
        return {f.name: getattr(self, f.name) for f in fields(self)}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)

    def __repr__(self) -> str:
        return f"<Robot '{self.name}': {self.n_joints} joints, nq={self.nq}, nv={self.nv}>"

    def __str__(self) -> str:
        from revolute.describe import tree

        return tree(self)


def _slices(sizes: Iterable[int]) -> tuple[slice, ...]:
    found, start = [], 0
    for size in sizes:
        found.append(slice(start, start + size))
        start += size
    return tuple(found)
