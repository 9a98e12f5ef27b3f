"""`Robot`: a model with the functions that people call, and the face of the library.

A robot has no state; its methods compile themselves on first use and take batches as leading axes.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from revolute.arguments import instance
from revolute.machine.face.configurations import Configurations
from revolute.machine.face.counting import Counting
from revolute.machine.face.data import Data
from revolute.machine.face.derivatives import Derivatives
from revolute.machine.face.descriptions import Descriptions
from revolute.machine.face.energy import Energy
from revolute.machine.face.forward_dynamics import ForwardDynamics
from revolute.machine.face.inverse_dynamics import InverseDynamics
from revolute.machine.face.joint_space import JointSpace
from revolute.machine.face.kernels import Kernels
from revolute.machine.face.kinematics import Kinematics
from revolute.machine.face.linear_models import LinearModels
from revolute.machine.face.rates import Rates
from revolute.machine.face.regressors import Regressors
from revolute.machine.face.simulation import Simulations
from revolute.machine.face.structure import Structure
from revolute.machine.face.symbolic import Symbolic
from revolute.machine.face.task_space import TaskSpace
from revolute.machine.face.variants import Variants
from revolute.model.assemble import assemble
from revolute.model.model import Model

__all__ = ["Robot"]


class Robot(
    Model,
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

    @classmethod
    def of(cls, model: Model) -> Robot:
        """The robot of a model, which was checked when it was made.

        Example:
            >>> import revolute
            >>> robot = revolute.robots.planar(2)
            >>> revolute.Robot.of(robot) == robot
            True

        Raises:
            InputError: something else than a model.
        """
        robot = object.__new__(cls)
        robot.__setstate__(instance("Robot.of: model", model, Model).__getstate__())
        return robot

    @classmethod
    def from_links(cls, name: str, links: Iterable[Any], joints: Iterable[Any], **options: Any) -> Robot:
        """A robot from `Link`s and `Connection`s: see `revolute.model.assemble.assemble`.

        Example:
            >>> from revolute import Connection, Link, Revolute, Robot
            >>> links = [Link("stand"), Link("rod")]
            >>> Robot.from_links("arm", links, [Connection("hinge", "stand", "rod", Revolute((0, 0, 1)))]).nv
            1
        """
        return cls.of(assemble(name, links, joints, **options))

    @property
    def _robot(self) -> Robot:
        return self

    def __str__(self) -> str:
        from revolute.model.describe import tree

        return tree(self)
