"""Plans of robots with many coordinates, and of coordinates without a motor: algebra in loops, elimination at nodes."""

from itertools import pairwise

import numpy as np
import pytest

import revolute
from revolute.dynamics.optimal import products, riccati
from revolute.dynamics.optimal.velocity_model import velocity_model
from revolute.graph import Builder, Graph, Output, code_length, count
from revolute.graph.loop import progressions
from revolute.optimal import OptimalControl, StateCost, TorqueCost
from revolute.spatial.loop import mapped
from revolute.targets.llvm import host
from revolute.targets.llvm.kernel import GraphFunction

RNG = np.random.default_rng(5)
N, FREE, H = 14, 6, 0.02


def positive(size: int) -> np.ndarray:
    """A symmetric positive definite matrix."""
    A = RNG.standard_normal((size, size))
    return A @ A.T + size * np.eye(size)


def cost_of(n: int) -> riccati.Quadratic:
    """A positive definite model of n accelerations and 2 n components of the state."""
    H, g = positive(3 * n), RNG.standard_normal(3 * n)
    k = 2 * n
    return riccati.Quadratic(g[:k].tolist(), g[k:].tolist(), *(x.tolist() for x in (H[:k, :k], H[k:, :k], H[k:, k:])))


def step_of(n: int, free: int) -> list[list[dict[int, float]]]:
    """F_q, F_v and T, with a joint of several coordinates first."""
    blocks = [np.eye(free) + 0.1 * RNG.standard_normal((free, free)) for _ in range(3)]
    return [
        [dict(enumerate(row.tolist())) for row in block] + [{k: x} for k in range(free, n)]
        for block, x in zip(blocks, (1, H, 1), strict=True)
    ]


def entries(x: object) -> np.ndarray:
    """All numbers of a model or value, of symmetric matrices those below the diagonal."""
    parts = [np.asarray(y, float) for y in vars(x).values()]
    return np.concatenate([(np.tril(y) if y.ndim == 2 and y.shape[0] == y.shape[1] else y).ravel() for y in parts])


