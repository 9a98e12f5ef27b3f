"""Lagrange's equations: against the recursions, against closed forms, and against themselves."""

import io
import math
import pickle
from pathlib import Path
from typing import Any

import numpy as np
import physics
import pytest
import sympy
from comparing import assert_raises
from rich.console import Console
from sympy.abc import x as X
from sympy.abc import y as Y

import revolute
from revolute.errors import DtypeError, InputError, ShapeError, UnknownNameError
from revolute.graph import Builder, Graph, Input, Output
from revolute.library import examples
from revolute.library.random_tree import random_tree
from revolute.machine.lagrangian import System
from revolute.machine.lagrangian.forms import readable
from revolute.machine.lagrangian.nodes import TABLE, nodes
from revolute.targets.numpy import evaluate

m, l, g, k, t = sympy.symbols("m l g k t")
q1, q2, dq1, dq2, ddq1, ddq2 = sympy.symbols("q1 q2 dq1 dq2 ddq1 ddq2")

PENDULUM = revolute.lagrange([q1], m * l**2 * dq1**2 / 2, -m * g * l * sympy.cos(q1), name="pendulum")
VALUES = {"m": 2.0, "l": 0.5, "g": 9.81}


def chain(robot: Any) -> System:
    """A robot by its energies alone: poses by products of matrices, T = tr(Td S Td^T) / 2 (see `physics`)."""
    q, qd = sympy.symbols(f"q1:{robot.nv + 1}"), sympy.symbols(f"dq1:{robot.nv + 1}")
    poses: list[sympy.Matrix] = []
    kinetic = potential = sympy.S.Zero
    inertias = physics.pseudo_inertias(robot)
    for i, body in enumerate(robot.bodies):
        pose = poses[body.parent] if i else sympy.eye(4)
        pose = pose * sympy.Matrix(np.array(body.placement.matrix(), dtype=float))
        poses.append(pose * moved(body.joint, q[i - 1]) if i else pose)
        S = sympy.Matrix(inertias[body.name])
        rate = sum((poses[i].diff(a) * b for a, b in zip(q, qd, strict=True)), sympy.zeros(4, 4))
        kinetic += (rate * S * rate.T).trace() / 2
        potential -= sympy.Matrix(list(robot.gravity)).dot((poses[i] * S)[:3, 3])
    return revolute.lagrange(q, kinetic, potential, name=robot.name)


def moved(joint: Any, x: Any) -> sympy.Matrix:
    """Pose of a revolute or prismatic joint, by Rodrigues' formula."""
    a, pose = sympy.Matrix(list(joint.axis)), sympy.eye(4)
    if isinstance(joint, revolute.Prismatic):
        pose[:3, 3] = a * x
        return pose
    S = sympy.Matrix([[0, -a[2], a[1]], [a[2], 0, -a[0]], [-a[1], a[0], 0]])
    pose[:3, :3] = sympy.eye(3) + sympy.sin(x) * S + (1 - sympy.cos(x)) * S * S
    return pose


def test_a_random_tree_moves_as_its_energies_say() -> None:
    """Sums of a few hundred terms of size one, and M of condition below 1e3: 1e-10 leaves 1e3 eps of room."""
    robot = random_tree(3, 2, prismatic=0.3)  # two hinges and a slide
    system = chain(robot)
    q, qd, qdd = np.random.default_rng(2).uniform(-2, 2, size=(3, 7, 3))
    for name, arrays in {
        "inverse_dynamics": (q, qd, qdd),
        "forward_dynamics": (q, qd, qdd),
        "gravity_forces": (q,),
        "kinetic_energy": (q, qd),
    }.items():
        wanted = getattr(robot, name)(*arrays)
        assert getattr(system, name)(*arrays) == pytest.approx(wanted, rel=1e-10, abs=1e-10 * np.abs(wanted).max())


def test_polar_coordinates_have_centrifugal_and_coriolis_forces() -> None:
    r, phi, dr, dphi, ddr, ddphi = sympy.symbols("r phi dr dphi ddr ddphi")
    planet = revolute.lagrange([r, phi], m * (dr**2 + r**2 * dphi**2) / 2, -k / r)
    assert planet.tau[0] == sympy.expand(m * ddr - m * r * dphi**2 + k / r**2)
    assert sympy.expand(planet.tau[1] - m * r**2 * ddphi - 2 * m * r * dr * dphi) == 0
    assert planet.christoffel[0, 1, 1] == -m * r and planet.christoffel[1, 0, 1] == m * r


