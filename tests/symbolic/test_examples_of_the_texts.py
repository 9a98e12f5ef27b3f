"""The worked examples of the texts, term by term with the equations that the texts print.

Each is written here as in the text, misprints put right (they are listed with the example), and
may take no more terms than the text does.
"""

from typing import Any

import numpy as np
import pytest
import sympy
from robots import chain
from sympy import cos, sin

from revolute import Inertia, Prismatic, Revolute
from revolute.library import examples
from revolute.machine.lagrangian import System

g, f, l, r, k, u, M, J_m, J_l, B_m, B_l, tau_m = sympy.symbols("g f l r k u M J_m J_l B_m B_l tau_m")
m1, m2, m3, m4, I1, I2, I3, I4 = sympy.symbols("m1 m2 m3 m4 I1 I2 I3 I4")
l1, l2, L1, L2, lc1, lc2, lc3, lc4 = sympy.symbols("l1 l2 L1 L2 lc1 lc2 lc3 lc4")


def terms(x: Any) -> int:
    """Number of summands after expansion of all brackets; angles are not expanded."""
    return len(sympy.Add.make_args(sympy.expand(x, trig=False)))


def agree(found: Any, text: Any, shape: tuple[int, ...] = ()) -> None:
    """Term by term the same, and in no more terms than the text takes."""
    for y, wanted in zip(np.ravel(np.array(found, dtype=object)), np.ravel(np.array(text, dtype=object)), strict=True):
        assert sympy.expand(y - wanted, trig=False) == 0
        assert terms(y) <= terms(sympy.sympify(wanted))
        assert printed(y) <= terms(sympy.sympify(wanted))


def printed(x: Any) -> int:
    """Number of summands in what is printed, those in brackets counted one by one."""
    if x.is_Add:
        return sum(printed(y) for y in x.args)
    return max([printed(y) for y in x.args if y.is_Add] or [1]) if x.is_Mul else 1


def state(system: System) -> list[Any]:
    return [*system.q, *system.dq, *system.ddq]


def test_particle_on_a_vertical_line() -> None:
    """f - m g = m xdd. LP 9.4-9.6."""
    m = sympy.Symbol("m")
    system = examples.particle()
    x, dx, ddx = state(system)
    agree([system.lagrangian], [m * dx**2 / 2 - m * g * x])
    agree([system.equations[0].lhs, system.equations[0].rhs], [m * ddx + m * g, f])


def test_point_mass_2r() -> None:
    """LP 9.7-9.8, with m2 before all of K2, cos(theta2) in the coupling of tau1, and tau2 derived anew."""
    system = examples.point_mass_2r()
    a, b, ad, bd, add, bdd = state(system)
    K1 = m1 * L1**2 * ad**2 / 2
    square, product = L1**2 + 2 * L1 * L2 * cos(b) + L2**2, L2**2 + L1 * L2 * cos(b)
    K2 = m2 * (square * ad**2 + 2 * product * ad * bd + L2**2 * bd**2) / 2
    P = m1 * g * L1 * sin(a) + m2 * g * (L1 * sin(a) + L2 * sin(a + b))
    assert sympy.expand(system.readable_kinetic - K1 - K2, trig=False) == 0
    assert sympy.expand(system.potential - P, trig=False) == 0
    tau1 = (
        ((m1 + m2) * L1**2 + m2 * (2 * L1 * L2 * cos(b) + L2**2)) * add
        + m2 * (L1 * L2 * cos(b) + L2**2) * bdd
        - 2 * m2 * L1 * L2 * ad * bd * sin(b)
        - m2 * L1 * L2 * bd**2 * sin(b)
        + (m1 + m2) * L1 * g * cos(a)
        + m2 * g * L2 * cos(a + b)
    )
    tau2 = (
        m2 * (L1 * L2 * cos(b) + L2**2) * add
        + m2 * L2**2 * bdd
        + m2 * L1 * L2 * ad**2 * sin(b)
        + m2 * g * L2 * cos(a + b)
    )
    agree(list(system.tau), [tau1, tau2])


