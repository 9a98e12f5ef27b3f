"""Rotations as products of sparse factors."""

from __future__ import annotations

import math
from collections.abc import Sequence
from numbers import Real
from typing import Any

import numpy as np

from revolute.arguments import float_copy, scalar, scalars
from revolute.errors import InputError, extra
from revolute.plain_numbers import are_plain
from revolute.records import dataclass
from revolute.spatial import vectors
from revolute.spatial.rigid import one_matrix, rotation_fault
from revolute.spatial.scalar import Scalar, Scalars, cos, sin
from revolute.spatial.vectors import IDENTITY, Matrix


@dataclass(frozen=True)
class Rotation:
    """A rotation, stored as the product of the factors it was built from. BP Theorem 2.1-2.2, 2.2.1-2.2.11.

    `R @ x` transforms coordinates from the child frame to the parent frame. Two planar rotations, applied one
    after the other, cost 8 multiplications and 4 additions. Applying their product costs 8 and 5, and forming it 4
    more multiplications. So factors are kept separate, except adjacent ones about the same coordinate axis, whose
    product is planar again.
    """

    factors: tuple[Matrix, ...] = ()

    def __post_init__(self) -> None:
        if type(self.factors) is not tuple:
            raise InputError(f"Rotation: factors must be a tuple of matrices, not {self.factors!r}; see `from_matrix`")

    def __matmul__(self, other: Any) -> Any:
        if isinstance(other, Rotation):
            return Rotation(_joined(self.factors, other.factors))
        for factor in reversed(self.factors):
            other = factor @ other
        return other

    @property
    def T(self) -> Rotation:
        """The inverse rotation."""
        return Rotation(tuple(factor.T for factor in reversed(self.factors)))

    def conjugate(self, A: Sequence[Scalars]) -> Matrix:
        """R A R^T: convert a matrix from the child frame to the parent frame. BP 3.2.2, 3.3.2, 4.3.15."""
        turned = A if isinstance(A, Matrix) else Matrix(A)
        for factor in reversed(self.factors):
            turned = _conjugate(factor, turned)
        return turned

    def matrix(self) -> Matrix:
        """The product of the factors: columns are the child's axes in the parent frame. BP 2.2.3, 4.2.16."""
        product = IDENTITY
        for k, factor in enumerate(self.factors):
            product = product @ factor if k else factor
        return product

    def rpy(self) -> tuple[float, float, float]:
        """Roll, pitch and yaw [rad]; `Rotation.from_rpy(*rpy)` is this rotation up to rounding errors.

        Pitch is within -pi/2 ... pi/2, roll and yaw within -pi ... pi.

        Raises:
            InputError: the rotation has symbols.

        Example:
            >>> from revolute import Rotation
            >>> Rotation.from_rpy(0.1, 0.2, 0.3).rpy()
            (0.1, 0.2, 0.3)
        """
        R = float_rows(self, "rpy")
        yaw = math.atan2(R[1][0], R[0][0])
        c, s = math.cos(yaw), math.sin(yaw)  # pitch and roll fit the rounded yaw even at pitch +-90 degrees
        pitch = math.atan2(-R[2][0], c * R[0][0] + s * R[1][0])
        roll = math.atan2(s * R[0][2] - c * R[1][2], c * R[1][1] - s * R[0][1])
        return roll, pitch, yaw

    def quaternion(self) -> tuple[float, float, float, float]:
        """The unit quaternion (x, y, z, w) of this rotation, scalar last, as in q of a free joint.

        Of q and -q, which represent the same rotation, the one with w >= 0 is returned: the angle is at most pi. So
        along a motion the sign jumps where the angle passes pi; `robot.integrate` keeps it continuous.

        Raises:
            InputError: the rotation has symbols.

        Example:
            >>> from revolute import Rotation
            >>> quarter = Rotation.from_rpy(0, 0, 1.5708)
            >>> [round(x, 4) for x in quarter.quaternion()]
            [0.0, 0.0, 0.7071, 0.7071]
        """
        from revolute.spatial.quaternion import normalized, of_matrix  # a circular import

        x, y, z, w = normalized(of_matrix(float_rows(self, "quaternion")))
        return (x, y, z, w) if w >= 0 else (-x, -y, -z, -w)

    def to_scipy(self) -> Any:
        """The same rotation as a `scipy.spatial.transform.Rotation`.

        The inverse is `Rotation.from_matrix(scipy_rotation)`.

        Raises:
            MissingExtraError: SciPy is not installed.
            InputError: the rotation has symbols.

        Example:
            >>> from revolute import Rotation
            >>> turn = Rotation.from_rpy(0, 0, 0.5)
            >>> turn.to_scipy().as_rotvec()
            array([0. , 0. , 0.5])
        """
        with extra("a rotation of SciPy needs SciPy", "scipy"):
            from scipy.spatial.transform import Rotation as OfSciPy
        return OfSciPy.from_matrix(np.array(float_rows(self, "to_scipy")))

    def __repr__(self) -> str:
        """Angles rounded to six digits; for symbols, or a matrix that is not a rotation, the factors."""
        if not self.factors:
            return "Rotation()"
        rows = self.matrix()
        if all(isinstance(x, Real) for row in rows for x in row) and not rotation_fault(np.array(rows, dtype=float)):
            return f"Rotation.from_rpy({', '.join(map(short, self.rpy()))})"
        return f"Rotation(factors={self.factors!r})"

    @classmethod
    def from_matrix(cls, matrix: Any) -> Rotation:
        """The rotation with this matrix of numbers or symbols; an exact identity has no factors.

        A single `scipy.spatial.transform.Rotation` is also accepted.

        Raises:
            InputError: the argument is not a 3x3 matrix.
        """
        if hasattr(matrix, "as_matrix"):
            matrix = one_matrix("a rotation", matrix, 3)
        rows = matrix if type(matrix) is Matrix else vectors.matrix("a rotation's matrix", matrix)
        return cls() if _is_identity(rows) else cls((rows,))

    @classmethod
    def about(cls, axis: Sequence[Scalar], c: Scalar, s: Scalar) -> Rotation:
        """Rotation about a unit axis by the angle with cosine c and sine s. Rodrigues.

        About a coordinate axis the rotation is planar: applying it takes four multiplications and two additions.
        """
        x, y, z = scalars("axis", axis, 3)
        scalar("c", c), scalar("s", s)
        if (y, z) == (0, 0) and x in (1, -1):
            return cls((Matrix(((1, 0, 0), (0, c, -s * x), (0, s * x, c))),))
        if (x, z) == (0, 0) and y in (1, -1):
            return cls((Matrix(((c, 0, s * y), (0, 1, 0), (-s * y, 0, c))),))
        if (x, y) == (0, 0) and z in (1, -1):
            return cls((Matrix(((c, -s * z, 0), (s * z, c, 0), (0, 0, 1))),))
        t = 1 - c
        return cls((
            Matrix((
                (c + t * (x * x), t * (x * y) - s * z, t * (x * z) + s * y),
                (t * (x * y) + s * z, c + t * (y * y), t * (y * z) - s * x),
                (t * (x * z) - s * y, t * (y * z) + s * x, c + t * (z * z)),
            )),
        ))

    @classmethod
    def from_quaternion(cls, quaternion: Sequence[float]) -> Rotation:
        """The rotation of a quaternion; q and -q yield the same rotation.

        Args:
            quaternion: (x, y, z, w), scalar last, of length one within 1e-3; it is normalised.

        Raises:
            InputError: the quaternion is not four finite numbers, or does not have length one.

        Example:
            >>> from revolute import Rotation
            >>> Rotation.from_quaternion((0, 0, 0.7071, 0.7071))
            Rotation.from_rpy(0, 0, 1.5708)
        """
        from revolute.spatial.quaternion import rotation

        numbers = finite_floats("quaternion (x, y, z, w)", quaternion, 4)
        length = math.hypot(*numbers)
        if abs(length - 1) > 1e-3:
            raise InputError(f"quaternion {quaternion!r} has the length {length:.6g}; give (x, y, z, w) of length 1")
        return cls.from_matrix(rotation(numbers).matrix())

    @classmethod
    def from_rpy(cls, roll: Scalar, pitch: Scalar, yaw: Scalar) -> Rotation:
        """Fixed-axis rotations: roll about x, then pitch about y, then yaw about z (URDF).

        An angle within 1e-11 rad of a multiple of pi/2 is rounded to that multiple: files print pi/2 with twelve
        digits, and exact zeros need no operations at run time.
        """
        for name, angle in (("roll", roll), ("pitch", pitch), ("yaw", yaw)):
            is_number = isinstance(angle, (float, Real))
            if not math.isfinite(angle) if is_number else np.ndim(scalar(name, angle)):
                raise InputError(f"{name} must be a finite angle [rad], not {angle!r}")
        factors = [
            cls.about(axis, *_exact_cos_sin(angle)).matrix()
            for axis, angle in (((0, 0, 1), yaw), ((0, 1, 0), pitch), ((1, 0, 0), roll))
            if angle != 0
        ]
        return cls.from_matrix(Rotation(tuple(factors)).matrix())


