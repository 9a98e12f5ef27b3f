"""Functions of the C library that are code of ours: against mpmath, to units in the last place, and at the edges."""

import ctypes
import math
from collections.abc import Callable
from functools import cache

import mpmath
import numpy as np
import pytest

from revolute.graph import Builder, Graph, Input, Output
from revolute.targets.llvm import host, load_object
from revolute.targets.llvm.cross import object_for, processor
from revolute.targets.llvm.near import calls_by_table, close_together
from revolute.targets.llvm.own_functions import OWN_FUNCTIONS
from revolute.targets.llvm.plain import plain_module

SPECIAL = [0.0, -0.0, 1.0, -1.0, 2.5, -3.0, math.inf, -math.inf, math.nan, 5e-324, -1e-310, 1.7e308]


@cache
def compiled(name: str, bits: int) -> Callable[[np.ndarray], np.ndarray]:
    """A function of one or two numbers, for rows of them."""
    count = 2 if name == "atan2" else 1
    x = (b := Builder()).input("x", count)
    graph = Graph(name, (Input("x", (count,)),), (Output("y", (1,), (b.make(name, *x),)),))
    text = plain_module([("f", graph)], bits, own=OWN_FUNCTIONS.keys(), batch=True)
    text = calls_by_table(text) if close_together(host().triple) else text
    loaded = load_object(object_for(text, processor("native")), host())
    loop = ctypes.CFUNCTYPE(None, ctypes.c_size_t, ctypes.c_void_p, ctypes.c_void_p)(loaded.function("f_batch"))
    dtype = np.float64 if bits == 64 else np.float32

    def call(rows: np.ndarray, keep: object = loaded) -> np.ndarray:
        given, found = np.ascontiguousarray(rows, dtype), np.empty(len(rows), dtype)
        loop(len(rows), given.ctypes.data, found.ctypes.data)
        return found

    return call


def arguments(name: str, dtype: type) -> np.ndarray:
    rng = np.random.default_rng(3)
    sizes = 10.0 ** rng.uniform(-9, 5, 3000) * rng.choice([-1, 1], 3000)
    if name == "atan2":  # all directions, near the axes and the diagonals too, of all lengths
        angles = np.concatenate([rng.uniform(-4, 4, 2000), np.repeat(np.arange(-4, 5) * math.pi / 4, 100)])
        angles += np.where(rng.uniform(size=angles.size) < 0.5, 10.0 ** rng.uniform(-15, -1, angles.size), 0)
        pairs = np.stack([np.sin(angles), np.cos(angles)], 1) * 10.0 ** rng.uniform(-20, 20, angles.size)[:, None]
        return pairs.astype(dtype)
    if name == "log":
        near_one = 1 + 10.0 ** rng.uniform(-15, -1, 1000) * rng.choice([-1, 1], 1000)
        sizes = np.concatenate([10.0 ** rng.uniform(-37, 38, 3000), near_one])
    if name in ("exp", "tanh"):
        sizes = sizes[np.abs(sizes) < 80]
    if name in ("sin", "cos", "tan") and dtype == np.float64:  # near their zeros too
        sizes = np.concatenate([sizes, np.arange(-2000, 2000) * (math.pi / 2)])
    if dtype == np.float32:
        sizes = sizes[np.abs(sizes) <= 8192] if name in ("sin", "cos", "tan") else sizes
    return sizes.astype(dtype)[:, None]


@pytest.mark.parametrize("bits", [64, 32])
@pytest.mark.parametrize("name", OWN_FUNCTIONS)
def test_within_some_units_in_the_last_place(name: str, bits: int) -> None:
    """A tangent is a quotient of two. Near multiples of pi/2 the error of an angle in float counts more."""
    dtype = np.float64 if bits == 64 else np.float32
    rows = arguments(name, dtype)
    found = compiled(name, bits)(rows)
    with mpmath.workdps(40):
        exact = [getattr(mpmath, name)(*map(mpmath.mpf, row.astype(float))) for row in rows]
        unit = np.spacing(np.abs(np.array([float(x) for x in exact], dtype)))
        worst = max(abs(mpmath.mpf(float(f)) - x) / float(u) for f, x, u in zip(found, exact, unit, strict=True))
    angle = name in ("sin", "cos", "tan")
    assert worst <= (5 if (angle and bits == 32) or name == "tan" else 2)


@pytest.mark.parametrize("name", OWN_FUNCTIONS)
def test_zeros_infinities_and_nan_give_what_the_c_library_gives(name: str) -> None:
    special = np.array(SPECIAL)
    if name in ("sin", "cos", "tan"):
        special = special[~(np.abs(special) > 1e5) | np.isinf(special)]  # beyond the limit of our reduction
    rows = np.array([(y, x) for y in special for x in special]) if name == "atan2" else special[:, None]
    with np.errstate(all="ignore"):
        wanted = {"atan2": np.arctan2}.get(name, getattr(np, name, None))(*rows.T)  # type: ignore[misc]
    found = compiled(name, 64)(rows)
    np.testing.assert_allclose(found, wanted, rtol=1e-15)
    if name not in ("sin", "tan"):  # the sum of r and its tiny correction loses the sign of -0.0
        np.testing.assert_array_equal(np.signbit(found[found == 0]), np.signbit(wanted[found == 0]))
