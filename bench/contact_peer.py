"""Pinocchio's solvers of contacts, PGS and ADMM, on the contact problems of a motion."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import pinocchio as pin  # type: ignore[import-untyped]

import revolute
from bench.robots import Array
from revolute import Contact

TOLERANCE, ROUNDS, EVERY = 1e-8, 1000, 10
"""Tolerance and maximum number of rounds of the solvers, and one of how many steps they solve."""


class Solves(NamedTuple):
    """Median time of a solve [s], and the share of problems that are solved."""

    time: float
    share: float

    def __str__(self) -> str:
        return f"{1e6 * self.time:.0f}, {100 * self.share:.0f} %"


def solves(robot: revolute.Robot, contacts: Sequence[Contact], motion: Any, h: float) -> list[Solves]:
    """PGS and ADMM, from no first guess, for the steps of a motion in which a contact closes."""
    found, some_model = [], pin.buildSampleModelManipulator()
    problems = [_problem(robot, contacts, motion[k], h) for k in range(0, len(motion), EVERY)]
    problems = [(A, b) for A, b in problems if b[2::3].min() < 0]
    models, datas = pin.StdVec_ConstraintModel(), pin.StdVec_ConstraintData()
    for contact in contacts:
        model = pin.PointContactConstraintModel(some_model, 1)
        model.setFriction(contact.friction)
        models.append(pin.ConstraintModel(model))
        datas.append(models[len(models) - 1].createData())
    for name in ("PGS", "ADMM"):
        kinds = ("ConstraintSolver", "SolverSettings", "SolverResult")
        solver, settings, result = (getattr(pin, f"{name}{kind}") for kind in kinds)
        chosen, times, solved = settings(), [], 0
        chosen.max_iterations = ROUNDS
        for kind in ("absolute", "relative"):
            for what in ("complementarity", "feasibility"):
                setattr(chosen, f"{kind}_{what}_tol", TOLERANCE)
        for A, b in problems:
            operator, own, end = pin.DelassusOperatorDense(A), solver(len(b)), result()
            began = time.perf_counter()
            solved += own.solve(operator, b, models, datas, chosen, end)
            times.append(time.perf_counter() - began)
        found.append(Solves(float(np.median(times)), solved / len(problems)))
    return found


def _problem(robot: revolute.Robot, contacts: Sequence[Contact], state: Any, h: float) -> tuple[Array, Array]:
    """A = J M^-1 J^T and b of a step, with rows t1, t2, n of each contact with the ground."""
    q, qd = state.q[0], state.qd[0]
    J, gaps = [], []
    for contact in contacts:
        X, columns = robot.forward_kinematics(q, contact.link), robot.jacobian(q, contact.link, "aligned")
        arm = X[:3, :3] @ np.array(contact.point)
        J.append(columns[3:] + np.cross(columns[:3], arm, axisa=0, axisc=0))
        gaps.append(X[2, 3] + arm[2])
    J = np.vstack(J)
    free = qd + h * robot.forward_dynamics(q, qd, state.tau[0] - robot.drives.damping * qd)
    free[3:6] += h * np.cross(qd[:3], qd[3:6])  # the base's acceleration along axes that do not turn
    b = J @ free
    b[2::3] += np.maximum(gaps, 0) / h
    return np.asfortranarray(J @ np.linalg.solve(robot.mass_matrix(q), J.T)), b
