"""Equations in SymPy: the texts' elbow to the letter, and the recursions' numbers for any robot."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pytest
import sympy
from robots import random_states
from test_symbols import I1, I2, elbow, g, l1, lc1, lc2, m1, m2

import revolute
from revolute import Connection, Inertia, Link, Prismatic, Revolute, Robot, Transform
from revolute.symbolic import Equations

q1, q2, dq1, dq2, ddq1, ddq2 = sympy.symbols("q1 q2 dq1 dq2 ddq1 ddq2")
sin, cos = sympy.sin, sympy.cos


def spherical() -> Robot:
    """Two revolute joints at right angles and a slide, every body with all ten parameters."""

    def body(k: int) -> Inertia:
        m, x, y, z, xx, yy, zz, xy, xz, yz = sympy.symbols(f"m{k} x{k} y{k} z{k} XX{k} YY{k} ZZ{k} XY{k} XZ{k} YZ{k}")
        return Inertia(m, (x, y, z), ((xx, xy, xz), (xy, yy, yz), (xz, yz, zz)))

    return Robot.from_links(
        "spherical",
        [Link("base"), *(Link(f"link{k}", body(k)) for k in (1, 2, 3))],
        [
            Connection("joint1", "base", "link1", Revolute()),
            Connection("joint2", "link1", "link2", Revolute(), Transform.from_rpy((0, 0, 0.5), (sympy.pi / 2, 0, 0))),
            Connection("joint3", "link2", "link3", Prismatic(), Transform.from_rpy((0, 0, 0), (0, sympy.pi / 2, 0))),
        ],
    )


def assert_agrees(equations: Equations, robot: Robot, values: Mapping[sympy.Symbol, float] | None = None) -> None:
    """The expressions with these values are what the kernels of `robot` give.

    Sums of some hundred terms in another order: 1e-11 of the largest entry.
    """
    q, qd, qdd = random_states(robot, 3, seed=7)
    symbols = [*equations.q, *equations.dq, *equations.ddq]
    M, C, gravity = robot.equations_of_motion(q, qd)
    expected = {
        "M": M,
        "C": C,
        "g": gravity[..., None],
        "tau": robot.inverse_dynamics(q, qd, qdd)[..., None],
        "christoffel": robot.christoffel_symbols(q),
        "kinetic": robot.kinetic_energy(q, qd),
        "potential": robot.potential_energy(q),
        "lagrangian": robot.kinetic_energy(q, qd) - robot.potential_energy(q),
    }
    for name, numbers in expected.items():
        expression = getattr(equations, name)
        scalars = sympy.flatten(expression) if name not in ("kinetic", "potential", "lagrangian") else [expression]
        function = sympy.lambdify(symbols, [x.xreplace(values or {}) for x in scalars], "math", cse=True)
        found = np.array([function(*row) for row in np.hstack([q, qd, qdd])]).reshape(numbers.shape)
        scale = max(1.0, np.abs(numbers).max())
        np.testing.assert_allclose(found, numbers, rtol=0, atol=1e-11 * scale, err_msg=name)


def test_the_elbow_reads_as_in_the_book() -> None:
    """SHV 6.4, LP 9.1: shared angles, sums in groups, zeros gone."""
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


def test_the_rate_of_M_is_C_and_its_transpose() -> None:
    e = spherical().equations()
    Md = sympy.Matrix(3, 3, lambda i, j: sum(sympy.diff(e.M[i, j], x) * v for x, v in zip(e.q, e.dq, strict=True)))
    assert (Md - e.C - e.C.T).applyfunc(lambda x: sympy.expand(sympy.expand_trig(x).subs(sin(q2)**2, 1 - cos(q2)**2))
                                        ).is_zero_matrix


@pytest.mark.parametrize(
    "robot",
    [revolute.robots.planar(3), revolute.robots.random_tree(4, 3), revolute.robots.random_tree(3, 1)],
    ids=["planar", "tree", "small tree"],
)
def test_equations_of_numbers_agree_with_kernels(robot: Robot) -> None:
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
