"""Task space: the printed equations, identities of mechanics on random trees, singular states, Pinocchio."""

import numpy as np
import pytest
from comparing import EPS, assert_close, assert_raises
from peers import ANGULAR_FIRST, peers, symmetric
from physics import kinetic_energy
from robots import EACH_KIND, MASSLESS, NO_JOINTS, mass_matrix, one_joint, pin, state, value

import revolute
from revolute import DtypeError, InputError, Robot, ShapeError, SingularityError, UnknownNameError
from revolute.dynamics.kinematics import path_to
from revolute.dynamics.mobility import ALL, TwistRows, mobility
from revolute.dynamics.newton_euler import newton_euler
from revolute.dynamics.positive_definite import triangular
from revolute.dynamics.task_space import task_space_dynamics, task_space_forces
from revolute.model.reduce import reduced

REFERENCES = ("body", "aligned", "world")
CASES = [
    pytest.param(n, seed, base, marks=pytest.mark.slow if seed else ())
    for n, base in ((6, "fixed"), (9, "fixed"), (5, "free"))
    for seed in range(6)
]


def tip(robot: Robot) -> str:
    """A link frame that the most velocities move."""
    return max(robot.frames, key=lambda frame: sum(robot.bodies[i].joint.nv for i in path_to(robot, frame.name))).name


def jacobian(robot: Robot, q: np.ndarray, frame: str, reference: str = "body") -> np.ndarray:
    return value(robot, "jacobian", q, frame=frame, reference=reference)


def values(robot: Robot, q: np.ndarray, qd: np.ndarray, task: TwistRows, damping: float | int = 0) -> list[np.ndarray]:
    """Lambda, mu, p by the recursion, over floats."""
    inertia, mu, p, _, _ = task_space_dynamics(reduced(robot), list(q), list(qd), task, damping)
    return [np.array(x, dtype=float) for x in (inertia, mu, p)]


@pytest.mark.parametrize("n", [1, 2, 6])
def test_elimination_solves_and_inverts(n: int) -> None:
    rng = np.random.default_rng(n)
    B = rng.standard_normal((n, n))
    A = B @ B.T + np.eye(n)
    b = rng.standard_normal(n)
    found = triangular(A.tolist())
    tolerance = 10 * n * EPS * np.linalg.cond(A)
    assert_close(np.array(found.solve(b)), np.linalg.solve(A, b), tolerance)
    assert_close(np.array(found.inverse()), np.linalg.inv(A), tolerance)
    assert np.prod(found.D) == pytest.approx(np.linalg.det(A), rel=tolerance)


@pytest.mark.parametrize("reference", REFERENCES)
@pytest.mark.parametrize("name", ["ur5", "puma560", "stanford"])
def test_six_joints_obey_the_printed_equations(name: str, reference: str) -> None:
    """LP 9.98, 9.99: Lambda = J^-T M J^-1, eta = J^-T b - Lambda Jd J^-1 V; and the energy is that of V."""
    robot = getattr(revolute.robots, name)()
    frame, (q, qd, _) = tip(robot), state(robot)
    J = jacobian(robot, q, frame, reference)
    Jd = value(robot, "jacobian_rate", q, qd, frame=frame, reference=reference)
    inverse = np.linalg.inv(J)
    b = np.array(newton_euler(robot, list(q), list(qd), [0] * 6), dtype=float)
    g = np.array(newton_euler(robot, list(q), [0] * 6, [0] * 6), dtype=float)
    inertia, mu, p = values(robot, q, qd, TwistRows(frame, reference))
    M = mass_matrix(robot, q)
    expected = inverse.T @ M @ inverse
    tolerance = 2 * EPS * np.linalg.cond(J @ np.linalg.solve(M, J.T))  # Lambda is the inverse of this matrix
    assert_close(inertia, expected, tolerance)
    assert_close(p, inverse.T @ g, tolerance)
    parts = [inverse.T @ b, -expected @ Jd @ qd]
    assert_close(mu + p, sum(parts), tolerance, np.abs(parts).max())
    V = J @ qd
    assert V @ inertia @ V / 2 == pytest.approx(kinetic_energy(robot, q, qd), rel=tolerance)


