"""`Model`: an immutable tree of rigid bodies and joints, the input of all recursions.

Body 0 is the base; the moving bodies are 1 ... n, with parent(i) < i. A model has no state and computes nothing.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from dataclasses import field, fields
from functools import cached_property
from typing import Any, TypeVar

from revolute.arguments import nearest
from revolute.errors import InputError, UnknownNameError
from revolute.model.body import Body, Frame
from revolute.model.checks import check
from revolute.model.identity import digest
from revolute.model.named_configurations import NamedConfiguration, check_configurations
from revolute.model.scalars import by_name, expressions, scalars
from revolute.plain_numbers import plain_text
from revolute.records import dataclass
from revolute.spatial import Scalar, Transform, Vector
from revolute.spatial.vectors import plain_vector


@dataclass(frozen=True, eq=True, repr=False)
class Model:
    """A tree of bodies and joints with a fixed or floating base.

    Models are immutable, compare and hash by content, and can be pickled. Scalars of placements, inertias, drives
    and gravity may be SymPy expressions.

    Attributes:
        name: the robot's name.
        bodies: bodies[0] is the base; `bodies[i].parent < i`.
        frames: link frames by name, with the body to which each is fixed.
        gravity: acceleration of free fall in the base frame [m/s^2].
        closures: constraints that close loops; recursions use only the tree.
        configurations: named configurations, such as "home".

    Raises:
        ModelError, InputError: the parts are not a tree, or a value is not finite; the message names the link or joint.
    """

    name: str
    bodies: tuple[Body, ...] = ()
    frames: tuple[Frame, ...] = ()
    gravity: Vector = field(default=Vector((0, 0, -9.81)))
    closures: tuple[Closure, ...] = ()
    configurations: tuple[NamedConfiguration, ...] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "name", plain_text(self.name))
        object.__setattr__(self, "gravity", plain_vector("gravity [m/s^2]", self.gravity))
        check(self.name, self.bodies, self.frames, self.gravity, self.closures)
        check_configurations(self.name, self.bodies, self.configurations)

    # --- sizes and names ---------------------------------------------------------------

    @property
    def n_joints(self) -> int:
        """Number of joints; each carries one body."""
        return len(self.bodies) - 1

    @cached_property
    def nq(self) -> int:
        """Number of joint positions; a free joint has seven, a spherical joint four."""
        return sum(body.joint.nq for body in self.bodies)

    @cached_property
    def nv(self) -> int:
        """Number of joint velocities (degrees of freedom); a free joint has six, a spherical joint three."""
        return sum(body.joint.nv for body in self.bodies)

    @property
    def joint_names(self) -> tuple[str, ...]:
        """Names of the moving joints, in the order of q, qd, qdd and tau."""
        return tuple(body.joint_name for body in self.bodies[1:])

    @property
    def link_names(self) -> tuple[str, ...]:
        """Names of all link frames, including links on fixed joints."""
        return tuple(frame.name for frame in self.frames)

    @cached_property
    def position_names(self) -> tuple[str, ...]:
        """A name for each of the nq positions: the joint's name for one axis; `root_joint.x`, ... for a free joint."""
        return self._names_of_parts("q_names")

    @cached_property
    def coordinate_names(self) -> tuple[str, ...]:
        """A name for each of the nv velocity coordinates; a free joint has six: `root_joint.wx`, ..."""
        return self._names_of_parts("qd_names")

    def _names_of_parts(self, names: str) -> tuple[str, ...]:
        """Names of coordinates: the joint's name, and the coordinate's if the joint has several."""
        pairs = [(body.joint_name, part) for body in self.bodies for part in getattr(body.joint, names)]
        return tuple(f"{joint}.{part}" if part else joint for joint, part in pairs)

    @cached_property
    def q_index(self) -> tuple[slice, ...]:
        """For every body, the index of its joint's positions in q."""
        return _slices(body.joint.nq for body in self.bodies)

    @cached_property
    def v_index(self) -> tuple[slice, ...]:
        """For every body, the index of its joint's velocities in qd, qdd and tau."""
        return _slices(body.joint.nv for body in self.bodies)

    def frame(self, name: str) -> Frame:
        """The link frame with this name.

        Raises:
            UnknownNameError: no link has this name.

        Example:
            >>> revolute.robots.planar(2).frame("tip").body
            2
        """
        return self.frames[self._place("link", self.link_names, name)]

    def joint_index(self, name: str) -> int:
        """The index of the body on the joint with this name.

        Raises:
            UnknownNameError: no joint has this name.

        Example:
            >>> robot = revolute.robots.planar(2)
            >>> robot.joint_index(robot.joint_names[1])
            2
        """
        return 1 + self._place("joint", self.joint_names, name)

    def _place(self, kind: str, names: Sequence[str], name: str) -> int:
        if isinstance(name, str) and name in names:
            return names.index(name)
        known = isinstance(name, str)
        if kind == "link" and known and name in self.joint_names:
            hint = f"'{name}' is a joint; it carries '{self.bodies[self.joint_index(name)].name}'"
        elif kind == "joint" and known and name in self.link_names:
            carrier = self.bodies[self.frame(name).body].joint_name
            hint = f"'{name}' is a link; " + (f"'{carrier}' carries it" if carrier else "no joint carries it")
        elif isinstance(name, tuple):
            hint = "give one name: forward_kinematics and jacobian take lists; velocities are jacobian(q, links) @ qd"
        else:
            hint = nearest(name, names)
        raise UnknownNameError(f"robot '{self.name}' has no {kind} '{name}'; {hint}")

    # --- symbols -------------------------------------------------------------------------

    @cached_property
    def symbols(self) -> tuple[Any, ...]:
        """The SymPy symbols in the robot's placements, inertias, gravity and drives, in order of their names.

        Example:
            >>> import sympy
            >>> g = sympy.Symbol("g")
            >>> revolute.robots.planar(2).with_gravity((0, -g, 0)).symbols
            (g,)
        """
        numbers = scalars(self.gravity, self.bodies, self.frames)
        return by_name({symbol for x in expressions(numbers) for symbol in x.free_symbols})

    # --- identity ------------------------------------------------------------------------

    @cached_property
    def digest(self) -> str | None:
        """A hash of the content, equal in every process; None with joints or closures from outside this library.

        Models with the same digest share compiled code. Models without one have their own code. Named configurations
        change no code and are not included.
        """
        return digest(derived(self, configurations=()) if self.configurations else self)

    def __getstate__(self) -> dict[str, Any]:
        return {f.name: getattr(self, f.name) for f in fields(self)}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)

    def __repr__(self) -> str:
        from revolute.model.describe import not_included

        drives = f"; {remark}" if (remark := not_included(self)) else ""
        return f"<{type(self).__name__} {self.name!r}: {self.n_joints} joints, nq={self.nq}, nv={self.nv}{drives}>"


