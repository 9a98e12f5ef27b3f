"""What no robot may be made of, whatever the type of its numbers, and links and joints that are no tree."""

import pickle
import re
from collections.abc import Callable
from dataclasses import replace
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
import sympy
from comparing import assert_raises
from robots import chain, limited, one_joint

import revolute
from revolute import Inertia, InputError, Joint, Limits, Link, ModelError, Prismatic, Revolute, Robot, Transform
from revolute.model.body import Body, Frame, Mimic
from revolute.model.joints import Fixed, Free, JointType, Planar, Spherical
from revolute.spatial import Rotation

NUMBERS = pytest.mark.parametrize("number", [float, np.float64, np.float32, np.longdouble])


def pendulum(mass: Any) -> Robot:
    return one_joint(Revolute(), Inertia(m=mass))


@NUMBERS
def test_masses(number: Callable[[float], Any]) -> None:
    assert_raises(ModelError, "link 'body': mass -1 kg is negative", pendulum, number(-1))
    for x in (np.nan, np.inf):
        assert_raises(ModelError, r"link 'body': its (mass|inertia) .*not finite", pendulum, number(x))
    assert pendulum(number(1)) == pendulum(1.0)
    assert_raises(InputError, "Inertia: m must be a number, not '1'", pendulum, "1")


@pytest.mark.parametrize("gravity", ["abc", 5, (0, 1), ("a", "b", "c"), None, ((1, 2, 3),)])
def test_gravity_that_is_no_vector(gravity: Any) -> None:
    assert_raises(InputError, r"gravity \[m/s\^2\] must be three numbers, not", pendulum(1).with_gravity, gravity)


def test_wrong_kinds_of_arguments_are_told_in_our_words() -> None:
    robot, x = revolute.robots.planar(2), np.zeros(2)
    assert robot.lock({"joint1": np.array([0.1])}) == robot.lock({"joint1": 0.1})
    cases = [
        (lambda: robot.lock({"joint1": "up"}), "position of joint 'joint1' must be a number"),
        (lambda: robot.lock({"joint1": None}), "joint 'joint1' needs 1 finite"),
        (lambda: robot.lock({"joint1": float("nan")}), "joint 'joint1' needs 1 finite"),
        (lambda: robot.lock({"joint1": [1.0, 2.0]}), "joint 'joint1' needs 1 finite"),
        (lambda: robot.lock(["joint1"]), "lock needs {joint name: position}, such as {'joint2': 0.0}, not list"),
        (lambda: robot.with_payload("tip", 3.0), "with_payload needs an Inertia"),
        (lambda: robot.inverse_dynamics(x, x, x, wrenches=[1.0]), "wrenches must be"),
        (lambda: robot.kernel("inverse_dynamics", dtype="foo"), "float64 or float32, not 'foo'"),
        (lambda: robot.random_configuration("a", rng=0), "random_configuration: shape"),
        (lambda: robot.random_configuration(-1, rng=0), "random_configuration: shape"),
        (lambda: robot.subtree("tip"), "link 'tip' is fixed to 'link2'"),
    ]
    for call, message in cases:
        assert_raises(revolute.InputError, re.escape(message), call)
    assert robot.random_configuration(np.int64(3), rng=0).shape == (3, 2)


@pytest.mark.parametrize(
    ("lower", "upper"), [(0.0, -0.0), (-0.0, 0.0), (3.0, 3.0), (10, 20), (-1e300, -1e299), (5, np.inf), (-np.inf, -5)]
)
@pytest.mark.parametrize("joint", [Revolute(), Prismatic()])
def test_random_configurations_are_within_any_limits(joint: JointType, lower: float, upper: float) -> None:
    q = one_joint(joint, limits=Limits(lower, upper)).random_configuration(20, rng=0)
    assert (lower <= q).all() and (q <= upper).all()


def test_random_configurations_of_a_seed_are_drawn_joint_by_joint_in_blocks() -> None:
    """The numbers of a seed stay: those of NumPy's `uniform` and `standard_normal`, bit for bit."""
    joints = [Prismatic(), Free(), Spherical(), Planar(), Revolute(), Prismatic()]
    tree = limited(chain(*((Inertia(), x) for x in joints)), Limits(-0.3, 0.7), *[Limits()] * 5)
    reaches = [(-0.3, 0.7), (-1, 1), (-1, 1), (-1, 1), None, None, (-1, 1), (-1, 1), (-np.pi, np.pi), (-np.pi, np.pi)]
    rng, blocks = np.random.default_rng(3), []
    for n in (4096, 4096, 5):
        columns = [rng.standard_normal((n, 4)) if x is None else rng.uniform(*x, (n, 1)) for x in (*reaches, (-1, 1))]
        for x in columns[4:6]:
            x /= np.linalg.norm(x, axis=1, keepdims=True)
        blocks.append(np.hstack(columns))
    q = tree.random_configuration(2 * 4096 + 5, rng=3)
    np.testing.assert_allclose(q, np.concatenate(blocks), rtol=0, atol=1e-15)  # a compiler may fuse products and sums
    np.testing.assert_array_equal(q[:4096], tree.random_configuration((2, 2048), rng=3).reshape(4096, -1))