def finite_floats(what: str, x: Scalars, count: int) -> list[float]:
    """Return `count` finite floats; raise `InputError` for anything else."""
    numbers = scalars(what, x, count)
    if any(getattr(number, "free_symbols", None) for number in numbers):
        raise InputError(f"{what} must be numbers, not {x!r}; substitute values for its symbols first")
    array = float_copy(what, numbers)
    if array.shape != (count,) or not np.isfinite(array).all():
        raise InputError(f"{what} must be {count} finite numbers, not {x!r}")
    floats: list[float] = array.tolist()
    return floats


def float_rows(R: Rotation, what: str) -> list[list[float]]:
    """The rows of the matrix as floats; raise `InputError` if it has symbols. `what` names the caller."""
    rows = R.matrix()
    if not all(isinstance(x, Real) or getattr(x, "is_number", False) for row in rows for x in row):
        raise InputError(f"{what} needs a rotation of numbers, not {rows!r}; substitute values for its symbols first")
    return [[float(x) for x in row] for row in rows]


def short(x: Scalar) -> str:
    """A scalar as text: numbers with six digits, and 0 below 1e-9."""
    return f"{round(float(x), 9) + 0.0:.6g}" if isinstance(x, Real) else str(x)


def _joined(left: tuple[Matrix, ...], right: tuple[Matrix, ...]) -> tuple[Matrix, ...]:
    """The factors of a product of rotations; adjacent planar factors about the same axis are merged."""
    axes = _planar(left[-1]) & _planar(right[0]) if left and right else set()
    if not axes:
        return left + right
    product = left[-1] @ right[0]  # exact zeros and ones must persist for `_planar`
    merged = Matrix(tuple(IDENTITY[i][j] if {i, j} & axes else product[i][j] for j in range(3)) for i in range(3))
    return (*left[:-1], merged, *right[1:])


