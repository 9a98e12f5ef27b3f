"""Controllers of a link frame: resolved acceleration, impedance, and hybrid control of motion and force."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike

from revolute.arguments import finite_array, float_copy
from revolute.control.controller import Array, GainKinds, RobotController
from revolute.dynamics.jacobian import jacobian
from revolute.dynamics.mobility import TwistRows
from revolute.dynamics.singularity_damping import scales
from revolute.errors import InputError, ShapeError
from revolute.machine.robot import Robot
from revolute.machine.task_space import TWIST

POSITIONS = 8  # number of random positions tested for the maximum rank of J, which J has in almost all positions
ROUNDING = 1e-9  # fraction of the largest singular value below which singular values count as zero


@dataclass(frozen=True, eq=False, repr=False)
class _Task(RobotController):
    """A law for a link frame, with gains for the controlled components of its twist."""

    robot: Any
    frame: str
    reference: Any
    singularity_damping: ArrayLike | str = field(default="manipulability", kw_only=True)

    _gains: ClassVar[GainKinds] = {"null_damping": "zero or more"}

    def _sizes(self) -> tuple[int, int, int]:
        return 7, 6, 6

    def __post_init__(self) -> None:
        joints = self._entries()
        rows: tuple[int, ...] = tuple(self.rows)  # type: ignore[attr-defined]
        self._set(rows=rows)
        self._check()
        self._check_damping()
        _ = self.robot._signature(self._law, self._options())  # raises an error for an unknown frame or row
        _require_independent(self._name, self.robot, self.frame, rows)
        self._check_gains({"": [f"row {k} ({TWIST[k]})" for k in rows], "null_damping": joints})
        _ = self._followed  # raises an error if the reference is invalid

    def _check(self) -> None:
        """Check and set other fields."""

    def _check_damping(self) -> None:
        what, damping = f"{self._name}: singularity_damping", self.singularity_damping
        values = None if isinstance(damping, str) else float_copy(what, damping)
        valid = damping == "manipulability" if values is None else (np.isfinite(values) & (values >= 0)).all()
        if not valid:
            raise InputError(f"{what} must be 'manipulability', or finite numbers, zero or more, not {damping!r}")
        if values is not None:
            self._set(singularity_damping=values)

    def _advice(self) -> str:
        return (
            f"link '{self.frame}' may pass a singular position too fast for the steps, such as on its way to a goal "
            "out of reach: use shorter steps, or an adaptive method, such as RK45; null_damping and "
            "singularity_damping; or limit the forces with Limited"
        )

    def _options(self) -> Mapping[str, Any]:
        constant = {} if isinstance(self.singularity_damping, str) else {"constant_damping": True}
        return {"frame": self.frame, "rows": self.rows, **constant}  # type: ignore[attr-defined]

    def _numbers(self) -> Mapping[str, Array]:
        damping, numbers = self.singularity_damping, super()._numbers()
        return numbers if isinstance(damping, str) else {**numbers, "singularity_damping": np.asarray(damping)}


@dataclass(frozen=True, eq=False, repr=False)
class ResolvedAcceleration(_Task):
    """Motion control of a link frame. Luh, Walker & Paul 1980; Khatib 1987; LP section 11.4.3.

        tau = J^T (Lambda Vd + mu + p) + N^T tau_0
        Vd = Vd_ref - K_d ed - K_p e,    tau_0 = -D_0 qd

    e = (log(R R_ref^T), p - p_ref) and the twist V = (w, v) are expressed in the base frame, at the frame's origin.
    Without redundancy, this is computed torque with qdd = J^-1 (Vd - Jd qd); a redundant arm's null-space motion is
    damped by D_0.

    Stability: with the correct model edd + K_d ed + K_p e = 0 for the position; for the orientation, with equal K_p of
        its rows, |w - w_ref|^2 / 2 + K_p |e|^2 / 2 decreases from every error below pi. A redundant arm needs D_0 > 0.
        If forces are constant during steps h, h K_d < 2 is required.

    Near singular positions, Lambda = (J M^-1 J^T)^-1 grows without bound. `singularity_damping` keeps it finite if the
    smallest singular value of J, with lengths in units of the arm's length, is below 0.04. The frame then does not
    follow the reference along lost directions, and D_0 damps motions along them. The arm's length is the sum of the
    distances from joint to joint, with frames on common normals, and to the frame. `Limited` also limits the forces.

    Attributes:
        robot: the model.
        frame: name of the link.
        reference: a pose, (..., 4, 4), a `Transform`, or (..., 7) position [m] and quaternion x y z w; `MotionTable` of
            (..., T, 7), (..., T, 6), (..., T, 6); a trajectory with methods q(t), qd(t), qdd(t) for pose, twist and its
            time derivative; or a function of time that returns these.
        position_gains: K_p, a number or one for each row [1/s^2].
        velocity_gains: K_d, a number or one for each row [1/s]; None: 2 sqrt(K_p).
        rows: indices of the controlled components of (wx, wy, wz, vx, vy, vz), all by default.
        null_damping: D_0, a number or (..., nv), zero or more [N m s/rad, N s/m].
        singularity_damping: "manipulability", near singular positions only: see
            `revolute.dynamics.singularity_damping`; or lambda of Lambda = (J M^-1 J^T + lambda^2 1)^-1 everywhere, a
            number or (...), zero or more [1/(m sqrt(kg)), 1/sqrt(kg)]. With 0, forces are unbounded.

    Raises:
        InputError: gains are not positive; a row does not exist; the link cannot move along all rows independently.
        UnknownNameError: the link does not exist.
        ShapeError, DtypeError: an array does not fit.

    Example:
        >>> import numpy as np, revolute
        >>> robot, t = revolute.robots.ur5(), np.linspace(0, 2, 2001)
        >>> start = np.array([0.0, -1.2, 1.5, -0.8, -1.0, 0.3])
        >>> goal = robot.forward_kinematics(start, "tool0")
        >>> goal[:3, 3] += [0.05, -0.1, 0.1]
        >>> law = revolute.control.ResolvedAcceleration(robot, "tool0", goal, 25.0)
        >>> motion = robot.simulate(start, np.zeros(6), law, t)
        >>> bool(np.abs(robot.forward_kinematics(motion.q[-1], "tool0") - goal).max() < 1e-3)
        True
    """

    position_gains: ArrayLike
    velocity_gains: ArrayLike | None = None
    rows: tuple[int, ...] = (0, 1, 2, 3, 4, 5)
    null_damping: ArrayLike = 0.0

    _law = "resolved_acceleration"
    _gains: ClassVar[GainKinds] = {**_Task._gains, "position_gains": "positive", "velocity_gains": "positive"}

    def _check(self) -> None:
        if self.velocity_gains is None:
            K_p = float_copy(f"{self._name}: position_gains", self.position_gains)
            self._set(velocity_gains=2 * np.sqrt(np.maximum(K_p, 0)))

    def _check_steps(self, steps: Array) -> None:
        self._require_short(steps, float(np.asarray(self.velocity_gains).max()))


@dataclass(frozen=True, eq=False, repr=False)
class Impedance(_Task):
    """Impedance control of a link frame by a spring and a damper. Hogan 1985; Khatib 1987; LP section 11.7.

        tau = J^T (Lambda Vd_ref + mu + p - D ed - K e) + N^T tau_0
        so that   Lambda edd + D ed + K e = F_ext

    For e, ed and tau_0 see `ResolvedAcceleration`. No force is measured. At rest, a wrench F_ext, expressed in the
    base frame, moves the frame by K^-1 F_ext.

    Stability: V = ed^T Lambda ed / 2 + e^T K e / 2 has the derivative -ed^T (D - dLambda/dt / 2) ed: asymptotic if
        K > 0 is the same for all rotation rows, and D exceeds half the derivative of Lambda, as for slow motions. A
        redundant arm needs D_0 > 0. Near singular positions see `ResolvedAcceleration`.

    Attributes:
        robot, frame, reference, rows, null_damping, singularity_damping, and errors: see `ResolvedAcceleration`.
        stiffness: K, a number or one for each row [N m/rad, N/m].
        damping: D, a number or one for each row [N m s/rad, N s/m].

    Example:
        >>> import numpy as np, revolute
        >>> robot, t = revolute.robots.ur5(), np.linspace(0, 4, 4001)
        >>> start = np.array([0.0, -1.2, 1.5, -0.8, -1.0, 0.3])
        >>> pose = robot.forward_kinematics(start, "tool0")
        >>> K, D = [50, 50, 50, 500, 500, 500], [10, 10, 10, 80, 80, 80]
        >>> law = revolute.control.Impedance(robot, "tool0", pose, K, D)
        >>> # 5 N upward, in the tool's frame
        >>> pull = np.concatenate([np.zeros(3), pose[:3, :3].T @ [0, 0, 5.0]])
        >>> motion = robot.simulate(start, np.zeros(6), law, t, wrenches={"tool0": pull})
        >>> (robot.forward_kinematics(motion.q[-1], "tool0") - pose)[:3, 3].round(3) + 0.0
        array([0.  , 0.  , 0.01])
    """

    stiffness: ArrayLike
    damping: ArrayLike
    rows: tuple[int, ...] = (0, 1, 2, 3, 4, 5)
    null_damping: ArrayLike = 0.0

    _law = "impedance"
    _gains: ClassVar[GainKinds] = {**_Task._gains, "stiffness": "positive", "damping": "positive"}


@dataclass(frozen=True, eq=False, repr=False)
class Hybrid(ResolvedAcceleration):
    """Hybrid control: motion in some directions, force in others. Raibert & Craig 1981; Khatib 1987; LP section 11.6.

        tau = J^T (Lambda A + mu + p + F_f) + N^T tau_0

    For motion rows, A = Vd_ref - K_d ed - K_p e and F_f = 0; for force rows, A = 0 and F_f = F_ref - D_f V. Directions
    are the axes of the base frame. No force is measured.

    Stability: motion rows: see `ResolvedAcceleration`. Against a rigid wall the force at rest is F_ref, for all
        D_f; in free space a force row reaches the speed F_ref / D_f. The wall must constrain exactly the force rows.

    Attributes:
        robot, frame, reference, position_gains, velocity_gains, rows, null_damping, singularity_damping: see
            `ResolvedAcceleration`.
        pushed: indices of the force-controlled components, among `rows`.
        wrench: F_ref, (..., 6) wrench (m, f) that the frame applies, expressed in the base frame [N m, N].
        force_damping: D_f, a number or one for each of `rows`, zero or more [N m s/rad, N s/m].

    Raises:
        InputError, UnknownNameError, ShapeError, DtypeError: see `ResolvedAcceleration`; or `pushed` is not in `rows`.

    Example:
        >>> import numpy as np, revolute
        >>> robot, t = revolute.robots.ur5(), np.linspace(0, 1, 1001)
        >>> start = np.array([0.0, -1.2, 1.5, -0.8, -1.0, 0.3])
        >>> pose, push = robot.forward_kinematics(start, "tool0"), [0, 0, 0, 0, 0, -20.0]
        >>> law = revolute.control.Hybrid(
        ...     robot, "tool0", pose, 25.0, pushed=(5,), wrench=push, force_damping=50.0
        ... )
        >>> # holds the tool
        >>> table = np.concatenate([np.zeros(3), pose[:3, :3].T @ [0, 0, 20.0]])
        >>> motion = robot.simulate(start, np.zeros(6), law, t, wrenches={"tool0": table})
        >>> bool(np.abs(motion.q[-1] - start).max() < 1e-3)
        True
    """

    pushed: tuple[int, ...] = ()
    wrench: ArrayLike = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
    force_damping: ArrayLike = 0.0

    _law = "hybrid"
    _gains: ClassVar[GainKinds] = {**ResolvedAcceleration._gains, "force_damping": "zero or more"}

    def _check(self) -> None:
        super()._check()
        self._set(pushed=tuple(self.pushed))
        if not set(self.pushed) <= set(self.rows):
            raise InputError(f"{self._name}: pushed must be some of the rows {self.rows}, not {self.pushed}")
        wrench = finite_array(f"{self._name}: wrench", self.wrench)
        if wrench.shape[-1:] != (6,):
            raise ShapeError(f"{self._name}: wrench has shape {wrench.shape}, but (..., 6) is needed")
        self._set(wrench=wrench)

    def _options(self) -> Mapping[str, Any]:
        return {**super()._options(), "pushed": self.pushed}

    def _numbers(self) -> Mapping[str, Array]:
        return {**super()._numbers(), "wrench": np.asarray(self.wrench)}


def _require_independent(what: str, robot: Robot, frame: str, rows: Sequence[int]) -> None:
    """Raise `InputError` if these rows of (wx, wy, wz, vx, vy, vz) are dependent in every position."""
    S, T = (np.array(scale, dtype=float) for scale in scales(robot, frame, rows))
    task = TwistRows(frame, "aligned", tuple(rows))
    positions = robot.random_configuration(POSITIONS, rng=0).tolist()
    Js = [np.array(task.of(jacobian(robot, q, frame, "aligned")), dtype=float) * T / S[:, None] for q in positions]
    rank, J = max(((_rank(J), J) for J in Js), key=lambda found: found[0])
    if rank == len(rows):
        return
    chosen: list[int] = []
    for k in range(len(rows)):
        if _rank(J[[*chosen, k]]) > len(chosen):
            chosen.append(k)
    advice = f"omit rows, such as with rows={tuple(rows[k] for k in chosen)}" if chosen else "no rows are left"
    raise InputError(
        f"{what}: link '{frame}' of robot '{robot.name}' moves along at most {rank} of the {len(rows)} rows "
        f"{', '.join(TWIST[row] for row in rows)} in every position; {advice}"
    )


def _rank(J: Array) -> int:
    return int(np.linalg.matrix_rank(J, tol=ROUNDING * max(float(np.abs(J).max(initial=0.0)), 1e-300)))
