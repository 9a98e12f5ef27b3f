"""The result of inverse kinematics."""

from __future__ import annotations

from typing import Any, NamedTuple

from numpy.typing import NDArray

__all__ = ["PoseSolutions"]

Array = NDArray[Any]


class PoseSolutions(NamedTuple):
    """Joint positions that reach poses, or come near them.

    Attributes:
        q: (..., nq) joint positions, within the limits [rad, m]. Where no start led to the pose, the nearest ones that
            were found.
        error: (..., m) what is left: of each frame the chosen rows of the rotation vector and the displacement from the
            frame to its pose, along the frame's axes [rad, m].
        converged: (...) whether the length of `error` is within the tolerance.
        iterations: (...) Levenberg-Marquardt steps, those of all starts added up.
        restarts: (...) how many starts failed before.
    """

    q: Array
    error: Array
    converged: Array
    iterations: Array
    restarts: Array
