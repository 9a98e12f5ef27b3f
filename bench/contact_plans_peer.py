"""Crocoddyl on problems of `bench.contact_plans`: run in an interpreter that has it, one thread.

A problem comes as a line of JSON on the standard input, the answer goes as a line to the standard output. Times are
those of Crocoddyl's own C++ actions; the minimum is that of Revolute's step, an action in Python.
"""

from __future__ import annotations

import json
import sys
import time
from typing import Any

import crocoddyl
import numpy as np
import pinocchio as pin  # after Crocoddyl: both bring libraries of the same name
from optimal_peer import places
from optimal_step import Step

RESIDUAL = crocoddyl.CostModelResidual


class Held:
    """Dynamics with redundant points that hold: Crocoddyl's derivatives lose all digits where its damping is small.

    M a = tau - bias + J^T f and J a + a0 + mu f = 0, as one system of equations. Several points of a body have the a0
    of a rigid body which spins about their mean, as in Revolute.
    """

    def __init__(self, inner: Any, frames: list[int], mu: float) -> None:
        self.inner, self.frames, self.mu, self.state, self.nu = inner, frames, mu, inner.state, inner.nu

    def createData(self) -> Any:
        """Data of Crocoddyl."""
        return self.inner.createData()

    def spins(self, x: Any) -> tuple[Any, Any]:
        """w x (w x r) of points, r from the mean of those of their body, and derivatives by q and v."""
        model, n = self.state.pinocchio, self.state.nv
        own, (q, v) = model.createData(), np.split(x, [model.nq])
        pin.computeForwardKinematicsDerivatives(model, own, q, v, np.zeros(n))
        pin.computeJointJacobians(model, own, q)
        pin.updateFramePlacements(model, own)
        joints = [model.frames[frame].parentJoint for frame in self.frames]
        places = np.array([own.oMf[frame].translation for frame in self.frames]).reshape(-1, 3)
        found, slopes = np.zeros(places.shape), np.zeros((*places.shape, 2 * n))
        for k, joint in enumerate(joints):
            r = places[k] - places[np.array(joints) == joint].mean(axis=0)
            w = own.oMi[joint].rotation @ own.v[joint].angular
            turned = np.hstack(pin.getJointVelocityDerivatives(model, own, joint, pin.WORLD))[3:]
            moved = np.hstack([-pin.skew(r) @ pin.getJointJacobian(model, own, joint, pin.WORLD)[3:], np.zeros((3, n))])
            found[k] = w * (w @ r) - r * (w @ w)
            slopes[k] = turned * (w @ r) + np.outer(w, r @ turned + w @ moved)
            slopes[k] -= moved * (w @ w) + 2 * np.outer(r, w @ turned)
        return found.ravel(), slopes.reshape(-1, 2 * n)

    def calc(self, data: Any, x: Any, u: Any) -> None:
        """Accelerations, and costs."""
        self.inner.calc(data, x, u)
        contacts, n = data.multibody.contacts, self.state.nv
        upper, J = np.triu(data.pinocchio.M), np.array(contacts.Jc)[: 3 * len(self.frames)]
        a0 = np.array(contacts.a0)[: len(J)] - self.spins(x)[0]
        M = upper + np.triu(upper, 1).T
        self.system = np.block([[M, -J.T], [J, self.mu * np.eye(len(J))]])
        found = np.linalg.solve(self.system, np.r_[data.multibody.actuation.tau - data.pinocchio.nle, -a0])
        data.xout, self.forces = found[:n], found[n:].reshape(-1, 3)

    def calcDiff(self, data: Any, x: Any, u: Any) -> None:
        """Derivatives of accelerations and costs."""
        self.calc(data, x, u)
        self.inner.calcDiff(data, x, u)
        self.calc(data, x, u)
        model, n = self.state.pinocchio, self.state.nv
        own, turned, wrenches = model.createData(), np.zeros((n, n)), [pin.Force.Zero() for _ in range(model.njoints)]
        pin.computeJointJacobians(model, own, x[: model.nq])
        pin.updateFramePlacements(model, own)
        for frame, force in zip(self.frames, self.forces, strict=True):
            f, J = own.oMf[frame].rotation.T @ force, pin.getFrameJacobian(model, own, frame, pin.LOCAL)
            at = model.frames[frame]
            wrenches[at.parentJoint] += at.placement.act(pin.Force(f, np.zeros(3)))
            turned += J[:3].T @ pin.skew(f) @ J[3:]  # forces keep their direction while bodies turn
        dq, dv, _ = pin.computeRNEADerivatives(model, own, x[: model.nq], x[model.nq :], data.xout, wrenches)
        drifts = np.array(data.multibody.contacts.da0_dx)[: self.forces.size] - self.spins(x)[1]
        by_x = np.vstack([np.hstack([dq - turned, dv]), drifts])
        by_u = np.vstack([data.multibody.actuation.dtau_du, np.zeros((self.forces.size, self.nu))])
        data.Fx, data.Fu = (np.linalg.solve(self.system, rows)[:n] for rows in (-by_x, by_u))


