"""Arrays of more axes than NumPy's own functions broadcast (32), up to the 64 that an array may have."""

import numpy as np
import pytest
from comparing import assert_raises

import revolute
from revolute import InputError, ShapeError

AXES = [32, 33, 63, 64]
ROBOT = revolute.robots.planar(2)


def grid(axes: int, seed: int) -> np.ndarray:
    """(1, ..., 3, 2) numbers, on so many axes."""
    return np.random.default_rng(seed).standard_normal((3, 2)).reshape((1,) * (axes - 2) + (3, 2))


@pytest.mark.parametrize("axes", AXES)
def test_kernels_take_batches_of_64_axes(axes: int) -> None:
    q, qd, qdd = (grid(axes, seed) for seed in range(3))
    expected = ROBOT.inverse_dynamics(*(x.reshape(3, 2) for x in (q, qd, qdd)))
    assert np.array_equal(ROBOT.inverse_dynamics(q, qd, qdd), expected.reshape(q.shape))
    mixed = ROBOT.inverse_dynamics(q, qd.reshape(3, 2), qdd[..., :1, :])
    assert mixed.shape == q.shape
    assert np.array_equal(mixed.reshape(3, 2)[0], expected[0])
    with pytest.raises(ShapeError, match="inverse_dynamics: batch shapes do not broadcast"):
        ROBOT.inverse_dynamics(q, np.zeros((4, 2)), qdd)


@pytest.mark.parametrize("axes", AXES)
def test_steps_between_configurations(axes: int) -> None:
    x, y = grid(axes, 0), grid(axes, 1)
    for step, name in ((ROBOT.integrate, "integrate"), (ROBOT.difference, "difference")):
        expected = step(x.reshape(3, 2), y.reshape(3, 2)).reshape(x.shape)
        assert np.array_equal(step(x, y), expected) and np.array_equal(step(x, y.reshape(3, 2)), expected)
        assert_raises(ShapeError, f"{name}: batch shapes do not broadcast", step, x, np.zeros((4, 2)))


@pytest.mark.parametrize("axes", AXES)
def test_normalized_configurations(axes: int) -> None:
    robot = revolute.robots.random_tree(1, rng=0, base="free")
    q = np.random.default_rng(1).standard_normal((5, robot.nq))
    many = q.reshape((1,) * (axes - 2) + q.shape)
    assert np.array_equal(robot.normalize(many), robot.normalize(q).reshape(many.shape))


@pytest.mark.parametrize("axes", AXES)
def test_random_configurations(axes: int) -> None:
    shape = (1,) * (axes - 2) + (3,)
    rows = ROBOT.random_configuration(3, rng=0)
    assert np.array_equal(ROBOT.random_configuration(shape, rng=0), rows.reshape(*shape, 2))
    for more in (64, 65, 1000):
        with pytest.raises(InputError, match="random_configuration: shape must be a size or a tuple of sizes"):
            ROBOT.random_configuration((1,) * more, rng=0)


def test_results_of_more_axes_than_an_array_may_have() -> None:
    with pytest.raises(ShapeError, match="mass_matrix: the results of 3 rows on 63 axes do not fit a NumPy array"):
        ROBOT.mass_matrix(grid(64, 0))