def test_geared_link() -> None:
    """I thetadd + B thetad + M g l sin(theta) = u, I = r^2 J_m + J_l, B = r^2 B_m + B_l, u = r tau_m. SHV ex. 6.1."""
    system = examples.geared_link()
    q, qd, qdd = state(system)
    inertia, damping = r**2 * J_m + J_l, r**2 * B_m + B_l
    agree([system.M[0]], [inertia])
    agree([system.equations[0].lhs], [inertia * qdd + damping * qd + M * g * l * sin(q)])
    assert system.equations[0].rhs == r * tau_m


def test_damping_reflects_by_the_square_of_the_ratio() -> None:
    """The power that the link loses is what the two bearings take; with the print's r B_m it is not."""
    system = examples.geared_link()
    _, qd, _ = state(system)
    lost = qd * system.dissipation.diff(qd)
    assert sympy.expand(lost - B_m * (r * qd) ** 2 - B_l * qd**2) == 0
    assert sympy.expand((r * B_m + B_l) * qd**2 - lost) != 0


def test_link_with_elastic_joint() -> None:
    """J_l qdd1 + M g l sin(q1) + k (q1 - q2) = 0, J_m qdd2 + k (q2 - q1) = u. SHV ex. 6.2."""
    system = examples.elastic_joint()
    q1, q2, _, _, qdd1, qdd2 = state(system)
    left, right = zip(*[equation.args for equation in system.equations], strict=True)
    agree(left, [J_l * qdd1 + M * g * l * sin(q1) + k * (q1 - q2), J_m * qdd2 + k * (q2 - q1)])
    assert right == (0, u)


def test_cartesian_two_link() -> None:
    """SHV section 6.4: D = diag(m1 + m2, m2), constant; g1 = g (m1 + m2)."""
    system = examples.cartesian()
    *_, qdd1, qdd2 = state(system)
    agree(system.M, [[m1 + m2, 0], [0, m2]])
    agree(list(system.g), [g * (m1 + m2), 0])
    agree(list(system.tau), [(m1 + m2) * qdd1 + g * (m1 + m2), m2 * qdd2])
    assert system.christoffel == sympy.Array.zeros(2, 2, 2)


ELBOW = examples.planar_elbow()


def test_planar_elbow() -> None:
    """SHV section 6.4: inertia matrix, Christoffel symbols, C, gravity, and the torques."""
    q1, q2, v1, v2, a1, a2 = state(ELBOW)
    d11 = m1 * lc1**2 + m2 * (l1**2 + lc2**2 + 2 * l1 * lc2 * cos(q2)) + I1 + I2
    d12, d22 = m2 * (lc2**2 + l1 * lc2 * cos(q2)) + I2, m2 * lc2**2 + I2
    h = -m2 * l1 * lc2 * sin(q2)
    g1 = (m1 * lc1 + m2 * l1) * g * cos(q1) + m2 * lc2 * g * cos(q1 + q2)
    g2 = m2 * lc2 * g * cos(q1 + q2)
    agree(ELBOW.M, [[d11, d12], [d12, d22]])
    # SHV's c_ijk has the equation's index last: c121 = c211 = c221 = h, c112 = -h, the others zero
    agree(ELBOW.christoffel.tolist(), [[[0, h], [h, h]], [[-h, 0], [0, 0]]])
    agree(ELBOW.C, [[h * v2, h * (v1 + v2)], [-h * v1, 0]])
    agree(list(ELBOW.g), [g1, g2])
    tau1 = d11 * a1 + d12 * a2 + 2 * h * v1 * v2 + h * v2**2 + g1
    tau2 = d12 * a1 + d22 * a2 - h * v1**2 + g2
    agree(list(ELBOW.tau), [tau1, tau2])


