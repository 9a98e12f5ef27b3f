"""Closed loops: assembly from independent coordinates, poses, linear models on the closed states, equations."""

from collections.abc import Callable

import numpy as np
import pytest
import sympy
from comparing import assert_close, assert_raises
from robots import one_joint
from test_constrained import five_bar, five_bar_state, four_bar, platform, platform_state

import revolute
from revolute import ConstrainedRobot, Drive, InputError, PointClosure, ShapeError, Transform, UnknownNameError


def held_panda() -> ConstrainedRobot:
    """Its hand on a hinge: two freedoms, loops in space."""
    panda = revolute.robots.panda()
    pose = Transform.from_matrix(panda.forward_kinematics(panda_state(), panda.link_names[-1]))
    return panda.with_closures(revolute.AxisClosure(panda.link_names[-1], at_b=pose))


def panda_state() -> np.ndarray:
    return np.array([0.3, -0.5, 0.2, -1.8, 0.4, 1.5, 0.3])


def floating_pair() -> ConstrainedRobot:
    """A free base with two joints whose tip holds the base frame's point: quaternions among the coordinates."""
    tree = revolute.robots.random_tree(2, rng=4, base="free")
    p = tree.forward_kinematics(tree.random_configuration(rng=4), tree.link_names[-1])[:3, 3]
    return tree.with_closures(PointClosure(tree.link_names[-1], at_b=tuple(p.tolist())))


def driven_four_bar() -> ConstrainedRobot:
    drive = Drive(armature=(0.1,), damping=(0.3,), friction=(0.5,), stiffness=(3.0,), rest_position=(0.2,))
    robot = four_bar().robot.with_drives({"motor": drive}).robot
    return robot.with_closures(*four_bar().closures, drives=True, smoothing=0.5)


LINKAGES: dict[str, tuple[Callable[[], ConstrainedRobot], Callable[[], np.ndarray], tuple[str, ...]]] = {
    "four-bar": (four_bar, lambda: np.array([1.0, -0.2, 1.5]), ("motor",)),
    "3-RRR": (platform, platform_state, ("hip 0", "hip 1", "hip 2")),
    "panda": (held_panda, panda_state, ("panda_joint1", "panda_joint7")),
    "free base": (
        floating_pair,
        lambda: revolute.robots.random_tree(2, rng=4, base="free").random_configuration(rng=4),
        ("root_joint.wx", "root_joint.wy", "root_joint.wz", "joint1", "joint2"),
    ),
    "with drives": (driven_four_bar, lambda: np.array([1.0, -0.2, 1.5]), ("motor",)),
}
EVERY = pytest.mark.parametrize("name", LINKAGES)


def case(name: str, seed: int = 1) -> tuple[ConstrainedRobot, list[str], np.ndarray, np.ndarray, np.ndarray]:
    """A linkage, independent coordinates, and a closed state with joint forces."""
    make, start, independent = LINKAGES[name]
    linkage, rng = make(), np.random.default_rng(seed)
    names = [x for x in independent if x in linkage.robot.coordinate_names]
    assert len(names) == len(independent), linkage.robot.coordinate_names
    q, qd = linkage.project(start(), rng.standard_normal(linkage.robot.nv))
    return linkage, names, q, qd, rng.standard_normal(linkage.robot.nv)


def moved(linkage: ConstrainedRobot, names: list[str], q: np.ndarray, dy: np.ndarray) -> np.ndarray:
    """Closed positions whose independent coordinates have moved by dy along the joint velocities."""
    free = [linkage.robot.coordinate_names.index(x) for x in names]
    near = linkage.robot.integrate(q, linkage.reduced_dynamics(q, np.zeros(linkage.robot.nv), names).T @ dy)
    for _ in range(6):  # errors of 1e-5 are squared each time
        off = dy - linkage.robot.difference(q, near)[free]
        e = linkage.error(near)
        J = np.vstack([linkage.jacobian(near), np.eye(linkage.robot.nv)[free]])
        near = linkage.robot.integrate(near, np.linalg.lstsq(J, np.concatenate([-e, off]), rcond=1e-10)[0])
    return near


