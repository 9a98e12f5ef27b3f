"""Equations in SymPy: the texts' elbow to the letter, and the recursions' numbers for any robot."""

import re
import time
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import sympy
from comparing import assert_raises
from elbow import I1, I2, elbow, g, l1, lc1, lc2, m1, m2
from robots import one_joint, random_states
from typer.testing import CliRunner

import revolute
from revolute import Inertia, Joint, Link, Revolute, Robot, Transform
from revolute.cli.app import app
from revolute.errors import InputError, UnknownNameError
from revolute.symbolic import Equations
from revolute.symbolic.fourier import Fourier, Ring
from revolute.symbolic.steps import Steps, shared
from revolute.symbolic.waves import shortest

q1, q2, dq1, dq2, ddq1, ddq2 = sympy.symbols("q1 q2 dq1 dq2 ddq1 ddq2")
sin, cos = sympy.sin, sympy.cos


def spherical() -> Robot:
    """Two revolute joints at right angles and a slide, every body with all ten parameters."""

    def body(k: int) -> Inertia:
        m, x, y, z, xx, yy, zz, xy, xz, yz = sympy.symbols(f"m{k} x{k} y{k} z{k} XX{k} YY{k} ZZ{k} XY{k} XZ{k} YZ{k}")
        return Inertia(m, (x, y, z), ((xx, xy, xz), (xy, yy, yz), (xz, yz, zz)))

    rows = [(0, 0, 0.5, 0), (0, sympy.pi / 2, 0, 0), (0, sympy.pi / 2, 0, 0)]
    return Robot.from_dh(rows, "modified", joints="RRP", inertias=map(body, (1, 2, 3)))


def assert_agrees(equations: Equations, robot: Robot, values: Mapping[sympy.Symbol, float] | None = None) -> None:
    """The expressions with these values are what the kernels of `robot` give.

    Sums of some hundred terms in another order: 1e-11 of the largest entry.
    """
    q, qd, qdd = random_states(robot, 3, seed=7)
    symbols = [*equations.q, *equations.dq, *equations.ddq]
    M, C, gravity = robot.equations_of_motion(q, qd)
    expected = {
        "M": M, "C": C, "g": gravity[..., None], "tau": robot.inverse_dynamics(q, qd, qdd)[..., None],
        "christoffel": robot.christoffel_symbols(q), "kinetic": robot.kinetic_energy(q, qd),
        "potential": robot.potential_energy(q), "lagrangian": robot.kinetic_energy(q, qd) - robot.potential_energy(q),
    }
    for name, numbers in expected.items():
        expression = getattr(equations, name)
        scalars = sympy.flatten(expression) if name not in ("kinetic", "potential", "lagrangian") else [expression]
        function = sympy.lambdify(symbols, [x.xreplace(values or {}) for x in scalars], "math", cse=True)
        found = np.array([function(*row) for row in np.hstack([q, qd, qdd])]).reshape(numbers.shape)
        scale = max(1.0, np.abs(numbers).max())
        np.testing.assert_allclose(found, numbers, rtol=0, atol=1e-11 * scale, err_msg=name)


def test_the_elbow_reads_as_in_the_book() -> None:
    """SHV section 6.4, LP 9.1: shared angles, sums in groups, zeros gone."""
    e = elbow().equations()
    coupling = I2 + lc2 * m2 * (l1 * cos(q2) + lc2)
    assert e.M.tolist() == [
        [I1 + I2 + lc1**2 * m1 + m2 * (l1**2 + 2 * l1 * lc2 * cos(q2) + lc2**2), coupling],
        [coupling, I2 + lc2**2 * m2],
    ]
    h = -l1 * lc2 * m2 * sin(q2)
    assert e.C.tolist() == [[h * dq2, h * (dq1 + dq2)], [-h * dq1, 0]]
    assert e.g == sympy.Matrix(
        [g * (lc2 * m2 * cos(q1 + q2) + (l1 * m2 + lc1 * m1) * cos(q1)), g * lc2 * m2 * cos(q1 + q2)]
    )
    assert e.christoffel == sympy.Array([[[0, h], [h, h]], [[-h, 0], [0, 0]]])
    assert e.tau[1] == ddq1 * coupling + ddq2 * (I2 + lc2**2 * m2) - h * dq1**2 + g * lc2 * m2 * cos(q1 + q2)
    assert e.potential == g * (lc2 * m2 * sin(q1 + q2) + (l1 * m2 + lc1 * m1) * sin(q1))
    assert e.lagrangian == e.kinetic - e.potential


