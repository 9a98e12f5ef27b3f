"""Lagrangian systems under constraints: closed forms, identities of multipliers, and messages. SHV 6.15-6.18."""

import pickle
from typing import Any

import numpy as np
import pytest
import sympy
from comparing import assert_raises

import revolute
from revolute import InputError, ShapeError, UnknownNameError
from revolute.library.examples.motion import functions, t
from revolute.machine.lagrangian import ConstrainedSystem

m, r, a, I, g, l = sympy.symbols("m r a I g l")
TIGHT: dict[str, Any] = {"method": "DOP853", "rtol": 1e-13, "atol": 1e-14}
TIMES = np.linspace(0, 4, 81)


def rod() -> ConstrainedSystem:
    r1, r2 = sympy.Matrix(functions("x1 y1 z1")), sympy.Matrix(functions("x2 y2 z2"))
    m1, m2 = sympy.symbols("m1 m2")
    kinetic = (m1 * r1.diff(t).dot(r1.diff(t)) + m2 * r2.diff(t).dot(r2.diff(t))) / 2
    system = revolute.lagrange([*r1, *r2], kinetic, g * (m1 * r1[2] + m2 * r2[2]), name="rod")
    return system.with_constraints({"rod": (r2 - r1).dot(r2 - r1) - l**2})


ROD = rod()
ROD_VALUES = {"m1": 1.5, "m2": 0.5, "g": 9.81, "l": 0.8}


