"""Comparisons of arrays within a tolerance that scales with them; calls that raise or warn."""

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
import pytest

EPS = np.finfo(float).eps
SLOPE_STEPS = np.array([-2, -1, 1, 2]) * 1e-3
SLOPE_WEIGHTS = np.array([1, -8, 8, -1]) / 12e-3
"""Central differences of a smooth function of parameters near one: errors of step^4 / 30 and EPS / step."""


def assert_close(
    result: object, expected: object, tolerance: float, scale: float = 1e-3, axis: tuple[int, ...] | None = None
) -> None:
    """Same shape, and equal within a tolerance relative to the largest expected element.

    The tolerance is relative to `scale` where the largest element is smaller: the size of terms that cancel. `axis`
    are the axes of one matrix, when each matrix of a stack is measured by its own largest element.
    """
    result, expected = np.asarray(result), np.asarray(expected)
    assert result.shape == expected.shape
    error = np.abs(result - expected).max(axis=axis, initial=0)
    size = np.maximum(np.abs(expected).max(axis=axis, initial=0), scale)
    assert (error <= tolerance * size).all(), f"off by {error}, more than {tolerance} of {size}"


Errors = type[Exception] | tuple[type[Exception], ...]


def assert_raises(error: Errors, message: str, call: Callable[..., object], *args: Any, **named: Any) -> None:
    """The call raises this error; the message is a pattern in its text."""
    with pytest.raises(error, match=message):
        call(*args, **named)


def assert_warns(warning: type[Warning], message: str, call: Callable[..., Any], *args: Any, **named: Any) -> Any:
    """What the call returns, which gives this warning; the message is a pattern in its text."""
    with pytest.warns(warning, match=message):
        return call(*args, **named)


def assert_each(
    check: Callable[..., None], results: Iterable[object], expected: Iterable[object], *args: Any, **named: Any
) -> None:
    """The check of each result with what is expected of it; there are as many."""
    for result, wanted in zip(results, expected, strict=True):
        check(result, wanted, *args, **named)
