"""Euler angles, quaternions and their derivatives, for any scalar type. BP section 2.2.1; SHV section 2.5."""

from math import nan

from revolute.spatial import Matrix, Vector, cross, dot, tilde
from revolute.spatial.scalar import Scalar, Scalars, atan2, select, sqrt


def euler_angles(R: Matrix, sequence: str) -> list[Scalar]:
    """The angles a, b, c of R = R_i(a) R_j(b) R_k(c), with i, j, k the axes of the sequence. SHV sections 2.5.1, 2.5.2.

    The axes rotate with the frame. b is in -pi/2 ... pi/2 for three different axes, and in 0 ... pi if the first axis
    is also the last. At the ends of this range, a and c are not unique.
    """
    i, j, k = _axes(sequence)
    e = _parity(i, j)
    if i == k:
        h = 3 - i - j
        b = atan2(sqrt(R[i][j] * R[i][j] + R[i][h] * R[i][h]), R[i][i])
        return [atan2(R[j][i], R[h][i] * -e), b, atan2(R[i][j], R[i][h] * e)]
    b = atan2(R[i][k] * e, sqrt(R[i][i] * R[i][i] + R[i][j] * R[i][j]))
    return [atan2(R[j][k] * -e, R[k][k]), b, atan2(R[i][j] * -e, R[i][i])]


def euler_rates(R: Matrix, sequence: str) -> Matrix:
    """B with (ad, bd, cd) = B w, w expressed in the base frame: the inverse of E = (u1, u2, u3).

    The columns of E are the axes of the three rotations, w = u1 ad + u2 bd + u3 cd. u1 is an axis of the base, u3 an
    axis of the frame, and u2 is perpendicular to both. det E = u1 . (u2 x u3) is cos(b) or -cos(b), and -sin(b) if the
    first axis is also the last. If det E is the constant 0, the angles are singular in every configuration: B is NaN.
    """
    u1, u3, n = _turns(R, sequence)
    i, j, k = _axes(sequence)
    det = sqrt(dot(n, n)) * (-1 if i == k else _parity(i, j))
    share = nan if isinstance(det, (int, float)) and det == 0 else 1 / det
    u2 = n * share
    return Matrix((cross(u2, u3) * share, u2, cross(u1, u2) * share))


def euler_singularity(R: Matrix, sequence: str) -> Scalar:
    """(det E)^2 of `euler_rates`: zero where the first and the last axis are parallel."""
    _, _, n = _turns(R, sequence)
    return dot(n, n)


def quaternion(R: Matrix) -> list[Scalar]:
    """The unit quaternion (x, y, z, w) of a rotation, with w >= 0. Shepperd 1978; SHV section 2.5.3.

    All products 4 q_r q_s are sums of elements of R. The row r with the largest q_r^2 gives q without cancellation.
    """
    (a, b, c), (d, e, f), (g, h, i) = R
    rows = [
        [1 + a - e - i, b + d, c + g, h - f],
        [b + d, 1 - a + e - i, f + h, c - g],
        [c + g, f + h, 1 - a - e + i, d - b],
        [h - f, c - g, d - b, 1 + a + e + i],
    ]
    best = _larger(_larger((rows[0], rows[0][0]), (rows[1], rows[1][1])), _larger(
        (rows[2], rows[2][2]), (rows[3], rows[3][3])
    ))
    row, square = best
    share = 0.5 / sqrt(square)
    share = select(row[3] >= 0, share, -share)
    return [x * share for x in row]


def quaternion_rates(x: Scalars) -> list[Vector]:
    """Four rows B(x), linear in x: dx/dt = B(x) w and w = 4 B(x)^T dx/dt, w in the base frame. SHV section 2.5.3."""
    v, w = Vector(x[:3]) * 0.5, x[3] * 0.5
    turn = tilde(v)
    return [*(Vector(w * (r == s) - turn[r][s] for s in range(3)) for r in range(3)), -v]


def _larger(one: tuple[list[Scalar], Scalar], other: tuple[list[Scalar], Scalar]) -> tuple[list[Scalar], Scalar]:
    """Return the one of two rows that has the larger q_r^2."""
    first = one[1] >= other[1]
    row = [select(first, x, y) for x, y in zip(one[0], other[0], strict=True)]
    return row, select(first, one[1], other[1])


def _turns(R: Matrix, sequence: str) -> tuple[Vector, Vector, Vector]:
    """u1, u3 and u3 x u1 of `euler_rates`."""
    i, _, k = _axes(sequence)
    u1, u3 = Vector(int(i == r) for r in range(3)), R.T[k]
    return u1, u3, cross(u3, u1)


def _axes(sequence: str) -> tuple[int, int, int]:
    i, j, k = ("XYZ".index(letter) for letter in sequence)
    return i, j, k


def _parity(i: int, j: int) -> int:
    """1 if axis j follows axis i in the cyclic order x, y, z; otherwise -1."""
    return 1 if (j - i) % 3 == 1 else -1