def test_equations_of_numbers_agree_with_kernels() -> None:
    tree = revolute.robots.random_tree
    for robot in (revolute.robots.planar(3), tree(4, 3), tree(1, 1, base="free")):
        equations = robot.equations()
        assert_agrees(equations, robot)
        assert equations.simplified("M", "C", "g")


@pytest.mark.parametrize("budget", [0, 60])
def test_equations_of_symbols_agree_with_kernels(budget: float) -> None:
    for robot in (elbow(sympy.Symbol("alpha")), spherical()):
        values = dict(zip(robot.symbols, np.random.default_rng(3).uniform(0.5, 1.5, len(robot.symbols)), strict=True))
        equations = robot.equations(budget)
        assert_agrees(equations, robot.subs(values), values)
        assert equations.simplified("M") == (budget > 0)


@pytest.mark.parametrize(("axis", "sign"), [((0, -1, 0), 1), ((0, 1, 0), -1)])
def test_an_articulated_arm_reads_by_the_angles_of_its_links(axis: tuple[int, int, int], sign: int) -> None:
    """Its inertia about the waist has products of two links' waves, cos(q2) cos(q2 + q3), where axes are parallel."""
    a2, a3, m2, m3 = sympy.symbols("a2 a3 m2 m3")
    arm = Robot.from_links(
        "articulated",
        [
            Link("base"), Link("turret"), Link("upper arm", Inertia.from_com(m2, (a2, 0, 0))),
            Link("forearm", Inertia.from_com(m3, (a3, 0, 0))),
        ],
        [
            Joint("waist", "base", "turret", Revolute((0, 0, 1))),
            Joint("shoulder", "turret", "upper arm", Revolute((0, -1, 0))),
            Joint("elbow", "upper arm", "forearm", Revolute(axis), Transform.from_rpy((a2, 0, 0))),
        ],
    )
    equations, forearm = arm.equations(), cos(q2 + sign * sympy.Symbol("q3"))
    along = a2**2 * (m2 + m3) * cos(q2) ** 2 + 2 * a2 * a3 * m3 * cos(q2) * forearm + a3**2 * m3 * forearm**2
    assert equations.M[0, 0] == along
    values = dict(zip((a2, a3, m2, m3), (0.7, 0.4, 3.0, 2.0), strict=True))
    assert_agrees(equations, arm.subs(values), values)


def test_the_elbow_has_the_five_constants_of_the_book() -> None:
    """SHV section 6.5.2: M, C and g are linear in five constants."""
    e = elbow().equations(grouped=True)
    t1, t2, t3, t4, t5 = sympy.symbols("Theta_1:6")
    assert e.parameters() == {
        t1: I1 + l1**2 * m2 + lc1**2 * m1, t2: I2 + lc2**2 * m2, t3: l1 * lc2 * m2, t4: l1 * m2 + lc1 * m1,
        t5: lc2 * m2,
    }
    assert e.M.tolist() == [[t1 + t2 + 2 * t3 * cos(q2), t2 + t3 * cos(q2)], [t2 + t3 * cos(q2), t2]]
    assert e.C.tolist() == [[-t3 * dq2 * sin(q2), -t3 * (dq1 + dq2) * sin(q2)], [t3 * dq1 * sin(q2), 0]]
    assert e.g.tolist() == [[g * (t4 * cos(q1) + t5 * cos(q1 + q2))], [g * t5 * cos(q1 + q2)]]


