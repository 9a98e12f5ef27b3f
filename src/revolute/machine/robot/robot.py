"""`Robot`: a model with compiled functions, the central class of the library.

A robot has no state; its methods are compiled on first use and accept batches as leading axes.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from revolute.machine.robot.contacts import Contacts
from revolute.machine.robot.data import Data, Symbolic
from revolute.machine.robot.derivatives import Calibration, Derivatives
from revolute.machine.robot.descriptions import Descriptions
from revolute.machine.robot.forward_dynamics import ForwardDynamics, LinearModels
from revolute.machine.robot.inverse_dynamics import InverseDynamics
from revolute.machine.robot.inverse_kinematics import InverseKinematics
from revolute.machine.robot.joint_space import JointSpace
from revolute.machine.robot.parts import Parts
from revolute.machine.robot.pictures import Pictures, Viewing
from revolute.machine.robot.rates import Rates
from revolute.machine.robot.regressors import Regressors
from revolute.machine.robot.simulation import Simulations
from revolute.machine.robot.structure import Structure
from revolute.machine.robot.task_space import TaskSpace
from revolute.machine.robot.variants import Variants
from revolute.model import assemble, numeric

if TYPE_CHECKING:
    from revolute.view.motion import Movable


class CommonMethods(
    InverseDynamics, InverseKinematics, JointSpace, ForwardDynamics, Simulations, TaskSpace, Regressors, Rates,
    Derivatives, LinearModels, Contacts, Viewing,
):
    """All groups of methods of robots with and without drives."""


class Robot(CommonMethods, Structure, Calibration, Descriptions, Symbolic, Pictures, Data, Variants, Parts):
    """An open-chain robot: any tree with a fixed or floating base.

    Robots are created by `revolute.load`, `revolute.robots`, or `revolute.Robot.from_links`. They are immutable, are
    compared and hashed by content, and can be pickled. Arguments and results are NumPy arrays whose leading axes are a
    batch; the last axis is in the order of `joint_names` (depth first, siblings in file order).

    Numbers in placements, inertias, drives and gravity may be replaced by SymPy expressions: see `symbols`, `subs` and
    `equations`.

    Attributes:
        name: the robot's name.
        bodies: bodies[0] is the base; `bodies[i].parent < i`.
        frames: link frames by name, with the body to which each is fixed.
        gravity: acceleration of free fall in the base frame [m/s^2].
        closures: closures of its loops, as data: only `with_closures` uses them; all other methods use the tree.
        configurations: named configurations, as data: see `configuration` and `with_configurations`.
    """

    @classmethod
    def from_links(cls, name: str, links: Iterable[Any], joints: Iterable[Any], **options: Any) -> Robot:
        """A robot from `Link`s and `Joint`s: see `revolute.model.assemble.assemble`.

        Example:
            >>> from revolute import Joint, Link, Revolute, Robot
            >>> hinge = Joint("hinge", "stand", "rod", Revolute((0, 0, 1)))
            >>> Robot.from_links("arm", [Link("stand"), Link("rod")], [hinge]).nv
            1
        """
        return cls.from_model(assemble(name, links, joints, **options))

    def _movable(self) -> Movable:
        from revolute.view.motion import Movable

        numeric(self, "view")
        limits = self.lower_limits, self.upper_limits, self.effort_limits
        return Movable(self, self, *limits, self.forward_kinematics, self.gravity_forces)

    def __str__(self) -> str:
        from revolute.model.describe import tree

        return tree(self)
