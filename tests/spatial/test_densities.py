"""Inertias of particles and of densities, against integrals of monomials and the closed forms of uniform solids."""

import math
import re
from collections.abc import Callable
from itertools import product
from typing import Any

import numpy as np
import pytest
import sympy
from comparing import assert_raises
from test_solids import vector

from revolute import Inertia, InputError, Transform
from revolute.model.parameters import implausibility

x, y, z = sympy.symbols("x y z", real=True)
POSE = Transform.from_rpy((0.3, -0.2, 0.1), (0.4, 1.1, -0.7))


def close(found: Inertia, expected: Inertia) -> None:
    """Sums of some thousand terms, a few of which cancel: 1e-13 of the largest parameter."""
    a, b = vector(found), vector(expected)
    assert np.abs(a - b).max() <= 1e-13 * np.abs(b).max(), (a, b)


def integrated(rho: sympy.Expr, of_powers: Callable[[int, int, int], float]) -> Inertia:
    """The defining integrals of LP section 9.2.1, from the integrals of x^a y^b z^c."""

    def integral(f: Any) -> float:
        terms = sympy.Poly(f * rho, x, y, z).terms()
        return math.fsum(float(coefficient) * of_powers(*powers) for powers, coefficient in terms)

    I = [[integral(-a * b) for b in (x, y, z)] for a in (x, y, z)]
    for k, f in enumerate((y**2 + z**2, x**2 + z**2, x**2 + y**2)):
        I[k][k] = integral(f)
    return Inertia(integral(1), [integral(a) for a in (x, y, z)], I)


def over_length(length: float, power: int) -> float:
    """Of x^power over an interval about zero."""
    return 0.0 if power % 2 else 2 * (length / 2) ** (power + 1) / (power + 1)


def over_directions(*powers: int) -> float:
    """Of x^a y^b ... over the unit circle or sphere: 2 G(A) G(B) ... / G(A + B + ...), A = (a + 1) / 2."""
    halves = [(p + 1) / 2 for p in powers]
    return 0.0 if any(p % 2 for p in powers) else 2 * math.prod(map(math.gamma, halves)) / math.gamma(sum(halves))


def of(rho: sympy.Expr) -> Any:
    return sympy.lambdify((x, y, z), rho, "math")


def polynomial(degree: int, seed: int) -> sympy.Expr:
    """A density that is positive within a metre of the origin."""
    rng = np.random.default_rng(seed)
    powers = [p for p in product(range(degree + 1), repeat=3) if 0 < sum(p) <= degree]
    chosen = [powers[k] for k in rng.choice(len(powers), min(6, len(powers)), replace=False)] + [(degree, 0, 0)]
    rest = sum(sympy.Rational(int(rng.integers(-9, 10)), 10) * x**i * y**j * z**k for i, j, k in chosen)
    return 7 + rest


def in_box(*powers: int) -> float:
    return math.prod(map(over_length, (0.6, 0.8, 1.0), powers))


def in_cylinder(a: int, b: int, c: int) -> float:
    return over_directions(a, b) * 0.5 ** (a + b + 2) / (a + b + 2) * over_length(0.8, c)


def in_sphere(a: int, b: int, c: int) -> float:
    return over_directions(a, b, c) * 0.5 ** (a + b + c + 3) / (a + b + c + 3)


def in_corner(*powers: int) -> float:
    """Of a tetrahedron: the degree of what is left grows with every integration."""
    return math.prod(map(math.factorial, powers)) / math.factorial(sum(powers) + 3)


REGIONS: dict[str, tuple[Any, Callable[[int, int, int], float]]] = {
    "box": ((0.6, 0.8, 1.0), in_box),
    "cylinder": ((0.5, 0.8), in_cylinder),
    "sphere": (0.5, in_sphere),
    "bounds": (((0, 1), (0, lambda x: 1 - x), (0, lambda x, y: 1 - x - y)), in_corner),
}


@pytest.mark.parametrize("degree", [1, 2, 3, 8])
@pytest.mark.parametrize("region", REGIONS)
def test_polynomials(region: str, degree: int) -> None:
    size, of_powers = REGIONS[region]
    rho = polynomial(degree, len(region) + degree)
    close(Inertia.from_density(of(rho), **{region: size}, degree=degree), integrated(rho, of_powers))


def test_uniform_solids() -> None:
    def uniform(x: float, y: float, z: float) -> float:
        return 3.0

    cases = [
        (Inertia.from_density(uniform, box=(1, 2, 3), pose=POSE), Inertia.box(18, (1, 2, 3), POSE)),
        (Inertia.from_density(uniform, cylinder=(1, 2)), Inertia.cylinder(6 * math.pi, 1, 2)),
        (Inertia.from_density(uniform, sphere=2, pose=POSE), Inertia.sphere(32 * math.pi, 2, POSE)),
        (Inertia.from_density(uniform, bounds=((0, 1), (0, 1), (0, 1))), Inertia.box(3, (1, 1, 1), HALF)),
    ]
    for found, expected in cases:
        close(found, expected)
        assert implausibility(found) is None


