"""Motions with contacts and joint stops, beside MuJoCo and Pinocchio: a step of one robot, and of a batch.

python -m bench.contacts               # writes bench/CONTACTS.md
"""

from __future__ import annotations

import os
import tempfile
import time
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import mujoco  # type: ignore[import-untyped]
import numpy as np
from mujoco import rollout

import revolute
from bench import contact_peer
from bench.constrained import FEET, PANDA, SOLO, TALOS
from bench.mujoco_peer import MuJoCo, _spec
from bench.robots import Array, Case, States
from bench.tables import machine, table
from bench.timing import Contestant, Effort, only_cores, race
from revolute import Contact

STEPS, LONG, H = 200, 1000, 1e-3
EFFORT = Effort(slice=1e-3, seconds=3, least=3, most=20)

ABOUT = f"""# Contacts and stops

Written by `python -m bench.contacts`: a step of {H * 1e3:g} ms, in one motion of {LONG:,} steps and in batches of
motions of {STEPS} steps; one core, float64, medians in µs; compiled with an empty cache. Legs have dampers, and
constant torques that balance the weight; the arm falls without torques. Revolute records accelerations, energies and
forces; MuJoCo records states. MuJoCo uses its default solver and soft contacts, with spheres of 1 mm radius.
Pinocchio's PGS and ADMM compute only the impulses, in every tenth step of the one motion, to 1e-8 in at most 1,000
rounds; the share is that of the steps that they solve. The residual is the 99.9 % quantile of Revolute's residuals. The
last columns are the largest violations of a surface or stop at the end [mm, mrad].
"""


@dataclass(frozen=True)
class Scene:
    """A robot with dampers [N m s/rad] that starts at joint positions q, on contacts or stops."""

    case: Case
    label: str
    contacts: Callable[[], Sequence[Contact]]
    q: Sequence[float]
    damping: float
    stops: bool = False
    rows: int = 1024

    def robot(self) -> revolute.Robot:
        base, *moving = self.case.robot.bodies
        bodies = [replace(x, drive=replace(x.drive, damping=(self._damping(x),) * x.joint.nv)) for x in moving]
        return replace(self.case.robot, bodies=(base, *bodies))

    def _damping(self, body: Any) -> float:
        return self.damping if body.joint.nv == 1 else 0.0

    def forces(self, robot: revolute.Robot, contacts: Sequence[Contact], q: Array) -> Array:
        """Joint forces that balance the weight of a robot that stands on its contacts; otherwise none."""
        tau = robot.gravity_forces(q)
        if not contacts:
            return 0 * tau
        J = []
        for contact in contacts:
            X, J_link = robot.forward_kinematics(q, contact.link), robot.jacobian(q, contact.link, "aligned")
            arm = X[:3, :3] @ np.array(contact.point)
            J.append(J_link[3:] + np.cross(J_link[:3], arm, axisa=0, axisc=0))
        J = np.vstack(J)
        f = np.linalg.lstsq(J[:, :6].T, tau[:6], rcond=None)[0]
        return np.array([*np.zeros(6), *(tau - J.T @ f)[6:]])

    def start(self, robot: revolute.Robot, contacts: Sequence[Contact]) -> Array:
        """The first contact is 1 mm above the ground."""
        q = robot.neutral()
        q[len(q) - len(self.q) :] = self.q
        if contacts:
            q[2] += 1e-3 - robot.kernel("contact_gaps", contacts=_links(contacts))(q, _numbers(contacts)).min()
        return q


def feet() -> list[Contact]:
    return [Contact(foot, friction=0.7) for foot in FEET]


def soles() -> list[Contact]:
    return [
        Contact(f"{side}_sole_link", (x, y, 0.0), friction=0.7)
        for side in ("left", "right") for x in (-0.1, 0.1) for y in (-0.05, 0.05)
    ]  # fmt: skip


SCENES = [
    Scene(SOLO, "Solo12 on four points", feet, [0.3, 0.6, -1.2] * 4, 0.5),
    Scene(PANDA, "Panda on its stops", list, [0.1, -0.6, 0.2, -2.0, 0.1, 1.6, 0.7], 1.0, stops=True),
    Scene(TALOS, "Talos on eight corners", soles, [], 0.5, rows=64),
]