def test_planar_elbow_step_by_step() -> None:
    """SHV section 6.7: every vector of the outward and inward recursions, derived anew; torques of section 6.4."""
    q1, q2, v1, v2, a1, a2 = state(ELBOW)
    first, second = examples.planar_elbow_steps()
    agree([first.omega, second.omega], [[0, 0, v1], [0, 0, v1 + v2]])
    agree([first.alpha, second.alpha], [[0, 0, a1], [0, 0, a1 + a2]])
    agree([first.a_c, first.a_e], [[-lc1 * v1**2, lc1 * a1, 0], [-l1 * v1**2, l1 * a1, 0]])
    agree([first.g, second.g], [[-g * sin(x), -g * cos(x), 0] for x in (q1, q1 + q2)])
    along = -l1 * v1**2 * cos(q2) + l1 * a1 * sin(q2) - lc2 * (v1 + v2) ** 2
    across = l1 * v1**2 * sin(q2) + l1 * a1 * cos(q2) + lc2 * (a1 + a2)
    agree([second.a_c], [[along, across, 0]])
    agree([second.f], [[m2 * along + m2 * g * sin(q1 + q2), m2 * across + m2 * g * cos(q1 + q2), 0]])
    # the displayed equations for f1 and both torques
    R = sympy.Matrix([[cos(q2), -sin(q2), 0], [sin(q2), cos(q2), 0], [0, 0, 1]])
    agree([first.f - R * second.f], [[-m1 * lc1 * v1**2 + m1 * g * sin(q1), m1 * lc1 * a1 + m1 * g * cos(q1), 0]])
    agree([second.tau], [[0, 0, I2 * (a1 + a2) + lc2 * second.f[1]]])
    rest = first.tau[2] - second.tau[2] - lc1 * first.f[1] - I1 * a1 - (l1 - lc1) * (R * second.f)[1]
    assert sympy.expand(rest, trig=False) == 0
    for step, torque in zip((first, second), ELBOW.tau, strict=True):
        assert sympy.simplify(sympy.expand(sympy.expand_trig(step.tau[2] - torque))) == 0


def test_planar_elbow_needs_five_parameters() -> None:
    """SHV section 6.5: Theta, and the regressor of the elbow."""
    q1, q2, v1, v2, a1, a2 = state(ELBOW)
    text = {
        m1 * lc1**2 + m2 * (l1**2 + lc2**2) + I1 + I2: [a1, 0],
        m2 * l1 * lc2: [
            2 * cos(q2) * a1 + cos(q2) * a2 - 2 * sin(q2) * v1 * v2 - sin(q2) * v2**2,
            cos(q2) * a1 + sin(q2) * v1**2,
        ],
        m2 * lc2**2 + I2: [a2, a1 + a2],
        m1 * lc1 + m2 * l1: [g * cos(q1), 0],
        m2 * lc2: [g * cos(q1 + q2), g * cos(q1 + q2)],
    }
    Y, Theta = ELBOW.regressor(known=(g,))
    found = {sympy.expand(x): list(Y[:, j]) for j, x in enumerate(Theta)}
    assert found.keys() == {sympy.expand(x) for x in text}
    for constant, column in text.items():
        agree(found[sympy.expand(constant)], column)


def test_without_gravity_the_elbow_needs_three_parameters() -> None:
    """SHV section 6.5: "in the absence of gravity only three parameters are needed"."""
    assert len(ELBOW.subs({g: 0}).regressor()[1]) == 3


def test_remotely_driven_elbow() -> None:
    """SHV section 6.4 in p coordinates: c221 = -c112 = -m2 l1 lc2 sin(p2 - p1); no product of two velocities."""
    system = examples.remotely_driven_elbow()
    p1, p2, v1, v2, a1, a2 = state(system)
    d11, d12, d22 = m1 * lc1**2 + m2 * l1**2 + I1, m2 * l1 * lc2 * cos(p2 - p1), m2 * lc2**2 + I2
    h = m2 * l1 * lc2 * sin(p2 - p1)
    g1, g2 = (m1 * lc1 + m2 * l1) * g * cos(p1), m2 * lc2 * g * cos(p2)
    agree(system.M, [[d11, d12], [d12, d22]])
    agree(system.christoffel.tolist(), [[[0, 0], [0, -h]], [[h, 0], [0, 0]]])
    agree(list(system.g), [g1, g2])
    agree(list(system.tau), [d11 * a1 + d12 * a2 - h * v2**2 + g1, d12 * a1 + d22 * a2 + h * v1**2 + g2])
    for force in system.tau:
        assert force.diff(v1, v2) == 0  # no Coriolis force


FIVE_BAR = examples.five_bar()


