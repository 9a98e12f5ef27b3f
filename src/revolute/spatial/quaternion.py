"""Rotations by quaternions x, y, z, w, and the exponential maps of rotations and poses."""

import math
from collections.abc import Sequence

from revolute.spatial.rotation import Rotation
from revolute.spatial.scalar import Scalar, atan2, cos, select, sin, sqrt
from revolute.spatial.vectors import Matrix, Vector, cross

Quaternion = tuple[Scalar, Scalar, Scalar, Scalar]


def rotation(s: Sequence[Scalar]) -> Rotation:
    """The rotation of a quaternion of any nonzero length."""
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
    """A quaternion of a numeric rotation, not normalised: the column of 4 s s^T whose component of s is largest.

    This avoids cancellation, also near half a turn. Shepperd 1978.
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
    """ds/dt = s (omega, 0) / 2, with the angular velocity omega in the rotated frame."""
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
    """The product s t of two quaternions: rotation by t, then by s."""
    a, b = Vector(s[:3]), Vector(t[:3])
    x, y, z = b * s[3] + a * t[3] + cross(a, b)
    return x, y, z, s[3] * t[3] - (a[0] * b[0] + a[1] * b[1] + a[2] * b[2])


def cayley(r: Sequence[Scalar]) -> Quaternion:
    """Rotation about r by 2 atan(|r|/2), as a quaternion of length sqrt(1 + |r|^2/4): (1 - r^/2)^-1 (1 + r^/2)."""
    return r[0] / 2, r[1] / 2, r[2] / 2, 1


def exponential(r: Sequence[Scalar]) -> Quaternion:
    """The quaternion of a rotation vector [rad]: (sin(|r|/2) r/|r|, cos(|r|/2)). LP 3.2.3."""
    half = _length(r) / 2
    k = sinc(half) / 2
    return r[0] * k, r[1] * k, r[2] * k, cos(half)


def logarithm(s: Sequence[Scalar]) -> Vector:
    """The rotation vector of a quaternion [rad]: the shortest, with |r| <= pi. LP 3.2.3.

    s and -s represent the same rotation; the one with w >= 0 has the smaller angle. At a half turn,
    w = 0, both angles are pi, and r has the direction of (x, y, z).
    """
    sign = select(s[3] < 0, -1.0, 1.0)
    x, y, z, w = (component * sign for component in s)
    length = _length((x, y, z))
    small = length <= 0
    k = select(small, 2 / select(w <= 0, 1.0, w), 2 * atan2(length, w) / select(small, 1.0, length))
    return Vector((x * k, y * k, z * k))


def displacement(r: Sequence[Scalar], v: Sequence[Scalar]) -> Vector:
    """The origin's displacement by exp of a twist (r, v): v + a r x v + b r x (r x v). LP 3.88.

        a = (1 - cos |r|) / |r|^2,    b = (|r| - sin |r|) / |r|^3
    """
    angle, turned = _length(r), cross(r, v)
    half = sinc(angle / 2)
    p: Vector = Vector(v) + turned * (half * half / 2) + cross(r, turned) * _cubic(angle)
    return p


def motion(r: Sequence[Scalar], p: Sequence[Scalar]) -> Vector:
    """The inverse of `displacement`, v for p and r, |r| < 2 pi: p - r x p / 2 + c r x (r x p). LP 3.92.

        c = (1 - x cot x) / (4 x^2),    x = |r| / 2
    """
    half = _length(r) / 2
    turned = cross(r, p)
    v: Vector = Vector(p) - turned * 0.5 + cross(r, turned) * (_sine_less_cosine(half) / sinc(half) / 4)
    return v


def sinc(x: Scalar) -> Scalar:
    """sin(x) / x; its limit, one, at x = 0."""
    zero = x * x <= 0
    return select(zero, 1.0, sin(x) / select(zero, 1.0, x))


def _length(r: Sequence[Scalar]) -> Scalar:
    return sqrt(r[0] * r[0] + r[1] * r[1] + r[2] * r[2])


def _cubic(x: Scalar) -> Scalar:
    """(x - sin x) / x^3. Below one, where cancellation occurs: its Taylor series 1/3! - x^2/5! + ..."""
    series = _taylor(x, [(-1) ** k / math.factorial(2 * k + 3) for k in range(9)])
    big = select(x < 1, 1.0, x)
    return select(x < 1, series, (big - sin(big)) / (big * big * big))


def _sine_less_cosine(x: Scalar) -> Scalar:
    """(sin x - x cos x) / x^3. Below one: its Taylor series 2/3! - 4 x^2/5! + ..."""
    series = _taylor(x, [(-1) ** k * (2 * k + 2) / math.factorial(2 * k + 3) for k in range(9)])
    big = select(x < 1, 1.0, x)
    return select(x < 1, series, (sin(big) - big * cos(big)) / (big * big * big))


def _taylor(x: Scalar, coefficients: Sequence[float]) -> Scalar:
    """sum of c_k x^(2 k) at 0 <= x <= 1; larger x count as 1. The tenth term is below 1e-18 of the first."""
    small = select(x < 1, x, 1.0)
    square = small * small
    total: Scalar = 0.0
    for c in reversed(coefficients):
        total = total * square + c
    return total