@pytest.mark.parametrize("reference", REFERENCES)
@pytest.mark.parametrize(("n", "seed", "base"), CASES)
def test_task_space_forces_give_the_acceleration(n: int, seed: int, base: str, reference: str) -> None:
    """Lambda = (J M^-1 J^T)^-1; driven by tau = J^T F the frame has the acceleration asked for, J qdd + Jd qd."""
    robot = revolute.robots.random_tree(n, rng=seed, base=base)
    frame, (q, qd, wanted) = tip(robot), state(robot, seed)
    J = jacobian(robot, q, frame, reference)
    Jd_qd = value(robot, "jacobian_rate", q, qd, frame=frame, reference=reference) @ qd
    M, b = mass_matrix(robot, q), value(robot, "bias_forces", q, qd)
    free = np.linalg.solve(M, b)
    for rows in (ALL, (3, 4, 5), (2, 3)):
        at, task, a = list(rows), TwistRows(frame, reference, rows), wanted[: len(rows)]
        A = J[at] @ np.linalg.solve(M, J[at].T)
        condition = np.linalg.cond(M) * np.linalg.cond(A)
        if rows == ALL and condition > 1e8:
            continue  # too few joints, or near a singular state
        inertia, mu, p = values(robot, q, qd, task)
        assert np.array_equal(inertia, inertia.T)
        assert_close(inertia @ A, np.eye(len(rows)), 100 * EPS * condition)
        tau, F, _ = task_space_forces(reduced(robot), list(q), list(qd), list(a), task)
        found = J[at] @ np.linalg.solve(M, np.array(tau) - b) + Jd_qd[at]
        tolerance = 1e-9 + 1e-13 * condition
        assert condition < 1e8
        assert_close(found, a, tolerance * max(1, np.abs(Jd_qd[at]).max(), np.abs(free).max()))
        assert_close(np.array(tau), J[at].T @ np.array(F), 1e-12)
        assert_close(inertia @ a + mu + p, np.array(F), 1e-13 * condition)


@pytest.mark.parametrize("seed", range(2))
def test_the_consistent_inverse(seed: int) -> None:
    """J Jbar = 1; what is left of forces does not move the frame; and no other velocities take less energy."""
    robot = revolute.robots.random_tree(7, rng=seed)
    frame, rows = tip(robot), (1, 3, 4)
    q = robot.random_configuration(5, rng=seed)
    found = robot.dynamically_consistent_inverse(q, frame, rows=rows)
    inertia = robot.task_space_dynamics(q, np.zeros_like(q), frame, rows=rows).inertia
    assert found.shape == (5, 7, 3)
    rng = np.random.default_rng(seed)
    for x, inverse, Lambda in zip(q, found, inertia, strict=True):
        J, M = jacobian(robot, x, frame)[list(rows)], mass_matrix(robot, x)
        tolerance = 100 * EPS * np.linalg.cond(M) * np.linalg.cond(J @ np.linalg.solve(M, J.T))
        assert_close(J @ inverse, np.eye(3), tolerance)
        rest = np.eye(7) - J.T @ inverse.T
        assert np.abs(J @ np.linalg.solve(M, rest)).max() <= tolerance * np.abs(np.linalg.solve(M, J.T)).max() * 10
        V = rng.standard_normal(3)
        qd = inverse @ V
        other = qd + rest.T @ rng.standard_normal(7)
        assert_close(J @ other, V, 100 * tolerance)
        assert qd @ M @ qd == pytest.approx(V @ Lambda @ V, rel=100 * tolerance)
        assert other @ M @ other > qd @ M @ qd


def test_a_planar_arm_in_closed_form() -> None:
    """Two rods of 1 kg and 1 m at a right angle, at rest: the tip by the inverse of J = [[-1, -1], [1, 0]]."""
    arm = revolute.robots.planar(2)
    task = arm.task_space_dynamics([0.0, np.pi / 2], [0.0, 0.0], "tip", reference="aligned", rows=(3, 4))
    inverse = np.linalg.inv([[-1.0, -1.0], [1.0, 0.0]])
    M, g = np.array([[5 / 3, 1 / 3], [1 / 3, 1 / 3]]), np.array([1.5, 0.0]) * 9.81
    np.testing.assert_allclose(task.inertia, inverse.T @ M @ inverse, atol=1e-14)
    np.testing.assert_allclose(task.gravity, inverse.T @ g, atol=1e-13)
    np.testing.assert_allclose(task.coriolis, 0, atol=1e-15)
    assert np.array_equal(task.bias, task.coriolis + task.gravity)
    assert not task.singular