@EVERY
def test_assembly_holds_the_independent_coordinates(name: str) -> None:
    linkage, names, q, qd, _ = case(name)
    free = [linkage.robot.coordinate_names.index(x) for x in names]
    apart = linkage.robot.integrate(q, 0.02 * np.random.default_rng(2).standard_normal((3, linkage.robot.nv)))
    held = [k for body, at, rate in zip(linkage.robot.bodies, linkage.robot.q_index, linkage.robot.v_index, strict=True)
            if {*range(rate.start, rate.stop)} <= {*free} for k in range(at.start, at.stop)]
    found, rates = linkage.assemble(apart, names, qd)
    assert np.abs(linkage.error(found)).max() <= 1e-12
    assert np.array_equal(found[..., held], apart[..., held]) and len(held)
    assert np.array_equal(rates[..., free], np.broadcast_to(qd[free], rates[..., free].shape))
    speeds = np.einsum("...mn,...n->...m", linkage.jacobian(found), rates)
    assert np.abs(speeds).max() < 1e-12 * (1 + np.abs(rates).max())
    link, T = linkage.robot.link_names[-1], linkage.reduced_dynamics(found, rates, names).T
    assert_close(linkage.frame_jacobian(found, link, names), linkage.robot.jacobian(found, link) @ T, 1e-12)
    assert np.array_equal(linkage.forward_kinematics(found), linkage.robot.forward_kinematics(found))
    again, none = linkage.assemble(q, names)
    np.testing.assert_allclose(again, q, rtol=0, atol=1e-11)
    assert not none.any()


def test_assembly_that_cannot_be() -> None:
    linkage, start = four_bar(), np.array([1.0, -0.2, 1.5])
    assert_raises(InputError, "no coordinate 'elbow'", linkage.assemble, start, ["elbow"])
    assert_raises(InputError, "named more than once: motor, motor", linkage.assemble, start, ["motor", "motor"])
    assert_raises(InputError, "no coordinates of 'four-bar' do not", linkage.assemble, linkage.project(start)[0], [])
    with pytest.raises(InputError, match=r"linearize: motor, pin of 'four-bar' do not determine .*: the mobility is 1"):
        linkage.linearize(linkage.project(start)[0], np.zeros(3), np.zeros(3), ["motor", "pin"])
    far = linkage.robot.with_payload("coupler", revolute.Inertia.from_com(0.1))
    out_of_reach = far.with_closures(PointClosure("coupler", "rocker", (3.0, 0, 0), (0.4, 0, 0)))
    assert_raises(InputError, r"positions of motor .*'coupler/rocker", out_of_reach.assemble, start, ["motor"])
    assert_raises(InputError, "most must be a whole number", linkage.assemble, start, ["motor"], most=-1)
    assert_raises(ShapeError, "assemble: q has shape", linkage.assemble, [0.0], ["motor"])
    assert_raises(UnknownNameError, "no link 'toe'", linkage.forward_kinematics, start, "toe")


def slope(f: Callable[[np.ndarray], np.ndarray], k: int) -> np.ndarray:
    """Derivatives by k numbers, by differences of order six at h = 2e-3: h^6 = 6e-17, rounding / h = 1e-12 or so."""
    h, weights = 2e-3, {1: 45, 2: -9, 3: 1}
    columns = [sum(w * (f(s * h * e) - f(-s * h * e)) for s, w in weights.items()) / (60 * h) for e in np.eye(k)]
    return np.stack(columns, axis=-1)