def test_charges_are_coordinates_too() -> None:
    """A coil L, a capacitor C, a resistor R and a source u: L Qdd + R Qd + Q / C = u."""
    L, R, C, u, Q, dQ, ddQ = sympy.symbols("L R C u Q dQ ddQ")
    circuit = revolute.lagrange([Q], L * dQ**2 / 2, Q**2 / (2 * C), R * dQ**2 / 2, [u])
    assert circuit.equations[0] == sympy.Eq(L * ddQ + R * dQ + Q / C, u)
    assert sympy.simplify(circuit.accelerations[0] - (u - R * dQ - Q / C) / L) == 0


def swing() -> System:
    """A pendulum whose hinge is shaken sideways, x = a sin(w t)."""
    theta = sympy.Function("theta")(t)
    a, w = sympy.symbols("a w")
    bob = sympy.Matrix([a * sympy.sin(w * t) + l * sympy.sin(theta), -l * sympy.cos(theta)])
    return revolute.lagrange([theta], m * bob.diff(t).dot(bob.diff(t)) / 2, m * g * bob[1], name="swing")


def test_energies_may_depend_on_time() -> None:
    system = swing()
    a, w, theta, ddtheta = sympy.symbols("a w theta ddtheta")
    shaken = a * w**2 * sympy.sin(w * t) * sympy.cos(theta)
    expected = m * l**2 * ddtheta + m * g * l * sympy.sin(theta) - m * l * shaken
    assert sympy.simplify(system.tau[0] - expected) == 0
    numbers = {"m": 2, "l": 0.5, "g": 9.81, "a": 0.1, "w": 3.0, "t": np.array([0.2, 0.7])}
    tau = system.inverse_dynamics([0.3], [0.4], [0.5], numbers)
    table = {m: 2, l: 0.5, g: 9.81, a: 0.1, w: 3, theta: 0.3, ddtheta: 0.5}
    assert tau[:, 0] == pytest.approx([float(expected.subs({**table, t: at})) for at in (0.2, 0.7)], rel=1e-13)
    assert system.forward_dynamics([0.3], [0.4], tau, numbers) == pytest.approx(np.full((2, 1), 0.5), rel=1e-12)


def test_an_energy_need_not_be_quadratic() -> None:
    """A relativistic particle, T = -m c^2 / gamma: the force is gamma^3 m times its acceleration."""
    c, x, dx = sympy.symbols("c x dx", positive=True)
    fast = revolute.lagrange([x], -m * c**2 * sympy.sqrt(1 - dx**2 / c**2))
    gamma = 1 / math.sqrt(1 - 0.6**2)
    values = {"m": 3.0, "c": 1.0}
    assert fast.inverse_dynamics([0.0], [0.6], [0.5], values) == pytest.approx([gamma**3 * 1.5], rel=1e-14)
    assert fast.forward_dynamics([0.0], [0.6], [1.5], values) == pytest.approx([0.5 / gamma**3], rel=1e-14)
    assert_raises(InputError, "not quadratic in the velocity 'dx'", fast.mass_matrix, [0.0], values)


def test_dry_friction_is_a_force_like_any_other() -> None:
    mu, x, dx = sympy.symbols("mu x dx")
    block = revolute.lagrange([x], dx**2 / 2, 0, mu * sympy.Abs(dx))
    assert block.inverse_dynamics([0.0], [[-2.0], [3.0]], [0.0], {"mu": 0.5}).tolist() == [[-0.5], [0.5]]
    assert block.tau[0] == mu * sympy.sign(dx) + sympy.Symbol("ddx")


SYSTEMS = {
    make.__name__: make()
    for make in (
        examples.particle, examples.point_mass_2r, examples.geared_link, examples.elastic_joint, examples.cartesian,
        examples.planar_elbow, examples.remotely_driven_elbow, examples.five_bar,
    )
}
every = pytest.mark.parametrize("system", SYSTEMS.values(), ids=SYSTEMS.keys())


def numbers(system: System, seed: int) -> tuple[dict[Any, float], Any]:
    """Random positive parameters, and a random state."""
    rng = np.random.default_rng(seed)
    return {x: rng.uniform(0.5, 2) for x in system.parameters}, rng.uniform(-2, 2, size=(3, system.n))


