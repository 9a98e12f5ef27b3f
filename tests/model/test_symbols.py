"""Robots with SymPy expressions for scalars, and their values."""

import pickle
from dataclasses import replace

import numpy as np
import pytest
import sympy
from comparing import assert_raises
from elbow import I1, I2, elbow, g, l1, lc1, lc2, m1, m2
from processes import printed
from robots import one_joint
from sympy import cos, sin

import revolute
from revolute import Helical, Inertia, InputError, Joint, Link, ModelError, Planar, Revolute, Robot, Transform
from revolute.model.joints import OneAxis
from revolute.model.reduce import reduced
from revolute.published import counting
from revolute.published.counting import formulation, general_arm
from revolute.spatial import Matrix, Vector

NUMBERS = {l1: 0.7, lc1: 0.4, lc2: 0.3, m1: 2, m2: 1.5, I1: 0.11, I2: 0.06, g: 9.81}


def test_symbols_are_listed_by_name() -> None:
    assert elbow().symbols == (I1, I2, g, l1, lc1, lc2, m1, m2)
    assert revolute.robots.ur5().symbols == ()


def test_symbolic_robots_are_values() -> None:
    """Symbols of one name are told apart."""
    robot = elbow()
    assert robot == elbow() and hash(robot) == hash(elbow())
    assert robot.digest == elbow().digest != elbow(sympy.Symbol("alpha")).digest
    assert pickle.loads(pickle.dumps(robot)) == robot
    assert "m1 + m2 kg" in str(robot) and "link2 <- joint2 (revolute about z), m2 kg" in str(robot)
    plain, positive = (elbow().subs({m1: m}) for m in (sympy.Symbol("m"), sympy.Symbol("m", positive=True)))
    assert plain != positive and plain.digest != positive.digest


def test_values_give_the_robot_of_numbers() -> None:
    robot = elbow().subs(NUMBERS)
    assert robot.symbols == ()
    q, qd, qdd = np.random.default_rng(1).standard_normal((3, 5, 2))
    a, b = 0.7 * 0.3 * 1.5, 1.5 * 0.3**2 + 0.06
    M = robot.mass_matrix(q)
    np.testing.assert_allclose(M[:, 1, 1], b, rtol=1e-14)
    np.testing.assert_allclose(M[:, 0, 1], b + a * np.cos(q[:, 1]), rtol=1e-14)
    np.testing.assert_allclose(robot.gravity_forces(q)[:, 1], 9.81 * 1.5 * 0.3 * np.cos(q.sum(1)), rtol=1e-13)
    assert robot.inertial_parameters[0, 0] == 2
    assert reduced(robot) != robot
    turned = elbow(sympy.pi).subs(NUMBERS).inverse_dynamics(q * (1, -1), qd * (1, -1), qdd * (1, -1)) * (1, -1)
    np.testing.assert_allclose(robot.inverse_dynamics(q, qd, qdd), turned, rtol=1e-12, atol=1e-13)


def test_regrouping_keeps_the_equations() -> None:
    assert elbow().regrouped().equations().M == elbow().equations().M
    assert elbow().regrouped() != elbow()


def test_some_values_leave_the_other_symbols() -> None:
    robot = elbow().subs({"m1": 1.0, m2: 2 * m1, "g": sympy.Rational(981, 100)})
    assert robot.symbols == (I1, I2, l1, lc1, lc2, m1)
    assert robot.gravity[1] == -sympy.Rational(981, 100)
    assert robot.bodies[1].inertia.m == 1.0
    assert type(robot.bodies[1].inertia.m) is float


def test_exact_numbers_become_floats_in_kernels() -> None:
    exact = {symbol: sympy.Rational(x).limit_denominator(100) for symbol, x in NUMBERS.items()}
    robot = elbow(sympy.pi / 3).subs({**exact, l1: sympy.sqrt(2) / 2})
    assert robot.symbols == ()
    M = elbow(np.pi / 3).subs({**NUMBERS, l1: np.sqrt(0.5)}).mass_matrix([0.3, -0.8])
    np.testing.assert_allclose(robot.mass_matrix([0.3, -0.8]), M, rtol=1e-14)