def test_five_bar_linkage() -> None:
    """SHV section 6.4: inertia matrix, potential and gravity of the parallelogram."""
    q1, q2, *_ = state(FIVE_BAR)
    d11 = m1 * lc1**2 + m3 * lc3**2 + m4 * l1**2 + I1 + I3
    d12 = (m3 * l2 * lc3 - m4 * l1 * lc4) * cos(q2 - q1)
    d22 = m2 * lc2**2 + m3 * l2**2 + m4 * lc4**2 + I2 + I4
    P = g * ((m1 * lc1 + m3 * lc3 + m4 * l1) * sin(q1) + (m2 * lc2 + m3 * l2 - m4 * lc4) * sin(q2))
    agree(FIVE_BAR.M, [[d11, d12], [d12, d22]])
    assert sympy.expand(FIVE_BAR.potential - P) == 0
    agree(
        list(FIVE_BAR.g),
        [g * cos(q1) * (m1 * lc1 + m3 * lc3 + m4 * l1), g * cos(q2) * (m2 * lc2 + m3 * l2 - m4 * lc4)],
    )


def test_a_balanced_five_bar_is_decoupled() -> None:
    """SHV 6.108: where m3 l2 lc3 = m4 l1 lc4, d11 qdd1 + g1(q1) = tau1 and d22 qdd2 + g2(q2) = tau2."""
    system = examples.balanced(FIVE_BAR)
    q1, q2, v1, v2, a1, a2 = state(system)
    assert system.M.is_diagonal() and not system.M.free_symbols & {q1, q2}
    assert system.christoffel == sympy.Array.zeros(2, 2, 2)
    assert not system.tau[0].free_symbols & {q2, v1, v2, a2}
    assert not system.tau[1].free_symbols & {q1, v1, v2, a1}
    balanced = m4 * l1 * lc4 / l2  # m3 lc3
    weights = m1 * lc1 + balanced + m4 * l1, m2 * lc2 + m3 * l2 - m4 * lc4
    agree(list(system.g), [g * weight * cos(q) for weight, q in zip(weights, (q1, q2), strict=True)])
    condition = FIVE_BAR.M[0, 1] / cos(q2 - q1)
    assert sympy.expand(condition - (m3 * l2 * lc3 - m4 * l1 * lc4)) == 0


def test_uniform_box() -> None:
    """SHV ex. 6.3: Ixx = m (b^2 + c^2) / 12 and so on, cross products zero; and as `Inertia` has it."""
    m, a, b, c = sympy.symbols("m a b c")
    expected = sympy.diag(m * (b**2 + c**2), m * (a**2 + c**2), m * (a**2 + b**2)) / 12
    assert examples.uniform_box(m, a, b, c) == expected
    assert examples.uniform_box(12, 1, 2, 3) == sympy.diag(13, 10, 5)


def bar(mass: Any, centre: Any, inertia: Any = 0) -> Inertia:
    return Inertia.from_com(mass, (centre, 0, 0), ((inertia, 0, 0), (0, inertia, 0), (0, 0, inertia)))


ARMS: dict[str, Any] = {
    "point_mass_2r": (examples.point_mass_2r(), L1, (bar(m1, L1), Revolute()), (bar(m2, L2), Revolute())),
    "planar_elbow": (ELBOW, l1, (bar(m1, lc1, I1), Revolute()), (bar(m2, lc2, I2), Revolute())),
    "cartesian": (examples.cartesian(), 0, (bar(m1, 0), Prismatic((0, 1, 0))), (bar(m2, 0), Prismatic((1, 0, 0)))),
}


@pytest.mark.parametrize("name", ARMS)
def test_open_chains_are_symbolic_robots(name: str) -> None:
    """The recursions over symbols derive what Lagrange's equations do, in no more terms."""
    system, reach, *links = ARMS[name]
    equations = chain(*links, at=reach, gravity=(0, -g, 0)).equations()
    table = dict(zip(state(system), (*equations.q, *equations.dq, *equations.ddq), strict=True))
    for name in ("M", "C", "g", "tau"):
        agree(getattr(equations, name), getattr(system, name).xreplace(table))
    agree(equations.christoffel.tolist(), system.christoffel.xreplace(table).tolist())