@pytest.mark.parametrize("free", [0, FREE, N])
def test_algebra_in_loops_gives_the_results_of_straight_code(free: int, monkeypatch: pytest.MonkeyPatch) -> None:
    cost, step = cost_of(N), step_of(N, free)
    V, Vx, gap = positive(2 * N).tolist(), *RNG.standard_normal((2, 2 * N)).tolist()
    W = [RNG.standard_normal((FREE, k)).tolist() for k in (2 * N, N - FREE)]
    found = []
    for least in (10**9, 1):
        monkeypatch.setattr(products, "LARGE", least)
        model = riccati.symplectic_model(Vx, V, cost, H, *step)
        joints = riccati.through_joints(model, *W, range(FREE, N))
        value, F, DY, Dy = riccati.value(joints, 0.1, gap)
        K, k = riccati.policy([x for row in F.L for x in row], DY, Dy)
        found.append(np.concatenate([*map(entries, (model, joints, value)), np.ravel(K), k, *F.L, F.D]))
    np.testing.assert_allclose(found[1], found[0], rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("free", [0, FREE])
@pytest.mark.parametrize("least", [10**9, 1])
def test_velocities_of_controls_give_the_model_of_all_derivatives(
    free: int, least: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """dx' = F dx + G c, with u = Z_x dx + Z_c c in F and G."""
    monkeypatch.setattr(products, "LARGE", least)
    monkeypatch.setattr(products, "BLOCK", 4)
    cost, step, V, Vx = cost_of(N), step_of(N, free), positive(2 * N), RNG.standard_normal(2 * N).tolist()
    F_q, F_v, T = (np.array([[row.get(k, 0.0) for k in range(N)] for row in block]) for block in step)
    Z_x, Z_c, B = RNG.standard_normal((N, 2 * N)), RNG.standard_normal((N, N)), np.vstack([F_v, T])
    F = B @ Z_x
    F[:N, :N] += F_q
    wanted = riccati.node_model(Vx, V.tolist(), cost, F.tolist(), (B @ Z_c).tolist())
    found = velocity_model(Vx, V.tolist(), cost, Z_x.tolist(), Z_c.tolist(), H, *step)
    for name in ("x", "c", "cx", "cc"):
        np.testing.assert_allclose(getattr(found, name), getattr(wanted, name), rtol=1e-9, atol=1e-9, err_msg=name)
    for k, row in enumerate(found.xx):
        np.testing.assert_allclose(row[: k + 1], wanted.xx[k][: k + 1], rtol=1e-9, atol=1e-9)


def test_accelerations_and_forces_of_motors_as_controls_have_the_same_minimum() -> None:
    cost, passive, motors = cost_of(N), [0, 3, 8], [k for k in range(N) if k not in (0, 3, 8)]
    M, P = positive(N), RNG.standard_normal((N, 2 * N))
    W = [-np.linalg.solve(M, P), np.linalg.inv(M)[:, motors]]  # accelerations by state and by forces of motors
    inner = np.linalg.inv(M[np.ix_(passive, passive)])
    E = [-inner @ P[passive], -inner @ M[np.ix_(passive, motors)]]
    by_forces = riccati.through_motors(cost, *(x.tolist() for x in W))
    by_joints = riccati.through_joints(cost, *(x.tolist() for x in E), motors)
    gap = [0.0] * 2 * N
    values = [riccati.value(Q, 0.0, gap)[0] for Q in (by_forces, by_joints)]
    for name in ("x", "slope", "curvature"):
        np.testing.assert_allclose(getattr(values[1], name), getattr(values[0], name), rtol=1e-8, atol=1e-8)
    np.testing.assert_allclose(np.tril(values[1].xx), np.tril(values[0].xx), rtol=1e-8, atol=1e-8)


@pytest.mark.parametrize("options", [{"base": "free"}, {"base": "fixed", "passive": True}])
def test_the_cost_of_a_plan_is_stationary_along_all_forces_of_motors(options: dict[str, object]) -> None:
    passive = options.pop("passive", False)
    robot = revolute.robots.random_tree(8 if options["base"] == "free" else 14, rng=4, prismatic=0.0, **options)
    n, T, h, free = robot.nv, 5, 0.05, robot.nq - robot.nv
    weights = np.r_[np.zeros(6 * free), np.ones(2 * n - 6 * free)]
    motors = [name for k, name in enumerate(robot.coordinate_names) if k != 3] if passive else None
    problem = OptimalControl(robot, [StateCost(weights), TorqueCost(1e-3)], steps=T, dt=h, actuated=motors)
    assert products.is_large(2 * n, 2 * n) and problem._setting.passive == ((3,) if passive else tuple(range(6)))
    q0 = np.r_[np.zeros(6 * free), np.ones(free), np.full(n - 6 * free, 0.1)]
    plan = problem.solve(q0, tolerance=1e-14)
    assert plan.converged and not plan.tau[:, [3] if passive else range(6)].any()

    def cost(tau: np.ndarray) -> float:
        state, total = (q0, np.zeros(n)), 0.0
        step = robot.stepper(h, "semi_implicit_euler")
        q, qd = (x.copy() for x in state)
        for force in tau:
            error = np.r_[np.zeros(6 * free), q[7 * free :], qd]
            total += 0.5 * h * (error @ (weights * error) + 1e-3 * force @ force)
            step.step(q, qd, force)
        return total

    assert cost(plan.tau) == pytest.approx(float(plan.cost), rel=1e-9)
    active = [k for k in range(n) if k not in problem._setting.passive]
    for t in (0, T - 1):
        for k in (active[0], active[len(active) // 2], active[-1]):
            change = np.zeros_like(plan.tau)
            change[t, k] = 1e-3 * (1 + abs(plan.tau[t, k]))
            up, down = cost(plan.tau + change), cost(plan.tau - change)
            bend = up + down - 2 * cost(plan.tau)
            assert abs(up - down) < 1e-4 * abs(bend) + 1e-12 * abs(up)


def test_bounds_that_no_force_reaches_leave_the_plan_as_it_is() -> None:
    robot = revolute.robots.random_tree(8, rng=4, prismatic=0.0, base="free")
    costs = [StateCost(np.r_[np.zeros(6), np.ones(2 * robot.nv - 6)]), TorqueCost(1e-3)]
    problems = [OptimalControl(robot, costs, steps=4, dt=0.05, effort_limits=x) for x in (None, np.full(robot.nv, 1e9))]
    plans = [x.solve(np.r_[np.zeros(6), 1.0, np.full(8, 0.1)], tolerance=1e-14) for x in problems]
    for name in ("q", "qd", "tau", "gains"):
        np.testing.assert_allclose(getattr(plans[1], name), getattr(plans[0], name), rtol=1e-6, atol=1e-6)


def test_values_at_equal_distances_are_one_progression() -> None:
    places = [("a", k) for k in (0, 3, 6, 9)] + [("a", 10), ("a", 11), None, ("b", 5), ("b", 9), ("b", 13)]
    assert list(progressions(places, 4)) == [(0, 4, 3), (4, 2, 1), (6, 1, 1), (7, 1, 1), (8, 1, 1), (9, 1, 1)]
    assert [x[1] for x in progressions(places, 3)] == [4, 2, 1, 3]


def test_loops_with_equal_bodies_share_code_which_counts_once() -> None:
    builder = Builder()
    x = builder.input("x", 6)
    rows = [list(pair) for pair in pairwise(x)]
    first = mapped(lambda row: [row[0] * row[1] + row[0]], rows)
    second = mapped(lambda row: [row[0] * row[1] + row[0]], [[a[0], b[0]] for a, b in pairwise(first)])
    graph = Graph("f", (revolute.graph.Input("x", (6,)),), (Output("y", (4,), tuple(y for (y,) in second)),))
    assert count(graph).arithmetic == 2 * (5 + 4) and code_length(graph) == 2 * 2
    function = GraphFunction(graph, host().lanes())
    text = function.printed([function.prepare, *function.calls]).definitions
    assert sum(line.startswith(("define", "module asm")) and ".chunk" in line for line in text.splitlines()) == 1