def assert_vanishes(expressions: sympy.Matrix) -> None:
    """But for rounding, of some 20 terms of up to 50 J, at random values of the symbols."""
    symbols = sorted(expressions.free_symbols, key=str)
    at = np.random.default_rng(5).uniform(0.5, 1.5, len(symbols))
    assert np.abs(np.array(sympy.lambdify(symbols, list(expressions), cse=True)(*at), dtype=float)).max() < 1e-12


@pytest.mark.parametrize("robot", [elbow(), elbow(sympy.Symbol("alpha")), spherical(), elbow().subs({g: 9.81})])
def test_constants_stand_for_what_they_replace(robot: Robot) -> None:
    grouped, plain = robot.equations(grouped=True), robot.equations()
    constants = grouped.parameters()
    for name in ("M", "C", "g"):
        assert_vanishes(getattr(grouped, name).xreplace(constants) - getattr(plain, name))
        lengths = {l1, lc1, lc2, m1, m2, I1, I2}
        assert not getattr(grouped, name).free_symbols & lengths, name


@pytest.mark.parametrize(("robot", "size"), [
    (revolute.robots.planar(2), 4),
    (revolute.robots.planar(2).with_gravity((0, -g, 0)), 4),
    pytest.param(revolute.robots.stanford(), 12, marks=pytest.mark.slow),
    (revolute.robots.random_tree(4, 3), 14),  # one link's height never changes: the potential has it as a number
], ids=lambda x: getattr(x, "name", str(x)))  # fmt: skip
def test_constants_of_a_robot_of_numbers_are_numbers(robot: Robot, size: int) -> None:
    """Inertial parameters that later links are part of, in which M, C, g and the energies are linear."""
    grouped, plain = robot.equations(grouped=True), robot.equations()
    constants = grouped.parameters()
    assert plain.parameters() == constants
    assert len(constants) == size
    assert all(x.is_number for x in constants.values())
    state = {*grouped.q, *grouped.dq, g}
    for name in ("M", "C", "g", "potential"):
        found = getattr(grouped, name)
        assert found.free_symbols <= state | constants.keys()
        assert_vanishes(sympy.Matrix([found.xreplace(constants)]) - sympy.Matrix([getattr(plain, name)]))


def test_symbols_of_drives_do_not_keep_constants_from_being_numbers() -> None:
    base, first, second = revolute.robots.planar(2).bodies
    damped = replace(second, drive=replace(second.drive, damping=(m1,)))
    robot = replace(revolute.robots.planar(2), bodies=(base, first, damped))
    assert robot.symbols == (m1,)
    assert robot.equations().parameters() == revolute.robots.planar(2).equations().parameters()


def test_what_cancels_is_no_constant_and_no_entry() -> None:
    """Sliding along the axis that it turns about, the second link couples with itself by rounding alone."""
    robot = revolute.robots.random_tree(2, rng=3, types=["cylindrical"])
    for grouped in (False, True):
        equations = robot.equations(grouped=grouped)
        assert "M12 = M21 = M34 = M43 = 0" in equations.text("M")
        q = random_states(robot, 1, seed=7)[0][0]
        table = dict(zip(equations.q, q, strict=True))
        found = np.array(equations.M.xreplace(equations.parameters()).xreplace(table), dtype=float)
        np.testing.assert_allclose(found, robot.mass_matrix(q), rtol=0, atol=1e-12)  # of some 100 kg
    assert max(abs(float(x)) for x in equations.parameters().values()) < 100


def test_the_elbow_of_numbers_has_one_constant_less() -> None:
    """l1 lc2 m2 is l1 times lc2 m2, where l1 is a number."""
    equations = elbow().subs({l1: 0.5, lc1: 0.25, lc2: 0.2, m1: 2, m2: 3, I1: 0.1, I2: 0.2}).equations(grouped=True)
    t1, t2, t3, t4 = sympy.symbols("Theta_1:5")
    values = equations.parameters()
    # I1 + lc1^2 m1 + l1^2 m2, I2 + lc2^2 m2, lc2 m2, lc1 m1 + l1 m2
    assert [float(values[x]) for x in (t1, t2, t3, t4)] == pytest.approx([0.975, 0.32, 0.6, 2.0], rel=1e-15)
    assert equations.M.tolist() == [[t1 + t2 + t3 * cos(q2), t2 + 0.5 * t3 * cos(q2)], [t2 + 0.5 * t3 * cos(q2), t2]]
    assert "Θ2 = 0.32\n" in equations.text()


