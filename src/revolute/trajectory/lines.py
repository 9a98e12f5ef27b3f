"""Straight lines of a frame from pose to pose, with corners rounded within a radius.

s is the length along the path. Line i extends from s_i to s_i + l_i, and h_i(s) is the fraction of it that has been
passed; d_i is its whole displacement, and phi_i its rotation vector, expressed in the base frame:

    p(s) = p_0 + sum_i h_i d_i,    R(s) = exp(h_n phi_n) ... exp(h_1 phi_1) R_0
    l_i h_i = r(s - s_i) - r(s - s_i - l_i)

The ramp r(x) is max(x, 0). Within the radius b of a corner, with u = (x + b) / 2 b, it is replaced by 2 b (u^3 -
u^4/2), which joins it with two continuous derivatives at both ends. So acceleration is continuous from one line to the
next.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from revolute.arguments import Array, float_copy, positive
from revolute.errors import InputError, ShapeError
from revolute.trajectory.law import TimeLaw, rest_to_rest
from revolute.trajectory.poses import PosePath, as_pose, errors, poses_of, rotations

RADIAN = 0.1  # length of the way of a rotation by one radian [m], where the frame's origin moves less


class Lines(PosePath):
    """Lines from pose to pose, with rounded corners.

    Attributes:
        lengths: (n,) lengths of the lines [m].
        blend: (n - 1,) radii of the corners between lines [m]; the frame stops at corners with zero radius.
    """

    def __init__(self, poses: Array, lengths: Array, blend: Array, law: TimeLaw) -> None:
        super().__init__(poses[0], law)
        self.lengths, self.blend = lengths, blend
        self._steps = errors(poses[:-1], poses[1:])

    def _shape(self, s: Array) -> tuple[Array, Array, Array]:
        ramps = _ramps(s, np.cumsum(self.lengths) - self.lengths, np.append(0.0, self.blend))
        h, dh, ddh = ((r - np.append(r[:, 1:], 0 * s[:, None], axis=1)) / self.lengths for r in ramps)
        way = self._steps[:, 3:]
        R, w, wd = np.broadcast_to(self.start[:3, :3], (len(s), 3, 3)), np.zeros((len(s), 3)), np.zeros((len(s), 3))
        for i, phi in enumerate(self._steps[:, :3]):
            E, rate = rotations(h[:, i, None] * phi), dh[:, i, None] * phi
            R, w, wd = E @ R, (E @ w[..., None])[..., 0], (E @ wd[..., None])[..., 0]
            wd = wd + ddh[:, i, None] * phi + np.cross(rate, w)
            w = w + rate
        return poses_of(R, self.start[:3, 3] + h @ way), np.hstack([w, dh @ way]), np.hstack([wd, ddh @ way])


def _ramps(s: Array, at: Array, radius: Array) -> tuple[Array, Array, Array]:
    """(n, k) ramps r(s - at) at (n,) lengths s, rounded within (k,) radii, and their first and second derivatives."""
    x, width = s[:, None] - at, np.where(radius > 0, 2 * radius, 1.0)
    within = np.abs(x) < radius
    u = np.where(within, (x + radius) / width, 0.0)
    return (
        np.where(within, width * (u**3 - u**4 / 2), np.maximum(x, 0.0)),
        np.where(within, 3 * u**2 - 2 * u**3, x >= 0),
        np.where(within, (6 * u - 6 * u**2) / width, 0.0),
    )


def lines(poses: Sequence[Any] | Array, duration: float, *, blend: ArrayLike = 0.0, profile: str = "quintic") -> Lines:
    """Straight lines from pose to pose, each with the shortest rotation about one axis, and with rounded corners.

    Within `blend` of a corner, the frame changes to the next line with continuous acceleration, without a stop.
    It stops at corners whose radius is zero. The speed along the path follows one profile from stop to stop.

    Args:
        poses: two or more poses in the forms of `line`; consecutive ones differ.
        duration: seconds for the whole path; each part between stops takes a time in proportion to its length.
        blend: radius [m] of all corners, or one for each: at most half the length of either line at the corner. If the
            frame rotates by more than 10 rad/m along a line, each radian counts as 0.1 m of its length.
        profile: see `line`; "linear" requires a positive radius at all corners.

    Raises:
        ShapeError, InputError: an argument is not a pose or does not fit; two poses are equal; a radius is too large,
            or zero with profile "linear".

    Example:
        >>> from revolute import Transform
        >>> from revolute.trajectory import lines
        >>> corner = [Transform(p=p) for p in ((0, 0, 0), (1, 0, 0), (1, 1, 0))]
        >>> path = lines(corner, 2.0, blend=0.2)
        >>> path.pose(1.0)[:3, 3].round(4), path.twist(1.0)[3:].round(4)
        (array([0.9625, 0.0375, 0.    ]), array([0.9375, 0.9375, 0.    ]))
    """
    try:
        given = list(poses)
    except TypeError:
        raise ShapeError(f"lines: needs at least two poses, not {type(poses).__name__}") from None
    if len(given) < 2:
        raise ShapeError(f"lines: needs at least two poses, not {len(given)}")
    T = np.array([as_pose(f"lines: pose {k}", x) for k, x in enumerate(given)])
    ways = np.linalg.norm(errors(T[:-1], T[1:]).reshape(-1, 2, 3), axis=2)
    lengths = np.maximum(ways[:, 1], RADIAN * ways[:, 0])
    if not lengths.all():
        k = int(np.argmin(lengths))
        raise InputError(f"lines: poses {k} and {k + 1} are equal; omit one of them")
    radii = float_copy("lines: blend", blend)
    if radii.shape not in ((), (len(lengths) - 1,)) or not (radii >= 0).all():
        raise ShapeError(f"lines: blend must be a radius [m] of 0 or more, or {len(lengths) - 1} such radii")
    radii = np.broadcast_to(radii, (len(lengths) - 1,))
    most = np.minimum(lengths[:-1], lengths[1:]) / 2
    if (radii > most).any():
        k = int(np.argmax(radii - most))
        half = f"half of the shorter line is {most[k]:.6g} m"
        raise InputError(f"lines: blend at pose {k + 1} is {radii[k]:.6g} m, but {half}")
    if profile == "linear" and not radii.all():
        raise InputError(f"lines: profile 'linear' cannot stop at pose {1 + int(np.argmin(radii))}; give blend > 0")
    return Lines(T, lengths, radii, _law(lengths, radii, positive("lines: the duration", duration), profile))


def _law(lengths: Array, radii: Array, duration: float, profile: str) -> TimeLaw:
    """The length along the path as a function of time, with one profile from stop to stop."""
    stops = np.concatenate([[0.0], np.cumsum(lengths)[:-1][radii == 0], [lengths.sum()]])
    breaks = duration * stops / stops[-1]
    parts = [rest_to_rest("lines", T, profile).coefficients * way for T, way in np.diff([breaks, stops]).T]
    c = np.concatenate(parts)
    c[:, 0] += stops[:-1]
    return TimeLaw(breaks, c)
