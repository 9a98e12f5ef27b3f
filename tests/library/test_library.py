"""Ready-made robots against their sources, closed forms and other descriptions."""

import hashlib
import pickle
import warnings
from math import cos, pi, sin

import numpy as np
import pytest
from comparing import assert_raises
from robots import FILES

import revolute
from revolute import InputError, Prismatic, Revolute
from revolute.model.parameters import implausibility, to_vector

ALL = ("panda", "planar:3", "puma560", "random_tree:9:2", "random_tree:9:2:base=free", "shv:rp", "stanford", "ur5")


@pytest.mark.parametrize("name", ALL)
def test_robots_are_values(name: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        robot, again = revolute.load(name), revolute.load(name)
    assert robot == again and hash(robot) == hash(again)
    copy = pickle.loads(pickle.dumps(robot))
    assert copy == robot and copy.digest == robot.digest
    assert robot != robot.with_gravity((0, 0, -1.62))
    with pytest.raises(AttributeError, match=r"name of robot '.*' cannot be changed; dataclasses.replace"):
        robot.name = "other"  # type: ignore[misc]
    assert str(robot).count("\n") == robot.n_joints + 1
    assert len(robot.coordinate_names) == robot.nv


@pytest.mark.parametrize("name", ALL)
def test_every_inertia_is_possible(name: str) -> None:
    for body in revolute.load(name).bodies:
        assert implausibility(body.inertia) is None


def test_planar_one_link_is_a_pendulum() -> None:
    """A rod about its end: m l^2 / 3, and its weight at half its length."""
    robot = revolute.robots.planar(1, length=0.6, mass=2.0)
    q, qd, qdd = 0.4, 3.0, -1.2
    expected = 2.0 * 0.6**2 / 3 * qdd + 2.0 * 9.81 * 0.3 * cos(q)
    assert robot.inverse_dynamics([q], [qd], [qdd])[0] == pytest.approx(expected, rel=1e-14)


def test_planar_two_links_equal_the_textbook() -> None:
    """SHV section 6.4.2 for two rods of length 1 and mass 1: centres at 1/2, inertias 1/12."""
    robot = revolute.robots.planar(2)
    for q, qd, qdd in np.random.default_rng(0).standard_normal((20, 3, 2)):
        d22, d12, d11, h = 1 / 3, 1 / 3 + cos(q[1]) / 2, 1 / 3 + 1 + 1 / 3 + cos(q[1]), -sin(q[1]) / 2
        g2 = 9.81 * cos(q[0] + q[1]) / 2
        expected = [[d11, d12], [d12, d22]] @ qdd + [2 * h * qd[0] * qd[1] + h * qd[1] ** 2, -h * qd[0] ** 2]
        expected += [9.81 * 1.5 * cos(q[0]) + g2, g2]
        np.testing.assert_allclose(robot.inverse_dynamics(q, qd, qdd), expected, rtol=0, atol=1e-13)


def test_a_level_planar_arm_bears_the_weight_beyond_each_joint() -> None:
    """At q = 0, k links of length l and mass m beyond a joint weigh m g l (1/2 + 3/2 + ...) = m g l k^2 / 2 there."""
    robot = revolute.robots.planar(5, length=0.4, mass=3.0)
    beyond = np.arange(5, 0, -1)
    np.testing.assert_allclose(robot.gravity_forces(np.zeros(5)), 3.0 * 9.81 * 0.4 * beyond**2 / 2, rtol=1e-14)
    np.testing.assert_allclose(robot.forward_kinematics(np.zeros(5), "tip")[:3, 3], [2.0, 0, 0], atol=1e-15)


def test_puma_gravity_has_the_published_constants() -> None:
    """AKB 1986, appendix A4: g1 = -37.2, g2 = -8.44, g3 = 1.02, g4 = 0.249, g5 = -0.0282 N m.

    The paper rounds to three digits, and is evaluated in its own frames.
    """
    g1, g2, g3, g4, g5 = -37.2, -8.44, 1.02, 2.49e-1, -2.82e-2
    robot = revolute.robots.puma560()
    for q in np.random.default_rng(1).uniform(-pi, pi, (20, 6)):
        (c2, c23, c4, c5), (s2, s23, s4, s5) = (f([q[1], q[1] + q[2], q[3], q[4]]) for f in (np.cos, np.sin))
        third = g2 * s23 + g4 * c23 + g5 * (s23 * c5 + c23 * c4 * s5)
        second = g1 * c2 + g3 * s2 + third
        expected = [0, second, third, -g5 * s23 * s4 * s5, g5 * (c23 * s5 + s23 * c4 * c5), 0]
        half_digits = 0.05 + 0.005 + 0.005 + 0.0005 + 0.0001
        assert np.abs(robot.gravity_forces(q) - expected).max() < half_digits


@pytest.mark.filterwarnings("ignore::revolute.ModelWarning")
def test_ur5_and_panda_equal_their_urdf() -> None:
    by_name = {path.name: path for path in FILES.values()}
    rng = np.random.default_rng(4)
    urdf, ours = revolute.load(by_name["ur5_robot.urdf"]), revolute.robots.ur5()
    assert (urdf.joint_names, set(urdf.link_names)) == (ours.joint_names, set(ours.link_names))
    limits = ("lower_limits", "upper_limits", "velocity_limits", "effort_limits")
    for limit in limits:
        np.testing.assert_allclose(getattr(urdf, limit), getattr(ours, limit), rtol=1e-8)
    states = rng.standard_normal((3, 50, 6))
    # the file prints pi/2 as 1.57079632679, 5e-12 off, which the reader takes as pi/2
    np.testing.assert_allclose(ours.inverse_dynamics(*states), urdf.inverse_dynamics(*states), rtol=0, atol=1e-12)
    urdf, ours = revolute.load(by_name["panda.urdf"]), revolute.robots.panda()
    assert urdf.joint_names[:7] == ours.joint_names
    for limit in limits:
        np.testing.assert_array_equal(getattr(urdf, limit)[:7], getattr(ours, limit))
    assert [b.inertia for b in urdf.bodies[:7]] == [b.inertia for b in ours.bodies[:7]]
    q = ours.random_configuration(rng=rng)
    np.testing.assert_allclose(
        ours.forward_kinematics(q, "panda_link8"),
        urdf.forward_kinematics(np.concatenate([q, [0, 0]]), "panda_link8"),
        atol=1e-15,
    )


def test_stanford_boom_slides_along_gravity_when_upright() -> None:
    robot = revolute.robots.stanford()
    carried = sum(float(body.inertia.m) for body in robot.bodies[3:])
    assert abs(robot.gravity_forces(np.zeros(6))[2]) == pytest.approx(9.81 * carried)
    low = robot.forward_kinematics([0, 0, 0.5, 0, 0, 0], "flange")
    high = robot.forward_kinematics([0, 0, 0.7, 0, 0, 0], "flange")
    np.testing.assert_allclose(high[:3, 3] - low[:3, 3], [0, 0, 0.2], atol=1e-15)


def test_options_of_random_trees() -> None:
    chain = revolute.robots.random_tree(20, rng=2, branching=0)
    assert [body.parent for body in chain.bodies] == list(range(-1, 20))
    for share, kind in ((0, Revolute), (1, Prismatic)):
        robot = revolute.robots.random_tree(20, rng=2, prismatic=share)
        assert {type(body.joint) for body in robot.bodies[1:]} == {kind}
    upright, oblique = (revolute.robots.random_tree(20, rng=2, oblique=share) for share in (0, 1))
    assert all(sorted(map(abs, body.joint.axis)) == [0, 0, 1] for body in upright.bodies[1:])
    assert all(0 not in body.joint.axis for body in oblique.bodies[1:])


@pytest.mark.parametrize(("base", "seal"), [("fixed", "5e04600f8bb4a45d"), ("free", "7cac7005c8f88035")])
def test_random_trees_are_the_same_on_every_machine_to_the_last_bit(base: str, seal: str) -> None:
    """Hash of the parents and of the bytes of all numbers of all bodies."""
    numbers = [
        float(x)
        for body in revolute.robots.random_tree(12, rng=7, base=base).bodies
        for x in (
            *(body.parent, *to_vector(body.inertia), *np.ravel(body.placement.matrix())),
            *getattr(body.joint, "axis", ()),
        )
    ]
    assert hashlib.sha256(np.array(numbers, dtype="<f8").tobytes()).hexdigest()[:16] == seal


def test_impossible_requests_are_refused() -> None:
    assert_raises(InputError, "number of links, must be a whole number, 1 or more, not 0", revolute.robots.planar, 0)
    make = revolute.robots.random_tree
    assert_raises(InputError, "number of joints, must be a whole number, 0 or more, not -1", make, -1)
    assert_raises(InputError, "base must be 'fixed' or 'free', not 'floating'", make, 2, base="floating")
    assert_raises(InputError, "rng, a seed or a NumPy generator, must be a whole number, 0 or more", make, 2, rng=-1)
    for name in ("branching", "prismatic", "oblique"):
        words = f"{name} must be a probability, between 0 and 1, not 1.5"
        assert_raises(InputError, words, make, 2, **{name: 1.5})
    for length, mass in ((0.0, 1.0), (-1.0, 1.0), (1.0, -1.0), (float("nan"), 1.0)):
        assert_raises(InputError, "length must be positive", revolute.robots.planar, 2, length, mass)


def test_random_trees_take_seeds_and_generators() -> None:
    make = revolute.robots.random_tree
    assert_raises(InputError, "unknown joint type 'ball'; available: revolute, ", make, 1, types=("ball",))
    assert make(2, 3) == make(2, rng=3) == make(2, rng=np.int64(3))
    generator = np.random.default_rng(1)
    drawn = [make(2, rng=generator) for _ in range(2)]
    assert drawn[0] != drawn[1] and drawn[0] == make(2, rng=np.random.default_rng(1))
    assert drawn[0] == make(2, rng=int(drawn[0].name.partition("_")[2].partition("_")[2]))


def test_a_robot_that_is_not_there_is_answered() -> None:
    with pytest.raises(AttributeError, match=r"no robot 'talos'; available: .*; revolute.load\(path\) reads a file"):
        revolute.robots.talos()
    assert not hasattr(revolute.robots, "talos")