def _links(contacts: Sequence[Contact]) -> tuple[str, ...]:
    return tuple(x.link for x in contacts)


def _numbers(contacts: Sequence[Contact]) -> Array:
    return np.array([x.numbers for x in contacts])


def peer(case: Case, robot: revolute.Robot, contacts: Sequence[Contact], stops: bool) -> MuJoCo:
    """The robot in MuJoCo: a sphere of 1 mm at each contact, a plane, and limits; other settings are its defaults."""
    given = replace(case)
    given.__dict__["robot"] = robot
    found, spec = MuJoCo(given), _spec(robot)
    spec.worldbody.add_geom(type=mujoco.mjtGeom.mjGEOM_PLANE, size=[0, 0, 1], friction=[0.7, 0, 0])
    for contact in contacts:
        frame = robot.frame(contact.link)
        place = frame.placement @ revolute.Transform(p=(*contact.point[:2], contact.point[2] + 1e-3))
        geom = spec.body(robot.bodies[frame.body].name).add_geom(size=[1e-3, 0, 0], pos=list(place.p))
        geom.mass, geom.friction, geom.contype, geom.conaffinity = 0.0, [contact.friction, 0, 0], 2, 1
    for body in robot.bodies[1:] if stops else ():
        joint = spec.joint(body.joint_name)
        joint.limited, joint.range = mujoco.mjtLimited.mjLIMITED_TRUE, [body.limits.lower[0], body.limits.upper[0]]
    spec.compiler.degree = False
    model = spec.compile()
    model.opt.timestep = H
    for i, body in enumerate(robot.bodies[1:], 1):
        at = model.joint(body.joint_name).dofadr[0]
        model.dof_damping[at : at + body.joint.nv] = robot.drives.damping[robot.v_index[i]]
    found.model, found.data = model, mujoco.MjData(model)
    return found


def measured(scene: Scene) -> list[str]:
    """A row of the table."""
    robot, contacts = scene.robot(), scene.contacts()
    q, options = scene.start(robot, contacts), {"contacts": contacts, "stops": scene.stops, "joint_damping": True}
    tau, still = scene.forces(robot, contacts, q), np.zeros(robot.nv)
    rows, legs = np.tile(q, (scene.rows, 1)), robot.nq - 7 if contacts else robot.nq
    rows[:, -legs:] += 0.01 * np.random.default_rng(0).standard_normal((scene.rows, legs))
    if contacts:
        low = robot.kernel("contact_gaps", contacts=_links(contacts))(rows, _numbers(contacts)).min(axis=-1)
        rows[:, 2] += 1e-3 - low
    began = time.process_time()
    stepper = robot.stepper(H, **options)
    stepper.kernel.prepare()
    compiled = time.process_time() - began
    theirs = peer(scene.case, robot, contacts, scene.stops)
    theirs.model.opt.disableflags |= int(mujoco.mjtDisableBit.mjDSBL_EULERDAMP)  # damping is explicit in ours, too
    applied = np.zeros(robot.nv)
    for i, body in enumerate(robot.bodies[1:], 1):
        applied[theirs.model.joint(body.joint_name).dofadr[0] :][: body.joint.nv] = tau[robot.v_index[i]]
    control = {"control": np.tile(applied, (scene.rows, STEPS, 1)), "spec": int(mujoco.mjtState.mjSTATE_QFRC_APPLIED)}
    first = [np.hstack([np.zeros((len(x), 1)), *_state(theirs, robot, x)]) for x in (q[None], rows)]
    names: dict[str, Any] = {
        "robot": robot, "q": q, "qd": still, "Q": rows, "options": options, "stepper": stepper, "tau": tau,
        "t": np.arange(STEPS + 1) * H, "T": np.arange(LONG + 1) * H, "long": LONG,
        "mujoco": mujoco, "rollout": rollout.rollout, "model": theirs.model, "data": theirs.data, "steps": STEPS,
        "first": first, "control": control, "applied": applied, "step": _stepped, "mj_step": _mj_stepped,
    }
    roll_out = "rollout(model, [data], first[1], control['control'], control_spec=control['spec'], nstep=steps)"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", revolute.SimulationWarning)
        motion = robot.simulate(rows, still, tau, names["t"], **options)
        theirs_end, _ = rollout.rollout(
            theirs.model, [theirs.data], first[1], control["control"], control_spec=control["spec"], nstep=STEPS
        )
        timings = race(
            [
                Contestant("mj_step", "mj_step(model, data, first[0], applied, long)", names, LONG),
                Contestant("step", "step(stepper, q, qd, tau, long)", names, LONG),
                Contestant("simulate", "robot.simulate(q, qd, tau, T, threads=1, **options)", names, LONG),
                Contestant("rollout", roll_out, names, STEPS * scene.rows),
                Contestant("batch", "robot.simulate(Q, qd, tau, t, threads=1, **options)", names, STEPS * scene.rows),
            ],
            EFFORT,
        )
    mj, step, single, roll, row = (x.per_row / 1e3 for x in timings)
    count = 3 * len(contacts) + (robot.nv if scene.stops else 0)
    cells = [scene.label, str(robot.nv), str(count), f"{scene.rows:,}", f"{compiled:.1f}"]
    cells += [*(f"{x:.2f}" for x in (mj, step, single)), f"{mj / single:.1f}"]
    cells += [*(f"{x:.2f}" for x in (roll, row)), f"{roll / row:.1f}"]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", revolute.SimulationWarning)
        single_motion = robot.simulate(q, still, tau, names["T"], **options)
    peers = contact_peer.solves(robot, contacts, single_motion, H) if contacts else ("", "")
    cells += [*map(str, peers), f"{np.quantile(motion.residual, 0.999):.0e}"]
    beyond = _beyond(robot, contacts, motion.q[:, -1], theirs, theirs_end[:, -1])
    return [*cells, *(f"{1e3 * x:.4f}" for x in beyond)]