@pytest.mark.parametrize("text", [
    "sin(q1)**2*sin(q2)**2", "m1*cos(q1)**2 + m2*sin(q1)**2", "cos(q1)*cos(q1 + q2)", "sin(2*q1)*cos(q2)",
    "cos(q1 - 2*q2)", "sin(q1)*cos(q2)*sin(q3)", "q1*cos(q2)**2", "cos(a + q1)*m1",
])  # fmt: skip
def test_expressions_come_back_as_short_as_they_were(text: str) -> None:
    from revolute.symbolic.form import Form

    ring = Ring(time.monotonic() + 60)
    unit = {x: ring.digit(sympy.Symbol(x)) for x in ("q1", "q2", "q3")}
    form = Form(ring, (((unit["q1"], 1), (unit["q2"], 1)),))
    expression = sympy.sympify(text)
    found = form.expression(ring.scalar(expression))
    assert sympy.count_ops(found) <= sympy.count_ops(expression)
    assert abs((found - expression).subs({x: k + 0.3 for k, x in enumerate(expression.free_symbols)})) < 1e-14


def test_scalars_have_one_form_only() -> None:
    ring = Ring(time.monotonic() + 60)
    scalar = {x: ring.scalar(sympy.sympify(x)) for x in ("q1", "q2", "m")}
    a, b, m = scalar.values()
    assert a.cos() * a.cos() + a.sin() * a.sin() == 1
    assert a.cos() * b.cos() - a.sin() * b.sin() == (a + b).cos()
    assert (a + b - b).sin() == a.sin()
    assert (m * a.cos() / m) == a.cos()
    assert (a + sympy.pi / 2).cos() == -a.sin()
    assert (a + 0.3).sin() != a.sin()
    assert a != "q1" and a != object()
    assert isinstance(1 / (1 + m), Fourier)
    assert (sympy.Rational(1, 3) * m * 3).terms == m.terms
    assert shortest(ring, {(0, False): 1}, ()) == {(): 1}


def test_a_table_of_symbols_gives_equations() -> None:
    """Two links at right angles, masses at their ends: the second's distance from the first axis is a (1 + cos q2)."""
    a, d, m = sympy.symbols("a d m")
    ends = [Inertia.from_com(m)] * 2
    robot = Robot.from_dh([(a, sympy.pi / 2, d, 0), (a, sympy.Symbol("alpha"), 0, 0)], inertias=ends)
    M = robot.equations().M
    assert M[0, 0] == a**2 * m * (cos(q2) ** 2 + 2 * cos(q2) + 2)
    assert M[1, 1] == a**2 * m
    assert M[0, 1] == 0
    assert_raises(InputError, "to_dh needs numbers, but robot 'arm' has symbols: a, alpha, d, m", robot.to_dh)


def test_large_exponents_and_multiples_do_not_run_into_each_other() -> None:
    """Digits of 16 bits hold them: l**20000 squared came out as l**-25536."""
    m, length, alpha = sympy.symbols("m l alpha")
    for power in (3, 100, 101, 20_000, 40_000):
        rod, tilt = Inertia.from_com(m, (length**power, 0, 0)), sympy.Integer(power) * alpha
        for place in (Transform(), Transform.from_rpy(rpy=(tilt, 0, 0))):
            arm = one_joint(Revolute(), rod, placement=place)
            assert arm.equations().M[0] == m * length ** (2 * power)
        (forces,) = arm.equations().g
        expected = 9.81 * m * length**power * sin(power * alpha) * cos(q1)
        assert abs((forces - expected).subs({m: 2.0, length: 1.0, alpha: 0.001, q1: 0.3})) < 1e-12


