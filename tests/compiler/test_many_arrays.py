"""Functions of more arrays than a ufunc of NumPy can have: wrenches on more than 60 links."""

import numpy as np
import pytest
from comparing import assert_close, assert_raises

import revolute
from revolute import Robot, ShapeError
from revolute.compiler.many_arrays import broadcast_function

ROBOT = revolute.robots.planar(64)
LINKS = [body.name for body in ROBOT.bodies[1:]]
RNG = np.random.default_rng(3)
STATES = RNG.uniform(-1, 1, (3, 2, 5, 64))
WRENCHES = {link: RNG.standard_normal((2, 5, 6)) for link in LINKS}


def torques(robot: Robot, links: list[str]) -> np.ndarray:
    return robot.inverse_dynamics(*STATES, wrenches={link: WRENCHES[link] for link in links})


def test_forces_of_many_wrenches_add_up() -> None:
    parts = torques(ROBOT, LINKS[:30]) + torques(ROBOT, LINKS[30:]) - torques(ROBOT, [])
    assert_close(torques(ROBOT, LINKS), parts, 1e-13, np.abs(parts).max())


def test_rows_batches_and_results_given_have_the_same_bits() -> None:
    expected = torques(ROBOT, LINKS)
    for at in np.ndindex(2, 5):
        wrenches = {link: x[at] for link, x in WRENCHES.items()}
        row = ROBOT.inverse_dynamics(*(x[at] for x in STATES), wrenches=wrenches)
        np.testing.assert_array_equal(row, expected[at])
    out = np.empty((2, 5, 64))
    assert ROBOT.inverse_dynamics(*STATES, wrenches=WRENCHES, out=out, threads=2) is out
    np.testing.assert_array_equal(out, expected)
    q, qd, qdd = STATES.copy()
    assert ROBOT.inverse_dynamics(q, qd, qdd, wrenches=WRENCHES, out=qdd) is qdd  # in place
    np.testing.assert_array_equal(qdd, expected)
    one = {link: x[0, 0] for link, x in WRENCHES.items()}  # the same wrenches in all rows
    rows = ROBOT.inverse_dynamics(*STATES[:, 0], wrenches=one)
    np.testing.assert_array_equal(rows[0], expected[0, 0])
    assert ROBOT.inverse_dynamics(*STATES[:, 0, :0], wrenches=one).shape == (0, 64)


def test_wrenches_accelerate_and_single_precision_is_close() -> None:
    M = ROBOT.mass_matrix(STATES[0])
    f = ROBOT.inverse_dynamics(STATES[0], STATES[1], 0 * STATES[2], wrenches=WRENCHES)
    qdd = ROBOT.forward_dynamics(STATES[0], STATES[1], STATES[2], wrenches=WRENCHES)
    np.testing.assert_allclose((M @ qdd[..., None])[..., 0], STATES[2] - f, rtol=0, atol=1e-8 * np.abs(f).max())
    kernel = ROBOT.kernel("inverse_dynamics", wrenches=tuple(LINKS), dtype="float32")
    found = kernel(*STATES, *WRENCHES.values())
    expected = torques(ROBOT, LINKS)
    assert found.dtype == np.float32
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-4 * np.abs(expected).max())


@pytest.mark.slow
def test_functions_have_several_results() -> None:
    loads = {link: x[0] for link, x in WRENCHES.items()}
    out = np.empty((5, 128, 128)), np.empty((5, 128, 64))
    A, B = ROBOT.linearize(*STATES[:, 0], wrenches=loads)
    assert ROBOT.linearize(*STATES[:, 0], wrenches=loads, out=out) == out
    np.testing.assert_array_equal(out[0], A)
    np.testing.assert_allclose(ROBOT.mass_matrix(STATES[0, 0]) @ B[:, 64:], np.tile(np.eye(64), (5, 1, 1)), atol=1e-6)


def test_wrong_shapes_are_told() -> None:
    wrong = {**WRENCHES, LINKS[5]: np.zeros(5)}
    assert_raises(ShapeError, "'link6'", ROBOT.inverse_dynamics, *STATES, wrenches=wrong)
    uneven = {**WRENCHES, LINKS[5]: np.zeros((3, 5, 6))}
    assert_raises(ShapeError, "batch shapes", ROBOT.inverse_dynamics, *STATES, wrenches=uneven)
    with pytest.raises(ValueError, match="broadcast"):
        ROBOT.kernel("inverse_dynamics", wrenches=tuple(LINKS)).ufunc(*STATES, *uneven.values())


def test_single_numbers_are_no_arrays() -> None:
    kernel = ROBOT.kernel("kinetic_energy")
    shapes = [x.shape for x in kernel.inputs], [shape for _, shape in kernel.outputs]
    energy = broadcast_function(kernel._loaded, kernel.dtype, *shapes)
    q, qd = STATES[:2]
    assert type(energy(q[0, 0], qd[0, 0])) is type(kernel.ufunc(q[0, 0], qd[0, 0])) is np.float64
    np.testing.assert_array_equal(energy(q, qd), kernel.ufunc(q, qd))