def test_numbers_of_symbols_are_refused_by_name() -> None:
    for call in (
        lambda robot: robot.mass_matrix([0, 0]), lambda robot: robot.inertial_parameters,
        lambda robot: robot.base_parameters(), lambda robot: robot.inertia_bounds(),
        lambda robot: robot.kernel("forward_dynamics"),
    ):
        assert_raises(InputError, r"has symbols: I1, I2, g, l1, lc1, lc2, m1, m2\..*robot\.subs", call, elbow())


def test_wrong_values_are_refused_by_name() -> None:
    assert_raises(revolute.UnknownNameError, "no symbol 'mass'; it has: I1, I2", elbow().subs, {"mass": 1})
    for wrong in (float("nan"), "2", None, sympy.oo, [1]):
        assert_raises(InputError, "the value of 'm1' must be a finite number", elbow().subs, {m1: wrong})
    assert_raises(InputError, "subs needs", elbow().subs, [m1, 1])
    assert_raises(ModelError, "link 'link1': mass -1 kg is negative", elbow().subs, {m1: -1})
    assert_raises(ModelError, "link 'body': its mass", one_joint, Revolute(), Inertia(sympy.nan))


def test_robots_of_numbers_load_no_sympy() -> None:
    code = (
        "import sys, revolute; r = revolute.robots.planar(2); r.gravity_forces([0, 0]); r.symbols; str(r); r.digest\n"
        "print('sympy' in sys.modules)"
    )
    assert printed(code) == "False\n"


@pytest.mark.parametrize(
    "function", ["inverse_dynamics", "mass_matrix", "augmented_links", "natural_orthogonal_complement"]
)
def test_symbols_count_as_constants_of_any_value(function: str) -> None:
    numbers = {l1: 0.7123, lc1: 0.4123, lc2: 0.3456, m1: 2.11, m2: 1.517, I1: 0.1117, I2: 0.06123, g: 9.81}
    named = counting.function(function)
    assert elbow().count(named) == elbow().subs(numbers).count(named)


def test_an_arm_of_symbols_counts_as_a_general_one() -> None:
    def inertia(k: int) -> Inertia:
        m, x, y, z, xx, yy, zz, xy, xz, yz = sympy.symbols(f"m{k} x{k} y{k} z{k} xx{k} yy{k} zz{k} xy{k} xz{k} yz{k}")
        return Inertia(m, Vector((x, y, z)), Matrix(((xx, xy, xz), (xy, yy, yz), (xz, yz, zz))))

    rows = [(*sympy.symbols(f"a{k} alpha{k} d{k}"), 0) for k in range(3)]
    arm = Robot.from_dh(rows, inertias=[inertia(k) for k in range(3)], convention="modified")
    for function in ("inverse_dynamics", "augmented_links", "sensitivity"):
        named = counting.function(function)
        assert arm.count(named, counting="source") == general_arm(3).count(named, counting="source")


def test_numbers_put_in_for_counting_are_named_where_they_are_no_body() -> None:
    base, first, second = elbow().bodies
    inertia = Inertia(m1, Vector((l1, 0, 0)), Matrix(((0, 0, 0), (0, 0, 0), (0, 0, I1))))
    robot = replace(elbow(), bodies=(base, first, replace(second, inertia=inertia)))
    with pytest.raises(ModelError, match=r"not positive semidefinite \(counted with numbers for the symbols I1, g, l1"):
        robot.count(formulation("natural_orthogonal_complement"))


def test_kernels_with_inertias_as_input_take_symbols_there() -> None:
    robot = elbow().subs({l1: 0.7, g: 9.81})
    numbers = robot.subs({x: NUMBERS[x] for x in robot.symbols})
    q, qd, qdd = np.random.default_rng(2).standard_normal((3, 4, 2))
    kernel = robot.kernel("inverse_dynamics", parameters="inertial")
    expected = numbers.inverse_dynamics(q, qd, qdd)
    np.testing.assert_allclose(kernel(q, qd, qdd, numbers.inertial_parameters), expected, rtol=1e-12)
    with pytest.raises(InputError, match=r"inverse_dynamics needs numbers, but robot 'elbow' has symbols: g, l1\. "):
        elbow().kernel("inverse_dynamics", parameters="inertial")


