"""Inertias of particles, and of densities by Gauss-Legendre quadrature. LP 9.19, section 9.2.1; SHV 6.49."""

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from numbers import Number, Real
from typing import Any

import numpy as np

from revolute.arguments import is_scalar, scalars, whole_number
from revolute.errors import InputError
from revolute.plain_numbers import plain_number
from revolute.spatial.inertia import Inertia
from revolute.spatial.scalar import Scalar, Scalars
from revolute.spatial.tensors import inertia_of_euler, point_inertia
from revolute.spatial.tensors.operands import as_vector
from revolute.spatial.vectors import Vector, plain_vector

Density = Callable[[float, float, float], float]
Bound = float | Callable[..., float]
Node = tuple[float, float, float, float]  # a quadrature node: coordinates x, y, z [m] and weight [m^3]
HIGHEST = 100  # maximum degree of the quadrature; higher degrees need more than about 100 000 nodes per region

ROUNDING = 1e-14
"""Fraction of the integral of magnitudes below which an integral is a cancellation error and counts as zero."""


def of_particles(masses: Iterable[Scalar], places: Iterable[Scalars]) -> Inertia:
    """See `Inertia.particles`."""
    numbers, points = _listed("masses", masses), _listed("places", places)
    if len(numbers) != len(points):
        raise InputError(f"particles: give as many masses as positions, not {masses!r} and {places!r}")
    m = [_mass(k, x) for k, x in enumerate(numbers)]
    r = [_place(k, x) for k, x in enumerate(points)]
    try:
        body = sum((Inertia(a, b * a, point_inertia(a, b)) for a, b in zip(m, r, strict=True)), Inertia())
        entries = (body.m, *body.h, *(x for row in body.I for x in row))
        fits = all(math.isfinite(x) for x in entries if isinstance(x, Real))
    except OverflowError:  # an int may exceed the range of floats
        fits = False
    if not fits:
        raise InputError("particles: the inertia is too large for a float; check the units of masses and positions")
    return body


def _listed(name: str, x: Any) -> tuple[Any, ...]:
    if not isinstance(x, Iterable) or isinstance(x, (Mapping, Set)):
        raise InputError(f"particles: {name} must be a list or an array, not {x!r}")
    return tuple(x)


def _mass(k: int, x: Any) -> Scalar:
    m = plain_number(x)
    if not _is_finite(m, least=0):
        raise InputError(f"particles: mass {k} must be a finite number that is not negative, not {x!r}")
    return m


def _place(k: int, x: Any) -> Vector:
    r = plain_vector(f"particles: place {k}", as_vector(f"particles: place {k}", x))
    if not all(map(_is_finite, r)):
        raise InputError(f"particles: place {k} must be three finite numbers, not {x!r}")
    return r


def _is_finite(x: Any, least: float = -math.inf) -> bool:
    """Whether x is a symbol, or a finite real number of at least `least`."""
    if not is_scalar(x) or getattr(x, "shape", ()) != ():
        return False
    if not isinstance(x, Number) and not getattr(x, "is_number", False):
        return True
    try:
        return math.isfinite(x) and float(x) >= least
    except (TypeError, ValueError, OverflowError):  # x is complex or exceeds the range of floats
        return False


def from_density(density: Density, region: str, size: Any, degree: int) -> Inertia:
    """See `Inertia.from_density`."""
    if not callable(density):
        raise InputError(f"from_density: density must be a function of x, y and z, not {density!r}")
    if whole_number("from_density: degree", degree, 0) > HIGHEST:
        raise InputError(f"from_density: degree must be at most {HIGHEST}, not {degree}; split the body into parts")
    nodes = np.array(list(_REGIONS[region](size, degree)))
    points, weights = nodes[:, :3], nodes[:, 3]
    rho = [_value(density, point) for point in points.tolist()]
    # the columns are the monomials 1, x, y, z, xx, xy, xz, yy, yz, zz
    rows, columns = np.triu_indices(3)
    with np.errstate(over="ignore", invalid="ignore"):
        powers = np.column_stack([np.ones(len(points)), points, points[:, rows] * points[:, columns]])
        terms = (weights * rho)[:, None] * powers
        sums, magnitudes = terms.sum(axis=0), np.abs(terms).sum(axis=0)
        fits = np.isfinite(magnitudes.sum())
    if not fits:
        raise InputError("from_density: the inertia is too large for a float; check the units of density and lengths")
    sums[np.abs(sums) <= ROUNDING * magnitudes] = 0
    m, hx, hy, hz, xx, xy, xz, yy, yz, zz = sums.tolist()
    if not m > 0:
        raise InputError(f"from_density: the body has the mass {m:g} kg; its density must be positive somewhere")
    return Inertia(m, Vector((hx, hy, hz)), inertia_of_euler(((xx, xy, xz), (xy, yy, yz), (xz, yz, zz))))


