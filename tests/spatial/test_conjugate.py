"""R A R^T by the double angle: the same numbers as by products, in fewer operations."""

import math

import numpy as np
import pytest

from revolute import Rotation
from revolute.graph import STRUCTURE, Input, count, trace
from revolute.spatial.vectors import Matrix

AXES = [(1, 0, 0), (0, 1, 0), (0, 0, 1), (0, -1, 0)]


def turn(axis: tuple[int, int, int], angle: float) -> Rotation:
    return Rotation.about(axis, math.cos(angle), math.sin(angle))


@pytest.mark.parametrize("axis", AXES)
@pytest.mark.parametrize("angle", [0.7, -2.1, math.pi / 2, math.pi, 3e-9])
def test_conjugation_is_the_product_with_the_matrix_on_both_sides(axis: tuple[int, int, int], angle: float) -> None:
    print("seed 5")
    A = np.random.default_rng(5).uniform(-1, 1, (3, 3))
    rotation = turn(axis, angle) @ turn((1, 0, 0), 0.4) @ turn((0, 1, 0), -1.1)
    R = np.array(rotation.matrix())
    found = np.array(rotation.conjugate(Matrix(A.tolist())))
    # three factors of some 10 roundings each, of entries below 4
    assert np.abs(found - R @ A @ R.T).max() < 3 * 10 * 4 * np.finfo(float).eps


@pytest.mark.parametrize("axis", AXES)
def test_symmetric_matrices_stay_exactly_symmetric(axis: tuple[int, int, int]) -> None:
    B = turn(axis, 0.7).conjugate(Matrix(((2.0, 0.3, -0.1), (0.3, 1.5, 0.2), (-0.1, 0.2, 1.0))))
    assert B == B.T
    assert turn(axis, 0.7).conjugate(Matrix(((2, 0, 0), (0, 2, 0), (0, 0, 2)))) == ((2, 0, 0), (0, 2, 0), (0, 0, 2))


@pytest.mark.parametrize("axis", AXES)
@pytest.mark.parametrize(("angle", "expected"), [(0.7, (8, 9)), (math.pi / 2, (0, 0)), (math.pi, (0, 0))])
def test_constant_turns_take_eight_products_and_quarter_turns_none(
    axis: tuple[int, int, int], angle: float, expected: tuple[int, int]
) -> None:
    """BP section 6.4, of a symmetric matrix."""
    c, s = (round(x, 12) for x in (math.cos(angle), math.sin(angle)))

    def conjugate(e: list[object]) -> object:
        A = Matrix(((e[0], e[1], e[2]), (e[1], e[3], e[4]), (e[2], e[4], e[5])))
        return [("B", (9,), [x for row in Rotation.about(axis, c, s).conjugate(A) for x in row])]

    found = count(trace("conjugate", conjugate, [Input("e", (6,))], STRUCTURE))
    assert (found.multiplications, found.additions) == expected