def test_a_singular_state_is_an_error() -> None:
    arm = revolute.robots.planar(2)
    stretched = ([0.3, 0.0], [0.0, 0.0])
    message = r"link 'tip' of 'planar2' cannot be accelerated along v[xy] independently of the other rows, at q"
    with pytest.raises(SingularityError, match=message):
        arm.task_space_dynamics(*stretched, "tip", reference="aligned", rows=(3, 4))
    with pytest.raises(SingularityError, match="task_space_forces: link 'tip'"):
        arm.task_space_forces(*stretched, [0.0, 0.0], "tip", rows=(3, 4))
    with pytest.raises(SingularityError, match="omit rows, or give singularity_damping"):
        arm.dynamically_consistent_inverse(stretched[0], "tip", rows=(3, 4))
    with pytest.raises(SingularityError, match="cannot be accelerated along wx"):
        arm.task_space_dynamics([0.3, 1.0], [0.0, 0.0], "tip")  # more rows than joints, some of them never move
    with pytest.raises(SingularityError, match="along vx, at q"):
        arm.task_space_dynamics([0.3, np.pi], [0.0, 0.0], "tip", rows=(3,))  # sin(pi) is not quite zero
    with pytest.raises(SingularityError, match="along vz, at q"):
        arm.task_space_dynamics([0.3, 1.0], [0.0, 0.0], arm.link_names[0], rows=(5,))  # the base
    # a stretched arm still moves across, and turns
    assert arm.task_space_dynamics(*stretched, "tip", rows=(4,)).inertia.shape == (1, 1)


@pytest.mark.parametrize(("joint", "first"), [(revolute.Revolute, 0), (revolute.Prismatic, 3)])
def test_a_frame_that_only_turns_or_only_slides(joint: type, first: int) -> None:
    """Its axis is tilted off z by an angle: along x and y it moves by that, measured by its own kind of motion."""
    for angle, moves in ((1e-6, False), (1e-4, True)):
        arm = one_joint(joint((angle, 0, 1)), revolute.Inertia.from_com(1.0, (0, 0, 0), np.eye(3)))
        ask = [arm.task_space_dynamics([[0.3]], [[0.0]], "body", rows=(row,)) for row in range(6)]
        own, other = ask[first : first + 3], ask[3 - first : 6 - first]
        assert [found.singular.tolist() for found in own] == [[not moves], [True], [False]]
        assert all(found.singular.all() for found in other)
        if moves:
            assert own[0].inertia[0, 0, 0] * angle**2 == pytest.approx(1, rel=1e-7)


@pytest.mark.parametrize(("dtype", "least"), [(np.float64, 1e-10), (np.float32, 1e-5)])
@pytest.mark.parametrize(("turned", "pair"), [(0.0, 2), (np.pi / 4, 0)])
def test_the_limits_of_singular_states(turned: float, pair: int, dtype: type, least: float) -> None:
    """Beside an arm that is stretched but for x: the square of the tip's way along it, or of the sine between rows."""
    arm, task = revolute.robots.planar(2), TwistRows("tip", "aligned", (3, 4))
    rows = [row[pair] / row[pair + 1] for row in mobility(arm, [turned, 1e-3], task).check()]
    limit = np.sqrt(least / (min(rows) / 1e-6))  # squares are in proportion to that of x
    for x, singular in ((0.95 * limit, True), (1.05 * limit, False)):
        q = np.array([[turned, x]], dtype)
        found = arm.task_space_dynamics(q, np.zeros_like(q), "tip", reference="aligned", rows=(3, 4))
        assert found.singular.tolist() == [singular]


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_singular_rows_of_a_batch_are_flagged_and_others_served(dtype: type) -> None:
    robot = revolute.robots.ur5()
    q = robot.random_configuration(6, rng=4).astype(dtype)
    q[2, 4] = 0  # wrist axes 4 and 6 line up
    q[4, 2] = 0  # stretched elbow
    qd = np.random.default_rng(0).standard_normal((6, 6)).astype(dtype)
    found = robot.task_space_dynamics(q, qd, "tool0")
    assert found.singular.tolist() == [False, False, True, False, True, False]
    assert found.inertia.dtype == dtype
    for k in range(6):
        if k in (2, 4):
            assert all(np.isnan(x[k]).all() for x in found[:4])
        else:
            alone = robot.task_space_dynamics(q[k], qd[k], "tool0")
            assert all(np.array_equal(x[k], y) for x, y in zip(found, alone, strict=True))
    assert np.isnan(robot.dynamically_consistent_inverse(q, "tool0")[[2, 4]]).all()
    forces = robot.task_space_forces(q, qd, np.zeros(6, dtype), "tool0")
    assert np.isnan(forces.tau[[2, 4]]).all() and np.isfinite(forces.wrench[[0, 1, 3, 5]]).all()
    # with a damping all are served, and still told
    damped = robot.task_space_dynamics(q, qd, "tool0", singularity_damping=0.05)
    assert np.isfinite(damped.inertia).all()
    assert damped.singular.tolist() == found.singular.tolist()
    # a damping for these states alone leaves the others as they are
    some = robot.task_space_dynamics(q, qd, "tool0", singularity_damping=np.where(found.singular, 0.05, 0.0))
    assert np.isfinite(some.inertia).all()
    for k in np.flatnonzero(~found.singular):  # zero is added: no rounding but of what is fused otherwise
        for x, y in zip(some[:4], found[:4], strict=True):
            assert_close(x[k], y[k], 4 * np.finfo(dtype).eps)
    for k in np.flatnonzero(found.singular):
        assert np.array_equal(some.inertia[k], damped.inertia[k])


