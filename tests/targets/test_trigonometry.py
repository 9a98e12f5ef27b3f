"""Compiled sin, cos, exp and tanh against mpmath, to 2 ulp, on every width; exact functions beyond 1e5 rad."""

import math
from collections.abc import Callable
from functools import partial

import mpmath
import numpy as np
import pytest
from machine_code import BASELINE, ulps, unary, widths

from revolute.targets.llvm import Host, Lanes, host

LIMIT = 1e5


def arguments() -> np.ndarray:
    """Angles of all sizes up to the limit, and the doubles nearest to multiples of pi/2."""
    rng = np.random.default_rng(11)
    sizes = 10.0 ** rng.uniform(-9, 5, 3000) * rng.choice([-1, 1], 3000)
    near = np.array([float(mpmath.mpf(int(k)) * mpmath.pi / 2) for k in rng.integers(-63_000, 63_000, 3000)])
    return np.concatenate([sizes, near, np.nextafter(near, np.inf), [0.0, LIMIT, -LIMIT, 1e-300, 5e-324]])


def powers(largest: float) -> np.ndarray:
    """Of all sizes up to the largest, and those around multiples of ln(2)/2, where the reduction changes."""
    rng = np.random.default_rng(5)
    sizes = 10.0 ** rng.uniform(-12, np.log10(largest), 3000) * rng.choice([-1, 1], 3000)
    near = np.arange(-2 * int(largest), 2 * int(largest)) * np.log(2) / 2
    near = near[np.abs(near) < largest]
    return np.concatenate([sizes, near, np.nextafter(near, np.inf), [0.0, largest, -largest, 1e-300, 5e-324]])


ARGUMENTS: dict[str, tuple[Callable[[], np.ndarray], Callable[[], np.ndarray], float]] = {
    **dict.fromkeys(("sin", "cos"), (arguments, arguments, 2.0)),
    "exp": (partial(powers, 700.0), partial(powers, 85.0), 1.0),
    "tanh": (partial(powers, 25.0), partial(powers, 12.0), 1.0),
}
"""Of doubles and of floats, and the largest error of floats in units in the last place."""


@pytest.mark.parametrize("name", ARGUMENTS)
def test_doubles_are_within_two_units_in_the_last_place(name: str) -> None:
    """And of the same bits on every width; without fused multiply-add too."""
    x = ARGUMENTS[name][0]()
    first, *others = (unary(name, Lanes(width, fma=host().fma))(x[:, None])[:, 0] for width in widths())
    assert ulps(first, name, x) <= 2.0
    for other in others:
        np.testing.assert_array_equal(other, first)
    assert ulps(unary(name, Lanes(2, fma=False), BASELINE)(x[:, None])[:, 0], name, x) <= 2.0


@pytest.mark.parametrize("name", ARGUMENTS)
def test_float_within_few_ulp(name: str) -> None:
    _, make, most = ARGUMENTS[name]
    x = np.unique(make().astype(np.float32))
    x = x[(np.abs(x) <= LIMIT) & (np.abs(x) > 1e-30) | (x == 0)]
    found = unary(name, Lanes(widths(32)[-1], 32, host().fma))(x[:, None])[:, 0]
    assert found.dtype == np.float32
    assert ulps(found, name, x) <= most


@pytest.mark.parametrize("name", ["sin", "exp", "tanh"])
def test_nan_raises_no_floating_point_flag(name: str) -> None:
    with np.errstate(all="raise"):
        assert np.isnan(unary(name, Lanes(widths()[-1], fma=host().fma))(np.full((9, 1), np.nan))).all()


def near_one_half() -> np.ndarray:
    """Angles that are n pi/2 plus or minus some 0.5: an ulp of theirs is two of their sine, and n makes them round."""
    rng = np.random.default_rng(14)
    n = rng.integers(-63_000, 63_000, 4000)
    reduced = rng.choice([-1, 1], 4000) * rng.uniform(0.5, 0.5236, 4000)
    return np.concatenate([n * (math.pi / 2) + reduced, [41348.591237483895, -41348.591237483895]])


def near_multiples() -> np.ndarray:
    """The doubles nearest to multiples of pi/2 from 1e5 to 1e8, and around the limit."""
    rng = np.random.default_rng(13)
    around = np.arange(int(LIMIT / (math.pi / 2)) - 20, int(LIMIT / (math.pi / 2)) + 20)
    multiples = np.concatenate([around, (10.0 ** rng.uniform(5, 8, 1500) / (math.pi / 2)).astype(int)])
    near = np.array([float(mpmath.mpf(int(k)) * mpmath.pi / 2) for k in multiples])
    return np.concatenate([near, -near, [np.nextafter(LIMIT, 0), np.nextafter(LIMIT, np.inf)]])


@pytest.mark.parametrize("name", ["sin", "cos"])
@pytest.mark.parametrize("target", [None, BASELINE], ids=["this host", "without fused multiply-add"])
def test_the_reduction_rounds_once(name: str, target: Host | None) -> None:
    """0.9 ulp from the reduced argument, 0.5 from the last rounding, and little from the polynomial."""
    lanes = Lanes(2, fma=False) if target else Lanes(widths()[-1], fma=host().fma)
    for x, most in ((near_one_half(), 1.7), (near_multiples(), 2.0)):
        assert ulps(unary(name, lanes, target)(x[:, None])[:, 0], name, x) <= most


@pytest.mark.parametrize("name", ["sin", "cos"])
@pytest.mark.parametrize("width", widths())
def test_large_angles_use_the_exact_function(name: str, width: int) -> None:
    rng = np.random.default_rng(12)
    x = 10.0 ** rng.uniform(5.1, 300, 200) * rng.choice([-1, 1], 200)
    x[::3] = rng.uniform(-3, 3, x[::3].size)  # rows within the limit beside rows beyond it
    function = unary(name, Lanes(width, fma=host().fma))
    with np.errstate(over="ignore"):  # the polynomial that is thrown away overflows for 1e200
        found = function(x[:, None])[:, 0]
    assert ulps(found, name, x) <= 2.0
    small = np.abs(x) <= LIMIT
    assert np.array_equal(found[small], function(x[small, None])[:, 0])


@pytest.mark.parametrize("name", ["sin", "cos", "tan"])
def test_infinity_and_nan_give_nan_in_their_row_alone(name: str) -> None:
    x = np.array([0.5, np.inf, 1.0, -np.inf, np.nan, 2.0, 0.25, 3.0, 4.0])
    with np.errstate(invalid="ignore"):
        found = unary(name, Lanes(widths()[-1], fma=host().fma))(x[:, None])[:, 0]
    assert list(np.isnan(found)) == [False, True, False, True, True, False, False, False, False]


@pytest.mark.parametrize("width", widths())
def test_the_ends_of_the_range_of_exponentials(width: int) -> None:
    lanes = Lanes(width, fma=host().fma)
    x = np.array([np.inf, -np.inf, np.nan, 709.7, 709.8, 1e300, -745.0, -745.2, -1e300, 0.0, -0.0])
    with np.errstate(over="ignore", under="ignore"):
        expected = np.exp(x)
        found = unary("exp", lanes)(x[:, None])[:, 0]
    np.testing.assert_allclose(found, expected, rtol=4e-16, atol=0)
    found = unary("tanh", lanes)(x[:, None])[:, 0]
    np.testing.assert_array_equal(found, np.tanh(x))
    assert np.signbit(found[-1]) and not np.signbit(found[-2])
