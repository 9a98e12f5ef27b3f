"""Three-vectors, rotations, and the spatial quantities built on them, over any scalar.

Twists and wrenches have their angular part first, (w, v) and (m, f), as LP and RBDA write
them. 6x6 matrices never appear: a rotation and a vector do the same with fewer operations.

Glossary of the letters used in `spatial.py`, `joints/` and `dynamics/`:

    q, qd, qdd, tau   joint positions, velocities, accelerations, forces
    R, p              rotation and position of a child frame: x_parent = R x_child + p
    X                 the transform (R, p)
    w, v              angular and linear velocity
    wd, a             angular acceleration, acceleration of the body origin
    Omega             angular-acceleration tensor, tilde(wd) + tilde(w) tilde(w)   BP 4.2
    V, A, F           twist (w, v), its rate, wrench (m, f)
    m, h, I           mass, first moment m r, inertia matrix about the body origin
    K                 Euler tensor of a body, tr(I)/2 1 - I                        BP 4.3.6
    g                 gravity
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from numbers import Real
from typing import Any

from revolute.errors import InputError
from revolute.scalar import Scalar, cos, sin
from revolute.vectors import IDENTITY, ZERO, Matrix, Vector, cross, dot, tilde

__all__ = ["Force", "Inertia", "Matrix", "Motion", "Rotation", "Transform", "Vector", "cross", "dot", "tilde"]


def _sandwich(a: Vector, b: Vector) -> Matrix:
    """-(tilde(a) tilde(b) + tilde(b) tilde(a)) / 2, the symmetric part of (a.b) 1 - a b^T."""
    ab = dot(a, b)
    return Matrix(
        tuple((ab if i == j else 0) - (a[i] * b[j] + a[j] * b[i]) / 2 for j in range(3)) for i in range(3)
    )


@dataclass(frozen=True)
class Rotation:
    """A rotation, kept as the product of the factors it was built from.

    `R @ x` takes coordinates in the child frame to coordinates in the parent frame. Two
    planar rotations applied one after the other cost 8 multiplications and 4 additions,
    their product 8 and 5 after it has been formed with 4 more: so factors stay apart,
    except neighbours about the same coordinate axis, whose product is planar again.
    """

    factors: tuple[Matrix, ...] = ()

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

    def conjugate(self, A: Matrix) -> Matrix:
        """R A R^T: a matrix along the child's axes, seen along the parent's."""
        for factor in reversed(self.factors):
            A = _conjugate(factor, A)
        return A

    def matrix(self) -> Matrix:
        """The product of the factors: columns are the child's axes in the parent frame."""
        product = IDENTITY
        for k, factor in enumerate(self.factors):
            product = product @ factor if k else factor
        return product

    @classmethod
    def of(cls, matrix: Iterable[Iterable[Scalar]]) -> Rotation:
        """The rotation with this matrix; an exact identity has no factor at all."""
        rows = Matrix(matrix)
        return cls() if _is_identity(rows) else cls((rows,))

    @classmethod
    def about(cls, axis: Sequence[Scalar], c: Scalar, s: Scalar) -> Rotation:
        """Rotation about a unit axis by the angle whose cosine and sine are given. Rodrigues.

        About a coordinate axis it is planar: four entries, which cost four
        multiplications and two additions to apply.
        """
        x, y, z = axis
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
    def from_rpy(cls, roll: Scalar, pitch: Scalar, yaw: Scalar) -> Rotation:
        """Fixed-axis rotations: roll about x, then pitch about y, then yaw about z (URDF).

        An angle within 1e-11 rad of a multiple of pi/2 is taken as that multiple: files
        print pi/2 with twelve digits, and an exact zero costs nothing at run time.
        """
        factors = [
            cls.about(axis, *exact_cos_sin(angle)).matrix()
            for axis, angle in (((0, 0, 1), yaw), ((0, 1, 0), pitch), ((1, 0, 0), roll))
            if angle != 0
        ]
        return cls.of(Rotation(tuple(factors)).matrix())


