"""Mass, first moment and inertia matrix of rigid bodies."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from numbers import Real
from typing import TYPE_CHECKING, Any

import numpy as np

from revolute.arguments import instance, is_scalar, scalar
from revolute.errors import InputError
from revolute.plain_numbers import plain_number
from revolute.spatial.motion import Force, Motion
from revolute.spatial.rotation import Rotation
from revolute.spatial.scalar import Scalar
from revolute.spatial.vectors import ZERO, Matrix, Vector, cross, dot, plain_matrix, plain_vector, tilde, vector

if TYPE_CHECKING:
    from revolute.spatial.transform import Transform

__all__ = ["Inertia"]


@dataclass(frozen=True)
class Inertia:
    """The ten inertial parameters of a rigid body, about the body's origin. GOA 8.

    Attributes:
        m: mass [kg].
        h: first moment, mass times centre of mass [kg m].
        I: inertia matrix about the body's origin, along the body's axes [kg m^2]; symmetric.

    Raises:
        InputError: an entry is neither a real number nor a symbol, or the matrix is not symmetric. Entries that
            differ by rounding alone take the value above the diagonal.
    """

    m: Scalar = 0
    h: Vector = ZERO
    I: Matrix = tilde(ZERO)

    def __post_init__(self) -> None:
        set_field = object.__setattr__
        set_field(self, "m", plain_number(scalar("Inertia: m", self.m)))
        set_field(self, "h", plain_vector("Inertia: h", self.h))
        set_field(self, "I", _symmetric("Inertia: I", plain_matrix("Inertia: I", self.I)))
        for name, values in (("m", (self.m,)), ("h", self.h), ("I", (x for row in self.I for x in row))):
            for x in values:
                if isinstance(x, (complex, np.complexfloating)):
                    raise InputError(f"Inertia: {name} must be real, not {x!r}")

    @classmethod
    def from_com(
        cls,
        mass: Scalar,
        com: Sequence[Scalar] = (0, 0, 0),
        inertia: Sequence[Sequence[Scalar]] = ((0, 0, 0), (0, 0, 0), (0, 0, 0)),
        rotation: Rotation | None = None,
    ) -> Inertia:
        """From mass [kg], centre of mass [m] and the symmetric inertia matrix about it [kg m^2].

        `rotation` turns the axes of `inertia` into the body's axes.

        Raises:
            InputError: as the class itself.
        """
        r, C = vector("com", com), _symmetric("inertia", plain_matrix("inertia", inertia))
        if rotation is not None:
            R = instance("rotation", rotation, Rotation).matrix()
            C = R @ C @ R.T
        return cls(scalar("mass", mass), r * mass, C + _sandwich(r, r) * mass)

    @classmethod
    def box(cls, mass: Scalar, size: Sequence[Scalar], pose: Transform | None = None) -> Inertia:
        """A uniform box.

        Args:
            mass: [kg].
            size: lengths along x, y and z [m].
            pose: of the box's centre and axes in the body's frame; the identity by default.

        Raises:
            InputError: a mass or a length that is negative or not finite.

        Example:
            >>> from revolute import Inertia, Transform, robots
            >>> parcel = Inertia.box(2.0, (0.3, 0.2, 0.1), Transform.from_rpy(xyz=(0, 0, 0.05)))
            >>> loaded = robots.ur5().with_payload("tool0", parcel)
        """
        x, y, z = _sizes("box", mass, *vector("box: size", size))
        return cls._solid(mass, (y * y + z * z) / 12, (x * x + z * z) / 12, (x * x + y * y) / 12, pose)

    @classmethod
    def cylinder(cls, mass: Scalar, radius: Scalar, length: Scalar, pose: Transform | None = None) -> Inertia:
        """A uniform cylinder about its z axis; `pose` of its centre, as for `box`."""
        r, l = _sizes("cylinder", mass, radius, length)
        across = r * r / 4 + l * l / 12
        return cls._solid(mass, across, across, r * r / 2, pose)

    @classmethod
    def sphere(cls, mass: Scalar, radius: Scalar, pose: Transform | None = None) -> Inertia:
        """A uniform ball; `pose` of its centre, as for `box`."""
        (r,) = _sizes("sphere", mass, radius)
        square = r * r * 2 / 5
        return cls._solid(mass, square, square, square, pose)

    @classmethod
    def mesh(
        cls,
        mesh: Any,
        mass: float | None = None,
        density: float | None = None,
        scale: float = 1.0,
        pose: Transform | None = None,
    ) -> Inertia:
        """The uniform solid inside a closed triangle mesh.

        Args:
            mesh: (vertices, faces), of the shapes (V, 3) and (F, 3); or the path of an STL, OBJ
                or PLY file (needs `revolute[mesh]`).
            mass, density: one of them, [kg] or [kg/m^3].
            scale: metres per unit of the vertices: 0.001 for a drawing in millimetres.
            pose: of the mesh's frame in the body's frame; the identity by default.

        Raises:
            InputError: the mesh is not closed, encloses nothing or cannot be read; both mass
                and density are given, or neither.
            MissingExtraError: the mesh is a file, and the package trimesh is missing.

        Example:
            >>> from revolute import Inertia
            >>> corners = [(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)]
            >>> faces = [(0, 2, 1), (0, 1, 3), (0, 3, 2), (1, 2, 3)]
            >>> Inertia.mesh((corners, faces), density=6.0).com()
            (0.25, 0.25, 0.25)
        """
        from revolute.spatial.solids import from_mesh

        return _placed(from_mesh(mesh, mass, density, scale), pose)

    @classmethod
    def _solid(cls, mass: Scalar, xx: Scalar, yy: Scalar, zz: Scalar, pose: Transform | None) -> Inertia:
        """A solid with these squared radii of gyration about its centre [m^2]."""
        return _placed(cls(mass, ZERO, Matrix(((mass * xx, 0, 0), (0, mass * yy, 0), (0, 0, mass * zz)))), pose)

    def __add__(self, other: Inertia) -> Inertia:
        if not isinstance(other, Inertia):
            return NotImplemented
        return _derived(self.m + other.m, self.h + other.h, self.I + other.I)

    def __sub__(self, other: Inertia) -> Inertia:
        if not isinstance(other, Inertia):
            return NotImplemented
        return _derived(self.m - other.m, self.h - other.h, self.I - other.I)

    def moved(self, X: Transform) -> Inertia:
        """The same inertia in the parent frame, where the body's frame has pose X."""
        h, p = X.R @ self.h, X.p
        h_new = h + p * self.m
        d = [p[k] * 2 * h[k] + p[k] * p[k] * self.m for k in range(3)]
        I = X.R.conjugate(self.I)
        Ixy, Ixz, Iyz = (I[i][j] - (p[i] * h_new[j] + h[i] * p[j]) for i, j in ((0, 1), (0, 2), (1, 2)))
        Ixx, Iyy, Izz = (I[k][k] + (d[(k + 1) % 3] + d[(k + 2) % 3]) for k in range(3))
        return _derived(self.m, h_new, Matrix(((Ixx, Ixy, Ixz), (Ixy, Iyy, Iyz), (Ixz, Iyz, Izz))))

    def com(self) -> Vector:
        """Centre of mass [m]; the origin for a massless body."""
        return self.h * (1 / self.m) if self.m != 0 else ZERO

    def about_com(self) -> Matrix:
        """Inertia matrix about the centre of mass [kg m^2]."""
        r = self.com()
        shift: Matrix = _sandwich(r, r) * self.m
        return self.I - shift

    def euler(self) -> Matrix:
        """The Euler tensor K = sum x x^T dm = tr(I)/2 1 - I. BP 4.3.6."""
        I = self.I
        half = (I[0][0] + I[1][1] + I[2][2]) / 2
        return Matrix(tuple((half if r == c else 0) - I[r][c] for c in range(3)) for r in range(3))

    def momentum(self, V: Motion) -> Force:
        """Momentum I V of a body with twist V, about the body's origin. LP 9.25."""
        w, v = V.ang, V.lin
        return Force(self.I @ w + cross(self.h, v), v * self.m - cross(self.h, w))

    def momentum_rate(self, Omega: Matrix, a: Vector) -> Force:
        """Wrench about the body's origin that produces this motion. BP 5.3.20, 5.3.28-5.3.29.

            f = m a + Omega h
            n = dual(Omega K - (Omega K)^T) + h x a,   K = tr(I)/2 1 - I

        Written out with the symmetry of K: 15 multiplications instead of 18.
        """
        I, O = self.I, Omega
        half = (I[0][0] + I[1][1] + I[2][2]) / 2
        Kxx, Kyy, Kzz = half - I[0][0], half - I[1][1], half - I[2][2]
        Kxy, Kxz, Kyz = -I[0][1], -I[0][2], -I[1][2]
        n = Vector((
            Kyy * O[2][1] - Kzz * O[1][2] + Kyz * (O[2][2] - O[1][1]) + Kxy * O[2][0] - Kxz * O[1][0],
            Kzz * O[0][2] - Kxx * O[2][0] + Kxz * (O[0][0] - O[2][2]) + Kyz * O[0][1] - Kxy * O[2][1],
            Kxx * O[1][0] - Kyy * O[0][1] + Kxy * (O[1][1] - O[0][0]) + Kxz * O[1][2] - Kyz * O[0][2],
        ))
        return Force(n + cross(self.h, a), a * self.m + Omega @ self.h)