class Closure(ABC):
    """A holonomic constraint: functions of q that must be zero. Subclasses need only `error` and `row_names`."""

    @abstractmethod
    def error(self, robot: Model, q: Sequence[Scalar]) -> list[Scalar]:
        """Constraint errors: scalars that are zero where the loop is closed."""

    def jacobian(self, robot: Model, q: Sequence[Scalar]) -> list[list[Scalar]]:
        """Rows J with de/dt = J qd; no rows if `error` is to be differentiated."""
        return []

    def drift(self, robot: Model, q: Sequence[Scalar], qd: Sequence[Scalar]) -> list[Scalar]:
        """dJ/dt qd; empty if `error` is to be differentiated."""
        return []

    @abstractmethod
    def row_names(self) -> list[str]:
        """A name for each component of `error`."""

    def links(self) -> tuple[str, ...]:
        """Names of the links that the closure connects, if any."""
        return ()

    def joints(self) -> tuple[str, ...]:
        """Names of the joints that the closure couples, if any."""
        return ()

    def attached(self, prefix: str, link: str, placement: Transform) -> Closure:
        """This closure after `Robot.attach`: names have a prefix, and the base frame is a frame on another link.

        Args:
            prefix: prefix of the names of links and joints.
            link: link of the other robot, without the prefix.
            placement: pose of the former base frame in the link's frame.

        Raises:
            InputError: the class of the closure does not define this method.
        """
        raise InputError(
            f"{self} cannot follow its robot to another base: its class {type(self).__name__} has no method "
            "`attached`; write one, or remove the closure: dataclasses.replace(robot, closures=())"
        )


AnyModel = TypeVar("AnyModel", bound=Model)


def derived(model: AnyModel, **changes: Any) -> AnyModel:
    """A copy with new fields that were computed from this model: they are not checked, and may exceed bounds."""
    changed = object.__new__(type(model))
    changed.__setstate__(model.__getstate__() | changes)
    return changed


def _slices(sizes: Iterable[int]) -> tuple[slice, ...]:
    slices, start = [], 0
    for size in sizes:
        slices.append(slice(start, start + size))
        start += size
    return tuple(slices)
