"""CasADi functions against the reference target, CasADi's derivatives against ours, and two problems solved."""

from typing import Any

import numpy as np
import pytest
from machine_code import MACHINES, graphs

import revolute
from revolute.targets.numpy import evaluate

casadi = pytest.importorskip("casadi")

LARGEST = 5000
"""Nodes of a graph that is compared: CasADi takes some microseconds for each."""


@pytest.mark.parametrize("kind", [*MACHINES, "panda"])
def test_every_function_gives_what_the_graph_gives(kind: str) -> None:
    from revolute.targets.casadi import function

    compared = 0
    for name, graph in graphs(MACHINES.get(kind, revolute.robots.panda)(), LARGEST).items():
        rng = np.random.default_rng(3)
        arrays = {x.name: rng.uniform(0.2, 0.9, x.shape) for x in graph.inputs}
        wanted = evaluate(graph, arrays)
        found = function(graph)(*[x.reshape(len(x), -1) if x.ndim > 2 else x for x in arrays.values()])
        for y, result in zip(graph.outputs, found if len(graph.outputs) > 1 else (found,), strict=True):
            # the same operations in the same order; libraries' sines may differ by an ulp, which conditions amplify
            scale = max(1.0, float(np.abs(wanted[y.name]).max(initial=0)))
            shaped = np.array(casadi.DM(result)).reshape(y.shape)
            np.testing.assert_allclose(shaped, wanted[y.name], rtol=0, atol=1e-11 * scale, err_msg=name)
        compared += 1
    assert compared >= {"closed": 2, "elastic": 10}.get(kind, 30)


def test_names_shapes_and_zeros_are_ours() -> None:
    panda = revolute.robots.panda()
    f = panda.casadi("inverse_dynamics", wrenches=[panda.link_names[-1]])
    assert (f.name(), f.name_in(3), f.name_out(0)) == ("inverse_dynamics", f"wrench_on_{panda.link_names[-1]}", "tau")
    assert panda.casadi("mass_matrix_partials").size_out(0) == (7, 49)
    assert revolute.robots.random_tree(4, rng=0, branching=1.0).casadi("mass_matrix").nnz_out(0) < 16


def test_instructions_are_our_operations() -> None:
    panda = revolute.robots.panda()
    f, ours = panda.casadi("inverse_dynamics"), panda.count("inverse_dynamics")
    moves = (casadi.OP_INPUT, casadi.OP_OUTPUT, casadi.OP_CONST)
    work = sum(f.instruction_id(k) not in moves for k in range(f.n_instructions()))
    assert abs(work / (ours.arithmetic + ours.calls + ours.others) - 1) < 0.05


def test_its_derivatives_are_ours() -> None:
    panda = revolute.robots.panda()
    f = panda.casadi("inverse_dynamics")
    q, qd, qdd = np.random.default_rng(1).standard_normal((3, 7))
    symbols = [casadi.SX.sym(x, 7) for x in ("q", "qd", "qdd")]
    jacobian = casadi.Function("J", symbols, [casadi.jacobian(f(*symbols), x) for x in symbols])
    for theirs, ours in zip(jacobian(q, qd, qdd), panda.inverse_dynamics_partials(q, qd, qdd), strict=True):
        np.testing.assert_allclose(np.array(theirs), ours, atol=1e-11)  # entries up to 1e2, some 1e3 operations


def test_the_fastest_swing_up_is_found() -> None:
    """A pendulum of 1 kg at 1 m with 5 N m, about half of its weight's torque, by IPOPT on a trapezoidal grid."""
    arm, steps, most = revolute.robots.planar(1).with_gravity((0, -9.81, 0)), 60, 5.0
    f = arm.casadi("forward_dynamics")
    problem = casadi.Opti()
    end, q, qd, tau = (problem.variable(*x) for x in ((1,), (1, steps + 1), (1, steps + 1), (1, steps + 1)))
    h = end / steps
    for k in range(steps):
        a, b = (f(q[j], qd[j], tau[j]) for j in (k, k + 1))
        problem.subject_to(q[k + 1] == q[k] + h / 2 * (qd[k] + qd[k + 1]))
        problem.subject_to(qd[k + 1] == qd[k] + h / 2 * (a + b))
    problem.subject_to(problem.bounded(-most, tau, most))
    problem.subject_to(problem.bounded(0.1, end, 10))
    problem.subject_to([q[0] == -np.pi / 2, qd[0] == 0, q[steps] == np.pi / 2, qd[steps] == 0])
    problem.set_initial(end, 3)
    problem.set_initial(q, np.linspace(-np.pi / 2, np.pi / 2, steps + 1))
    problem.minimize(end)
    problem.solver("ipopt", {"print_time": False, "ipopt.print_level": 0})
    solved = problem.solve()
    t = np.linspace(0, float(solved.value(end)), steps + 1)
    torque = solved.value(tau)
    assert np.mean(np.abs(torque) > 0.98 * most) > 0.8  # bang-bang, as Pontryagin's principle says

    def held(time: float, q: Any, qd: Any) -> Any:
        return np.atleast_1d(np.interp(time, t, torque))

    motion = arm.simulate([-np.pi / 2], [0.0], held, t, "DOP853")
    # the trapezoidal rule errs by h^2 here, and upright, errors grow like exp(sqrt(g/l) t)
    assert abs(motion.q[-1, 0] - np.pi / 2) < 0.2