def test_damping_bounds_the_inertia() -> None:
    """(A + lambda^2)^-1 has no eigenvalue beyond 1/lambda^2, and nears A^-1 as lambda does zero."""
    robot = revolute.robots.ur5()
    q, qd, _ = state(robot, 7)
    exact = robot.task_space_dynamics(q, qd, "tool0").inertia
    A = np.linalg.inv(exact)
    for damping in (1.0, 0.1, 1e-4):
        inertia = robot.task_space_dynamics(q, qd, "tool0", singularity_damping=damping).inertia
        assert np.linalg.eigvalsh(inertia).max() <= 1 / damping**2
        assert_close(inertia, np.linalg.inv(A + damping**2 * np.eye(6)), 1e-9)
    assert_close(robot.task_space_dynamics(q, qd, "tool0", singularity_damping=1e-9).inertia, exact, 1e-9)


def test_what_is_no_number_stays_so() -> None:
    robot = revolute.robots.ur5()
    q, qd = np.full(6, np.nan), np.zeros(6)
    found = robot.task_space_dynamics(q, qd, "tool0")
    assert np.isnan(found.inertia).all() and found.singular
    batch = robot.task_space_dynamics(np.stack([q, [0.1, -1.0, 1.2, 0.3, 0.4, 0.5]]), qd, "tool0")
    assert batch.singular.tolist() == [True, False] and np.isfinite(batch.inertia[1]).all()


def test_arguments_are_checked() -> None:
    robot = revolute.robots.planar(3)
    q = qd = [0.1, 0.2, 0.3]
    assert_raises(UnknownNameError, "no link 'hand'", robot.task_space_dynamics, q, qd, "hand")
    assert_raises(InputError, "there is no reference 'base'", robot.task_space_dynamics, q, qd, "tip", reference="base")
    for rows in ((), (3, 3), (6,), (-1,), (3, 6)):
        with pytest.raises(InputError, match=r"rows must be distinct numbers in 0 \.\.\. 5"):
            robot.task_space_dynamics(q, qd, "tip", rows=rows)
    for rows in ("vx", [4.9], [True], ["x"], 3):
        assert_raises(InputError, "rows must be", robot.task_space_dynamics, q, qd, "tip", rows=rows)
    for damping in (-1.0, np.nan, "much"):
        with pytest.raises(InputError, match=r"damping must be (finite numbers, zero or more|real numbers)"):
            robot.task_space_dynamics(q, qd, "tip", rows=(3,), singularity_damping=damping)
    with pytest.raises(ShapeError, match=r"acceleration has shape \(6,\)"):
        robot.task_space_forces(q, qd, np.zeros(6), "tip", rows=(3, 4))
    with pytest.raises(DtypeError, match="q must hold real numbers"):
        robot.dynamically_consistent_inverse([1j, 0, 0], "tip", rows=(3,))


@pytest.mark.parametrize("name", [x for x in EACH_KIND if x.values[0] not in MASSLESS | NO_JOINTS])
def test_mobilities_and_free_accelerations_agree_with_pinocchio(name: str) -> None:
    """J M^-1 J^T, and what the frame does when nothing drives the robot, in all references."""
    robot, model, data, q, qd, _, positions, order = peers(name, rows=2, seed=2)
    frame, same = tip(robot), reduced(robot)
    for x, xd, theirs in zip(q, qd, positions, strict=True):
        vd = xd[order]
        M = symmetric(pin.crba(model, data, theirs))
        free = -np.linalg.solve(M, pin.nonLinearEffects(model, data, theirs, vd))
        pin.computeJointJacobiansTimeVariation(model, data, theirs, vd)
        pin.updateFramePlacements(model, data)
        for reference, kind in zip(REFERENCES, (pin.LOCAL, pin.LOCAL_WORLD_ALIGNED, pin.WORLD), strict=True):
            at = model.getFrameId(frame, pin.BODY)
            J = pin.getFrameJacobian(model, data, at, kind)[ANGULAR_FIRST]
            Jd = pin.getFrameJacobianTimeVariation(model, data, at, kind)[ANGULAR_FIRST]
            task = TwistRows(frame, reference)
            found = mobility(same, list(x), task)
            A = np.array([[found.A[max(i, j)][min(i, j)] for j in range(6)] for i in range(6)], dtype=float)
            assert_close(A, J @ np.linalg.solve(M, J.T), 1e-9)
            bias = newton_euler(same, list(x), list(xd), [0] * robot.nv)
            ours = np.array(task.drift(same, list(x), list(xd))) - np.array(found.accelerated(bias))
            assert_close(ours.astype(float), J @ free + Jd @ vd, 1e-9)
