"""Control of a link frame, for any scalar type. Khatib 1987; Luh, Walker & Paul 1980; LP sections 11.4.3, 11.6, 11.7.

The twist V = J qd is expressed in the base frame, at the origin of the link frame, and so are the errors of the pose:

    e = (log(R R_ref^T), p - p_ref),    ed = V - V_ref

The time derivative of |e|^2 / 2 is e . ed. All laws have the form

    tau = J^T F + N^T tau_0,    F = Lambda A + mu + p,    tau_0 = -D_0 qd,    N^T = 1 - J^T Lambda J M^-1

where A is the acceleration of the task. Forces tau_0 of a redundant arm do not move the frame. For square J, N = 0 away
from singular positions, and tau_0 = C qd + g - D_0 qd, so that damping does not reduce the bias forces:

    tau = J^T Lambda (A - Jd qd) + C qd + g - (1 - J^T Lambda J M^-1) D_0 qd

Lambda = (J M^-1 J^T + damping)^-1, with damping lambda^2 1, or by default that of `singularity_damping`.
"""

from dataclasses import replace

from revolute.dynamics.control.tracking import times
from revolute.dynamics.frame_motion import frame_velocity
from revolute.dynamics.kinematics import frame_pose
from revolute.dynamics.mobility import TwistRows, dot, mobility
from revolute.dynamics.newton_euler import newton_euler
from revolute.dynamics.pose_error import aligned_error
from revolute.dynamics.singularity_damping import singularity_damping
from revolute.dynamics.task_space import forces_of
from revolute.model.model import Model
from revolute.spatial import Scalar, Scalars, Transform, Vector, quaternion

Rows = tuple[int, ...]


def resolved_acceleration(
    model: Model, q: Scalars, qd: Scalars, pose: Scalars, twist: Scalars, rate: Scalars, D_0: Scalars, K_p: Scalars,
    K_d: Scalars, frame: str, rows: Rows, damping: Scalar | None = None,
) -> list[Scalar]:
    """A = Vd_ref - K_d ed - K_p e. Luh, Walker & Paul 1980; LP section 11.4.3.

    Args:
        pose: the reference, position [m] and quaternion x y z w, seven numbers.
        twist, rate: (w, v) of the reference, expressed in the base frame, and its time derivative, six numbers each.
        D_0: nv damping coefficients within the null space [N m s/rad, N s/m].
        K_p, K_d: position and velocity gains, one per row [1/s^2], [1/s].
        rows: indices of the controlled components of (wx, wy, wz, vx, vy, vz).
        damping: lambda in Lambda = (J M^-1 J^T + lambda^2 1)^-1; None for `singularity_damping`.
    """
    e, ed = _errors(model, q, qd, pose, twist, frame, rows)
    parts = zip([rate[k] for k in rows], times(K_d, ed), times(K_p, e), strict=True)
    return _forces(model, q, qd, [a - d - p for a, d, p in parts], [0] * len(rows), D_0, frame, rows, damping)


def impedance(
    model: Model, q: Scalars, qd: Scalars, pose: Scalars, twist: Scalars, rate: Scalars, D_0: Scalars, K: Scalars,
    D: Scalars, frame: str, rows: Rows, damping: Scalar | None = None,
) -> list[Scalar]:
    """F = Lambda Vd_ref + mu + p - D ed - K e: Lambda edd + D ed + K e = F_ext. Hogan 1985; LP section 11.7.

    For other arguments see `resolved_acceleration`.

    Args:
        K, D: stiffness and damping, one per row [N m/rad, N/m], [N m s/rad, N s/m].
    """
    e, ed = _errors(model, q, qd, pose, twist, frame, rows)
    pull = [-p - d for p, d in zip(times(K, e), times(D, ed), strict=True)]
    return _forces(model, q, qd, [rate[k] for k in rows], pull, D_0, frame, rows, damping)


def hybrid(
    model: Model, q: Scalars, qd: Scalars, pose: Scalars, twist: Scalars, rate: Scalars, wrench: Scalars, D_0: Scalars,
    K_p: Scalars, K_d: Scalars, D_f: Scalars, frame: str, rows: Rows, pushed: Rows, damping: Scalar | None = None,
) -> list[Scalar]:
    """Hybrid control: some rows track a motion, others a force. Raibert & Craig 1981; Khatib 1987; LP section 11.6.

    In motion rows, A = Vd_ref - K_d ed - K_p e. In force rows, A = 0, and the force F_ref - D_f V is added.

    For other arguments see `resolved_acceleration`. K_p and K_d of force rows and D_f of motion rows are not used.

    Args:
        wrench: F_ref, six numbers: the wrench that the robot applies, (m, f), expressed in the base frame [N m, N].
        D_f: damping, one per row [N m s/rad, N s/m].
        pushed: which of the rows are force-controlled.
    """
    e, ed = _errors(model, q, qd, pose, twist, frame, rows)
    V = frame_velocity(model, q, qd, frame, "aligned")
    moving = [rate[k] - d * v - p * x for k, x, v, p, d in zip(rows, e, ed, K_p, K_d, strict=True)]
    A = [0 if row in pushed else a for row, a in zip(rows, moving, strict=True)]
    push = [wrench[row] - d * (*V.ang, *V.lin)[row] if row in pushed else 0 for row, d in zip(rows, D_f, strict=True)]
    return _forces(model, q, qd, A, push, D_0, frame, rows, damping)


def _forces(
    model: Model, q: Scalars, qd: Scalars, A: Scalars, push: Scalars, D_0: Scalars, frame: str, rows: Rows,
    damping: Scalar | None,
) -> list[Scalar]:
    """tau for the task acceleration A and the additional task forces `push`."""
    task = TwistRows(frame, "aligned", rows)
    bias = newton_euler(model, q, qd, (0,) * model.nv)
    square, braked = len(rows) == model.nv, [d * x for d, x in zip(D_0, qd, strict=True)]
    inside = [b - x if square else -x for b, x in zip(bias, braked, strict=True)]  # tau_0
    outside = [x if square else b + x for b, x in zip(bias, braked, strict=True)]  # C qd + g - tau_0
    arm = mobility(model, q, task, 0 if damping is None else damping)
    if damping is None:
        arm = replace(arm, added=singularity_damping(model, frame, rows, arm))
    tau, _ = forces_of(arm, outside, A, task.drift(model, q, qd))
    pushed = [dot(column, push) for column in zip(*arm.J, strict=True)]
    return [t + p + i for t, p, i in zip(tau, pushed, inside, strict=True)]


def _errors(
    model: Model, q: Scalars, qd: Scalars, pose: Scalars, twist: Scalars, frame: str, rows: Rows
) -> tuple[list[Scalar], list[Scalar]]:
    X, V = frame_pose(model, q, frame), frame_velocity(model, q, qd, frame, "aligned")
    e = aligned_error(X, Transform(quaternion.rotation(pose[3:]), Vector(pose[:3])))
    ed = [v - r for v, r in zip((*V.ang, *V.lin), twist, strict=True)]
    return [e[k] for k in rows], [ed[k] for k in rows]
