"""Compiled exp and tanh against mpmath, to 2 ulp, on every width."""

import numpy as np
import pytest
from machine_code import BASELINE, ulps, unary, widths

from revolute.targets.llvm import Lanes, host

NAMES = pytest.mark.parametrize("name", ["exp", "tanh"])


def arguments(largest: float) -> np.ndarray:
    """Of all sizes up to the largest, and those around multiples of ln(2)/2, where the reduction changes."""
    rng = np.random.default_rng(5)
    sizes = 10.0 ** rng.uniform(-12, np.log10(largest), 3000) * rng.choice([-1, 1], 3000)
    near = np.arange(-2 * int(largest), 2 * int(largest)) * np.log(2) / 2
    near = near[np.abs(near) < largest]
    return np.concatenate([sizes, near, np.nextafter(near, np.inf), [0.0, largest, -largest, 1e-300, 5e-324]])


@NAMES
def test_double_within_two_ulp_and_of_the_same_bits_on_every_width(name: str) -> None:
    x = arguments(700.0 if name == "exp" else 25.0)
    first, *others = (unary(name, Lanes(width, fma=host().fma))(x[:, None])[:, 0] for width in widths())
    assert ulps(first, name, x) <= 2.0
    for other in others:
        np.testing.assert_array_equal(other, first)


@NAMES
def test_double_within_two_ulp_without_fused_multiply_add(name: str) -> None:
    x = arguments(700.0 if name == "exp" else 25.0)
    assert ulps(unary(name, Lanes(2, fma=False), BASELINE)(x[:, None])[:, 0], name, x) <= 2.0


@NAMES
def test_float_within_one_ulp(name: str) -> None:
    x = np.unique(arguments(85.0 if name == "exp" else 12.0).astype(np.float32))
    x = x[(np.abs(x) > 1e-30) | (x == 0)]
    found = unary(name, Lanes(widths(32)[-1], 32, host().fma))(x[:, None])[:, 0]
    assert found.dtype == np.float32
    assert ulps(found, name, x) <= 1.0


@pytest.mark.parametrize("width", widths())
def test_the_ends_of_the_range(width: int) -> None:
    lanes = Lanes(width, fma=host().fma)
    x = np.array([np.inf, -np.inf, np.nan, 709.7, 709.8, 1e300, -745.0, -745.2, -1e300, 0.0, -0.0])
    with np.errstate(over="ignore", under="ignore"):
        expected = np.exp(x)
        found = unary("exp", lanes)(x[:, None])[:, 0]
    np.testing.assert_allclose(found, expected, rtol=4e-16, atol=0)
    found = unary("tanh", lanes)(x[:, None])[:, 0]
    np.testing.assert_array_equal(found, np.tanh(x))
    assert np.signbit(found[-1]) and not np.signbit(found[-2])


@NAMES
def test_nan_raises_no_floating_point_flag(name: str) -> None:
    with np.errstate(all="raise"):
        assert np.isnan(unary(name, Lanes(widths()[-1], fma=host().fma))(np.full((9, 1), np.nan))).all()
