"""Exciting motions: Fourier trajectories that determine parameters best, within limits."""

import sys

from revolute.arguments.renamed import OldFunction

sys.modules[__name__].__class__ = OldFunction
