"""Mass, first moment and inertia matrix of rigid bodies."""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Sequence
from numbers import Real
from typing import TYPE_CHECKING, Any

import numpy as np

from revolute.arguments import instance, is_scalar, scalar
from revolute.errors import InputError, warn_caller
from revolute.plain_numbers import are_plain, plain_number
from revolute.records import dataclass
from revolute.spatial.inertia_checks import is_mistaken, symmetric
from revolute.spatial.motion import Twist, Wrench
from revolute.spatial.rotation import Rotation
from revolute.spatial.scalar import Scalar
from revolute.spatial.tensors import euler_moment, euler_of_inertia, point_inertia
from revolute.spatial.vectors import ZERO, Matrix, Vector, cross, plain_matrix, plain_vector, tilde, vector

if TYPE_CHECKING:
    from revolute.spatial.transform import Transform


@dataclass(frozen=True)
class Inertia:
    """The ten inertial parameters of a rigid body, about the body's origin. GOA 9; LP 9.23; SHV 6.46.

    Attributes:
        m: mass [kg].
        h: first moment, mass times centre of mass [kg m].
        I: inertia matrix about the body's origin, in the body frame [kg m^2]; symmetric.

    Raises:
        InputError: an entry is neither a real number nor a symbol, or the matrix is not symmetric. If symmetric entries
            differ only by rounding, the value above the diagonal is used.

    Warns:
        ModelWarning: the parameters are physically inconsistent, but are consistent if `h` is the centre of mass and
            `I` the inertia matrix about it: then use `Inertia.from_com(m, h, I)`.

    Example:
        >>> from revolute import Inertia
        >>> about_com = ((1e-4, 0, 0), (0, 0.007, 0), (0, 0, 0.007))
        >>> rod = Inertia.from_com(0.5, (0.2, 0, 0), about_com)
        >>> rod.h[0]  # half a kilogram at 0.2 m
        0.1
    """

    m: Scalar = 0
    h: Vector = ZERO
    I: Matrix = tilde(ZERO)

    def __post_init__(self) -> None:
        set_field = object.__setattr__
        if type(self.m) is not float:
            set_field(self, "m", plain_number(scalar("Inertia: m", self.m)))
        set_field(self, "h", plain_vector("Inertia: h", self.h))
        set_field(self, "I", symmetric("Inertia: I", plain_matrix("Inertia: I", self.I)))
        for name, values in (("m", (self.m,)), ("h", self.h), ("I", (*self.I[0], *self.I[1], *self.I[2]))):
            for x in () if are_plain(values) else values:
                if isinstance(x, (complex, np.complexfloating)):
                    raise InputError(f"Inertia: {name} must be real, not {x!r}")
        # inertias computed by this library, such as regrouped ones, need not be physically consistent
        caller = sys._getframe(2).f_globals.get("__name__", "")
        if caller.partition(".")[0] not in ("revolute", "dataclasses") and is_mistaken(self.m, self.h, self.I):
            warn_caller(
                f"Inertia(m={self.m:g}, h={tuple(self.h)}, I=...): this first moment is not physically consistent, but "
                "a body can have its centre of mass there: h is mass times centre of mass [kg m], and I is about the "
                "origin. Use Inertia.from_com(mass, com, inertia), with the centre of mass [m] and the inertia matrix "
                "about it"
            )

    @classmethod
    def from_com(
        cls, mass: Scalar, com: Sequence[Scalar] = (0, 0, 0),
        inertia: Sequence[Sequence[Scalar]] = ((0, 0, 0), (0, 0, 0), (0, 0, 0)), rotation: Rotation | None = None,
    ) -> Inertia:
        """The inertia of a body with this mass [kg], centre of mass [m] and inertia matrix about it [kg m^2]. LP 9.41.

        `rotation` is the orientation, in the body frame, of the frame in which `inertia` is expressed.

        Raises:
            InputError: see the class; or the mass is negative.
        """
        is_number = isinstance(mass, (float, Real))
        if is_number and mass < 0:
            raise InputError(f"mass is {float(mass):g} kg; it must be positive or zero")
        r, C = vector("com", com), symmetric("inertia", plain_matrix("inertia", inertia))
        if rotation is not None:
            R = instance("rotation", rotation, Rotation).matrix()
            if rotation.factors or not (is_number and mass > 0):  # an identity rotation only flips signs of zeros
                C = R @ C @ R.T
        return cls(scalar("mass", mass), r * mass, C + point_inertia(mass, r))

    @classmethod
    def box(cls, mass: Scalar, size: Sequence[Scalar], pose: Transform | None = None) -> Inertia:
        """A uniform box. SHV Ex. 6.3.

        Args:
            mass: mass [kg].
            size: (3,) edge lengths along x, y and z [m].
            pose: pose of the box's centre and axes in the body frame; the identity by default.

        Raises:
            InputError: the mass or a length is negative or not finite.

        Example:
            >>> from revolute import Inertia, Transform, robots
            >>> parcel = Inertia.box(2.0, (0.3, 0.2, 0.1), Transform.from_rpy(xyz=(0, 0, 0.05)))
            >>> loaded = robots.ur5().with_payload("tool0", parcel)
        """
        x, y, z = _sizes("box", mass, *vector("box: size", size))
        return cls._solid(mass, (y * y + z * z) / 12, (x * x + z * z) / 12, (x * x + y * y) / 12, pose)

    @classmethod
    def cylinder(cls, mass: Scalar, radius: Scalar, length: Scalar, pose: Transform | None = None) -> Inertia:
        """A uniform cylinder about its z axis; `pose` is the pose of its centre: see `box`."""
        r, l = _sizes("cylinder", mass, radius, length)
        across = r * r / 4 + l * l / 12
        return cls._solid(mass, across, across, r * r / 2, pose)

    @classmethod
    def sphere(cls, mass: Scalar, radius: Scalar, pose: Transform | None = None) -> Inertia:
        """A uniform sphere; `pose` is the pose of its centre: see `box`."""
        (r,) = _sizes("sphere", mass, radius)
        square = r * r * 2 / 5
        return cls._solid(mass, square, square, square, pose)

    @classmethod
    def mesh(
        cls, mesh: Any, mass: float | None = None, density: float | None = None, scale: float = 1.0,
        pose: Transform | None = None,
    ) -> Inertia:
        """The uniform solid inside a closed triangle mesh.

        Args:
            mesh: (vertices, faces), of the shapes (V, 3) and (F, 3); or the path of an STL, OBJ
                or PLY file (needs the extra `mesh`).
            mass, density: give exactly one: mass [kg] or density [kg/m^3].
            scale: metres per unit of the vertices: 0.001 for a drawing in millimetres.
            pose: pose of the mesh's frame in the body frame; the identity by default.

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
    def particles(cls, masses: Sequence[Scalar], places: Sequence[Sequence[Scalar]]) -> Inertia:
        """Rigidly connected particles. LP 9.19, section 9.2.1; BP 4.3.3-4.3.5; JIN 33.

        Args:
            masses: (n,) masses [kg]; numbers or symbols.
            places: (n, 3) positions in the body frame [m].

        Raises:
            InputError: masses and places differ in number, a place is not three finite numbers or symbols, a mass is
                negative or not finite, or the inertia is too large for a float.

        Example:
            >>> from revolute import Inertia
            >>> dumbbell = Inertia.particles([1, 3], [(0, 0, 0), (2, 0, 0)])
            >>> dumbbell.com()
            (1.5, 0.0, 0.0)
        """
        from revolute.spatial.mass_distributions import of_particles

        return of_particles(masses, places)

    @classmethod
    def from_density(
        cls, density: Callable[[float, float, float], float], *, box: Sequence[float] | None = None,
        cylinder: Sequence[float] | None = None, sphere: float | None = None,
        bounds: Sequence[Sequence[float | Callable[..., float]]] | None = None, degree: int = 10,
        pose: Transform | None = None,
    ) -> Inertia:
        """A body with a density rho(x, y, z), integrated by Gauss-Legendre quadrature. LP 9.19; JIN 33; SHV 6.49.

        Give exactly one of the four regions. Integrals that cancel up to rounding errors are set to zero.

        Args:
            density: function of x, y and z [m] as floats, returns kg/m^3.
            box: lengths along x, y and z, about the origin [m].
            cylinder: radius and length, about the z axis and the origin [m].
            sphere: radius, about the origin [m].
            bounds: pairs of bounds of x, y and z [m]; those of y may be functions of x, those of z of x and y.
            degree: highest degree of a polynomial density that is integrated exactly (in `bounds`, if these are
                linear). For other densities, increase it until the result converges.
            pose: pose of the region's frame in the body frame; the identity by default.

        Raises:
            InputError: no region or several are given; a length or bound is invalid; the density is negative, not
                finite, or zero everywhere; the density or a bound raises an exception; the inertia is too large for a
                float.

        Example:
            >>> from revolute import Inertia
            >>> rod = Inertia.from_density(lambda x, y, z: 1000 * (1 + x), box=(1, 0.1, 0.1))
            >>> round(rod.m, 12), round(rod.com()[0], 12)
            (10.0, 0.083333333333)
            >>> corner = ((0, 1), (0, lambda x: 1 - x), (0, lambda x, y: 1 - x - y))
            >>> round(Inertia.from_density(lambda x, y, z: 6.0, bounds=corner).m, 12)
            1.0
        """
        from revolute.spatial.mass_distributions import from_density

        regions = {"box": box, "cylinder": cylinder, "sphere": sphere, "bounds": bounds}
        given = [(name, size) for name, size in regions.items() if size is not None]
        if len(given) != 1:
            raise InputError(f"from_density: give exactly one of {', '.join(regions)}, not {len(given)}")
        return _placed(from_density(density, *given[0], degree), pose)

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
        """The same inertia in the parent frame, where the body's frame has pose X.

        BP Theorem 4.3, 4.3.8-4.3.10, 4.3.15; see also SHV 6.48, 6.136-6.137, 6.141-6.142, 6.144.
        """
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
        return self.I - point_inertia(self.m, self.com())

    def euler(self) -> Matrix:
        """The Euler tensor K = sum x x^T dm = tr(I)/2 1 - I. BP 4.3.4, 4.3.6, 4.3.10."""
        return euler_of_inertia(self.I)

    def momentum(self, V: Twist) -> Wrench:
        """Momentum I V of a body with twist V, about its origin. LP 9.15, 9.18-9.19, 9.25; GOA appendix.

        See also BP 4.3.20-4.3.26; SHV 6.141.
        """
        w, v = V.ang, V.lin
        return Wrench(self.I @ w + cross(self.h, v), v * self.m - cross(self.h, w))

    def momentum_rate(self, Omega: Matrix, a: Vector) -> Wrench:
        """Wrench about the body's origin that produces the accelerations Omega and a. BP 5.3.20, 5.3.28-5.3.29.

        See also LP 9.14-9.15, 9.17, 9.20-9.21, 9.32-9.34; BP 4.3.1-4.3.2, 4.3.33-4.3.34; GOA 1-3; SHV 6.134-6.145.

            f = m a + Omega h
            n = dual(Omega K - (Omega K)^T) + h x a,   K = tr(I)/2 1 - I

        As K is symmetric, the moment of Omega takes 15 multiplications instead of 18.
        """
        return Wrench(euler_moment(Omega, self.euler()) + cross(self.h, a), a * self.m + Omega @ self.h)


def _derived(m: Scalar, h: Vector, I: Matrix) -> Inertia:
    """An inertia computed from checked inertias, over any scalar type: it skips the checks of the constructor."""
    inertia = object.__new__(Inertia)
    for name, value in (("m", m), ("h", h), ("I", I)):
        object.__setattr__(inertia, name, value)
    return inertia


def _sizes(solid: str, mass: Scalar, *sizes: Scalar) -> tuple[Scalar, ...]:
    """The sizes; `InputError` if a size or the mass is negative or not finite. Symbols are not checked."""
    for name, x in (("mass", mass), *(("size", size) for size in sizes)):
        if not is_scalar(x) or (isinstance(x, Real) and not 0 <= float(x) < math.inf):
            raise InputError(f"{solid}: its {name} must be a finite number that is not negative, not {x!r}")
    return sizes


def _placed(solid: Inertia, pose: Transform | None) -> Inertia:
    from revolute.spatial.transform import Transform

    return solid if pose is None else solid.moved(instance("pose", pose, Transform))
