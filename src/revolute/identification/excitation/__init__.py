"""Exciting motions: Fourier trajectories that tell most about parameters, within limits."""

from revolute.identification.excitation.excitation import Excitation, Reach
from revolute.identification.excitation.excite import excite

__all__ = ["Excitation", "Reach", "excite"]