def at(system: System, expressions: Any, values: dict[Any, float], state: Any) -> Any:
    """SymPy's numbers at a state."""
    table = dict(zip((*system.q, *system.dq, *system.ddq), np.ravel(state), strict=True)) | values
    return sympy.lambdify(list(table), expressions, "numpy")(*table.values())


@every
def test_kernels_are_what_the_equations_say(system: System) -> None:
    """Kernels differentiate graphs, equations SymPy; some dozens of terms of size ten: 1e-12."""
    values, (q, qd, qdd) = numbers(system, 7)
    for name, arrays, expressions in (
        ("inverse_dynamics", (q, qd, qdd), list(system.tau)),
        ("mass_matrix", (q,), system.M.tolist()),
        ("coriolis_matrix", (q, qd), system.C.tolist()),
        ("gravity_forces", (q,), list(system.g)),
        ("kinetic_energy", (q, qd), system.kinetic),
        ("potential_energy", (q,), system.potential),
    ):
        wanted = np.array(at(system, expressions, values, (q, qd, qdd)))
        assert getattr(system, name)(*arrays, values) == pytest.approx(wanted, rel=1e-12, abs=1e-12), name
    tau = system.inverse_dynamics(q, qd, qdd, values)
    assert system.forward_dynamics(q, qd, tau, values) == pytest.approx(qdd, rel=1e-10)


@every
def test_forces_are_the_sum_of_their_parts(system: System) -> None:
    """M qdd + C qd + g + dD/dqd - Q, and C qd is the sum of Christoffel's symbols. LP 9.12."""
    qd, qdd = sympy.Matrix(system.dq), sympy.Matrix(system.ddq)
    losses = sympy.Matrix([system.dissipation.diff(v) for v in system.dq])
    left = system.M * qdd + system.C * qd + system.g + losses - sympy.Matrix(system.forces)
    assert (left - system.tau).expand(trig=False) == sympy.zeros(system.n, 1)


@every
def test_rate_of_the_mass_matrix_less_twice_coriolis_is_skew(system: System) -> None:
    """dM/dt - 2 C = -(dM/dt - 2 C)^T. SHV proposition 6.1; JIN 47-50."""
    rate = sum((system.M.diff(x) * v for x, v in zip(system.q, system.dq, strict=True)), sympy.zeros(*system.M.shape))
    N = rate - 2 * system.C
    assert (N + N.T).expand(trig=False) == sympy.zeros(system.n)


@every
def test_energy_changes_by_the_power_of_forces(system: System) -> None:
    """dH/dt = qd^T (tau + Q) - qd^T dD/dqd along any motion. SHV 6.118, section 6.5."""
    rates = [*zip(system.q, system.dq, strict=True), *zip(system.dq, system.ddq, strict=True)]
    power = sum(system.energy.diff(x) * v for x, v in rates)
    losses = sum(system.dissipation.diff(v) * v for v in system.dq)
    given = sympy.Matrix(system.dq).dot(system.tau + sympy.Matrix(system.forces))
    assert readable(power + losses - given, system.ddq) == 0


@every
def test_hamiltons_equations_are_the_same_motion(system: System) -> None:
    """dq/dt = dH/dp, dp/dt = -dH/dq + tau, dH/dt = qd^T tau. SHV ch. 6, problems on Hamilton's form."""
    form = system.hamiltonian
    values, state = numbers(system, 11)
    table = dict(zip(form.p, at(system, list(system.momenta), values, state), strict=True))
    near = {"rel": 1e-11, "abs": 1e-11}
    here = {**values, **table}
    assert at(system, form.H, here, state) == pytest.approx(at(system, system.energy, values, state), **near)
    assert at(system, list(form.q_rates), here, state) == pytest.approx(state[1], **near)
    for rates, sign, symbols in ((form.q_rates, 1, form.p), (form.p_rates, -1, form.q)):
        slopes = [sign * form.H.diff(x) for x in symbols]
        assert at(system, list(rates), here, state) == pytest.approx(at(system, slopes, here, state), **near)
    moves = list(zip((*system.q, *system.dq), (*system.dq, *system.ddq), strict=True))
    changes = [sum(p.diff(x) * v for x, v in moves) for p in system.momenta]
    losses = [system.dissipation.diff(v) for v in system.dq]
    conservative = system.tau + sympy.Matrix(system.forces) - sympy.Matrix(losses)
    forces = np.subtract(at(system, changes, values, state), at(system, list(form.p_rates), here, state))
    assert forces == pytest.approx(at(system, list(conservative), values, state), **near)


