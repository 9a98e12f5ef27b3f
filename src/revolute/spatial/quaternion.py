"""Rotations by quaternions x, y, z, w, and the exponential maps of rotations and poses."""

import math
from collections.abc import Callable, Sequence

from revolute.spatial.rotation import Rotation
from revolute.spatial.scalar import Scalar, atan2, cos, select, sin, sqrt
from revolute.spatial.vectors import Matrix, Vector, cross, dot

Quaternion = tuple[Scalar, Scalar, Scalar, Scalar]
NEAR = 1e-4  # square of an angle, or of its tangent, below which four terms of a Taylor series are exact to rounding


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
    """A quaternion s of a numeric rotation, not normalised: the column of 4 s s^T for the largest component of s.

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
    """The quaternion of a rotation vector [rad]: (sin(|r|/2) r/|r|, cos(|r|/2)). LP section 3.2.3."""
    square = dot(r, r) / 4
    k = _sinc(square) / 2
    return r[0] * k, r[1] * k, r[2] * k, _even(square, cos, [(-1) ** n / math.factorial(2 * n) for n in range(4)])


def logarithm(s: Sequence[Scalar]) -> Vector:
    """The rotation vector of a quaternion [rad]: the shortest, with |r| <= pi. LP section 3.2.3.

    s and -s represent the same rotation; the one with w >= 0 has the smaller angle. At a half turn,
    w = 0, both angles are pi, and r has the direction of (x, y, z).
    """
    sign = select(s[3] < 0, -1.0, 1.0)
    x, y, z, w = (component * sign for component in s)
    k = 2 * angle_by_length(dot((x, y, z), (x, y, z)), w)
    return Vector((x * k, y * k, z * k))


def angle_by_length(square: Scalar, w: Scalar) -> Scalar:
    """atan2(y, w) / y from y^2 >= 0: by a Taylor series where y is near zero and w > 0; 3 pi / 4 where y = 0, w < 0."""
    small, divisor = select(w > 0, square, math.inf) <= NEAR * w * w, select(w > 0, w, 1.0)
    length = sqrt(select(small, 1.0, select(square > 0, square, 1.0)))
    near = _series(select(small, square, 0.0) / (divisor * divisor), (1, -1 / 3, 1 / 5, -1 / 7)) / divisor
    return select(small, near, atan2(length, w) / length)


def displacement(r: Sequence[Scalar], v: Sequence[Scalar]) -> Vector:
    """The origin's displacement by exp of a twist (r, v): v + a r x v + b r x (r x v). LP 3.88.

        a = (1 - cos |r|) / |r|^2,    b = (|r| - sin |r|) / |r|^3
    """
    square, turned = dot(r, r), cross(r, v)
    half = _sinc(square / 4)
    p: Vector = Vector(v) + turned * (half * half / 2) + cross(r, turned) * _cubic(square)
    return p


def motion(r: Sequence[Scalar], p: Sequence[Scalar]) -> Vector:
    """The inverse of `displacement`, v for p and r, |r| < 2 pi: p - r x p / 2 + c r x (r x p). LP 3.92.

        c = (1 - x cot x) / (4 x^2),    x = |r| / 2
    """
    square, turned = dot(r, r) / 4, cross(r, p)
    v: Vector = Vector(p) - turned * 0.5 + cross(r, turned) * (_sine_less_cosine(square) / _sinc(square) / 4)
    return v


def exponential_series(square: Scalar) -> tuple[Scalar, Scalar, Scalar, Scalar]:
    """The c_k in (e^x - 1)/x = 1 + c_1 x + ... + c_4 x^4, as functions of t^2, for matrices x with x (x^2 + t^2)^2 = 0.

        c_1 = (1 - cos t) / t^2 + t^2 c_3,    c_3 = (2 - t sin t - 2 cos t) / (2 t^4)
        c_2 = (t - sin t) / t^3 + t^2 c_4,    c_4 = (2 t - 3 sin t + t cos t) / (2 t^5)

    The bracket with a twist that rotates by t is such a matrix.
    """
    half = _sinc(square / 4)
    c_3 = _slope(square, lambda t: (2 - t * sin(t) - 2 * cos(t)) / (2 * t * t * t * t), 4)
    c_4 = _slope(square, lambda t: (2 * t - 3 * sin(t) + t * cos(t)) / (2 * t * t * t * t * t), 5)
    return half * half / 2 + square * c_3, _cubic(square) + square * c_4, c_3, c_4


def logarithm_series(square: Scalar) -> tuple[Scalar, Scalar]:
    """c_2 and c_4 in x / (e^x - 1) = 1 - x / 2 + c_2 x^2 + c_4 x^4: see `exponential_series`; t < 2 pi.

        c_2 = (1 - y cot y) / (4 y^2) + t^2 c_4,    c_4 = (2 - y cot y - y^2 / sin^2 y) / (32 y^4),    y = t / 2
    """
    half = _sinc(square / 4)
    c_4 = _slope(square, lambda t: (t * t + t * sin(t) - 4 + 4 * cos(t)) / (2 * t * t * t * t * t * t), 6)
    c_4 = -c_4 / (half * half)
    return _sine_less_cosine(square / 4) / half / 4 + square * c_4, c_4


def sinc(x: Scalar) -> Scalar:
    """sin(x) / x; its limit, one, at x = 0."""
    return _sinc(x * x)


def _sinc(square: Scalar) -> Scalar:
    """sin(x) / x, as a function of x^2."""
    return _even(square, lambda x: sin(x) / x, [(-1) ** k / math.factorial(2 * k + 1) for k in range(4)])


def _cubic(square: Scalar) -> Scalar:
    """(x - sin x) / x^3 = 1/3! - x^2/5! + ..., as a function of x^2."""
    series = [(-1) ** k / math.factorial(2 * k + 3) for k in range(9)]
    return _even(square, lambda x: (x - sin(x)) / (x * x * x), series, 1.0)


def _sine_less_cosine(square: Scalar) -> Scalar:
    """(sin x - x cos x) / x^3 = 2/3! - 4 x^2/5! + ..., as a function of x^2."""
    series = [(-1) ** k * (2 * k + 2) / math.factorial(2 * k + 3) for k in range(9)]
    return _even(square, lambda x: (sin(x) - x * cos(x)) / (x * x * x), series, 1.0)


def _slope(square: Scalar, far: Callable[[Scalar], Scalar], n: int) -> Scalar:
    """The even function `far` with the series 1 / n! - 2 x^2 / (n + 2)! + 3 x^4 / (n + 4)! - ..."""
    return _even(square, far, [(-1) ** k * (k + 1) / math.factorial(2 * k + n) for k in range(9)], 1.0)


def _even(square: Scalar, far: Callable[[Scalar], Scalar], coefficients: Sequence[float], near: float = NEAR) -> Scalar:
    """An even function of x, from x^2: its Taylor series below `near`, so derivatives exist at zero; else `far`(x)."""
    small = square < near
    return select(small, _series(select(small, square, 0.0), coefficients), far(sqrt(select(small, 1.0, square))))


def _series(x: Scalar, coefficients: Sequence[float]) -> Scalar:
    """sum of c_k x^k."""
    total: Scalar = coefficients[-1]
    for c in reversed(coefficients[:-1]):
        total = total * x + c
    return total