def _state(theirs: MuJoCo, robot: revolute.Robot, q: Array) -> tuple[Array, Array]:
    zero = np.zeros((len(q), robot.nv))
    found = theirs.states(States(q, zero, zero))
    return found.q, found.qd


def _beyond(
    robot: revolute.Robot, contacts: Sequence[Contact], q: Array, theirs: MuJoCo, end: Array
) -> list[float]:
    """How far a contact, or a joint, is beyond its surface, or stop, at the end: ours and MuJoCo's [m, rad]."""
    model, other = theirs.model, np.empty_like(q)
    for i, body in enumerate(robot.bodies[1:], 1):
        x = end[:, 1 + model.joint(body.joint_name).qposadr[0] :][:, : body.joint.nq]
        other[:, robot.q_index[i]] = x if body.joint.nq == 1 else x[:, [0, 1, 2, 4, 5, 6, 3]]
    found = []
    for x in (q, other):
        if contacts:
            gaps = robot.kernel("contact_gaps", contacts=_links(contacts))(x, _numbers(contacts))
        else:
            gaps = np.minimum(x - robot.lower_limits, robot.upper_limits - x)
        found.append(max(float(-gaps.min()), 0.0))
    return found


def _stepped(stepper: Any, q: Array, qd: Array, tau: Array, steps: int) -> None:
    q, qd, step = q.copy(), qd.copy(), stepper.step
    for _ in range(steps):
        step(q, qd, tau)


def _mj_stepped(model: Any, data: Any, first: Array, applied: Array, steps: int) -> None:
    mujoco.mj_resetData(model, data)
    data.qfrc_applied[:] = applied
    data.qpos[:] = first[0, 1 : 1 + model.nq]
    step = mujoco.mj_step
    for _ in range(steps):
        step(model, data)


def page(rows: list[list[str]]) -> str:
    """The table."""
    head = ["robot", "nv", "rows", "batch", "compiled in [s]", "`mj_step` [µs]", "`stepper.step`"]
    head += ["`simulate`, one", "one ×", "`rollout`, a row", "`simulate`, a row", "a row ×"]
    head += ["PGS, a solve", "ADMM, a solve", "residual", "beyond, ours", "MuJoCo"]
    return "\n".join([ABOUT, table(head, rows), "", machine(), ""])


def main() -> None:
    """Write CONTACTS.md."""
    os.environ["REVOLUTE_CACHE_DIR"] = tempfile.mkdtemp()
    with only_cores(1):
        rows = [measured(scene) for scene in SCENES]
    Path(__file__).with_name("CONTACTS.md").write_text(page(rows))


if __name__ == "__main__":
    main()