class Nodes:
    """Actions of the nodes of a problem."""

    def __init__(self, job: dict[str, Any]) -> None:
        self.job = job
        self.model = model = pin.buildModelFromXML(job["urdf"], *[pin.JointModelFreeFlyer()] * job["free"])
        self.frames = []
        for name, point in job["contacts"]:
            link = model.frames[model.getFrameId(name)]
            place = link.placement * pin.SE3(np.eye(3), np.array(point))
            frame = pin.Frame(f"{name} {point}", link.parentJoint, place, pin.FrameType.OP_FRAME)
            self.frames.append(model.addFrame(frame))
        self.soles = {name: model.getFrameId(name) for name, _ in job["contacts"]}
        self.state = crocoddyl.StateMultibody(model)
        actuation = crocoddyl.ActuationModelFloatingBase if job["free"] else crocoddyl.ActuationModelFull
        self.actuation = actuation(self.state)
        self.to_q, self.to_v = places(job, model)

    def x(self, x: Any) -> Any:
        """A state of Revolute as one of Crocoddyl."""
        nq, found = self.model.nq, np.zeros(self.state.nx)
        found[np.r_[self.to_q, nq + self.to_v]] = x
        return found

    def costs(self, k: int, end: bool) -> Any:
        """The costs of node k."""
        job, state, nu = self.job, self.state, self.actuation.nu
        found, n = crocoddyl.CostModelSum(state, nu), self.model.nv
        weights = np.zeros(2 * n)
        weights[np.r_[self.to_v, n + self.to_v]] = job["end_weights" if end else "state_weights"]
        quad = crocoddyl.ActivationModelWeightedQuad
        goal = crocoddyl.ResidualModelState(state, self.x(job["states"][k]), nu)
        found.addCost("state", RESIDUAL(state, quad(weights), goal), 1.0)
        if not end:
            found.addCost("effort", RESIDUAL(state, crocoddyl.ResidualModelControl(state, nu)), job["effort_weight"])
        for i, frame in enumerate(self.frames):
            holds, weight = not end and job["active"][k][i], job["height_weights"][k][i]
            if weight:
                at = crocoddyl.ResidualModelFrameTranslation(state, frame, np.array([0, 0, job["heights"][k][i]]), nu)
                found.addCost(f"height{i}", RESIDUAL(state, quad(np.array([0.0, 0, 1])), at), weight)
            if holds and job["cone_weight"]:
                cone = crocoddyl.FrictionCone(np.array(job["axes"]), job["friction"], 4)
                barrier = crocoddyl.ActivationModelQuadraticBarrier(crocoddyl.ActivationBounds(cone.lb, cone.ub))
                rows = crocoddyl.ResidualModelContactFrictionCone(state, frame, cone, nu)
                found.addCost(f"cone{i}", RESIDUAL(state, barrier, rows), job["cone_weight"])
            if holds and job["force_weight"]:
                goal_force = pin.Force(np.r_[job["force"], 0, 0, 0])
                force = crocoddyl.ResidualModelContactForce(state, frame, goal_force, 3, nu)
                found.addCost(f"force{i}", RESIDUAL(state, force), job["force_weight"])
        return found

    def contacts(self, k: int, soles: bool) -> Any:
        """The contacts of node k: points, or whole soles."""
        job, state, nu = self.job, self.state, self.actuation.nu
        found, gains, axes = crocoddyl.ContactModelMultiple(state, nu), np.array(job["gains"]), pin.LOCAL_WORLD_ALIGNED
        for i, frame in enumerate(self.frames):
            if job["active"][k][i] and not soles:
                point = crocoddyl.ContactModel3D(state, frame, np.array(job["places"][k][i]), axes, nu, gains)
                found.addContact(f"point{i}", point)
        if soles:
            names = [name for name, _ in job["contacts"]]
            for name, frame in self.soles.items():
                if job["active"][k][names.index(name)]:
                    flat = crocoddyl.ContactModel6D(state, frame, pin.SE3.Identity(), axes, nu, gains)
                    found.addContact(name, flat)
        return found

    def action(self, k: int, kind: str) -> Any:
        """The action of node k: of Crocoddyl ("points", "soles"), or the step of Revolute ("step")."""
        job = self.job
        end = k == job["nodes"]
        soles = kind == "soles"
        contacts = crocoddyl.ContactModelMultiple(self.state, self.actuation.nu) if end else self.contacts(k, soles)
        dynamics = crocoddyl.DifferentialActionModelContactFwdDynamics(
            self.state, self.actuation, contacts, self.costs(k, end), 0.0 if soles else job["damping"], True
        )
        dt = 0.0 if end else job["dt"]
        if kind != "step":
            return crocoddyl.IntegratedActionModelEuler(dynamics, dt)
        held = [] if end else [frame for frame, on in zip(self.frames, job["active"][k], strict=True) if on]
        return Step(Held(dynamics, held, job["damping"]) if job["soles"] else dynamics, dt)

    def problem(self, kind: str) -> Any:
        """The problem with actions of this kind; nodes alike have one action."""
        made: dict[str, Any] = {}
        names = "states", "heights", "height_weights", "active", "places"

        def node(k: int) -> Any:
            here = [self.job[name][k] for name in names if k < len(self.job[name])]
            key = json.dumps([k == self.job["nodes"], here])
            if key not in made:
                made[key] = self.action(k, kind)
            return made[key]

        actions = [node(k) for k in range(self.job["nodes"] + 1)]
        found = crocoddyl.ShootingProblem(self.x(self.job["x"][0]), actions[:-1], actions[-1])
        found.nthreads = 1
        return found


