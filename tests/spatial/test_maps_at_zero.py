"""Exponentials and logarithms at zero: value, first and second derivatives by graphs, SymPy and differences."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import sympy

from revolute.dynamics import orientation
from revolute.dynamics.pose_error import rotation_vector
from revolute.graph import Builder, Graph, Input, Output, jacobian
from revolute.spatial import dot, quaternion, sqrt
from revolute.targets.numpy import evaluate

V = (0.3, -0.7, 0.5)


def turned(x: Any) -> Any:
    """The rotation matrix of a rotation vector."""
    return quaternion.rotation(quaternion.exponential(x)).matrix()


def unit(x: Any) -> list[Any]:
    """A quaternion near one, by its vector part."""
    return [*x, sqrt(1 - x[0] * x[0] - x[1] * x[1] - x[2] * x[2])]


MAPS: dict[str, Callable[[Any], Any]] = {
    "exponential": quaternion.exponential,
    "logarithm": lambda x: quaternion.logarithm(unit(x)),
    "displacement": lambda x: quaternion.displacement(x, V),
    "motion": lambda x: quaternion.motion(x, V),
    "series of exponentials": lambda x: quaternion.exponential_series(dot(x, x)),
    "series of logarithms": lambda x: quaternion.logarithm_series(dot(x, x)),
    "sinc": lambda x: [quaternion.sinc(y) for y in x],
    "rotation vector": lambda x: rotation_vector(unit(x)),
    "rotation vector of a matrix": lambda x: rotation_vector(orientation.quaternion(turned(x))),
}


def derivatives(f: Callable[[Any], Any], at: Any) -> tuple[np.ndarray, np.ndarray]:
    """First and second derivatives, by the graph."""
    x = Builder().input("x", 3)
    first = [row.get(k, x[0] * 0) for row in jacobian(list(f(x)), x) for k in range(3)]
    second = [row.get(k, x[0] * 0) for row in jacobian(first, x) for k in range(3)]
    const = x[0].builder.const
    outputs = tuple(
        Output(name, (len(y),), tuple(z if hasattr(z, "op") else const(z) for z in y))
        for name, y in (("first", first), ("second", second))
    )
    found = evaluate(Graph("f", (Input("x", (3,)),), outputs), {"x": np.array(at, float)})
    return found["first"], found["second"]


@pytest.mark.parametrize("size", [0.0, 1e-9, 0.009, 0.011, 0.5])
@pytest.mark.parametrize("name", MAPS)
def test_maps_have_their_derivatives_near_zero(name: str, size: float) -> None:
    """Beside the same function's series: differences of fourth order over steps of 0.02, errors of 1e-6."""
    f, at = MAPS[name], size * np.array([0.6, 0.0, -0.8])
    steps, weights = np.array([-2, -1, 1, 2]) * 0.02, np.array([1, -8, 8, -1]) / (12 * 0.02)

    def slopes(g: Callable[[Any], Any], x: np.ndarray) -> np.ndarray:
        rates = [sum(w * np.array(g(x + h * e), float) for h, w in zip(steps, weights, strict=True)) for e in np.eye(3)]
        return np.stack(rates, axis=-1).ravel()

    first, second = derivatives(f, at)
    np.testing.assert_allclose(first, slopes(lambda x: f(tuple(map(float, x))), at), atol=2e-6)
    np.testing.assert_allclose(second, slopes(lambda x: slopes(lambda y: f(tuple(map(float, y))), x), at), atol=2e-5)


def test_sympy_has_the_same_derivatives() -> None:
    x = sympy.symbols("x:3", real=True)
    zero = dict.fromkeys(x, 0)
    turn = quaternion.exponential(x)
    assert [sympy.diff(y, x[0]).subs(zero) for y in turn] == [0.5, 0, 0, 0]
    assert [sympy.diff(y, x[0], 2).subs(zero) for y in turn] == [0, 0, 0, -0.25]
    assert [sympy.diff(y, x[1]).subs(zero) for y in quaternion.logarithm((*x, 1))] == [0, 2.0, 0]
