"""`Robot`: an immutable tree of rigid bodies and joints, and the face of the library.

Body 0 is the base, bodies are 1 ... n with parent(i) < i. A robot has no state; its
methods compile themselves on first use and take batches as leading axes.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, fields
from functools import cached_property
from typing import TYPE_CHECKING, Any

from revolute.body import Body, Frame
from revolute.checks import check
from revolute.errors import UnknownNameError
from revolute.face.configurations import Configurations
from revolute.face.counting import Counting
from revolute.face.data import Data
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
from revolute.face.variants import Variants
from revolute.identity import digest
from revolute.plain_numbers import plain_text
from revolute.spatial import Vector
from revolute.vectors import plain_vector

if TYPE_CHECKING:
    from revolute.dynamics.closures import Closure

__all__ = ["Robot"]


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
    Data,
    Variants,
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
        object.__setattr__(self, "name", plain_text(self.name))
        object.__setattr__(self, "gravity", plain_vector("gravity [m/s^2]", self.gravity))
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

    # --- making --------------------------------------------------------------------------

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

    @property
    def _robot(self) -> Robot:
        return self

    # --- identity ------------------------------------------------------------------------

    @cached_property
    def digest(self) -> str | None:
        """A name for the robot's content, the same in every process; None with joints or closures not of this library.

        Robots of one digest have the same code. What is not of this library, or was changed, has code of its own.
        """
        return digest(self)

    def __getstate__(self) -> dict[str, Any]:
        return {f.name: getattr(self, f.name) for f in fields(self)}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)

    def __repr__(self) -> str:
        return f"<Robot {self.name!r}: {self.n_joints} joints, nq={self.nq}, nv={self.nv}>"

    def __str__(self) -> str:
        from revolute.describe import tree

        return tree(self)


def _slices(sizes: Iterable[int]) -> tuple[slice, ...]:
    found, start = [], 0
    for size in sizes:
        found.append(slice(start, start + size))
        start += size
    return tuple(found)