def _planar(R: Matrix) -> set[int]:
    """The coordinate axes that a rotation matrix leaves fixed, according to its exact zeros and ones."""
    own = [k for k in range(3) if _exactly(R[k][k], 1)]
    return {k for k in own if all(_exactly(R[k][j], 0) and _exactly(R[j][k], 0) for j in range(3) if j != k)}


_ONE = (1, 0, 0, 0, 1, 0, 0, 0, 1)


def _is_identity(R: Matrix) -> bool:
    entries = (*R[0], *R[1], *R[2])
    return entries == _ONE if are_plain(entries) else all(map(_exactly, entries, _ONE))


def _conjugate(R: Matrix, A: Matrix) -> Matrix:
    """R A R^T for one factor R; if R is planar, by double angles. BP section 6.4.

    Double angles need 8 multiplications for a symmetric A, and equal entries stay the same expression. Products with R
    need 20, and the entries xy and yx become different sums. For a quarter turn, products need none.
    """
    axes = _planar(R)
    if len(axes) != 1 or quarter_turns(R):
        product: Matrix = R @ A @ R.T
        return product
    (z,) = axes
    x, y = (z + 1) % 3, (z + 2) % 3
    c, s = R[x][x], R[y][x]
    ss, cs = s * s, c * s
    e, t = A[y][y] - A[x][x], A[x][y] + A[y][x]
    along, across = ss * e - cs * t, ss * t + cs * e
    B = [list(row) for row in A]
    B[x][x], B[y][y] = A[x][x] + along, A[y][y] - along
    B[x][y], B[y][x] = A[x][y] - across, A[y][x] - across
    B[x][z], B[y][z] = c * A[x][z] - s * A[y][z], s * A[x][z] + c * A[y][z]
    B[z][x], B[z][y] = c * A[z][x] - s * A[z][y], s * A[z][x] + c * A[z][y]
    return Matrix(B)


def quarter_turns(R: Matrix) -> bool:
    """Whether all entries are exactly 0, 1 or -1."""
    return all(any(_exactly(x, value) for value in (0, 1, -1)) for row in R for x in row)


def _exactly(x: Scalar, value: int) -> bool:
    """Whether x is a number equal to `value`; False for arrays, symbols and graph nodes."""
    return isinstance(x, (int, float)) and x == value


def _exact_cos_sin(angle: Scalar) -> tuple[Scalar, Scalar]:
    """cos and sin of an angle [rad], exact within 1e-11 of a multiple of pi/2."""
    if not isinstance(angle, Real):
        c, s = (int(x) if getattr(x, "is_Integer", False) else x for x in (cos(angle), sin(angle)))
        return c, s
    angle = float(angle)
    quarter = round(angle / (math.pi / 2))
    if abs(angle - quarter * (math.pi / 2)) < 1e-11:
        return ((1, 0), (0, 1), (-1, 0), (0, -1))[quarter % 4]
    return math.cos(angle), math.sin(angle)