@every
def test_equations_are_linear_in_the_fewest_parameters(system: System) -> None:
    """tau = Y Theta, and columns of Y at many states are independent: no smaller base will do. SHV 6.5."""
    Y, Theta = system.regressor()
    assert (Y * Theta - system.tau).expand(trig=False) == sympy.zeros(system.n, 1)
    state = (*system.q, *system.dq, *system.ddq)
    assert not Theta.free_symbols & set(state) and not Y.free_symbols & set(system.parameters)
    compute = sympy.lambdify(state, Y, "numpy")
    rows = np.vstack([compute(*x) for x in np.random.default_rng(3).uniform(-2, 2, size=(20, len(state)))])
    assert np.linalg.matrix_rank(rows) == len(Theta)


def test_the_longest_sums_of_an_equation_are_its_first_parameters() -> None:
    Y, Theta = revolute.lagrange([q1], (m + k) * dq1**2 / 2, g * q1).regressor()
    assert list(Theta) == [k + m, g]
    assert list(Y) == [ddq1, 1]


@every
def test_accelerations_solve_the_equations(system: System) -> None:
    """As numbers at a state: some dozens of terms of size ten."""
    values, state = numbers(system, 5)
    values |= {x: 0.7 for x in system.unknown if x}
    state[2] = at(system, list(system.accelerations), values, state)
    sides = at(system, [(x.lhs, x.rhs) for x in system.equations], values, state)
    assert [left for left, _ in sides] == pytest.approx([right for _, right in sides], rel=1e-11, abs=1e-11)


def test_parameters_are_inputs_by_name_and_have_batches() -> None:
    assert [x.name for x in PENDULUM.kernel("inverse_dynamics").inputs] == ["q", "qd", "qdd", "g", "l", "m"]
    lengths = np.array([0.5, 1.0])[:, None]
    tau = PENDULUM.inverse_dynamics(np.full((2, 3, 1), 0.3), [0.1], [0.2], {m: 2.0, g: 9.81, "l": lengths})
    expected = 2 * lengths**2 * 0.2 + 2 * 9.81 * lengths * math.sin(0.3)
    assert tau == pytest.approx(np.repeat(expected, 3, axis=1)[..., None], rel=1e-14)
    assert [x.name for x in PENDULUM.kernel("mass_matrix").inputs] == ["q", "l", "m"]


def test_numbers_may_take_the_place_of_symbols() -> None:
    heavy = PENDULUM.subs({m: 2.0, "l": 0.5})
    assert heavy.parameters == (g,)
    assert heavy.inverse_dynamics([0.3], [0.1], [0.2], {"g": 9.81}) == pytest.approx(
        PENDULUM.inverse_dynamics([0.3], [0.1], [0.2], VALUES), rel=1e-14
    )
    assert PENDULUM.subs({g: 0, m: k}).parameters == (k, l)


def test_kernels_are_shared_of_both_precisions_and_survive_pickling() -> None:
    again = revolute.lagrange([q1], m * l**2 * dq1**2 / 2, -m * g * l * sympy.cos(q1), name="pendulum")
    assert again.kernel("gravity_forces") is PENDULUM.kernel("gravity_forces")
    single = PENDULUM.kernel("gravity_forces", dtype=np.float32)
    found = single(np.array([0.3], dtype=np.float32), np.float32(9.81), np.float32(0.5), np.float32(2))
    assert found.dtype == np.float32
    assert found == pytest.approx(PENDULUM.gravity_forces([0.3], VALUES), rel=1e-6)
    assert "of 'pendulum'" in repr(again.kernel("gravity_forces"))
    copy = pickle.loads(pickle.dumps(PENDULUM))
    assert copy.digest == PENDULUM.digest and copy.tau == PENDULUM.tau


def test_the_elbow_costs_little_more_than_its_recursion() -> None:
    """Exact counts: they must not go up unseen. The recursion of the same arm takes 14 + 10."""
    elbow = examples.planar_elbow()
    counts = elbow.kernel("inverse_dynamics").count()
    assert (counts.multiplications, counts.additions, counts.calls) == (33, 22, 4)
    numeric = elbow.subs({x: 1.5 + k / 7 for k, x in enumerate(elbow.parameters)}).kernel("inverse_dynamics").count()
    assert (numeric.multiplications, numeric.additions, numeric.calls) == (15, 15, 4)