@pytest.mark.parametrize(
    ("lower", "upper"), [(2, -2), (np.nan, 1), (0, np.nan), (np.inf, np.inf), (-np.inf, -np.inf), (np.inf, -np.inf)]
)
def test_random_configurations_within_limits_without_a_position(lower: float, upper: float) -> None:
    with pytest.raises(InputError, match=f"joint 'j' has no position between its limits {lower} and {upper}"):
        one_joint(Revolute(), limits=Limits(lower, upper)).random_configuration(rng=0)


def test_no_path_warns_of_infinity() -> None:
    robot = revolute.robots.planar(2)
    x = np.full((5, 2), np.inf)
    with np.errstate(all="raise"):
        for arrays in ((x[0], x[0], x[0]), (x, x, x), tuple(np.asfortranarray(x) for _ in range(3))):
            assert np.isnan(robot.inverse_dynamics(*arrays)).any()
        assert np.isnan(robot.inverse_dynamics(x, x, x, threads=2)).any()


A, B = sympy.symbols("a b")
MATRIX = [[1.0, 0.1, 0.2], [0.1, 2.0, 0.3], [0.2, 0.3, 2.5]]


def matrix(i: int, j: int, x: Any) -> list[list[Any]]:
    """The symmetric matrix with one entry changed."""
    return [[x if (i, j) == (r, c) else MATRIX[r][c] for c in range(3)] for r in range(3)]


@pytest.mark.parametrize("make", [lambda I: Inertia(1.0, I=I), lambda I: Inertia.from_com(1.0, (0.1, 0, 0), I)])
@pytest.mark.parametrize(("i", "j"), [(0, 1), (0, 2), (1, 2), (1, 0), (2, 0), (2, 1)])
def test_an_inertia_matrix_is_symmetric(make: Callable[[Any], Inertia], i: int, j: int) -> None:
    """Each pair of entries is compared, and named; rounding is taken away, other differences are refused."""
    for x in (MATRIX[i][j] + 1e-8, -MATRIX[i][j], 7, A, np.float32(0.7)):
        low, high = sorted((i, j))
        words = rf"must be symmetric: its entry \[{low}\]\[{high}\] is .*\[{high}\]\[{low}\]"
        assert_raises(InputError, words, make, matrix(i, j, x))
    rounded = make(matrix(i, j, MATRIX[i][j] * (1 + 3e-16)))
    assert rounded.I == rounded.I.T
    np.testing.assert_allclose(rounded.I, make(MATRIX).I, rtol=1e-15, atol=0)


def test_symbols_of_an_inertia_matrix_are_compared_by_value() -> None:
    assert Inertia(1.0, I=[[1, A, 0], [A, 1, 0], [0, 0, 1]]).I[1][0] == A
    assert Inertia(1.0, I=[[1, A * (A + B), 0], [A**2 + A * B, 1, 0], [0, 0, 1]]).I[0][1] == A * (A + B)
    for upper, lower in ((A, B), (A, 0), (A * (A + B), A**2 + 2 * A * B), (sympy.Rational(1, 3), 0.3)):
        assert_raises(InputError, "must be symmetric", Inertia, 1.0, I=[[1, upper, 0], [lower, 1, 0], [0, 0, 1]])
    xx, xy, xz, yx, yy, yz, zx, zy, zz = sympy.symbols("Ixx Ixy Ixz Iyx Iyy Iyz Izx Izy Izz")
    with pytest.raises(InputError, match=r"its entry \[0\]\[1\] is Ixy, and \[1\]\[0\] is Iyx"):
        Inertia(1.0, I=[[xx, xy, xz], [yx, yy, yz], [zx, zy, zz]])
    tiny = 1e-17 * sympy.sin(A)
    assert Inertia(1.0, I=[[1, tiny, 0], [0, 1, 0], [0, 0, 1]]).I[0][1] == tiny  # as rounding leaves it


def test_what_has_no_value_is_not_compared() -> None:
    f, g = (sympy.Function(name)(A) for name in "fg")
    for upper, lower in ((f, g), (f.diff(A), g), (sympy.sin(2 * A) * f, 2 * sympy.sin(A) * sympy.cos(A) * f)):
        assert Inertia(1.0, I=[[1, upper, 0], [lower, 1, 0], [0, 0, 1]]).I[1][0] == lower
    huge = Inertia(1.0, I=[[10**400, 1, 0], [1.0, 1, 0], [0, 0, 1]])
    assert_raises(ModelError, "a whole number too large for a float", one_joint, Revolute(), huge)


def test_an_inertia_is_of_real_numbers() -> None:
    for arguments in ((1j,), (1.0, (0, 1j, 0)), (1.0, (0, 0, 0), matrix(1, 1, 1j)), (np.complex64(1),)):
        assert_raises(InputError, "must be real", Inertia, *arguments)
    assert_raises(InputError, "not a real number", pendulum(1.0).with_gravity, (0, 1j, 0))