def test_what_is_not_simplified_in_time_says_so() -> None:
    equations = revolute.robots.random_tree(8, 2).equations(budget=0.1, grouped=True)
    assert "not simplified within 0.1 s and 2000 terms, with common terms named" in equations.text("g")
    assert not equations.simplified("g")
    for name in ("kinetic", "potential", "lagrangian", "tau"):
        assert "with common terms named" in equations.text(name)
    assert_raises(InputError, r"M and g were not simplified within 0\.1 s and 2000 terms", equations.parameters)


def test_a_large_robot_is_not_simplified_however_long_it_may_take() -> None:
    equations = revolute.robots.panda().equations()
    assert not any(equations.simplified(name) for name in ("M", "C", "c", "christoffel", "tau"))
    assert equations.simplified("g")
    assert revolute.robots.panda().equations(budget=60).limits == "60 s and 6000 terms"


@pytest.mark.parametrize("robot", [revolute.robots.panda(), revolute.robots.ur5()], ids=lambda robot: robot.name)
def test_named_terms_are_the_kernels_numbers(robot: revolute.Robot) -> None:
    """Coefficients are exact or rounded to 1e-12 of the largest; entries are below 20 here."""
    equations = robot.equations()
    q, qd = np.random.default_rng(5).uniform(-3, 3, (2, robot.nv))
    for name, expected in (
        ("M", robot.mass_matrix(q)), ("C", robot.coriolis_matrix(q, qd)), ("g", robot.gravity_forces(q))
    ):
        steps = equations.steps(name)
        found = evaluated(steps, dict(zip((*equations.q, *equations.dq), (*q, *qd), strict=True)))
        np.testing.assert_allclose(found, expected.ravel(), rtol=0, atol=1e-12 * np.abs(expected).max())


def evaluated(steps: Steps, values: dict[Any, float]) -> list[float]:
    for name, expression in steps.lines:
        assert expression.free_symbols <= values.keys() and name not in values
        values[name] = float(expression.xreplace(values))
    return [float(x.xreplace(values)) for x in steps.results]


def test_named_terms_are_those_of_books_and_shorter_than_both_other_forms() -> None:
    equations = revolute.robots.ur5().equations()
    steps = equations.steps("M")
    waves = {str(name): x for name, x in steps.lines if isinstance(x, (sympy.sin, sympy.cos))}
    assert waves["s234"] == sin(q2 + sympy.Symbol("q3") + sympy.Symbol("q4"))
    assert waves["c5"] == cos(sympy.Symbol("q5"))
    computed = revolute.robots.ur5().equations(budget=0).steps("M").operations
    assert steps.operations < computed < sympy.count_ops(equations.M)


def test_named_terms_avoid_the_names_of_symbols() -> None:
    """A length c2 is not the cosine of q2."""
    c2 = sympy.Symbol("c2")
    for budget in (0, 20):
        equations = elbow().subs({"l1": c2}).equations(budget)
        steps = equations.steps("M")
        assert c2 not in [name for name, _ in steps.lines]
        point = {x: 0.3 + k for k, x in enumerate(sorted(equations.M.free_symbols, key=str))}
        found = evaluated(steps, dict(point))
        expected = [float(x) for x in sympy.flatten(equations.M.subs(point))]
        np.testing.assert_allclose(found, expected, rtol=1e-14)


def test_sums_of_many_coordinates_have_names_with_separators() -> None:
    q = sympy.symbols("q1:13")
    steps = shared([cos(q[0] + q[1]) * sin(q[11]) + cos(2 * q[2])], [q], [sympy.Symbol("s12")])
    assert [str(name) for name, _ in steps.lines] == ["x1", "x2", "c1_2"]


def test_steps_compute_what_they_say() -> None:
    robot = revolute.robots.ur5()
    steps = robot.equations(budget=0).steps("g")
    q = np.random.default_rng(2).uniform(-3, 3, 6)
    found = evaluated(steps, {sympy.Symbol(f"q{k + 1}"): float(x) for k, x in enumerate(q)})
    np.testing.assert_allclose(found, robot.gravity_forces(q), rtol=0, atol=1e-12)  # of some 50 N m