FORMULAS = {
    sympy.Add: X + Y + 2,
    sympy.Mul: 3 * X * Y,
    sympy.Pow: X**3 + Y**-2 + sympy.sqrt(X) + Y ** sympy.Rational(-3, 2) + X ** sympy.Rational(1, 3) + 2**X + X**Y,
    **{f: f(X) for f in (sympy.sin, sympy.cos, sympy.tan, sympy.sec, sympy.csc, sympy.cot, sympy.atan, sympy.asin)},
    **{f: f(X) for f in (sympy.acos, sympy.log, sympy.tanh, sympy.sinh, sympy.cosh)},
    **{f: f(X - 1) for f in (sympy.Abs, sympy.sign)},
    **{f: f(X, Y, 0.5) for f in (sympy.Min, sympy.Max)},
    **{type(x): sympy.Piecewise((X, x), (Y, True)) for x in (X < Y, X <= Y, X > Y, X >= Y)},
    sympy.atan2: sympy.atan2(X, Y) + sympy.atan2(2, X) + sympy.atan2(X, -2),
    sympy.exp: sympy.exp(X) + sympy.E * sympy.pi,
    sympy.Piecewise: sympy.Piecewise((X, X < 0.3), (X**2, Y < 1), (Y, True)),
    sympy.functions.elementary.piecewise.ExprCondPair: sympy.Piecewise((X, X < Y)),
}


@pytest.mark.parametrize("row", TABLE, ids=lambda row: row.__name__)
def test_every_class_of_sympy_becomes_nodes(row: Any) -> None:
    builder = Builder()
    inputs = builder.input("x", 1)[0], builder.input("y", 1)[0]
    formula = FORMULAS[row]
    assert row in {part.func for part in sympy.preorder_traversal(formula)}
    (node,) = nodes([formula], dict(zip((X, Y), inputs, strict=True)))
    graph = Graph("f", (Input("x", ()), Input("y", ())), (Output("z", (), (node,)),))
    for x, y in ((0.2, 0.9), (0.7, 0.4), (0.25, 1.5)):
        found = evaluate(graph, {"x": x, "y": y})["z"]
        wanted = formula.subs({X: x, Y: y})
        assert found == pytest.approx(float(wanted) if wanted.is_number else math.nan, rel=1e-13, nan_ok=True)


@pytest.mark.parametrize(("condition", "value"), [(q1 <= 1, 3), (q1 < 1, 5), (q1 >= 1, 3), (q1 > 1, 5)])
def test_conditions_hold_or_not_where_both_sides_are_equal(condition: Any, value: int) -> None:
    system = revolute.lagrange([q1], dq1**2 / 2, sympy.Piecewise((3, condition), (5, True)))
    assert system.potential_energy([1.0]) == value


def test_constant_expressions_are_numbers() -> None:
    assert nodes([sympy.sin(1) + sympy.sqrt(2)], {}) == pytest.approx([math.sin(1) + math.sqrt(2)])
    assert readable(sympy.sin(q1) ** 2 + sympy.cos(q1) ** 2) == 1


def test_rates_print_with_dots() -> None:
    system = revolute.lagrange([sympy.Symbol("theta_l")], m * sympy.Symbol("dtheta_l") ** 2 / 2)
    assert [str(x) for x in (*system.dq, *system.ddq)] == ["dtheta_l", "ddtheta_l"]
    assert system.latex_of(system.tau[0]) == r"\ddot{\theta}_{l} m"
    assert PENDULUM.latex_of(PENDULUM.kinetic) == r"\frac{\dot{q}_{1}^{2} l^{2} m}{2}"
    assert repr(system) == "<System 'system': coordinates theta_l>"
    v = sympy.Symbol("v")
    system = revolute.lagrange([X], m * v**2 / 2, velocities=[v])
    assert system.dq == (v,) and system.tau[0] == m * sympy.Symbol("ddx")


