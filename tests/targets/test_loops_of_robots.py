"""A rollout and an inverse kinematics as one graph each: machine code, C and derivatives of loops around functions of a
robot."""

from typing import Any

import numpy as np

import revolute
from revolute.dynamics.damped_least_squares import damped_solution
from revolute.graph import Graph, Input, Output, gradient, trace, verify
from revolute.spatial.loop import converged, repeated
from revolute.targets.llvm import host
from revolute.targets.numpy import evaluate
from tests.loop_examples import flat
from tests.machine_code import compiled

STEPS, H = 30, 0.01
ROBOT = revolute.robots.planar(3)


def rollout() -> Graph:
    """States after each step, for joint forces of each step."""
    step = ROBOT.kernel("semi_implicit_euler_step").form.body

    def body(q: Any, qd: Any, tau: Any) -> Any:
        def instant(state: Any, tau: Any) -> Any:
            following = tuple(list(x) for x in step(*state, tau, [H]))
            return following, following

        forces = [list(tau[3 * k : 3 * k + 3]) for k in range(STEPS)]
        _, (qs, qds) = repeated(instant, (list(q), list(qd)), [forces])
        return [("qs", (STEPS, 3), flat(qs)), ("qds", (STEPS, 3), flat(qds))]

    return trace("rollout", body, [Input("q", (3,)), Input("qd", (3,)), Input("tau", (STEPS, 3))])


def inverse_kinematics() -> Graph:
    """Joint positions that bring the tip of the arm to x, y and an angle; and the steps that this took."""
    kinematics = ROBOT.kernel("forward_kinematics", frame="tip").form.body
    jacobian = ROBOT.kernel("jacobian", frame="tip", reference="aligned").form.body

    def body(q0: Any, goal: Any) -> Any:
        def step(q: Any, memory: Any) -> Any:
            T = kinematics(q)
            e = [goal[0] - T[3], goal[1] - T[7], goal[2] * T[0] - goal[3] * T[4]]
            J = jacobian(q)
            rows = [J[9:12], J[12:15], J[6:9]]
            size = sum(x * x for x in e)
            d = damped_solution([list(row) for row in rows], e, size * 0.01 + 1e-12)
            return [a + b for a, b in zip(q, d, strict=True)], (memory[0] + 1,), size > 1e-20

        q, (count,) = converged(step, list(q0), (0.0,), most=50)
        return [("q", (3,), q), ("steps", (), [count])]

    return trace("inverse_kinematics", body, [Input("q0", (3,)), Input("goal", (4,))])


def goals(q: np.ndarray) -> np.ndarray:
    T = ROBOT.forward_kinematics(q, "tip")
    return np.stack([T[..., 0, 3], T[..., 1, 3], T[..., 1, 0], T[..., 0, 0]], axis=-1)


def test_a_rollout_is_the_steps_of_a_stepper() -> None:
    rng = np.random.default_rng(0)
    q, qd, tau = rng.normal(size=(11, 3)), rng.normal(size=(11, 3)), rng.normal(size=(11, STEPS, 3))
    qs, qds = compiled(verify(rollout()), host().lanes())(q, qd, tau)
    stepper = ROBOT.stepper(H, "semi_implicit_euler")
    for k in range(STEPS):
        stepper.step(q, qd, np.ascontiguousarray(tau[:, k]))
        np.testing.assert_allclose(qs[:, k], q, rtol=1e-9, atol=1e-11)
        np.testing.assert_allclose(qds[:, k], qd, rtol=1e-9, atol=1e-11)


def test_the_gradient_of_a_rollout_is_one_loop_back() -> None:
    graph = rollout()
    cost = sum(x * x for x in graph.outputs[0].nodes[-3:])
    slopes = gradient(cost, cost.builder.input("tau", 3 * STEPS))
    whole = Graph("slopes", graph.inputs, (Output("cost", (), (cost,)), Output("d", (STEPS, 3), tuple(slopes))))
    rng = np.random.default_rng(1)
    q, qd, tau = rng.normal(size=3), rng.normal(size=3), rng.normal(size=(STEPS, 3))
    code = compiled(verify(whole), host().lanes())
    _, found = code(q, qd, tau)
    for at in ((0, 0), (7, 2), (STEPS - 1, 1)):
        ends = []
        for sign in (1, -1):
            other = tau.copy()
            other[at] += sign * 1e-5
            ends.append(code(q, qd, other)[0])
        np.testing.assert_allclose(found[at], (ends[0] - ends[1]) / 2e-5, rtol=1e-5, atol=1e-8)


def test_an_inverse_kinematics_reaches_its_poses_and_has_the_inverse_jacobian_as_derivative() -> None:
    graph = verify(inverse_kinematics())
    q = np.random.default_rng(2).uniform(0.3, 1.2, (9, 3))
    wanted = goals(q)
    wanted[4] = np.nan
    found, steps = compiled(graph, host().lanes())(q + 0.1, wanted)
    np.testing.assert_allclose(np.delete(found - q, 4, 0), 0, atol=1e-9)
    assert np.isnan(found[4]).all() and steps[4] == 1 and steps.max() < 20
    by_goal = [gradient(y, y.builder.input("goal", 2)) for y in graph.outputs[0].nodes]
    whole = Graph("d", graph.inputs, (Output("d", (3, 2), tuple(flat(by_goal))),))
    slopes = evaluate(verify(whole), {"q0": q[0] + 0.1, "goal": wanted[0]})["d"]
    J = ROBOT.jacobian(q[0], "tip", "aligned")
    np.testing.assert_allclose(slopes, np.linalg.inv(J[[3, 4, 2]])[:, :2], rtol=1e-8, atol=1e-9)
