"""Manipulability and its gradient: definition, closed forms, finite differences, singular configurations."""

import numpy as np
import pytest
from comparing import EPS, assert_close, assert_raises
from robots import floating_tool, load, random_states, state

import revolute
from revolute import InputError, UnknownNameError

PARTS = {"all": slice(0, 6), "angular": slice(0, 3), "linear": slice(3, 6), (2, 3, 4): [2, 3, 4]}
ROBOTS = {
    "ur5": lambda: load("ur_description/ur5_robot"),
    "panda": revolute.robots.panda,
    "floating tree": lambda: revolute.robots.random_tree(4, rng=1, base="free"),
    "floating tool": floating_tool,
}

each_robot = pytest.mark.parametrize("name", ROBOTS)
each_rows = pytest.mark.parametrize("rows", PARTS, ids=str)


@each_robot
@pytest.mark.parametrize(("rows", "reference"), list(zip(PARTS, ["body", "world"] * 2, strict=True)), ids=str)
def test_it_is_the_product_of_singular_values(name: str, rows: str | tuple[int, ...], reference: str) -> None:
    robot = ROBOTS[name]()
    tip = max(robot.frames, key=lambda frame: frame.body).name
    q = random_states(robot, 20, seed=2)[0]
    s = np.linalg.svd(robot.jacobian(q, tip, reference)[:, PARTS[rows]], compute_uv=False)
    w = robot.manipulability(q, tip, reference, rows=rows)
    # each singular value is good to some EPS of the largest
    np.testing.assert_array_less(np.abs(w - s.prod(axis=-1)), 100 * EPS * s[:, 0] * s[:, :-1].prod(axis=-1))


@each_robot
@each_rows
def test_the_gradient_is_the_slope(name: str, rows: str | tuple[int, ...]) -> None:
    robot = ROBOTS[name]()
    tip = max(robot.frames, key=lambda frame: frame.body).name
    h = 1e-4
    for seed in range(3):
        q, qd, _ = state(robot, seed)
        steps = np.array([-2, -1, 1, 2])[:, None] * h * qd
        w = robot.manipulability(robot.integrate(q, steps), tip, "world", rows=rows)
        slope = (w[0] - 8 * w[1] + 8 * w[2] - w[3]) / (12 * h)  # error h^4: 1e-15; rounding EPS/h: 1e-12
        gradient = robot.manipulability_gradient(q, tip, "world", rows=rows)
        assert_close(gradient @ qd, slope, 1e-9, np.abs(w).max() + np.abs(gradient).max())


def test_the_planar_arm() -> None:
    """w = l1 l2 |sin q2|. Yoshikawa 1985, eq. 18."""
    arm = revolute.robots.planar(2, length=0.7)
    q = np.random.default_rng(3).uniform(-3, 3, (50, 2))
    w = arm.manipulability(q, "tip", rows=(3, 4))
    np.testing.assert_allclose(w, 0.49 * np.abs(np.sin(q[:, 1])), rtol=0, atol=1e-15)
    gradient = arm.manipulability_gradient(q, "tip", rows=(3, 4))
    expected = np.stack([np.zeros(50), 0.49 * np.cos(q[:, 1]) * np.sign(np.sin(q[:, 1]))], axis=-1)
    np.testing.assert_allclose(gradient, expected, rtol=0, atol=1e-14)


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_singular_configurations(dtype: type) -> None:
    arm = revolute.robots.planar(2)
    q = np.array([[0.3, 0.0], [0.3, 0.5]], dtype)
    w = arm.manipulability(q, "tip", rows=(3, 4))
    gradient = arm.manipulability_gradient(q, "tip", rows=(3, 4))
    assert w.dtype == gradient.dtype == dtype
    assert w[0] == 0 and (gradient[0] == 0).all()
    assert w[1] == pytest.approx(np.sin(0.5), rel=10 * float(np.finfo(dtype).eps))
    # at q2 = pi no row is exactly zero
    for reference in ("body", "aligned"):
        q = np.array([0.3, np.pi], dtype)
        assert arm.manipulability(q, "tip", reference, rows=(3, 4)) < 10 * np.finfo(dtype).eps
        assert np.isfinite(arm.manipulability_gradient(q, "tip", reference, rows=(3, 4))).all()


def test_fewer_joints_than_rows() -> None:
    arm = revolute.robots.planar(3)
    assert arm.manipulability(np.ones((4, 3)), "tip").tolist() == [0.0] * 4
    assert (arm.manipulability_gradient(np.ones((4, 3)), "tip") == 0).all()
    assert arm.manipulability(np.ones(3), "tip", rows=(2, 3, 4)) > 0


def test_wrong_arguments_are_named() -> None:
    arm, q = revolute.robots.planar(2), [0.0, 1.0]
    with pytest.raises(InputError, match=r"rows must be 'all', 'angular', 'linear' or a tuple .* not 'liner'"):
        arm.manipulability(q, "tip", rows="liner")
    with pytest.raises(InputError, match=r"rows must be distinct numbers in 0 \.\.\. 5, .* not \(3, 6\)"):
        arm.manipulability_gradient(q, "tip", rows=(3, 6))
    with pytest.raises(InputError, match=r"an option must be a name, or a tuple of names, not .*rows=\[3, 4\]"):
        arm.manipulability(q, "tip", rows=[3, 4])
    assert_raises(InputError, "reference", arm.manipulability, q, "tip", "base")
    assert_raises(UnknownNameError, "tipp", arm.manipulability, q, "tipp")