def of_box(size: Scalars, degree: int) -> Iterator[Node]:
    """Quadrature nodes of a box with these edge lengths, centred at the origin."""
    sides = [_length(f"box: length {k}", x) / 2 for k, x in enumerate(scalars("from_density: box", size, 3))]
    yield from of_bounds([(-x, x) for x in sides], degree)


def of_cylinder(size: Scalars, degree: int) -> Iterator[Node]:
    """Quadrature nodes of a cylinder about z with this radius and length, centred at the origin."""
    radius, length = scalars("from_density: cylinder", size, 2)
    radius, half = _length("cylinder: radius", radius), _length("cylinder: length", length) / 2
    for r, at_r in _gauss(0, radius, degree):
        for c, s, at_angle in _angles(degree):
            for z, at_z in _gauss(-half, half, degree):
                yield r * c, r * s, z, r * at_r * at_angle * at_z


def of_sphere(size: float, degree: int) -> Iterator[Node]:
    """Quadrature nodes of a sphere with this radius, centred at the origin."""
    for r, at_r in _gauss(0, _length("sphere: radius", size), degree):
        for u, at_u in _gauss(-1, 1, degree):
            across = r * math.sqrt(1 - u * u)
            for c, s, at_angle in _angles(degree):
                yield across * c, across * s, r * u, r * r * at_r * at_u * at_angle


def of_bounds(bounds: Sequence[Any], degree: int) -> Iterator[Node]:
    """Quadrature nodes within bounds of x, bounds of y for each x, and bounds of z for each x and y."""
    if not isinstance(bounds, Sequence) or [len(b) if isinstance(b, Sequence) else 0 for b in bounds] != [2, 2, 2]:
        raise InputError(f"from_density: bounds must be three pairs, for x, y and z, not {bounds!r}")
    of_x, of_y, of_z = bounds
    for x, at_x in _gauss(*_ends("x", of_x), degree):
        for y, at_y in _gauss(*_ends("y", of_y, x), degree):
            for z, at_z in _gauss(*_ends("z", of_z, x, y), degree):
                yield x, y, z, at_x * at_y * at_z


_REGIONS: dict[str, Callable[[Any, int], Iterator[Node]]] = {
    "box": of_box, "cylinder": of_cylinder, "sphere": of_sphere, "bounds": of_bounds,
}  # fmt: skip


def _gauss(lower: float, upper: float, degree: int) -> Iterator[tuple[float, float]]:
    """Nodes and weights of an interval, exact to degree + 4: moments need 2, curved or sloping bounds 2 more."""
    nodes, weights = np.polynomial.legendre.leggauss(degree // 2 + 3)
    half = (upper - lower) / 2
    yield from zip((lower + half * (1 + nodes)).tolist(), (half * weights).tolist(), strict=True)


def _angles(degree: int) -> Iterator[tuple[float, float, float]]:
    """Cosine, sine and weight of equally spaced angles, exact for trigonometric polynomials to degree + 2."""
    count = degree + 3
    for k in range(count):
        angle = 2 * math.pi * (k + 0.5) / count
        yield math.cos(angle), math.sin(angle), 2 * math.pi / count


def _ends(name: str, pair: Sequence[Bound], *before: float) -> tuple[float, float]:
    """Lower and upper bound of a coordinate, evaluated at the previous coordinates."""
    at = ", ".join(f"{other} = {value:g}" for other, value in zip("xy", before, strict=False))
    where = f"from_density: the bounds of {name}" + (f" at {at}" if at else "")
    call = f"a bound {name}({', '.join('xy'[: len(before)])})"
    ends = [_called(call, end, *before) if callable(end) else end for end in pair]
    lower, upper = map(_float, ends)
    if not math.isfinite(upper - lower):
        values = " and ".join(map(repr, ends))
        raise InputError(f"{where} must be finite numbers, or functions that return them, not {values}")
    if lower > upper:
        raise InputError(f"{where} must increase, but are {lower:g} and {upper:g}")
    return lower, upper


def _length(what: str, x: Any) -> float:
    if not 0 < _float(x) < math.inf:
        raise InputError(f"from_density: {what} must be a positive number, not {x!r}")
    return _float(x)


def _float(x: Any) -> float:
    """A real number as a float; NaN if it is not a number, or too large for a float."""
    try:
        return float(x) if isinstance(x, Real) else math.nan
    except OverflowError:
        return math.nan


def _called(call: str, function: Callable[..., Any], *at: float) -> Any:
    """The value of a user's function; its exceptions become `InputError`."""
    try:
        return function(*at)
    except Exception as error:
        raise InputError(f"from_density: {call} failed with {type(error).__name__}: {error}") from error


def _value(density: Density, point: Sequence[float]) -> float:
    """The density at a point [kg/m^3]."""
    value = _called("density(x, y, z)", density, *point)
    rho = _float(value)
    if not 0 <= rho < math.inf:
        x, y, z = point
        raise InputError(
            f"from_density: density must be a finite number that is not negative, and is {value!r} at "
            f"({x:.4g}, {y:.4g}, {z:.4g})"
        )
    return rho
