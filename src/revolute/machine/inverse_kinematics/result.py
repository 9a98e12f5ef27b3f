"""The result of inverse kinematics."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from revolute.errors import InputError
from revolute.machine.machine import Array


class _Arrays(NamedTuple):
    q: Array
    error: Array
    converged: Array
    iterations: Array
    restarts: Array


class PoseSolutions(_Arrays):
    """Joint positions that reach poses, or come near them. Printing shows how many are missed, and by how much.

    Trajectories accept the whole result as a waypoint, and raise an error if a pose is not reached: `quintic(robot,
    [q0, found], 2.0)`. The array `q` is not checked; `reached()` returns it, or raises an error if a pose is not
    reached.

    With `all=True`, q, error and converged have one more axis, for the K solutions of a pose, nearest to q0 first: `q`
    is (..., K, nq). In a batch, K is the largest number of solutions; poses with fewer have NaN in their last rows,
    where `converged` is False: `[q[ok] for q, ok in zip(found.q, found.converged)]` lists the solutions of each pose. A
    pose out of reach has no solution; if no pose has one, K is 0. With `all=True`, `restarts` counts all failed starts.

    Attributes:
        q: (..., nq) joint positions, within the limits [rad, m]. If no start led to the pose, the nearest ones found.
        error: (..., m) remaining errors: for each frame the selected rows of the rotation vector and the displacement
            from the frame to its pose, expressed in the frame [rad, m].
        converged: (...) whether the length of `error` is within the tolerance.
        iterations: (...) number of Levenberg-Marquardt steps, summed over all starts.
        restarts: (...) number of failed earlier starts.
    """

    rows: tuple[tuple[int, ...], ...] = (tuple(range(6)),)
    """Components of each frame's `error`, among wx, wy, wz, vx, vy, vz. This attribute is not part of the tuple."""

    stop: str = ""
    """Where a path stops before a joint jumps; empty if none does. This attribute is not part of the tuple."""

    def of_rows(self, rows: tuple[tuple[int, ...], ...], stop: str = "") -> PoseSolutions:
        """Set the rows of `error` for each frame, and where a path stops; return self."""
        self.rows, self.stop = rows, stop
        return self

    def reached(self, what: str = "inverse_kinematics") -> Array:
        """Return `q` if all poses are reached; otherwise raise an error whose message begins with `what`.

        Raises:
            InputError: a pose is not reached.

        Example:
            >>> arm = revolute.robots.planar(2)
            >>> arm.inverse_kinematics([1.0, 0.5, 0.0], "tip", rows="linear").reached().shape
            (2,)
        """
        if not np.all(self._reached()):
            if self._several:
                raise InputError(f"{what}: a pose is not reached (no solution); use q[converged] for the other poses")
            left = self.left()
            subject = "a pose is " if left.startswith("not") else ""
            raise InputError(f"{what}: {subject}{left}; pass .q if the nearest positions are intended")
        return self.q

    def left(self) -> str:
        """Describe the remaining errors of poses that are not reached: "not reached: 3.2 cm, 0.4° left".

        Example:
            >>> arm = revolute.robots.planar(2)
            >>> arm.inverse_kinematics([3.0, 0.0, 0.0], "tip", rows="linear").left()  # 2 m long
            'not reached: 1 m left'
            >>> arm.inverse_kinematics([1.0, 0.5, 0.0], "tip", rows="linear").left()
            'reached'
        """
        missed = ~np.atleast_1d(self._reached()).ravel()
        if not missed.any():
            return "reached"
        if self._several:
            return f"{missed.sum()} of {len(missed)} not reached" if np.ndim(self.iterations) else "not reached"
        error = self.error.reshape(len(missed), -1)[missed]
        flat = np.array([row for rows in self.rows for row in rows])
        frame = np.repeat(np.arange(len(self.rows)), [len(rows) for rows in self.rows])
        ways, turns = (
            max((np.linalg.norm(error[:, (frame == k) & kind], axis=1).max() for k in set(frame[kind])), default=None)
            for kind in (flat > 2, flat < 3)
        )
        amounts = [] if ways is None else [_length(ways)]
        amounts += [] if turns is None else [f"{np.degrees(turns):.2g}°"]
        if np.ndim(self.converged) == 0:
            return f"not reached: {', '.join(amounts)} left"
        first = np.argwhere(~np.asarray(self.converged))[0].tolist()
        where = first[0] if len(first) == 1 else tuple(first)
        stops = f"{self.stop}; " if self.stop else ""
        return f"{stops}{missed.sum()} of {len(missed)} not reached, such as {where}: up to {', '.join(amounts)} left"

    @property
    def _several(self) -> bool:
        """Whether the result contains all solutions of each pose."""
        return np.ndim(self.converged) > np.ndim(self.iterations)

    def _reached(self) -> Array:
        """(...) whether each pose is reached by a solution."""
        return np.asarray(self.converged.any(axis=-1)) if self._several else self.converged

    def __repr__(self) -> str:
        q = np.array2string(self.q, precision=4, separator=", ", suppress_small=True, threshold=50)
        kind = "" if self._several or np.all(self.converged) else "the nearest "
        return f"<PoseSolutions: {self.left()}; {kind}q = {q}>"

    __str__ = __repr__


def _length(x: float) -> str:
    """A length [m] as text, in metres, centimetres or millimetres."""
    for factor, unit in ((1, "m"), (100, "cm")):
        if x * factor >= 0.995:
            return f"{x * factor:.2g} {unit}"
    return f"{1000 * x:.2g} mm"