def test_systems_print_for_people(tmp_path: Path) -> None:
    system = examples.geared_link()
    assert str(system) == system.text() == system.text("kinetic", "potential", "dissipation", "equations")
    assert "  r·tau_m = M·g·l·sin(theta_l) + ddtheta_l·(J_l + J_m·r²) + dtheta_l·(B_l + B_m·r²)" in str(system)
    assert r"r \tau_{m} &= M g l \sin{\left(\theta_{l} \right)}" in system.latex("equations")
    assert system._repr_latex_().startswith("$$\\begin{aligned}\n& \\frac{d}{dt}")
    elbow = examples.planar_elbow()
    assert "  M12 = M21 = I2 + l1·lc2·m2·cos(q2) + lc2²·m2\n" in elbow.text("M")
    assert r"l_{c2}^{2} m_{2}" in elbow.latex("M")
    heads = {"eom.tex": "\\documentclass", "eom.md": "# Equations of motion of planar_elbow\n\ncoordinates q1, q2"}
    for name, start in heads.items():
        elbow.save(tmp_path / name, "C", "g")
        content = (tmp_path / name).read_text(encoding="utf-8")
        assert content.startswith(start)
        assert "forces of the potential energy" in content
        assert "mass matrix" not in content
        assert content.count("{") == content.count("}")
    for name in ("lagrangian", "energy", "christoffel", "tau", "momenta", "accelerations"):
        assert elbow.text(name).count("=") >= 2, name
    console = Console(width=200, record=True, file=io.StringIO())
    console.print(elbow)
    assert "tau2 = ddq1·(I2 + l1·lc2·m2·cos(q2) + lc2²·m2)" in console.export_text()


def test_what_a_system_cannot_show_is_named(tmp_path: Path) -> None:
    system = revolute.lagrange([X], sympy.Symbol("dx") ** 4)
    assert "tau1 = 12·ddx·dx²" in str(system)
    assert_raises(InputError, r"'system' has no mass matrix: .* not quadratic in the velocity 'dx'", system.latex, "M")
    assert_raises(UnknownNameError, "equations have no 'H'; available: kinetic, potential", system.text, "H")
    assert_raises(InputError, r"saved as \.tex or \.md, not as 'eom\.pdf'", system.save, tmp_path / "eom.pdf")
    assert_raises(InputError, r"eom\.md: cannot be written: No such", system.save, tmp_path / "nowhere" / "eom.md")


@pytest.mark.parametrize(("kinetic", "motion"), [
    (m * sympy.Symbol("dx") ** 2, "of 'dy'"),
    (m * (sympy.Symbol("dx") + sympy.Symbol("dy")) ** 2, "with dx, dy together"),
])  # fmt: skip
def test_motions_without_inertia_are_named(kinetic: Any, motion: str) -> None:
    system = revolute.lagrange([X, Y], kinetic)
    message = "'system' has no {}: its kinetic energy is zero for a motion " + motion
    with pytest.raises(InputError, match=message.format("accelerations")):
        _ = system.accelerations
    with pytest.raises(InputError, match=message.format("Hamilton's form")):
        _ = system.hamiltonian


@pytest.mark.parametrize("angle", [k * t, -k * t, q1 - k * t, X / 3, 1 - q1])
def test_angles_need_be_no_sums_of_coordinates(angle: Any) -> None:
    for wave in (sympy.sin(angle), sympy.cos(angle), 2 * sympy.sin(angle) * sympy.cos(q1)):
        numbers = {k: 0.3, t: 0.7, q1: 1.1, X: 0.4}
        assert float(readable(wave).subs(numbers)) == pytest.approx(float(wave.subs(numbers)), rel=1e-14)


@pytest.mark.parametrize(("arguments", "options", "message"), [
    ((["x"], X), {}, "coordinate 'x' is neither a SymPy symbol nor a function of time"),
    ((X, X), {}, "coordinates must be a sequence"),
    (([], X), {}, "coordinates must be a sequence"),
    (([X, X], dq1), {}, "duplicate coordinate 'x'"),
    (([sympy.Function("f")(t), sympy.Function("h")(X)], X), {}, "functions of different times: t, x"),
    (([q1], "dq1**2"), {}, "kinetic must be a SymPy expression or a number, not text"),
    (([q1], dq1**2, [1, 2]), {}, "potential must be a SymPy expression or a number, not list"),
    (([q1], m * sympy.Symbol("qd1") ** 2), {}, "depends on no velocity; the velocities are called 'dq1'"),
    (([q1, q2], dq1**2 + dq2**2, k * dq2), {}, "potential energy depends on the velocity 'dq2'"),
    (([q1, q2], dq1**2 + dq2**2, k * q1 * dq1), {}, "potential energy depends on the velocity 'dq1'"),
    (([q1], ddq1 * dq1), {}, "kinetic energy depends on the acceleration 'ddq1'"),
    (([q1], dq1**2), {"forces": [1, 2]}, "forces must be 1 expressions, one for each coordinate"),
    (([q1], dq1**2), {"forces": {q1: "u"}}, "force on q1 must be a SymPy expression or a number, not text"),
    (([q1, q2], dq1**2), {"velocities": [dq1, 1]}, "velocities must be 2 SymPy symbols"),
    (([q1, q2], dq1**2), {"velocities": [dq1]}, "velocities must be 2 SymPy symbols"),
    (([q1], q1**2), {"velocities": [q1]}, "must be different symbols"),
    (([q1], m * sympy.Symbol("m", real=True) * dq1**2), {}, "two different symbols are called 'm'"),
])  # fmt: skip
def test_wrong_systems_are_refused(arguments: Any, options: Any, message: str) -> None:
    assert_raises(InputError, message, revolute.lagrange, *arguments, **options)


