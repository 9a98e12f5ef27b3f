"""Methods of robots with and without drives."""

from __future__ import annotations

from revolute.machine.robot.derivatives import Derivatives
from revolute.machine.robot.forward_dynamics import ForwardDynamics
from revolute.machine.robot.inverse_dynamics import InverseDynamics
from revolute.machine.robot.inverse_kinematics import InverseKinematics
from revolute.machine.robot.joint_space import JointSpace
from revolute.machine.robot.linear_models import LinearModels
from revolute.machine.robot.rates import Rates
from revolute.machine.robot.regressors import Regressors
from revolute.machine.robot.simulation import Simulations
from revolute.machine.robot.task_space import TaskSpace
from revolute.machine.viewing import Viewing

__all__ = ["CommonMethods"]


class CommonMethods(
    InverseDynamics, InverseKinematics, JointSpace, ForwardDynamics, Simulations, TaskSpace, Regressors, Rates,
    Derivatives, LinearModels, Viewing,
):
    """All groups of methods of robots with and without drives."""