def oblique(first: object, second: object, joint: type[OneAxis] = Revolute) -> Robot:
    """Two links with any axes."""
    inertia = Inertia.from_com(m1, (lc1, 0.1, 0.2), ((I1, 0, 0), (0, I1, 0), (0, 0, 2)))
    links = [Link("base"), Link("link1", inertia), Link("link2", inertia)]
    joints = [
        Joint("joint1", "base", "link1", joint(first)),  # type: ignore[arg-type]
        Joint("joint2", "link1", "link2", Revolute(second), Transform(p=(l1, 0, 0))),  # type: ignore[arg-type]
    ]
    return Robot.from_links("oblique", links, joints, gravity=(0, 0, -g))


@pytest.mark.parametrize("joint", [Revolute, revolute.Prismatic, lambda axis: Helical(axis, lc2)])
def test_axes_may_have_symbols(joint: type[OneAxis]) -> None:
    """The equations of an arm with axes of expressions are those of its numbers, by the recursions of numbers."""
    b, c = sympy.symbols("b c")
    axes = (cos(b), 0, sin(b)), (0, cos(c), -sin(c))
    values = {b: 0.3, c: 0.7, l1: 0.5, lc1: 0.4, m1: 2, I1: 0.9, g: 9.81, lc2: 0.2}
    robot = oblique(*axes, joint)
    assert {b, c} < set(robot.symbols)
    values = {x: values[x] for x in robot.symbols}
    numbers = robot.subs(values)
    apart = oblique(*([float(sympy.sympify(x).subs(values)) for x in axis] for axis in axes), joint).subs(
        {x: y for x, y in values.items() if x not in (b, c)}
    )
    equations = robot.equations()
    states = np.random.default_rng(8).uniform(-2, 2, (2, 3, 2))
    for q, qd, qdd in states:
        tau = apart.inverse_dynamics(q, qd, qdd)
        np.testing.assert_allclose(numbers.inverse_dynamics(q, qd, qdd), tau, rtol=0, atol=1e-13 * abs(tau).max())
        at = dict(zip((*equations.q, *equations.dq, *equations.ddq), (*q, *qd, *qdd), strict=True)) | values
        found = np.array(equations.tau.xreplace(at).evalf(), dtype=float).ravel()
        np.testing.assert_allclose(found, tau, rtol=0, atol=1e-12 * abs(tau).max())  # some 1e3 roundings
    assert robot.count("mass_matrix").arithmetic > 0
    assert "about (0 cos(c) -sin(c))" in str(robot)
    assert oblique((cos(b), 0, sin(b)), (0, 0, 1)).subs({b: 0}).bodies[1].joint == Revolute((1, 0, 0))


def test_files_hold_no_symbols_of_joints() -> None:
    b = sympy.Symbol("b")
    for joint in (Revolute((cos(b), 0, sin(b))), Helical((0, 0, 1), b)):
        robot = one_joint(joint)
        assert robot.symbols == (b,)
        assert robot.regrouped().symbols == (b,)
        for written in (robot.to_mjcf, robot.to_dict):
            assert_raises(ModelError, "link 'body': ", written)


def test_axes_of_expressions_have_length_one() -> None:
    b = sympy.Symbol("b")
    assert_raises(ModelError, r"length one, such as .*; the square of \(b, 0, 1\) is b\*\*2 \+ 1", Revolute, (b, 0, 1))
    with pytest.raises(ModelError, match=r"nonzero vector of three finite numbers, not \(cos\(b\), 0, sin\(b\)\)"):
        Planar((cos(b), 0, sin(b)))
    assert_raises(ModelError, "nonzero vector of three finite numbers", Revolute, ("x", 0, 1))
