"""Exciting motions: Fourier trajectories that are optimal for identification within limits."""

import sys

from revolute.arguments.renamed import OldFunction

sys.modules[__name__].__class__ = OldFunction