@EVERY
@pytest.mark.parametrize("loaded", [pytest.param(False, marks=pytest.mark.slow), True])
def test_linear_models_are_slopes_along_the_closed_states(name: str, loaded: bool) -> None:
    """Of the accelerations, and of the velocities of all joints, at states that are assembled anew."""
    linkage, names, q, qd, tau = case(name)
    wrenches = {linkage.robot.link_names[-1]: np.array([0.4, -0.3, 0.2, 3.0, -2.0, 1.0])} if loaded else None
    free = [linkage.robot.coordinate_names.index(x) for x in names]
    k, nv, yd = len(free), linkage.robot.nv, qd[free]
    model = linkage.linearize(q, qd, tau, names, wrenches=wrenches)

    def state(dy: np.ndarray, dyd: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        near = moved(linkage, names, q, dy)
        return near, linkage.reduced_dynamics(near, np.zeros(nv), names).T @ (yd + dyd)

    def accelerations(dy: np.ndarray, dyd: np.ndarray, dtau: np.ndarray | int = 0) -> np.ndarray:
        return linkage.forward_dynamics(*state(dy, dyd), tau + dtau, wrenches=wrenches)[free]

    none = np.zeros(k)
    by_y, by_yd = slope(lambda d: accelerations(d, none), k), slope(lambda d: accelerations(none, d), k)
    assert_close(model.A[k:, :k], by_y, 1e-9)
    assert_close(model.A[k:, k:], by_yd, 1e-9)
    assert_close(model.B[k:], slope(lambda d: accelerations(none, none, d), nv), 1e-9)
    assert np.array_equal(model.A[:k, k:], np.eye(k)) and not model.B[:k].any() and model.independent == tuple(free)
    rigid = linkage.robot.linearize(q, qd, np.zeros(nv))[0][:nv, :nv]
    assert_close(model.A[:k, :k], (rigid @ model.C[:nv, :k])[free], 1e-12)

    def by_position(dy: np.ndarray) -> np.ndarray:
        near, rates = state(dy, none)
        return np.concatenate([linkage.robot.difference(q, near), rates])

    positions, rates = np.split(slope(by_position, k), [nv])
    assert_close(model.C[nv:, :k], rates, 1e-9)
    assert_close(model.C[:nv, :k], positions, 1e-9)
    assert_close(model.C[nv:, k:], positions, 1e-9) and not model.C[:nv, k:].any()


@EVERY
def test_wrenches_are_joint_forces_by_the_jacobian(name: str) -> None:
    """J_i^T wrench_i in accelerations, forces and the bias of the independent coordinates; solved: 1e-9."""
    linkage, names, q, qd, tau = case(name)
    link, wrench = linkage.robot.link_names[-1], np.array([0.4, -0.3, 0.2, 3.0, -2.0, 1.0])
    pushed = linkage.robot.jacobian(q, link).T @ wrench
    qdd = linkage.forward_dynamics(q, qd, tau, wrenches={link: wrench})
    assert_close(qdd, linkage.forward_dynamics(q, qd, tau + pushed), 1e-9)
    loaded, bare = (linkage.reduced_dynamics(q, qd, names, wrenches=x) for x in ({link: wrench}, None))
    assert_close(loaded.bias, bare.bias - bare.T.T @ pushed, 1e-9)
    needed = linkage.inverse_dynamics(q, qd, qdd, wrenches={link: wrench})
    forces = linkage.multipliers(q, qd, needed, wrenches={link: wrench})
    total = needed + pushed + linkage.jacobian(q).T @ forces
    assert_close(total, linkage.model.inverse_dynamics(q, qd, qdd), 1e-9)
    with pytest.raises(UnknownNameError, match=r"wrenches: .* has no link 'hand'"):
        linkage.forward_dynamics(q, qd, tau, wrenches={"hand": wrench})


@pytest.mark.parametrize("method", ["runge_kutta_4", "DOP853"])
def test_motions_under_wrenches(method: str) -> None:
    """A constant push, a table, and a function of the same are one motion; the energy grows by the push's work.

    Simpson's rule with 40 intervals: its error is h^4, some 1e-8 of the work.
    """
    linkage, t = five_bar(), np.linspace(0.0, 0.2, 41)
    q0, qd0 = five_bar_state(0.3, 1.5, 0.0, 0.0)[:2]
    link, push = linkage.robot.link_names[-1], np.array([0.0, 0.0, 0.0, 2.0, 1.0, 0.0])
    every = push, np.tile(push, (41, 1)), lambda time, q, qd: push
    first, *others = (linkage.simulate(q0, qd0, None, t, method, wrenches={link: given}) for given in every)
    for other in others:
        np.testing.assert_array_equal(first.q, other.q)
    power = np.einsum("ti,i->t", linkage.robot.velocity(first.q, first.qd, link), push)
    work = (power[0] + 4 * power[1::2].sum() + 2 * power[2:-1:2].sum() + power[-1]) * 0.005 / 3
    assert first.energy[-1] - first.energy[0] == pytest.approx(work, rel=1e-6, abs=0) and work > 0.03
    assert_raises(UnknownNameError, "link 'hand'", linkage.simulate, q0, qd0, None, t, method, wrenches={"hand": push})


def test_batches_and_time_steps() -> None:
    linkage, names, q, qd, tau = case("3-RRR")
    q, qd = linkage.project(q + 0.05 * np.random.default_rng(3).standard_normal((4, 7)), qd)
    whole, held = linkage.linearize(q, qd, tau, names), linkage.linearize(q, qd, tau, names, step=[0.1, 0.2, 0.1, 0.2])
    for i in range(4):
        row = linkage.linearize(q[i], qd[i], tau, names)
        for part in ("A", "B", "C"):
            assert_close(getattr(whole, part)[i], getattr(row, part), 1e-10)
        single = linkage.linearize(q[i], qd[i], tau, names, step=0.1)
        assert_close(held.A[i], single.A if i % 2 == 0 else single.A @ single.A, 1e-10)
        assert_close(held.B[i], single.B if i % 2 == 0 else single.A @ single.B + single.B, 1e-10)
    assert_raises(InputError, "step must be positive", linkage.linearize, q, qd, tau, names, step=-1.0)
    q[2] = np.nan
    spoilt = linkage.linearize(q, qd, tau, names)
    assert np.isnan(spoilt.A[2]).any() and np.array_equal(np.delete(spoilt.A, 2, 0), np.delete(whole.A, 2, 0))


def test_friction_that_jumps_has_no_linear_model() -> None:
    robot = four_bar().robot.with_drives({"motor": Drive(friction=(0.5,))}).robot
    rough = robot.with_closures(*four_bar().closures, drives=True)
    q = rough.project([1.0, -0.2, 1.5])[0]
    assert_raises(InputError, "friction that", rough.linearize, q, np.zeros(3), np.zeros(3), ["motor"])


def pinned_stone() -> ConstrainedRobot:
    """A free body with a point that is held: a quaternion in the constraint."""
    stone = revolute.Inertia.from_com(2.0, (0.1, 0.2, -0.3), np.diag([0.2, 0.3, 0.4]))
    held = PointClosure("body", None, (0.3, -0.1, 0.2), (0.1, 0.2, 0.3))
    return one_joint(revolute.Free(), stone).with_closures(held)


def test_long_sums_are_not_factored(monkeypatch: pytest.MonkeyPatch) -> None:
    """SymPy draws numbers for it: one sum of 48 terms in 10 symbols took more than an hour, others half a second."""
    factor, terms = sympy.factor, [0]
    monkeypatch.setattr(sympy, "factor", lambda x: terms.append(len(sympy.Add.make_args(x))) or factor(x))
    assert pinned_stone().equations().drift.shape == (3, 1)
    assert 1 < max(terms) <= 12


@pytest.mark.parametrize("make", [pinned_stone, driven_four_bar])
def test_equations_are_the_numbers(make: Callable[[], ConstrainedRobot]) -> None:
    """At a state that closes the loops; tau with the multipliers of the forward dynamics is what was applied."""
    linkage, rng = make(), np.random.default_rng(5)
    robot = linkage.robot
    start = [1.0, -0.2, 1.5] if make is driven_four_bar else robot.random_configuration(rng=6)
    q, qd = linkage.project(start, rng.standard_normal(robot.nv))
    tau = rng.standard_normal(robot.nv)
    qdd, forces, equations = linkage.forward_dynamics(q, qd, tau), linkage.multipliers(q, qd, tau), linkage.equations()
    symbols = (*equations.q, *equations.dq, *equations.ddq, *equations.multipliers)
    at = dict(zip(symbols, np.concatenate([q, qd, qdd, forces]).tolist(), strict=True))

    def value(x: object) -> np.ndarray:
        return np.array(sympy.Matrix(x).evalf(17, subs=at).tolist(), dtype=float)

    assert equations.simplified("M", "e")
    assert_close(value(equations.M), linkage.model.mass_matrix(q), 1e-11)
    assert_close(value(equations.e)[:, 0], linkage.error(q), 1e-11, scale=1)
    assert_close(value(equations.J), linkage.jacobian(q), 1e-11)
    assert_close(value(equations.drift)[:, 0], linkage.kernel("drift")(q, qd), 1e-11)
    assert_close(value(equations.tau)[:, 0], tau, 1e-9, scale=float(np.abs(forces).max()))
    for found, expected in ((equations.kinetic, linkage.model.kinetic_energy(q, qd)),
                            (equations.potential, linkage.model.potential_energy(q))):
        assert_close(float(found.evalf(17, subs=at)), expected, 1e-11)
    assert sympy.expand(equations.lagrangian - equations.kinetic + equations.potential) == 0


def test_sheets_show_loops() -> None:
    arm = revolute.robots.planar(2).with_closures(PointClosure("tip", at_b=(1.0, 0.5, 0.0)))
    lines = arm.equations().text("e", "J", "drift").splitlines()
    assert lines[0].endswith("= tau + J^T lambda, J ddq + dJ dq = 0, e(q) = 0")
    assert lines[1].endswith("lambda1 tip/base frame.x, lambda2 tip/base frame.y, lambda3 tip/base frame.z")
    assert "  e2 = sin(q1) + sin(q1 + q2) - 0.5" in lines and "  J31 = J32 = 0" in lines
    assert "  d1 = -dq1²·cos(q1) - (dq1 + dq2)²·cos(q1 + q2)" in lines
    assert r"\lambda_{1}" in arm.equations().latex("tau")
    assert "friction" in driven_four_bar().equations().text() and "friction" not in arm.equations().text()
    assert_raises(UnknownNameError, "no 'christoffel'; available: M, C, g", arm.equations().text, "christoffel")


def test_symbols_need_values() -> None:
    g, lambda1 = sympy.symbols("g lambda1")
    arm = revolute.robots.planar(2).with_gravity((0, -g, 0))
    held = arm.with_closures(revolute.JointClosure("joint2", "joint1"))
    assert held.symbols == (g,)
    for call in (lambda: held.error([0.0, 0.0]), lambda: held.forward_dynamics([0.0, 0.0], [0.0, 0.0], [0.0, 0.0])):
        assert_raises(InputError, "needs numbers, but robot 'planar2' has symbols: g", call)
    numbers = held.subs({g: 9.81})
    assert np.isfinite(numbers.forward_dynamics([0.0, 0.0], [0.0, 0.0], [0.0, 0.0])).all()
    assert held.count("jacobian") == numbers.count("jacobian")
    assert_raises(InputError, "'lambda1', which is the name of a multiplier", held.subs({g: lambda1}).equations)
    assert_raises(UnknownNameError, "no link 'toe'", arm.with_closures, revolute.FrameClosure("toe"))


def test_quaternions_follow_their_own_rates_in_solvers_of_scipy() -> None:
    """Rates of positions are not velocities there; what DOP853 finds is what steps of 1 ms find."""
    linkage = floating_pair()
    q = revolute.robots.random_tree(2, rng=4, base="free").random_configuration(rng=4)
    q, qd = linkage.project(q, np.full(linkage.robot.nv, 0.5))
    t = np.linspace(0, 0.2, 201)
    solved, stepped = (linkage.simulate(q, qd, None, t, method) for method in ("DOP853", "runge_kutta_4"))
    np.testing.assert_allclose(solved.q, stepped.q, atol=1e-8)
    assert np.abs(solved.q[-1] - q).max() > 0.05