def _joined(left: tuple[Matrix, ...], right: tuple[Matrix, ...]) -> tuple[Matrix, ...]:
    axes = _planar(left[-1]) & _planar(right[0]) if left and right else set()
    if not axes:
        return left + right
    product = left[-1] @ right[0]  # whose zeros and ones stay numbers, for `_planar` to see
    merged = Matrix(
        tuple(IDENTITY[i][j] if {i, j} & axes else product[i][j] for j in range(3)) for i in range(3)
    )
    return (*left[:-1], merged, *right[1:])


def _planar(R: Matrix) -> set[int]:
    """The coordinate axes that a rotation matrix leaves in place, by its exact zeros and ones."""
    return {k for k in range(3) if all(map(_exactly, (*R[k], *R.T[k]), (*IDENTITY[k], *IDENTITY[k])))}


def _is_identity(R: Matrix) -> bool:
    return all(all(map(_exactly, row, unit)) for row, unit in zip(R, IDENTITY, strict=True))


def _conjugate(R: Matrix, A: Matrix) -> Matrix:
    """R A R^T by one factor; for a planar one by the double angle, 8 multiplications instead of 24."""
    axes = _planar(R)
    if len(axes) != 1 or isinstance(R[0][0] + R[1][1] + R[2][2], (int, float)):
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


def _exactly(x: Scalar, value: int) -> bool:
    """Whether x is that number; an array, symbol or graph node is not."""
    return isinstance(x, (int, float)) and x == value


def exact_cos_sin(angle: Scalar) -> tuple[Scalar, Scalar]:
    """cos and sin of an angle [rad], exact within 1e-11 of a multiple of pi/2."""
    if not isinstance(angle, Real):
        c, s = (int(x) if getattr(x, "is_Integer", False) else x for x in (cos(angle), sin(angle)))
        return c, s
    angle = float(angle)
    quarter = round(angle / (math.pi / 2))
    if abs(angle - quarter * (math.pi / 2)) < 1e-11:
        return ((1, 0), (0, 1), (-1, 0), (0, -1))[quarter % 4]
    return math.cos(angle), math.sin(angle)


@dataclass(frozen=True)
class Motion:
    """A twist (w, v) or its rate: angular part, then the velocity of the frame's origin."""

    ang: Vector
    lin: Vector

    def __add__(self, other: Motion) -> Motion:
        if not isinstance(other, Motion):
            return NotImplemented
        return Motion(self.ang + other.ang, self.lin + other.lin)

    def __sub__(self, other: Motion) -> Motion:
        if not isinstance(other, Motion):
            return NotImplemented
        return Motion(self.ang - other.ang, self.lin - other.lin)

    def __mul__(self, s: Scalar) -> Motion:
        return Motion(self.ang * s, self.lin * s)

    def cross(self, other: Motion) -> Motion:
        """ad_V W: the rate of a motion W that this twist V carries along. LP 9.29-9.30."""
        w, v = self.ang, self.lin
        return Motion(cross(w, other.ang), cross(w, other.lin) + cross(v, other.ang))

    def cross_force(self, F: Force) -> Force:
        """V x* F: the same for a wrench. LP -ad_V^T."""
        return Force(cross(self.ang, F.ang) + cross(self.lin, F.lin), cross(self.ang, F.lin))

    def power(self, F: Force) -> Scalar:
        """V . F, the power of a wrench."""
        return dot(self.ang, F.ang) + dot(self.lin, F.lin)


@dataclass(frozen=True)
class Force:
    """A wrench (m, f): moment about the frame's origin, then force."""

    ang: Vector
    lin: Vector

    def __add__(self, other: Force) -> Force:
        if not isinstance(other, Force):
            return NotImplemented
        return Force(self.ang + other.ang, self.lin + other.lin)

    def __sub__(self, other: Force) -> Force:
        if not isinstance(other, Force):
            return NotImplemented
        return Force(self.ang - other.ang, self.lin - other.lin)