NUMBER_TYPES = [np.float64, np.float32, np.longdouble, np.array, Fraction, Decimal, type("Mine", (float,), {})]


@pytest.mark.filterwarnings("ignore:Inertia:revolute.ModelWarning")  # these numbers are no body's
@pytest.mark.parametrize("number", NUMBER_TYPES)
def test_a_model_holds_plain_numbers(number: Callable[[float], Any]) -> None:
    """Whatever they were given as, in every field."""
    x = number(0.5)
    body = Body(
        np.str_("rod"), np.int64(0), np.str_("hinge"), Revolute((x, x, x)), Transform(p=(x, x, x)),
        Inertia(x, (x, x, x), [[x, 0, 0], [0, x, 0], [0, 0, x]]), Limits((x,), (x,), (x,), (x,)),
        revolute.Drive(mimic=Mimic(np.str_("hinge"), x, x), **dict.fromkeys(revolute.Drive().columns(), (x,))),
    )  # fmt: skip
    frame = Frame(np.str_("rod"), np.int64(1), Transform(Rotation(([[x, 0, 0], [0, x, 0], [0, 0, x]],)), (x, x, x)))
    point = revolute.PointClosure(np.str_("rod"), None, (x, x, x), Transform(p=(x, x, x)))
    closures = (point, revolute.JointClosure(np.str_("hinge"), None, (x,)))
    robot = Robot("r", (Body("base", -1, "", Fixed()), body), (Frame("base", 0), frame), (x, x, x), closures)
    assert robot.digest is not None
    again = number(0.5)
    assert robot == pickle.loads(pickle.dumps(robot)) == replace(robot, gravity=[again, again, again])
    assert all(repr(part).count(repr(x)) == 0 for part in (robot.bodies, robot.frames, closures) if repr(x) != "0.5")


def test_numbers_beyond_floats_are_not_finite() -> None:
    exact = Fraction(10) ** 400, -Decimal("1e400"), Decimal("nan"), Decimal("snan"), 10**400, 10**5000
    for x in (np.float32(np.nan), np.longdouble(np.inf), *exact):
        assert_raises(InputError, "three finite numbers", pendulum(1.0).with_gravity, (0, x, 0))


def robot(links: str, joints: str) -> Robot:
    """Links by their names, joints as parent-joint>child."""
    connections = [
        Joint(name, parent, child)
        for parent, name, child in (joint.replace(">", "-").split("-") for joint in joints.split())
    ]
    return Robot.from_links("r", [Link(name) for name in links.split()], connections)


@pytest.mark.parametrize(("links", "joints", "words"), [
    ("a b c d", "a-x>b b-y>c c-z>a a-w>d", "cycle: 'a' -x-> 'b', 'b' -y-> 'c', 'c' -z-> 'a'; remove one of them"),
    ("d a b", "a-x>b b-y>a b-z>d", "cycle: 'b' -y-> 'a', 'a' -x-> 'b'; remove"),
    ("a b", "a-x>a", "joint 'x': its parent and child are the same link, 'a'"),
    ("base arm", "base-x>arn", "joint 'x': its child link 'arn' does not exist; near: arm"),
    ("base arm", "x-x>arm", "joint 'x': its parent link 'x' does not exist; available: base, arm"),
    ("a b c", "a-x>b", "roots, links without a parent joint: 'a' (1 link on it), 'c' (alone); connect"),
    ("a b c d e", "a-x>b d-y>e b-z>c", "2 roots, links without a parent joint: 'a' (2 links on it), 'd' (1"),
    ("a b c d e f g", "", "7 roots, links without a parent joint: 'a' (alone), 'b' (alone), 'c' (alone)"),
])  # fmt: skip
def test_the_culprit_is_named(links: str, joints: str, words: str) -> None:
    assert_raises(ModelError, re.escape(words), robot, links, joints)


def test_long_cycles_are_cut() -> None:
    links = " ".join(f"l{k}" for k in range(5000))
    joints = " ".join(f"l{k}-j{k}>l{(k + 1) % 5000}" for k in range(5000))
    words = r"'l0' -j0-> 'l1', .* \.\.\. 4992 more \.\.\., 'l4999' -j4999-> 'l0'; remove"
    assert_raises(ModelError, words, robot, links, joints)


def test_links_may_come_in_any_order() -> None:
    names = [f"l{k}" for k in range(50)]
    joints = " ".join(f"l{k}-j{k}>l{k + 1}" for k in range(49))
    assert robot(" ".join(names[::-1]), joints).link_names[0] == "l0"


def test_placements_of_a_wrong_type_are_told_in_one_line() -> None:
    with pytest.raises(InputError, match=r"joint 'j': placement must be of the type Transform, not array\(") as said:
        Joint("j", "a", "b", placement=np.eye(4))  # type: ignore[arg-type]
    assert "\n" not in str(said.value)


@pytest.mark.parametrize("mass", [-1, -1e-9, np.float64(-2)])
def test_negative_masses_are_refused_at_once(mass: float) -> None:
    assert_raises(InputError, f"mass is {mass:g} kg; it must be positive or zero", Inertia.from_com, mass, (0, 0, 0.1))