def test_equations_print_for_people(tmp_path: Path) -> None:
    e = elbow().equations(grouped=True)
    assert "M12 = M21 = Θ2 + Θ3·cos(q2)\n" in str(e)
    assert "Θ1 = I1 + l1²·m2 + lc1²·m1\n" in str(e)
    assert repr(e) == "<Equations of 'elbow', 2 coordinates>"
    assert r"M_{12} = M_{21} &= \Theta_{2} + \Theta_{3} \cos{\left(q_{2} \right)} \\" in e.latex()
    assert r"l_{c1}^{2}" in e.latex("M")
    assert r"\dot{q}_{1}" in e.latex("C")
    assert e._repr_latex_().startswith("$$\\begin{aligned}\n& M(q)")
    for name, start in (("eom.tex", "\\documentclass"), ("eom.md", "# Equations of motion of elbow")):
        e.save(tmp_path / name, "M", "g")
        content = (tmp_path / name).read_text(encoding="utf-8")
        assert content.startswith(start)
        assert "gravity forces" in content
        assert "Coriolis" not in content
        assert content.count("{") == content.count("}")
    for name in ("christoffel", "tau", "kinetic", "potential", "lagrangian"):
        assert e.text(name).count("=") >= 2, name
    assert [x.strip() for x in re.findall(r"^ +tau\d* =", e.text("tau"), re.MULTILINE)] == ["tau1 =", "tau2 ="]


def test_wrong_use_is_refused_by_name(tmp_path: Path) -> None:
    assert_raises(InputError, "has a symbol 'q1', which is the name of a coordinate", elbow().subs({m1: q1}).equations)
    for budget in (-1, "2", None, float("nan")):
        assert_raises(InputError, "budget must be", elbow().equations, budget)
    assert_raises(UnknownNameError, "no 'D'; available: M, C, g", elbow().equations().text, "D")
    assert_raises(UnknownNameError, "no steps of 'D'", elbow().equations().steps, "D")
    with pytest.raises(InputError, match=r"saved as \.tex or \.md, not as 'eom\.pdf'"):
        elbow().equations().save(tmp_path / "eom.pdf")


def test_the_command_prints_and_writes(tmp_path: Path) -> None:
    run = CliRunner().invoke
    shown = run(app, ["equations", "planar:2"])
    assert shown.exit_code == 0
    assert "  M12 = M21 = 0.5·cos(q2) + 0.333333\n" in shown.output
    assert r"g_{2} &= 4.905 \cos" in run(app, ["equations", "planar:2", "--latex", "--show", "g"]).output
    assert "$$\n\\begin{aligned}" in run(app, ["equations", "planar:2", "--markdown"]).output
    assert run(app, ["equations", "planar:2", "-o", str(tmp_path / "eom.md")]).exit_code == 0
    assert "mass matrix" in (tmp_path / "eom.md").read_text(encoding="utf-8")
    assert "not simplified" in run(app, ["equations", "planar:2", "--budget", "0"]).output
    for wrong in (["--latex", "--markdown"], ["--latex", "-o", "eom.md"], ["-o", "eom.pdf"], ["--show", "D"]):
        assert run(app, ["equations", "planar:2", *wrong]).exit_code == 1, wrong


def test_angles_of_the_robot_stand_apart_from_those_of_its_motion() -> None:
    """sin(alpha) cos(beta + q1), without what floats leave where products of angles cancel."""
    a, alpha, beta, d, m = sympy.symbols("a alpha beta d m")
    robot = Robot.from_dh([(a, alpha, d, beta)] * 2, inertias=[Inertia.from_com(m)] * 2, convention="modified")
    force = a * sin(alpha) * cos(beta + q1) + d * sin(alpha) ** 2 * sin(beta + q1)
    assert sympy.expand(robot.equations().g[0] - 9.81 * m * force) == 0
    rows = [(*sympy.symbols(f"a{k} alpha{k} d{k}"), 0) for k in range(3)]
    text = Robot.from_dh(rows, inertias=[Inertia.from_com(m)] * 3, convention="modified").equations().text("g")
    assert "e-1" not in text
    assert len(text) < 1200