@dataclass(frozen=True)
class Transform:
    """Pose of a child frame in its parent: x_parent = R x_child + p."""

    R: Rotation = Rotation()
    p: Vector = ZERO

    def __post_init__(self) -> None:
        if type(self.p) is not Vector:
            object.__setattr__(self, "p", Vector(self.p))

    def __matmul__(self, other: Any) -> Any:
        """Compose with a Transform, or take a Force from child to parent (LP Ad^T)."""
        if isinstance(other, Transform):
            return Transform(self.R @ other.R, self.p + self.R @ other.p)
        if isinstance(other, Force):
            f = self.R @ other.lin
            return Force(self.R @ other.ang + cross(self.p, f), f)
        if isinstance(other, Inertia):
            return other.moved(self)
        return NotImplemented

    def point(self, x: Vector) -> Vector:
        """Coordinates in the parent frame of a point given in the child frame."""
        moved: Vector = self.p + self.R @ x
        return moved

    def inverse(self) -> Transform:
        """Pose of the parent in the child."""
        RT = self.R.T
        return Transform(RT, -(RT @ self.p))

    def merged(self) -> Transform:
        """The same pose with its rotation multiplied out to one factor."""
        return Transform(Rotation.of(self.R.matrix()), self.p)

    def matrix(self) -> tuple[tuple[Scalar, ...], ...]:
        """The homogeneous 4x4 matrix."""
        rows = self.R.matrix()
        return (*((*rows[i], self.p[i]) for i in range(3)), (0, 0, 0, 1))

    @classmethod
    def from_rpy(cls, xyz: Sequence[Scalar] = (0, 0, 0), rpy: Sequence[Scalar] = (0, 0, 0)) -> Transform:
        """The origin element of URDF: position [m], roll, pitch, yaw [rad]."""
        return cls(Rotation.from_rpy(*rpy), Vector(xyz))


def _sizes(solid: str, mass: Scalar, *sizes: Scalar) -> tuple[Scalar, ...]:
    """The sizes, if they and the mass can be; symbols can."""
    for name, x in (("mass", mass), *(("size", size) for size in sizes)):
        if isinstance(x, Real) and not 0 <= float(x) < math.inf:
            raise InputError(f"{solid}: its {name} must be a finite number that is not negative, not {x}")
    return sizes


