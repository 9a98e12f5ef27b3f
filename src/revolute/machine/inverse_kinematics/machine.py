"""The machines of inverse kinematics."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from revolute.machine.constrained.inverse_kinematics import ConstrainedLinkPoses
    from revolute.machine.robot.inverse_kinematics import InverseKinematics

__all__ = ["PosedMachine"]

PosedMachine: TypeAlias = "InverseKinematics | ConstrainedLinkPoses"
"""Machines with positions q that place link frames, and with the functions `pose_error` and `chord_error`."""
