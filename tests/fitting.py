"""Derivatives of smooth functions of time by polynomials through their values: independent of formulas."""

from collections.abc import Callable

import numpy as np

POINTS = 16


def chebyshev(start: float, end: float, points: int = POINTS) -> np.ndarray:
    """Points inside of an interval, which interpolation by polynomials is well conditioned on."""
    x = np.cos(np.pi * (np.arange(points) + 0.5) / points)[::-1]
    return (start + end) / 2 + (end - start) / 2 * x


def derivatives(
    f: Callable[[np.ndarray], np.ndarray], start: float, end: float, at: float, orders: int, degree: int = POINTS - 1
) -> list[np.ndarray]:
    """Value and derivatives of f at a time, from its values in an interval; exact for a polynomial of that degree."""
    t = chebyshev(start, end, degree + 1)
    columns = f(t).reshape(len(t), -1).T
    fits = [np.polynomial.Chebyshev.fit(t, y, degree, domain=[start, end]) for y in columns]
    return [np.array([fit.deriv(k)(at) for fit in fits]) for k in range(orders + 1)]


def both_sides(t: float) -> tuple[float, float]:
    """The number before t, and t."""
    return float(np.nextafter(t, -np.inf)), t