HALF = Transform(p=(0.5, 0.5, 0.5))


def test_what_cancels_is_zero() -> None:
    """A structural zero saves operations of every kernel."""
    ball = Inertia.from_density(lambda x, y, z: 1 + z * z, sphere=0.3)
    assert ball.h == (0, 0, 0) and [ball.I[i][j] for i, j in ((0, 1), (0, 2), (1, 2))] == [0, 0, 0]


def test_other_densities_converge() -> None:
    """exp(x) in the unit cube: m = e - 1, and the first moment along x is 1."""
    corner = ((0, 1), (0, 1), (0, 1))
    errors = [
        abs(Inertia.from_density(lambda x, y, z: math.exp(x), bounds=corner, degree=degree).h[0] - 1)
        for degree in (0, 4, 12)
    ]
    assert errors[0] < 1e-4 and errors[1] < 1e-8 and errors[2] < 1e-14
    assert errors[0] > 100 * errors[1] > 1e4 * errors[2]


@pytest.mark.parametrize("seed", range(3))
def test_particles(seed: int) -> None:
    rng = np.random.default_rng(seed)
    masses, places = rng.uniform(0.1, 2, 7), rng.standard_normal((7, 3))
    body = Inertia.particles(masses, places)
    X, Y, Z = places.T
    I = np.array([  # LP section 9.2.1
        [masses @ (Y * Y + Z * Z), -masses @ (X * Y), -masses @ (X * Z)],
        [-masses @ (X * Y), masses @ (X * X + Z * Z), -masses @ (Y * Z)],
        [-masses @ (X * Z), -masses @ (Y * Z), masses @ (X * X + Y * Y)],
    ])
    close(body, Inertia(masses.sum(), masses @ places, I))
    w = rng.standard_normal(3)
    energy = sum(m * np.sum(np.cross(w, p) ** 2) for m, p in zip(masses, places, strict=True))
    assert w @ np.array(body.I) @ w == pytest.approx(energy, rel=1e-13)
    assert Inertia.particles([], []) == Inertia()
    some, others = (Inertia.particles(masses[part], places[part]) for part in (slice(3), slice(3, None)))
    close(some + others, body)
    close(body - others, some)


def test_particles_of_symbols() -> None:
    m, l = sympy.symbols("m l", positive=True)
    dumbbell = Inertia.particles([m, m], [(l, 0, 0), (-l, 0, 0)])
    assert (dumbbell.m, dumbbell.I[0][0], sympy.expand(dumbbell.I[1][1])) == (2 * m, 0, 2 * m * l**2)
    assert [sympy.expand(h) for h in dumbbell.h] == [0, 0, 0]


def test_symbols_and_numbers_mix_in_particles() -> None:
    m, l = sympy.symbols("m l", positive=True)
    pair = Inertia.particles([m, 2.0], [sympy.Matrix([l, 0, 0]), (sympy.sqrt(2), 0, 0)])
    assert pair.h[0] == m * l + 2.0 * sympy.sqrt(2) and pair.m == m + 2.0


def divided(*at: float) -> float:
    return at[0] / 0


