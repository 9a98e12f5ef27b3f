"""Relaxation towards a moving rest position: T y' + y = f."""

from __future__ import annotations

import numpy as np

from revolute.machine.machine import Array

__all__ = ["relaxed"]


def relaxed(t: Array, f: Array, fd: Array, T: Array, start: Array) -> Array:
    """y at every instant; exact if f is, between instants, the cubic with the given values and rates.

        y = P f + (y_0 - P f_0) exp(-t/T),    P f = f - T f' + T^2 f'' - T^3 f'''

    Args:
        t: (N,) increasing times [s].
        f, fd: (N, n) rest positions, and their rates.
        T: (n,) time constants [s], above zero.
        start: (n,) y at t[0].

    Returns:
        (N, n) y.
    """
    y = [start]
    for k, h in enumerate(np.diff(t)):
        slope = (f[k + 1] - f[k]) / h
        second = (6 * slope - 4 * fd[k] - 2 * fd[k + 1]) / h  # f'' at t[k]
        third = (6 * fd[k] + 6 * fd[k + 1] - 12 * slope) / h**2
        before = f[k] - T * (fd[k] - T * (second - T * third))
        after = f[k + 1] - T * (fd[k + 1] - T * (second + h * third - T * third))
        y.append(after + (y[-1] - before) * np.exp(-h / T))
    return np.array(y)
