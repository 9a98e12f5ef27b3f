"""Dual numbers: derivatives of every operation, of recursions, over floats, arrays and nodes of a graph."""

import math

import numpy as np
import pytest

import revolute
from revolute.dynamics.implicit_steps import solver
from revolute.dynamics.newton_euler import newton_euler
from revolute.graph import Builder
from revolute.spatial.dual import Dual, slopes_of, value_of, variables
from revolute.spatial.scalar import Scalar, cos, exp, sign, sin, sqrt, tanh

OPERATIONS = {
    "sum": lambda x, y: x + y + 2 + (3 + x), "difference": lambda x, y: x - y - 2 + (3 - x),
    "product": lambda x, y: x * y * 2.0 + 3.0 * x, "quotient": lambda x, y: x / y + 2 / x + y / 4,
    "minus": lambda x, y: -x * y, "sin": lambda x, y: sin(x * y), "cos": lambda x, y: cos(x - y),
    "exp": lambda x, y: exp(x / y), "sqrt": lambda x, y: sqrt(x + y * y), "tanh": lambda x, y: tanh(x - y),
    "sign": lambda x, y: sign(x) * y,
}


@pytest.mark.parametrize("name", OPERATIONS)
def test_slopes_are_those_of_complex_steps(name: str) -> None:
    """Exact but for rounding; the sign has none, and complex numbers have no sign."""
    f, at = OPERATIONS[name], (0.7, 1.3)
    found = f(*variables(at))
    assert value_of(found) == pytest.approx(f(*at), rel=1e-15)
    if name == "sign":
        assert dict(slopes_of(found)) == {1: 1}
        return
    for k in range(2):
        moved = [np.complex128(x + 1e-30j * (j == k)) for j, x in enumerate(at)]
        assert slopes_of(found).get(k, 0) == pytest.approx(np.imag(f(*moved)) / 1e-30, rel=4e-15, abs=1e-300)


def test_zeros_by_structure_stay_out() -> None:
    x, y = variables([2.0, 3.0])
    assert dict(slopes_of(sin(x))) == {0: pytest.approx(math.cos(2.0))}
    assert x * 0 == 0 and not isinstance(0 * x, Dual)
    assert slopes_of(2.0) == {} and value_of(2.0) == 2.0
    assert dict((y - x).slopes) == {0: -1, 1: 1} and repr(y) == "Dual(3.0, {1: 1})"


def test_nodes_and_arrays_leave_arithmetic_to_dual_numbers() -> None:
    (a,) = Builder().input("a", 1)
    for x in (a, np.float64(3.0)):
        (d,) = variables([x])
        sums: list[Scalar] = [x + d, x - d, x * d, x / d]
        assert all(isinstance(s, Dual) for s in sums)
        assert sums[0].slopes[0] == 1 and value_of(sums[1] * 1) is not None
    with pytest.raises(revolute.GraphError, match="cannot be combined with list"):
        a + [1]  # noqa: RUF005


def test_derivatives_of_a_recursion() -> None:
    """By velocities: those of `inverse_dynamics_partials`."""
    robot = revolute.robots.random_tree(4, rng=3, base="free")
    rng = np.random.default_rng(0)
    q, qd, qdd = robot.random_configuration(rng=rng), *rng.standard_normal((2, robot.nv))
    found = newton_euler(robot, list(q), variables(list(qd)), list(qdd))
    J = np.array([[slopes_of(x).get(k, 0.0) for k in range(robot.nv)] for x in found])
    exact = robot.inverse_dynamics_partials(q, qd, qdd)[1]
    np.testing.assert_allclose(J, exact, rtol=0, atol=1e-13 * np.abs(exact).max())


def test_the_solver_solves() -> None:
    """A matrix near a positive-definite one, with the zeros of two branches."""
    rng = np.random.default_rng(1)
    A = rng.standard_normal((5, 5))
    J = A @ A.T + 5 * np.eye(5) + 0.1 * rng.standard_normal((5, 5))
    rows = [[0 if {i, j} in ({1, 3}, {1, 4}, {2, 3}, {2, 4}) else J[i, j] for j in range(5)] for i in range(5)]
    b = rng.standard_normal(5)
    np.testing.assert_allclose(solver(rows)(list(b)), np.linalg.solve(np.array(rows, float), b), rtol=0, atol=1e-14)