def one(x: float, y: float, z: float) -> float:
    return 1.0


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: Inertia.particles([1, 2], [(0, 0, 0)]), r"many masses as positions, not \[1, 2\] and \[\(0, 0, 0\)\]"),
        (lambda: Inertia.particles([1], [(0, 0)]), r"particles: place 0 must be three numbers, not \(0, 0\)"),
        (lambda: Inertia.particles([1, -2], [(0, 0, 0)] * 2), "particles: mass 1 must be a finite .* not -2"),
        *(
            (lambda x=x: Inertia.particles([x], [(0, 0, 0)]), f"mass 0 must be a finite .* not {re.escape(str(x)[:4])}")
            for x in (math.nan, math.inf, sympy.oo, -sympy.sqrt(2), 1j, 10**400, [1])
        ),
        (lambda: Inertia.particles(np.ones((2, 2)), [(0, 0, 0)] * 2), r"mass 0 must be a finite .* not array\("),
        (lambda: Inertia.particles([1], [(0, math.nan, 0)]), r"place 0 must be three finite .* not \(0, nan, 0\)"),
        (lambda: Inertia.particles([1], np.ones((1, 3, 2))), "place 0 must be three finite numbers, not array"),
        (lambda: Inertia.particles([1], [{1, 2, 3}]), "place 0 must be three .* in a list or tuple, not {1, 2, 3}"),
        (lambda: Inertia.particles({1: 2}, [(0, 0, 0)]), "particles: masses must be a list or an array, not {1: 2}"),
        (lambda: Inertia.particles([1], {(0, 0, 0)}), "particles: places must be a list or an array, not {"),
        (lambda: Inertia.particles([1e300], [(1e10, 0, 0)]), "particles: the inertia is too large for a float"),
        (lambda: Inertia.particles([1.0], [(10**300, 0, 0)]), "particles: the inertia is too large for a float"),
        (lambda: Inertia.from_density(one), "give exactly one of box, cylinder, sphere, bounds, not 0"),
        (lambda: Inertia.from_density(one, sphere=1, box=(1, 1, 1)), "bounds, not 2"),
        (lambda: Inertia.from_density(1000, sphere=1), "density must be a function of x, y and z, not 1000"),
        (lambda: Inertia.from_density(one, sphere=1, degree=-1), "degree must be a whole number, 0 or more, not -1"),
        (lambda: Inertia.from_density(one, sphere=1, degree=101), "degree must be at most 100, not 101; split"),
        (lambda: Inertia.from_density(one, bounds=((0, 1), (0, one), (0, 1))), r"a bound y\(x\) failed with TypeError"),
        (lambda: Inertia.from_density(divided, sphere=1), r"density\(x, y, z\) failed with ZeroDivisionError: "),
        (lambda: Inertia.from_density(lambda x, y, z: 1e308, sphere=1), "from_density: the inertia is too large for a"),
        (lambda: Inertia.from_density(one, box=(1e200, 1e200, 1e-200)), "the inertia is too large for a float"),
        (lambda: Inertia.from_density(lambda x, y, z: 10**400, sphere=1), "density must be a finite number .* is 1000"),
        (lambda: Inertia.from_density(one, sphere=10**400), "sphere: radius must be a positive number, not 1000"),
        (lambda: Inertia.from_density(one, bounds=((0, 10**400), (0, 1), (0, 1))), "bounds of x must be finite"),
        (lambda: Inertia.from_density(one, sphere=0), "sphere: radius must be a positive number, not 0"),
        (lambda: Inertia.from_density(one, box=(1, 2)), r"box must be three numbers, not \(1, 2\)"),
        (lambda: Inertia.from_density(one, box=(1, 2, math.inf)), "box: length 2 must be a positive number, not inf"),
        (lambda: Inertia.from_density(one, cylinder=(1, -1)), "cylinder: length must be a positive number, not -1"),
        (lambda: Inertia.from_density(one, cylinder=3), "cylinder must be 2 numbers, not 3"),
        (lambda: Inertia.from_density(lambda x, y, z: x, box=(1, 1, 1)), r"is -0\.4\S+ at \(-0\.4"),
        (lambda: Inertia.from_density(lambda x, y, z: "a", sphere=1), "is 'a' at"),
        (lambda: Inertia.from_density(lambda x, y, z: 0, sphere=1), "mass 0 kg; its density must be positive"),
        (lambda: Inertia.from_density(one, bounds=((0, 1), (0, 1))), "bounds must be three pairs, for x, y and z"),
        (lambda: Inertia.from_density(one, bounds=((0, 1), (0, 1), 2)), "bounds must be three pairs"),
        (lambda: Inertia.from_density(one, bounds=((1, 0), (0, 1), (0, 1))), "bounds of x must increase, but are 1"),
        (
            lambda: Inertia.from_density(one, bounds=((0, 1), (0, 1), (0, lambda x, y: -1))),
            r"bounds of z at x = 0\.\d+, y = 0\.\d+ must increase, but are 0 and -1",
        ),
        (
            lambda: Inertia.from_density(one, bounds=((0, 1), (0, lambda x: None), (0, 1))),
            r"bounds of y at x = 0\.\d+ must be finite numbers, or functions that return them, not 0 and None",
        ),
        (lambda: Inertia.from_density(one, sphere=1, pose=3), "pose must be of the type Transform"),
    ],
)
def test_wrong_arguments_are_named(call: Any, message: str) -> None:
    assert_raises(InputError, message, call)


def test_light_bodies_and_symbols_are_taken() -> None:
    x = sympy.Symbol("x")
    half = Inertia.from_com(0.5, (0.1, 0, 0))
    assert (half.m, half.I[1][1]) == (0.5, pytest.approx(0.005, rel=1e-14))
    rounded = ((1.0, x, 0.1), (x, 1.0, 0.0), (0.1 * (1 + 1e-15), 0.0, 1.0))
    assert Inertia.from_com(2.0, (0, 0, 0), rounded).I[2][0] == rounded[2][0]  # as it is, beside symbols