def _derived(m: Scalar, h: Vector, I: Matrix) -> Inertia:
    """An inertia computed from checked ones, over any scalar: it skips the checks of the constructor."""
    inertia = object.__new__(Inertia)
    for name, value in (("m", m), ("h", h), ("I", I)):
        object.__setattr__(inertia, name, value)
    return inertia


ROUNDING = 1e-9
"""Largest difference between symmetric entries of an inertia matrix, relative to the largest entry.

Products with a rotation round by 1e-15. A shift of the origin can cancel most of the matrix, which makes that a million
times larger, relative to the rest.
"""


def _symmetric(what: str, I: Matrix) -> Matrix:
    """The matrix; if its entries are numbers, made exactly symmetric.

    Raises:
        InputError: two symmetric entries differ by more than rounding.
    """
    (xx, xy, xz), (yx, yy, yz), (zx, zy, zz) = I
    pairs = ((xy, yx), (xz, zx), (yz, zy))
    if all([a is b or (isinstance(a, float) and a == b) for a, b in pairs]):
        return I
    for (i, j), (a, b) in zip(((0, 1), (0, 2), (1, 2)), pairs, strict=True):
        if _differ(a, b, I):
            raise InputError(
                f"{what} must be symmetric: its entry [{i}][{j}] is {a}, and [{j}][{i}] is {b}; correct one of them, "
                "or give (I + I.T) / 2 if both are measured"
            )
    if not all(isinstance(x, Real) for pair in pairs for x in pair):
        return I
    return Matrix(((xx, xy, xz), (xy, yy, yz), (xz, yz, zz)))