def answer(job: dict[str, Any]) -> dict[str, Any]:
    """Iterations, the least cost and its motion, and seconds of an iteration, with points and with soles."""
    nodes = Nodes(job)
    first, free = np.zeros((job["nodes"], nodes.model.nv)), 6 * job["free"]
    first[:, nodes.to_v] = job["tau"]
    xs, us = [nodes.x(x) for x in job["x"]], [*first[:, free:]]
    found: dict[str, Any] = {}
    for kind in job["kinds"]:
        solver, times = crocoddyl.SolverFDDP(nodes.problem(kind)), []
        for _ in range(job["repeats"]):
            before = time.thread_time()
            solver.solve(xs, us, job["most"], False)
            times.append((time.thread_time() - before) / (solver.iter + 1))
        found[kind] = times
    if job["sharp"]:
        solver = crocoddyl.SolverFDDP(nodes.problem("step" if job["free"] else "points"))
        solver.th_stop = 1e-13 if job["soles"] else 1e-16  # rounding errors of redundant rows hide smaller changes
        solver.solve(xs, us, job["sharp"], False)
        x = np.array(solver.xs)[:, np.r_[nodes.to_q, nodes.model.nq + nodes.to_v]]
        found |= {"cost": solver.cost, "x": x.tolist(), "iterations": solver.iter + 1}
    return found


if __name__ == "__main__":
    for line in sys.stdin:
        print(json.dumps(answer(json.loads(line))), flush=True)
