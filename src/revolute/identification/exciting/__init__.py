"""Exciting motions: Fourier trajectories that tell most about parameters, within limits."""

from revolute.identification.exciting.excite import excite
from revolute.identification.exciting.motion import ExcitingMotion, Reach

__all__ = ["ExcitingMotion", "Reach", "excite"]