def _differ(a: Scalar, b: Scalar, I: Matrix) -> bool:
    """Whether two numbers, or expressions at some values of their symbols, differ by more than rounding."""
    comparable = [isinstance(x, Real) or hasattr(x, "free_symbols") for x in (a, b)]
    if a is b or not all(comparable) or bool(a == b):
        return False  # graph nodes and arrays have no single value to compare
    symbols = {x for row in I for entry in row for x in getattr(entry, "free_symbols", ())}
    values = {x: 0.5 + k / 7 for k, x in enumerate(sorted(symbols, key=str))}
    try:
        first, second, *entries = (_value(x, values) for x in (a, b, *(x for row in I for x in row)))
    except (TypeError, ValueError, RecursionError):  # SymPy functions without a numerical value
        return False
    return abs(first - second) > ROUNDING * max(map(abs, entries))


def _value(x: Any, values: Mapping[Any, float]) -> complex:
    """The value of a number or expression; infinity if it is larger than any float."""
    try:
        return complex(x.subs(values)) if hasattr(x, "free_symbols") else float(x)
    except OverflowError:
        return math.inf


def _sizes(solid: str, mass: Scalar, *sizes: Scalar) -> tuple[Scalar, ...]:
    """The sizes; `InputError` if one, or the mass, is negative or not finite. Symbols pass."""
    for name, x in (("mass", mass), *(("size", size) for size in sizes)):
        if not is_scalar(x) or (isinstance(x, Real) and not 0 <= float(x) < math.inf):
            raise InputError(f"{solid}: its {name} must be a finite number that is not negative, not {x!r}")
    return sizes


def _placed(solid: Inertia, pose: Transform | None) -> Inertia:
    from revolute.spatial.transform import Transform

    return solid if pose is None else solid.moved(instance("pose", pose, Transform))


def _sandwich(a: Vector, b: Vector) -> Matrix:
    """-(tilde(a) tilde(b) + tilde(b) tilde(a)) / 2, the symmetric part of (a.b) 1 - a b^T."""
    ab = dot(a, b)
    return Matrix(
        tuple((ab if i == j else 0) - (a[i] * b[j] + a[j] * b[i]) / 2 for j in range(3)) for i in range(3)
    )
