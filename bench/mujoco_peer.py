"""MuJoCo: the same bodies, joints and inertias, without geometry, contacts or passive forces.

`mj_inverse` takes one state at a time, so a batch is a Python loop; MuJoCo's Python package
has no batched inverse dynamics. It also does more than the recursion (mass matrix, tendons,
passive forces), so the recursion alone, `mj_rne` after the three functions that it needs, is
timed beside it. MuJoCo has a free joint's quaternion scalar first and its linear velocity
along the world's axes: mapped before the clock starts.
"""

from __future__ import annotations

from typing import Any

import mujoco  # type: ignore[import-untyped]
import numpy as np

from bench.robots import Array, Case, States
from revolute import Free, Prismatic, Revolute, Robot

__all__ = ["MuJoCo"]

_OFF = (
    mujoco.mjtDisableBit.mjDSBL_CONSTRAINT,
    mujoco.mjtDisableBit.mjDSBL_CONTACT,
    mujoco.mjtDisableBit.mjDSBL_SENSOR,
)


class MuJoCo:
    """A robot of the benchmark in MuJoCo.

    Attributes:
        model, data: MuJoCo's, for `mujoco.mj_inverse`.
    """

    def __init__(self, case: Case) -> None:
        self._robot = case.robot
        self.model = _spec(case.robot).compile()
        self.model.opt.disableflags = sum(int(flag) for flag in _OFF)
        self.data = mujoco.MjData(self.model)

    def states(self, states: States) -> States:
        """The same states in MuJoCo's order."""
        q, qd, qdd = np.empty((states.rows, self.model.nq)), *np.empty((2, states.rows, self.model.nv))
        for i, body in enumerate(self._robot.bodies[1:], 1):
            at, rates = self._robot.q_index[i], self._robot.v_index[i]
            x, v, a = states.q[:, at], states.qd[:, rates], states.qdd[:, rates]
            theirs = self.model.joint(body.joint_name)
            if isinstance(body.joint, Free):
                R = _rotations(x[:, 3:])
                spin = np.cross(v[:, :3], v[:, 3:])  # the body's axes turn: a_world = R (vd + w x v)
                x = np.hstack([x[:, :3], x[:, [6, 3, 4, 5]]])
                a = np.hstack([_turned(R, a[:, 3:] + spin), a[:, :3]])
                v = np.hstack([_turned(R, v[:, 3:]), v[:, :3]])
            q[:, theirs.qposadr[0] :][:, : x.shape[1]] = x
            qd[:, theirs.dofadr[0] :][:, : v.shape[1]] = v
            qdd[:, theirs.dofadr[0] :][:, : a.shape[1]] = a
        return States(q, qd, qdd)

    def inverse(self, q: Array, qd: Array, qdd: Array, tau: Array) -> None:
        """`mj_inverse` row by row."""
        model, data, inverse = self.model, self.data, mujoco.mj_inverse
        qpos, qvel, qacc, result = data.qpos, data.qvel, data.qacc, data.qfrc_inverse
        for k in range(len(q)):
            qpos[:], qvel[:], qacc[:] = q[k], qd[k], qdd[k]
            inverse(model, data)
            tau[k] = result

    def recursion(self, q: Array, qd: Array, qdd: Array, tau: Array) -> None:
        """`mj_rne` row by row, with the functions that it needs and nothing else."""
        model, data = self.model, self.data
        qpos, qvel, qacc = data.qpos, data.qvel, data.qacc
        for k in range(len(q)):
            qpos[:], qvel[:], qacc[:] = q[k], qd[k], qdd[k]
            mujoco.mj_kinematics(model, data)
            mujoco.mj_comPos(model, data)
            mujoco.mj_comVel(model, data)
            mujoco.mj_rne(model, data, 1, tau[k])

    def torques(self, states: States, tau: Array) -> Array:
        """(N, nv) joint forces in Revolute's order, from (N, nv) in MuJoCo's."""
        ours = np.empty_like(tau)
        for i, body in enumerate(self._robot.bodies[1:], 1):
            theirs = tau[:, self.model.joint(body.joint_name).dofadr[0] :][:, : body.joint.nv]
            if isinstance(body.joint, Free):
                R = _rotations(states.q[:, self._robot.q_index[i]][:, 3:])
                theirs = np.hstack([theirs[:, 3:], _turned(R.transpose(0, 2, 1), theirs[:, :3])])
            ours[:, self._robot.v_index[i]] = theirs
        return ours


def _rotations(quaternions: Array) -> Array:
    """(N, 3, 3) matrices of unit quaternions, scalar last."""
    x, y, z, w = quaternions.T
    rows = [
        [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
        [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
        [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
    ]
    return np.array(rows).transpose(2, 0, 1)


def _turned(R: Array, vectors: Array) -> Array:
    turned: Array = np.einsum("nij,nj->ni", R, vectors)
    return turned


def _spec(robot: Robot) -> Any:
    """The robot's tree as MuJoCo's description of a model; the base is the world."""
    spec = mujoco.MjSpec()
    spec.option.gravity = list(robot.gravity)
    spec.compiler.alignfree = False  # keep body frames where they are
    placed = [spec.worldbody]
    for body in robot.bodies[1:]:
        own = placed[body.parent].add_body(name=body.name, pos=list(body.placement.p))
        own.quat = _quaternion(np.array(body.placement.R.matrix(), dtype=float))
        moments, axes = np.linalg.eigh(np.array(body.inertia.about_com(), dtype=float))
        own.explicitinertial = True
        own.mass, own.ipos = body.inertia.m, list(body.inertia.com())
        own.inertia, own.iquat = moments, _quaternion(axes * np.sign(np.linalg.det(axes)))
        if isinstance(body.joint, Free):
            own.add_freejoint(name=body.joint_name)
        elif isinstance(body.joint, (Prismatic, Revolute)):
            kind = mujoco.mjtJoint.mjJNT_SLIDE if isinstance(body.joint, Prismatic) else mujoco.mjtJoint.mjJNT_HINGE
            own.add_joint(name=body.joint_name, type=kind, axis=list(body.joint.axis))
        else:
            raise TypeError(f"joint '{body.joint_name}': MuJoCo gets no {type(body.joint).__name__} joint here")
        placed.append(own)
    return spec


def _quaternion(R: Array) -> Array:
    """The rotation as MuJoCo has it, scalar first."""
    found = np.empty(4)
    mujoco.mju_mat2Quat(found, R.ravel())
    return found