@pytest.mark.parametrize(("kinetic", "options", "message"), [
    (dq1**2, {"forces": {q2: 1}}, "coordinate 'q2' is unknown; available: q1"),
    (sympy.Function("z")(t).diff(t) ** 2, {}, r"'Derivative\(z\(t\), t\)' is neither a coordinate \(q1\) nor"),
    (dq1**2 * sympy.Function("z")(t), {}, r"'z\(t\)' is neither a coordinate"),
])  # fmt: skip
def test_unknown_coordinates_are_named(kinetic: Any, options: Any, message: str) -> None:
    assert_raises(UnknownNameError, message, revolute.lagrange, [q1], kinetic, **options)


@pytest.mark.parametrize(("kinetic", "message"), [
    (m * dq1**4, "not quadratic in the velocity 'dq1'"),
    (m * dq1**2 + k * dq1, r"velocity 'dq1' \(it has the term dq1\*k\)"),
    (m * dq1**2 + k * sympy.sin(q1), r"at rest its kinetic energy is k\*sin\(q1\), not 0"),
])  # fmt: skip
def test_energies_without_a_mass_matrix_say_why(kinetic: Any, message: str) -> None:
    system = revolute.lagrange([q1], kinetic, name="odd")
    for ask in (lambda: system.M, lambda: system.kernel("mass_matrix"), lambda: system.hamiltonian):
        assert_raises(InputError, message, ask)


def test_wrong_calls_are_refused() -> None:
    assert_raises(ShapeError, r"q has shape \(2,\), but system 'pendulum'", PENDULUM.gravity_forces, [0.0, 0.0], VALUES)
    assert_raises(DtypeError, "float64 or float32", PENDULUM.kernel, "gravity_forces", dtype="int32")
    assert_raises(UnknownNameError, "no function 'energy' of a system; near: total_energy", PENDULUM.kernel, "energy")
    with pytest.raises(InputError, match="inverse_dynamics of 'pendulum': no value for 'g', 'm'"):
        PENDULUM.inverse_dynamics([0.0], [0.0], [0.0], {"l": 1.0})
    assert_raises(InputError, "no value for 'm'", PENDULUM.mass_matrix, [0.0], {"l": 1.0, "g": 1.0})
    for ask in (
        lambda: PENDULUM.gravity_forces([0.0], {**VALUES, "mass": 1.0}),
        lambda: PENDULUM.subs({"mass": 1.0}),
        lambda: PENDULUM.regressor(known=("mass",)),
    ):
        assert_raises(UnknownNameError, "parameter 'mass' is unknown; available: ", ask)
    a, b = sympy.Function("a")(t), sympy.Function("b")(t)
    assert_raises(UnknownNameError, r"Derivative\(b\(t\), t\)", revolute.lagrange, [a], a.diff(t) ** 2 + b.diff(t) ** 2)
    strange = revolute.lagrange([q1], dq1**2 / 2, sympy.gamma(q1))
    assert_raises(InputError, "kernels do not support 'gamma'", strange.potential_energy, [1.0])
    with pytest.raises(InputError, match="I is not a real number"):
        revolute.lagrange([q1], dq1**2 / 2, sympy.I * q1).potential_energy([1.0])
    many = revolute.lagrange([q1], sum(sympy.symbols("a1:62")) * dq1**2)
    assert_raises(InputError, "has 61 parameters, too many for a kernel: use subs", many.kernel, "kinetic_energy")
    assert_raises(InputError, "not linear in param", revolute.lagrange([q1], dq1**2 / 2, sympy.cos(k * q1)).regressor)
