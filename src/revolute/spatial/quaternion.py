"""Rotations by quaternions x, y, z, w, and the exponential maps of rotations and poses."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from revolute.spatial.rotation import Rotation
from revolute.spatial.scalar import Scalar, cos, sin, sqrt
from revolute.spatial.vectors import Matrix, Vector, cross

__all__ = [
    "cayley",
    "displacement",
    "exponential",
    "logarithm",
    "motion",
    "normalized",
    "of_matrix",
    "product",
    "rate",
    "rotation",
    "sinc",
    "turn",
]

Quaternion = tuple[Scalar, Scalar, Scalar, Scalar]

TINY = 1e-300
"""Added to a square, so that its root is not zero."""


def rotation(s: Sequence[Scalar]) -> Rotation:
    """The rotation of a quaternion of any length but zero."""
    x, y, z, w = s
    k = 2 / (x * x + y * y + z * z + w * w)
    X, Y, Z = x * k, y * k, z * k
    return Rotation((
        Matrix((
            (1 - (y * Y + z * Z), x * Y - w * Z, x * Z + w * Y),
            (x * Y + w * Z, 1 - (x * X + z * Z), y * Z - w * X),
            (x * Z - w * Y, y * Z + w * X, 1 - (x * X + y * Y)),
        )),
    ))


def of_matrix(R: Sequence[Sequence[float]]) -> tuple[float, float, float, float]:
    """A quaternion of a rotation of numbers, of any length: the column of 4 s s^T whose component of s is largest.

    So nothing cancels, near half a turn neither. Shepperd 1978.
    """
    (a, b, c), (d, e, f), (g, h, i) = R
    x, y, z, w = squares = 1 + a - e - i, 1 - a + e - i, 1 - a - e + i, 1 + a + e + i
    columns = (
        (x, b + d, c + g, h - f),
        (b + d, y, f + h, c - g),
        (c + g, f + h, z, d - b),
        (h - f, c - g, d - b, w),
    )
    return columns[max(range(4), key=squares.__getitem__)]


def rate(s: Sequence[Scalar], omega: Sequence[Scalar]) -> Quaternion:
    """ds/dt = s (omega, 0) / 2, with the angular velocity omega along the rotated axes."""
    x, y, z, w = s
    wx, wy, wz = (component / 2 for component in omega)
    return (
        w * wx + y * wz - z * wy,
        w * wy + z * wx - x * wz,
        w * wz + x * wy - y * wx,
        -(x * wx + y * wy + z * wz),
    )


def normalized(s: Sequence[Scalar]) -> Quaternion:
    """The quaternion divided by its length."""
    x, y, z, w = s
    k = 1 / sqrt(x * x + y * y + z * z + w * w)
    return x * k, y * k, z * k, w * k


def product(s: Sequence[Scalar], t: Sequence[Scalar]) -> Quaternion:
    """s t: rotation by t, then by s."""
    a, b = Vector(s[:3]), Vector(t[:3])
    x, y, z = b * s[3] + a * t[3] + cross(a, b)
    return x, y, z, s[3] * t[3] - (a[0] * b[0] + a[1] * b[1] + a[2] * b[2])


def cayley(r: Sequence[Scalar]) -> Quaternion:
    """A turn about r by 2 atan(|r|/2), with a quaternion of length sqrt(1 + |r|^2/4): (1 - r^/2)^-1 (1 + r^/2)."""
    return r[0] / 2, r[1] / 2, r[2] / 2, 1


def turn(r: Sequence[Scalar]) -> Quaternion:
    """`exponential` over any scalar. At zero sin(x)/x is one, by a length of 1e-150."""
    half = sqrt(r[0] * r[0] + r[1] * r[1] + r[2] * r[2] + TINY) / 2
    k = sin(half) / half / 2
    return r[0] * k, r[1] * k, r[2] * k, cos(half)


def exponential(r: Sequence[Any]) -> Quaternion:
    """The quaternion of a rotation vector [rad]: (sin(|r|/2) r/|r|, cos(|r|/2)). LP 3.2.3."""
    half = _length(r) / 2
    k = sinc(half) / 2
    return r[0] * k, r[1] * k, r[2] * k, np.cos(half)


def logarithm(s: Sequence[Any]) -> Vector:
    """The rotation vector of a quaternion [rad]: the shortest, with |r| <= pi. LP 3.2.3.

    s and -s are the same rotation; the one with w >= 0 has the smaller angle. At a half turn,
    w = 0, both angles are pi, and r has the direction of (x, y, z).
    """
    sign = np.where(s[3] < 0, -1.0, 1.0)
    x, y, z, w = (component * sign for component in s)
    length = _length((x, y, z))
    small = length == 0
    k = np.where(small, 2 / np.where(w == 0, 1, w), 2 * np.arctan2(length, w) / np.where(small, 1, length))
    return Vector((x * k, y * k, z * k))


def displacement(r: Sequence[Any], v: Sequence[Any]) -> Vector:
    """The origin's displacement by exp of a twist (r, v): v + a r x v + b r x (r x v). LP 3.88.

        a = (1 - cos |r|) / |r|^2,    b = (|r| - sin |r|) / |r|^3
    """
    angle = _length(r)
    turned = cross(r, v)
    p: Vector = Vector(v) + turned * (sinc(angle / 2) ** 2 / 2) + cross(r, turned) * _cubic(angle)
    return p


def motion(r: Sequence[Any], p: Sequence[Any]) -> Vector:
    """The v with displacement(r, v) = p, for |r| < 2 pi: p - r x p / 2 + c r x (r x p). LP 3.92.

        c = (1 - x cot x) / (4 x^2),    x = |r| / 2
    """
    half = _length(r) / 2
    turned = cross(r, p)
    v: Vector = Vector(p) - turned * 0.5 + cross(r, turned) * (_sine_less_cosine(half) / sinc(half) / 4)
    return v


def sinc(x: Any) -> Any:
    """sin(x) / x; one at zero."""
    return np.where(x == 0, 1.0, np.sin(x) / np.where(x == 0, 1, x))


def _length(r: Sequence[Any]) -> Any:
    return np.sqrt(np.asarray(r[0] * r[0] + r[1] * r[1] + r[2] * r[2]))


def _cubic(x: Any) -> Any:
    """(x - sin x) / x^3. Below one, where this cancels: its Taylor series 1/3! - x^2/5! + ..."""
    series = _taylor(x, [(-1) ** k / math.factorial(2 * k + 3) for k in range(9)])
    big = np.maximum(np.abs(x), 1)
    return np.where(np.abs(x) < 1, series, (big - np.sin(big)) / big**3)


def _sine_less_cosine(x: Any) -> Any:
    """(sin x - x cos x) / x^3. Below one: its Taylor series 2/3! - 4 x^2/5! + ..."""
    series = _taylor(x, [(-1) ** k * (2 * k + 2) / math.factorial(2 * k + 3) for k in range(9)])
    big = np.maximum(np.abs(x), 1)
    return np.where(np.abs(x) < 1, series, (np.sin(big) - big * np.cos(big)) / big**3)


def _taylor(x: Any, coefficients: Sequence[float]) -> Any:
    """sum of c_k x^(2 k) at |x| <= 1; larger x count as 1. The tenth term is below 1e-18 of the first."""
    square = np.minimum(np.abs(x), 1) ** 2
    total = 0.0
    for c in reversed(coefficients):
        total = total * square + c
    return total