@dataclass(frozen=True)
class Inertia:
    """The ten inertial parameters of a rigid body, about the body's origin. GOA 8.

    Attributes:
        m: mass [kg].
        h: first moment, mass times centre of mass [kg m].
        I: inertia matrix about the body's origin, along the body's axes [kg m^2].
    """

    m: Scalar = 0
    h: Vector = ZERO
    I: Matrix = tilde(ZERO)

    def __post_init__(self) -> None:
        if type(self.h) is not Vector:
            object.__setattr__(self, "h", Vector(self.h))
        if type(self.I) is not Matrix:
            object.__setattr__(self, "I", Matrix(self.I))

    @classmethod
    def from_com(
        cls,
        mass: Scalar,
        com: Sequence[Scalar] = (0, 0, 0),
        inertia: Sequence[Sequence[Scalar]] = ((0, 0, 0), (0, 0, 0), (0, 0, 0)),
        rotation: Rotation | None = None,
    ) -> Inertia:
        """From mass [kg], centre of mass [m] and the inertia matrix about it [kg m^2].

        `rotation` takes the axes along which `inertia` is given to the body's axes.
        """
        r, C = Vector(com), Matrix(inertia)
        if rotation is not None:
            R = rotation.matrix()
            C = R @ C @ R.T
        return cls(mass, r * mass, C + _sandwich(r, r) * mass)

    @classmethod
    def box(cls, mass: Scalar, size: Sequence[Scalar], pose: Transform | None = None) -> Inertia:
        """A uniform box.

        Args:
            mass: [kg].
            size: lengths along x, y and z [m].
            pose: of the box's frame, at its centre, in the body's frame; there by default.

        Raises:
            InputError: a mass or a length that is negative or not finite.

        Example:
            >>> from revolute import Inertia, Transform, robots
            >>> parcel = Inertia.box(2.0, (0.3, 0.2, 0.1), Transform.from_rpy(xyz=(0, 0, 0.05)))
            >>> loaded = robots.ur5().with_payload("tool0", parcel)
        """
        x, y, z = _sizes("box", mass, *Vector(size))
        return cls._solid(mass, (y * y + z * z) / 12, (x * x + z * z) / 12, (x * x + y * y) / 12, pose)

    @classmethod
    def cylinder(cls, mass: Scalar, radius: Scalar, length: Scalar, pose: Transform | None = None) -> Inertia:
        """A uniform cylinder about its z axis; `pose` is that of its centre, as for `box`."""
        r, l = _sizes("cylinder", mass, radius, length)
        across = r * r / 4 + l * l / 12
        return cls._solid(mass, across, across, r * r / 2, pose)

    @classmethod
    def sphere(cls, mass: Scalar, radius: Scalar, pose: Transform | None = None) -> Inertia:
        """A uniform ball; `pose` is that of its centre, as for `box`."""
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
        """The uniform solid inside of a closed triangle mesh.

        Args:
            mesh: (vertices, faces), of the shapes (V, 3) and (F, 3); or the path of an STL, OBJ
                or PLY file (needs `revolute[mesh]`).
            mass, density: one of them, [kg] or [kg/m^3].
            scale: of the vertices to metres: 0.001 for a drawing in millimetres.
            pose: of the mesh's frame in the body's frame; the same by default.

        Raises:
            InputError: a mesh that is not closed or encloses nothing, or cannot be read; both
                mass and density, or neither.
            MissingExtraError: a file, without the package trimesh.

        Example:
            >>> from revolute import Inertia
            >>> corners = [(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)]
            >>> faces = [(0, 2, 1), (0, 1, 3), (0, 3, 2), (1, 2, 3)]
            >>> Inertia.mesh((corners, faces), density=6.0).com()
            (0.25, 0.25, 0.25)
        """
        from revolute.solids import from_mesh

        return from_mesh(mesh, mass, density, scale, pose or Transform())

    @classmethod
    def _solid(cls, mass: Scalar, xx: Scalar, yy: Scalar, zz: Scalar, pose: Transform | None) -> Inertia:
        """A solid whose squared radii of gyration about its centre are these."""
        solid = cls(mass, ZERO, Matrix(((mass * xx, 0, 0), (0, mass * yy, 0), (0, 0, mass * zz))))
        return solid if pose is None else solid.moved(pose)

    def __add__(self, other: Inertia) -> Inertia:
        if not isinstance(other, Inertia):
            return NotImplemented
        return Inertia(self.m + other.m, self.h + other.h, self.I + other.I)

    def __sub__(self, other: Inertia) -> Inertia:
        if not isinstance(other, Inertia):
            return NotImplemented
        return Inertia(self.m - other.m, self.h - other.h, self.I - other.I)

    def moved(self, X: Transform) -> Inertia:
        """The same body seen from the parent frame in which its frame has pose X."""
        h, p = X.R @ self.h, X.p
        h_new = h + p * self.m
        d = [p[k] * 2 * h[k] + p[k] * p[k] * self.m for k in range(3)]
        I = X.R.conjugate(self.I)
        Ixy, Ixz, Iyz = (I[i][j] - (p[i] * h_new[j] + h[i] * p[j]) for i, j in ((0, 1), (0, 2), (1, 2)))
        Ixx, Iyy, Izz = (I[k][k] + (d[(k + 1) % 3] + d[(k + 2) % 3]) for k in range(3))
        return Inertia(self.m, h_new, Matrix(((Ixx, Ixy, Ixz), (Ixy, Iyy, Iyz), (Ixz, Iyz, Izz))))

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
        """Wrench about the body's origin that this motion takes. BP 5.3.20, 5.3.28-5.3.29.

            f = m a + Omega h
            n = dual(Omega K - (Omega K)^T) + h x a,   K = tr(I)/2 1 - I

        written out with the symmetry of K, which needs 15 multiplications, not 18.
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