def thrown(times: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The centre of mass falls, and the rod turns about it in a fixed plane at 3 rad/s."""
    share, spin, length = 0.5 / 2.0, 3.0, 0.8
    e1, e2 = np.array([0.6, 0.0, 0.8]), np.array([0.0, 1.0, 0.0])
    v, fall, at = np.array([0.3, -0.2, 4.0]), np.array([0, 0, -9.81]), times[:, None]
    along = length * (np.cos(spin * at) * e1 + np.sin(spin * at) * e2)
    across = length * spin * (-np.sin(spin * at) * e1 + np.cos(spin * at) * e2)
    centre, speed = v * at + fall * at**2 / 2, v + fall * at
    q = np.concatenate([centre - share * along, centre + (1 - share) * along], axis=1)
    return q, np.concatenate([speed - share * across, speed + (1 - share) * across], axis=1)


def test_a_rod_on_two_particles_turns_about_its_falling_centre() -> None:
    q, qd = thrown(TIMES)
    motion = ROD.simulate(q[0], qd[0], None, TIMES, values=ROD_VALUES, **TIGHT)
    np.testing.assert_allclose(motion.q, q, atol=1e-9 * np.abs(q).max())
    np.testing.assert_allclose(motion.qd, qd, atol=1e-9 * np.abs(qd).max())
    assert np.ptp(motion.energy) < 1e-10 * motion.kinetic_energy.max()
    assert np.abs(ROD.constraint_error(motion.q, ROD_VALUES)).max() < 1e-12 * np.abs(q).max()


def test_the_pull_of_the_rod_is_that_of_its_turning() -> None:
    """A^T lambda = 2 lambda (r2 - r1) on particle 2, whose turning needs -mu w^2 (r2 - r1): lambda = -mu w^2 / 2."""
    q, qd = thrown(np.linspace(0, 1, 5))
    still, mu = np.zeros(6), 1.5 * 0.5 / 2.0
    assert ROD.multipliers(q, qd, still, ROD_VALUES) == pytest.approx(np.full((5, 1), -mu * 9 / 2), rel=1e-13)
    pull = ROD.constraint_forces(q, qd, still, ROD_VALUES)
    assert pull[:, 3:] == pytest.approx(-mu * 9 * (q[:, 3:] - q[:, :3]), rel=1e-12, abs=1e-13)
    assert pull[:, :3] == pytest.approx(-pull[:, 3:], rel=1e-14)


def sleigh() -> ConstrainedSystem:
    """A blade at x, y along theta; the centre of mass lies a ahead of it."""
    x, y, theta = q = functions("x y theta")
    centre = sympy.Matrix([x + a * sympy.cos(theta), y + a * sympy.sin(theta)])
    kinetic = m * centre.diff(t).dot(centre.diff(t)) / 2 + I * theta.diff(t) ** 2 / 2
    blade = y.diff(t) * sympy.cos(theta) - x.diff(t) * sympy.sin(theta)
    return revolute.lagrange(q, kinetic, name="sleigh").with_constraints({"blade": blade})


SLEIGH = sleigh()
SLEIGH_VALUES = {"m": 2.0, "a": 0.3, "I": 0.1}


def glide(times: np.ndarray, c: float, t0: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Speed u, turning rate w and angle: du/dt = a w^2, (I + m a^2) dw/dt = -m a u w.

        u = c tanh(k (t - t0)),    w = c sqrt(m / J) sech(k (t - t0)),    k = a c m / J,    J = I + m a^2
    """
    mass, ahead, J = 2.0, 0.3, 0.1 + 2.0 * 0.3**2
    k = ahead * c * mass / J
    s = k * (times - t0)
    angle = c * np.sqrt(mass / J) / k * 2 * np.arctan(np.tanh(s / 2))
    return c * np.tanh(s), c * np.sqrt(mass / J) / np.cosh(s), angle


def test_chaplygins_sleigh_turns_round_and_runs_straight() -> None:
    u, w, angle = glide(TIMES, 0.7, 2.0)
    qd0 = [u[0] * np.cos(angle[0]), u[0] * np.sin(angle[0]), w[0]]
    motion = SLEIGH.simulate([0.0, 0.0, angle[0]], qd0, None, TIMES, values=SLEIGH_VALUES, **TIGHT)
    np.testing.assert_allclose(motion.qd[:, 0] * np.cos(angle) + motion.qd[:, 1] * np.sin(angle), u, atol=1e-9)
    np.testing.assert_allclose(motion.qd[:, 2], w, atol=1e-9)
    np.testing.assert_allclose(motion.q[:, 2], angle, atol=1e-9)
    assert np.ptp(motion.energy) < 1e-10 * motion.energy[0]
    sideways = SLEIGH.multipliers(motion.q, motion.qd, np.zeros(3), SLEIGH_VALUES)[:, 0]
    rate = -2.0 * 0.3 * u * w / (0.1 + 2.0 * 0.3**2)
    np.testing.assert_allclose(sideways, 2.0 * (u * w + 0.3 * rate), atol=1e-8)  # m times the centre's acceleration


def test_a_rate_that_is_prescribed_by_a_position_changes_with_it() -> None:
    """x' = sin y, so x'' = y' cos y, whatever the forces; y is free."""
    x, y = functions("x y")
    free = revolute.lagrange([x, y], m * (x.diff(t) ** 2 + y.diff(t) ** 2) / 2, name="led")
    led = free.with_constraints({"led": x.diff(t) - sympy.sin(y)})
    ddx, ddy = led.accelerations
    assert (ddx - led.dq[1] * sympy.cos(led.q[1])).simplify() == 0 and ddy == sympy.Symbol("tau2") / m


def disc() -> ConstrainedSystem:
    """A thin disc, its centre at x, y, z: it heads along phi, leans by theta (pi/2 upright), and spins by psi."""
    x, y, z, phi, theta, psi = q = functions("x y z phi theta psi")
    heading = sympy.Matrix([sympy.cos(phi), sympy.sin(phi)])
    across = sympy.Matrix([-sympy.sin(phi), sympy.cos(phi)])
    v = sympy.Matrix([x.diff(t), y.diff(t)])
    spin = psi.diff(t) + phi.diff(t) * sympy.cos(theta)
    turning = theta.diff(t) ** 2 + (phi.diff(t) * sympy.sin(theta)) ** 2
    kinetic = m * (v.dot(v) + z.diff(t) ** 2) / 2 + m * r**2 / 8 * turning + m * r**2 / 4 * spin**2
    return revolute.lagrange(q, kinetic, m * g * z, name="disc").with_constraints(
        {
            "contact": z - r * sympy.sin(theta),
            "rolling": v.dot(heading) + r * spin,
            "slip": v.dot(across) + r * theta.diff(t) * sympy.sin(theta),
        }
    )


DISC = disc()
DISC_VALUES = {"m": 1.3, "r": 0.5, "g": 9.81}


def precession(turn: float, lean: float) -> float:
    """Spin w3 about the axis of a disc that leans by a constant angle, from moments about its centre:

        (C + m r^2) w3 W sin(theta) - A W^2 sin(theta) cos(theta) + m g r cos(theta) = 0,    A = m r^2 / 4,  C = 2 A
    """
    s, c, radius = np.sin(lean), np.cos(lean), 0.5
    return float((radius**2 / 4 * turn**2 * s * c - 9.81 * radius * c) / (1.5 * radius**2 * turn * s))


def test_a_rolling_disc_precesses_steadily() -> None:
    turn, lean, radius = 1.0, 1.2, 0.5
    w3 = precession(turn, lean)
    phi = turn * TIMES
    x, y = -radius * w3 / turn * np.sin(phi), radius * w3 / turn * np.cos(phi)
    spin = w3 - turn * np.cos(lean)
    one = np.ones_like(TIMES)
    q = np.stack([x, y, radius * np.sin(lean) * one, phi, lean * one, spin * TIMES], axis=1)
    motion = DISC.simulate(q[0], [-radius * w3, 0, 0, turn, 0, spin], None, TIMES, values=DISC_VALUES, **TIGHT)
    np.testing.assert_allclose(motion.q, q, atol=1e-9 * np.abs(q).max())
    assert np.ptp(motion.energy) < 1e-10 * motion.kinetic_energy[0]
    forces = DISC.multipliers(motion.q, motion.qd, np.zeros(6), DISC_VALUES)
    wanted = [1.3 * 9.81, 0, -1.3 * radius * w3 * turn]  # weight; none along the heading; towards the circle's centre
    np.testing.assert_allclose(forces, np.broadcast_to(wanted, forces.shape), atol=1e-8)


CASES = {"rod": (ROD, ROD_VALUES), "sleigh": (SLEIGH, SLEIGH_VALUES), "disc": (DISC, DISC_VALUES)}
every = pytest.mark.parametrize(("system", "values"), CASES.values(), ids=CASES.keys())


def state(system: ConstrainedSystem, values: Any, seed: int = 3) -> tuple[np.ndarray, ...]:
    """Four states that obey the constraints, and forces."""
    q, qd, tau = np.random.default_rng(seed).uniform(0.3, 1.2, (3, 4, system.n))
    return *system.project(q, qd, values), tau


@every
def test_constraint_forces_are_what_accelerations_need_besides_tau(system: ConstrainedSystem, values: Any) -> None:
    q, qd, tau = state(system, values)
    qdd = system.forward_dynamics(q, qd, tau, values)
    forces = system.constraint_forces(q, qd, tau, values)
    assert system.inverse_dynamics(q, qd, qdd, values) - tau == pytest.approx(forces, rel=1e-10, abs=1e-10)
    A = system.constraint_jacobian(q, values)
    assert forces == pytest.approx(np.einsum("...mn,...m->...n", A, system.multipliers(q, qd, tau, values)), rel=1e-13)
    assert np.abs((forces * qd).sum(axis=-1)).max() < 1e-11  # no power


@every
def test_accelerations_keep_the_constraints(system: ConstrainedSystem, values: Any) -> None:
    """Along the motion q + h qd + h^2 qdd / 2 rates of constraints stay zero to order h^2, and h(q) to h^3."""
    q, qd, tau = state(system, values)
    qdd = system.forward_dynamics(q, qd, tau, values)

    def rates(h: float) -> np.ndarray:
        return system.constraint_rates(q + h * qd + h**2 * qdd / 2, qd + h * qdd, values)

    assert np.abs((rates(1e-4) - rates(-1e-4)) / 2e-4).max() < 1e-5 * np.abs(qdd).max()
    error = system.constraint_error(q + 1e-4 * qd + 1e-8 * qdd / 2, values)
    assert np.abs(error).max() < 1e-9 and np.abs(rates(0)).max() < 1e-13


@every
def test_equations_in_symbols_are_those_of_kernels(system: ConstrainedSystem, values: Any) -> None:
    q, qd, tau = state(system, values)
    qdd, force = system.forward_dynamics(q, qd, tau, values), system.multipliers(q, qd, tau, values)
    symbols = (*system.q, *system.dq, *system.ddq, *system.unknown, *system.lambdas)
    table = dict(zip(symbols, np.concatenate([q, qd, qdd, tau, force], axis=-1).T, strict=True))
    named = {sympy.Symbol(x): y for x, y in values.items()}
    sides = [x.lhs - x.rhs for x in system.equations]
    at = sympy.lambdify([*table, *named], sides, "numpy")(*table.values(), *named.values())
    assert max(np.abs(x).max() for x in at) < 1e-10
    assert len(sides) == system.n + len(system.constraints)


@every
def test_linear_models_are_derivatives(system: ConstrainedSystem, values: Any) -> None:
    """Central differences with h = 1e-6: rounding / h and h^2 are below 1e-8 of the largest entry."""
    q, qd, tau = state(system, values)
    n, h = system.n, 1e-6
    A, B = system.linearize(q, qd, tau, values)
    assert (A[:, :n] == np.eye(2 * n)[n:]).all() and (B[:, :n] == 0).all()
    for k in range(3 * n):
        d = h * np.eye(3 * n)[k].reshape(3, n)
        change = [system.forward_dynamics(*(np.array((q, qd, tau)) + s * d[:, None]), values) for s in (1, -1)]
        column = A[:, n:, k] if k < 2 * n else B[:, n:, k - 2 * n]
        scale = np.abs(A).max() if k < 2 * n else np.abs(B).max()
        np.testing.assert_allclose(column, (change[0] - change[1]) / (2 * h), atol=1e-7 * scale)


def pendulum() -> ConstrainedSystem:
    x, y = q = functions("x y")
    kinetic = m * (x.diff(t) ** 2 + y.diff(t) ** 2) / 2
    return revolute.lagrange(q, kinetic, m * g * y, name="pendulum").with_constraints({"rod": x**2 + y**2 - l**2})


def test_a_constrained_particle_is_a_pendulum() -> None:
    """In Cartesian coordinates, and by the angle."""
    (theta,) = functions("theta")
    angle = revolute.lagrange([theta], m * (l * theta.diff(t)) ** 2 / 2, -m * g * l * sympy.cos(theta))
    values = {"m": 0.7, "g": 9.81, "l": 0.5}
    wanted = angle.simulate([2.0], [0.0], None, TIMES, values=values, **TIGHT)
    found = pendulum().simulate([0.5 * np.sin(2.0), -0.5 * np.cos(2.0)], [0, 0], None, TIMES, values=values, **TIGHT)
    here = np.concatenate([0.5 * np.sin(wanted.q), -0.5 * np.cos(wanted.q)], axis=1)
    np.testing.assert_allclose(found.q, here, atol=1e-9)
    assert np.ptp(found.energy) < 1e-10
    steps = pendulum().simulate(found.q[0], [0, 0], None, np.linspace(0, 1, 1001), values=values)
    np.testing.assert_allclose(steps.q[::50], found.q[:21], atol=1e-9)  # RK4 of order 4 at h = 1e-3


def test_a_constraint_may_move() -> None:
    """A bead on a rod that turns at the rate w: s = s0 cosh(w t), and the rod pushes by 2 m w ds/dt."""
    x, y = functions("x y")
    w = sympy.Symbol("w")
    free = revolute.lagrange([x, y], m * (x.diff(t) ** 2 + y.diff(t) ** 2) / 2, name="bead")
    bead = free.with_constraints([y * sympy.cos(w * t) - x * sympy.sin(w * t)])
    values, times = {"m": 2.0, "w": 1.5}, np.linspace(0, 2, 41)
    motion = bead.simulate([0.4, 0.0], [0.0, 0.6], None, times, values=values, **TIGHT)
    s = 0.4 * np.cosh(1.5 * times)
    wanted = np.stack([s * np.cos(1.5 * times), s * np.sin(1.5 * times)], axis=1)
    np.testing.assert_allclose(motion.q, wanted, atol=1e-9)
    push = bead.multipliers(motion.q, motion.qd, [0.0, 0.0], {**values, "t": times})[:, 0]
    np.testing.assert_allclose(push, 2 * 2.0 * 1.5 * 0.4 * 1.5 * np.sinh(1.5 * times), rtol=1e-8, atol=1e-8)
    q, qd = bead.project([0.5, 0.1], [0.0, 0.0], {**values, "t": 0.0})
    assert q == pytest.approx([0.5, 0.0]) and qd == pytest.approx([0.0, 0.75])


def test_systems_with_constraints_substitute_pickle_and_show() -> None:
    system = pendulum()
    numbers = system.subs({"m": 0.7, "g": 9.81, "l": 0.5})
    assert isinstance(numbers, ConstrainedSystem) and numbers.parameters == ()
    again = pickle.loads(pickle.dumps(numbers))
    arrays = [0.3, -0.4], [0.4, 0.3], [0.1, 0.2]
    wanted = system.forward_dynamics(*arrays, {"m": 0.7, "g": 9.81, "l": 0.5})
    assert (again.forward_dynamics(*arrays) == numbers.forward_dynamics(*arrays)).all()
    assert numbers.forward_dynamics(*arrays) == pytest.approx(wanted, rel=1e-14)
    assert "Q + tau + A^T lambda" in system.text() and "lambda1" in system.text("equations")
    assert r"A^T \lambda" in system.latex()
    assert numbers.digest not in (system.digest, None) and system.count("forward_dynamics").arithmetic < 60
    more = system.with_constraints({"floor": sympy.Symbol("dy")})
    assert more.constraint_names == ("rod", "floor")
    assert more.forward_dynamics(*arrays, {"m": 1, "g": 9.81, "l": 0.5})[1] == pytest.approx(0, abs=1e-14)


x, y, dx, dy, ddx = sympy.symbols("x y dx dy ddx")
FREE = revolute.lagrange([x, y], (dx**2 + dy**2) / 2, 9.81 * y, name="bead")


@pytest.mark.parametrize(("constraints", "error", "text"), [
    ([], InputError, "'bead' needs at least one constraint"),
    (x - y, InputError, "constraints must be a list or"),
    (["x - y"], InputError, "constraint 1 must be a SymPy expression or a number, not text: 'x - y'"),
    ({"odd": dx * dy}, InputError, r"constraint 'odd' \(dx\*dy = 0\) of 'bead' is not linear in the rate 'dx'"),
    ([x, ddx - 1], InputError, r"constraint 2 \(ddx - 1 = 0\) of 'bead' has the acceleration 'ddx'"),
    ([l - 2], InputError, "contains none of its coordinates x, y"),
    ([sympy.Function("w")(t) - x], UnknownNameError, r"'w\(t\)' is neither a coordinate"),
    ([sympy.Symbol("y", positive=True)], InputError, "two different symbols are called 'y'"),
    ([x + sympy.I * y], InputError, r"constraint 1 \(x \+ I\*y = 0\) of 'bead' contains I, which is not a finite real"),
    ({"far": x - sympy.oo}, InputError, "constraint 'far' .* contains -oo, which is not a finite real number"),
    ([x, sympy.oo * x], InputError, r"constraint 2 \(oo\*x = 0\) of 'bead' contains oo"),
    ([y, sympy.nan], InputError, "constraint 2 .* contains nan"),
    ([abs(dx) - y], InputError, "is not linear in the rate 'dx'"),
    ({1: x - y, "1": x + y}, InputError, "duplicate name '1' of constraints of 'bead'"),
])  # fmt: skip
def test_constraints_that_cannot_be_say_why(constraints: Any, error: Any, text: str) -> None:
    assert_raises(error, text, FREE.with_constraints, constraints)


@pytest.mark.parametrize("rail", [sympy.gamma(x) - y, sympy.zeta(x) - y, (-1) ** sympy.Rational(1, 3) * x - y])
def test_rows_that_numpy_cannot_evaluate_are_not_tested(rail: Any) -> None:
    assert FREE.with_constraints({"rail": rail, "again": 2 * rail}).constraint_names == ("rail", "again")


def test_a_roof_of_plain_symbols() -> None:
    """y = 1 - |x|: on the slope to the right a bead glides with g / 2 along both axes."""
    roof = FREE.with_constraints([abs(x) + y - 1])
    assert list(roof.A) == [sympy.sign(x), 1]
    assert roof.forward_dynamics([0.3, 0.7], [1, -1], [0, 0]) == pytest.approx([4.905, -4.905], rel=1e-14)
    table = {x: 0.3, y: 0.7, dx: 1, dy: -1, **dict.fromkeys(roof.unknown, 0)}
    assert [float(z) for z in roof.accelerations.subs(table)] == pytest.approx([4.905, -4.905], rel=1e-14)


def test_a_damper_brakes_along_a_constraint() -> None:
    """On a slope of 45 degrees m s'' = m g / sqrt(2) - c s', and x = s / sqrt(2) = -y."""
    slope = revolute.lagrange([x, y], (dx**2 + dy**2), 2 * 9.81 * y, 0.3 * (dx**2 + dy**2)).with_constraints([x + y])
    state, still = ([0.0, 0.0], [2.0, -2.0]), [0.0, 0.0]
    qdd = slope.forward_dynamics(*state, still)
    assert qdd == pytest.approx([4.905 - 0.6, 0.6 - 4.905], rel=1e-14)
    assert slope.inverse_dynamics(*state, qdd) == pytest.approx(slope.constraint_forces(*state, still), rel=1e-13)


def test_later_constraints_and_numbers_are_checked() -> None:
    assert FREE.hamiltonian.q == (x, y)
    with pytest.raises(InputError, match=r"'bead' has constraints: .*; use `forward_dynamics` and `multipliers`"):
        _ = FREE.with_constraints([x - y]).hamiltonian
    with pytest.raises(InputError, match="duplicate name 'rail' of constraints of 'bead'"):
        FREE.with_constraints({"rail": x - y**2}).with_constraints({"rail": x + y})
    with pytest.raises(InputError, match=r"constraint 'rail' .* of 'bead' contains -oo, which is not a finite real"):
        FREE.with_constraints({"rail": x - l * y}).subs({l: sympy.oo})


def test_the_regressor_gives_forces_and_constraint_forces_together() -> None:
    system, values = pendulum(), {"m": 0.7, "g": 9.81, "l": 0.5}
    q, qd, tau = (z[0] for z in state(system, values))
    qdd = system.forward_dynamics(q, qd, tau, values)
    Y, Theta = system.regressor()
    numbers = dict(zip((*system.q, *system.dq, *system.ddq), (*q, *qd, *qdd), strict=True))
    found = (Y * Theta).subs({**numbers, **{sympy.Symbol(k): v for k, v in values.items()}})
    assert [float(z) for z in found] == pytest.approx(tau + system.constraint_forces(q, qd, tau, values), rel=1e-10)


CIRCLE = FREE.with_constraints({"circle": x**2 + y**2 - 1})
PAIR = FREE.with_constraints({"circle": x**2 + y**2 - 1, "line": dy * x - dx * l})


@pytest.mark.parametrize(("q", "qd", "text"), [
    ([1.1, 0.0], [0.0, 0.0], r"q0 violates the constraint 'circle' of 'bead' by 0\.21; `project`"),
    ([1.0, 0.0], [0.3, 0.0], r"qd0 violates the constraint 'circle' of 'bead': its rate is 0\.6;"),
    ([[1.0, 0.0], [0.0, 0.9]], [0.0, 0.0], r"'circle' of 'bead' by -0\.19 in row \(1,\); `project`"),
    ([0.0, 0.0], [0.0, 0.0], r"q0 violates the constraint 'circle' of 'bead' by -1; `project`"),
])  # fmt: skip
def test_a_first_state_must_obey_the_constraints(q: Any, qd: Any, text: str) -> None:
    assert_raises(InputError, f"simulate: .*{text}", CIRCLE.simulate, q, qd, None, [0, 1])


RESTING: dict[str, tuple[Any, list[float]]] = {
    "twice": ({"a": x - y, "b": 2 * x - 2 * y}, [-4.905, -4.905]),
    "all held": ({"a": x - y, "b": x + y, "c": 3 * x}, [0.0, 0.0]),
    "with a rate": ({"a": x - y, "b": dx - dy}, [-4.905, -4.905]),
    "here alone": ({"circle": (x - 1) ** 2 + y**2 - 1, "upright": x}, [0.0, -9.81]),
    "nearly": ({"a": x + 7 * y, "b": 3 * x + (21 + 1e-12) * y}, [9.81 * 0.14, -9.81 * 0.02]),
}


@pytest.mark.parametrize("name", RESTING)
def test_rows_may_depend_on_each_other(name: str) -> None:
    """Beads at rest in the origin: multipliers have least norm, and motions stay on the constraints."""
    constraints, expected = RESTING[name]
    system, rest = FREE.with_constraints(constraints), [0.0, 0.0]
    assert system.forward_dynamics(rest, rest, rest) == pytest.approx(expected, abs=1e-9)
    pull, A = np.add(expected, [0, 9.81]), system.constraint_jacobian(rest)
    least = np.linalg.lstsq(A.T, pull, rcond=1e-9)[0]
    assert system.multipliers(rest, rest, rest) == pytest.approx(least, abs=1e-5)
    assert np.isfinite(system.linearize(rest, rest, rest)[0]).all()
    if name != "here alone":
        motion = system.simulate(rest, rest, None, np.linspace(0, 0.1, 11))
        assert motion.q[-1] == pytest.approx(np.array(expected) * 0.005, abs=1e-9)


@pytest.mark.parametrize("options", [{}, {"method": "DOP853"}])
def test_rows_that_depend_on_each_other_only_where_they_hold_keep_the_energy(options: Any) -> None:
    """A bead on a circle that is given three times. Rows that are independent at stages of a step took 0.04 J."""
    h, start = x**2 + y**2 - 1, ([0.6, 0.8], [0.8, -0.6])
    twice = FREE.with_constraints({"circle": h, "again": h * (3 + x), "bent": sympy.sin(h) * (2 - y)})
    motion = twice.simulate(*start, None, np.arange(0, 1, 2e-3), **options)
    once = FREE.with_constraints({"circle": h}).simulate(*start, None, motion.t, **options)
    assert np.ptp(motion.energy) < 1e-7
    np.testing.assert_allclose(motion.q, once.q, rtol=0, atol=1e-7)


def test_dependent_rows_have_no_formula_and_contradictory_ones_no_state() -> None:
    again = FREE.with_constraints(RESTING["twice"][0])
    assert_raises(InputError, "depend on each other in every state: .* `forward_dynamics`", lambda: again.accelerations)
    apart = FREE.with_constraints([sympy.Eq(x, 2), sympy.Eq(2 * x, 3)])
    far = r"project: found no state .* 'x - 2' is still violated by -0\.4.*contradict each other"
    assert_raises(InputError, far, apart.project, [2.0, 0.0], [0.0, 0.0])


def test_long_steps_keep_the_constraints() -> None:
    values = {"m": 0.7, "g": 9.81, "l": 0.5}
    motion = pendulum().simulate([0.5, 0.0], [0.0, 0.0], None, TIMES, values=values)
    assert np.abs(pendulum().constraint_error(motion.q, values)).max() < 1e-15
    assert np.abs(pendulum().constraint_rates(motion.q, motion.qd, values)).max() < 1e-13
    assert 1e-6 < np.ptp(motion.energy) < 0.1  # of steps of 50 ms


def test_a_motion_passes_through_dependent_rows() -> None:
    """The row of y + (1 - x) u becomes that of y where x is 1."""
    u = sympy.Symbol("u")
    held = revolute.lagrange([x, y, u], (dx**2 + dy**2 + sympy.Symbol("du") ** 2) / 2, name="slider")
    system = held.with_constraints({"low": y, "bent": y + (1 - x) * u})
    motion = system.simulate([0.0, 0.0, 0.0], [1.0, 0.0, 0.0], None, np.linspace(0, 2, 201))
    assert np.abs(motion.q - np.outer(motion.t, [1, 0, 0])).max() < 1e-12


def test_projection_finds_the_nearest_state() -> None:
    q, qd = CIRCLE.project([[3.0, 4.0], [0.0, -2.0]], [1.0, 1.0])
    assert q == pytest.approx(np.array([[0.6, 0.8], [0.0, -1.0]])) and np.abs((q * qd).sum(-1)).max() < 1e-15
    with pytest.raises(InputError, match=r"project: found no state near .* 'far' is still violated by"):
        FREE.with_constraints({"far": x**2 + 1}).project([0.7, 0.0], [0.0, 0.0])
    assert_raises(ShapeError, r"project: q has shape \(3,\), but system", CIRCLE.project, [1.0, 2.0, 3.0], [0.0, 0.0])


def test_the_time_of_a_projection_is_given() -> None:
    a, b = functions("a b")
    free = revolute.lagrange([a, b], (a.diff(t) ** 2 + b.diff(t) ** 2) / 2, t * a, name="bead")
    turning = free.with_constraints([b * sympy.cos(t) - a * sympy.sin(t)])
    assert_raises(InputError, "project of 'bead': no value for 't': give", turning.project, [1.0, 0.0], [0.0, 0.0])
    q, _ = turning.project([1.0, 0.0], [0.0, 0.0], {t: 0.5})
    assert q == pytest.approx(np.cos(0.5) * np.array([np.cos(0.5), np.sin(0.5)]))
    at_rest = free.with_constraints([a - b])  # time is in the potential energy alone
    assert at_rest.project([1.0, 0.0], [0.0, 0.0])[0] == pytest.approx([0.5, 0.5])


def test_values_that_do_not_fit_name_the_method_that_was_called() -> None:
    rest, system = [0.0, 0.0], pendulum()
    assert_raises(UnknownNameError, r"^project: parameter 'zz' is unknown; ", system.project, rest, rest, {"zz": 1.0})
    assert_raises(InputError, r"^project of 'pendulum': no value for 'l', 'm'", system.project, rest, rest)
    with pytest.raises(UnknownNameError, match=r"^simulate: parameter 'zz' is unknown; available: "):
        system.simulate(rest, rest, None, [0, 1], values={"zz": 1.0})
    assert_raises(InputError, r"^simulate of 'pendulum': no value for 'g'", system.simulate, rest, rest, None, [0, 1])
