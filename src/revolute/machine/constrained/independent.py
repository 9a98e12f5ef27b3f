"""Methods of `ConstrainedRobot` for states and poses: independent coordinates, limits, inverse kinematics."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike

from revolute.arguments import instances, whole_number
from revolute.dynamics.closures import JointClosure
from revolute.errors import InputError
from revolute.machine.constrained.loops import CLOSED, ClosedLoops, inverse
from revolute.machine.declare import internal
from revolute.machine.function import Function
from revolute.machine.functions import closures as functions
from revolute.machine.functions.inverse_kinematics import check, error_arrays
from revolute.machine.inverse_kinematics import PoseSolutions, solve
from revolute.machine.machine import Array, Out, Point, Threads
from revolute.machine.robot.inverse_kinematics import LinkPoses
from revolute.machine.row_products import times
from revolute.model.configurations import Turning
from revolute.simulate.request import start

if TYPE_CHECKING:
    from revolute.machine.robot import Robot


class IndependentCoordinates(ClosedLoops):
    """States, poses and Jacobians that follow from independent coordinates."""

    def assemble(
        self, q: ArrayLike, independent: Sequence[str], qd: ArrayLike | None = None, *, most: int = 50
    ) -> tuple[Array, Array]:
        """The state that closes the loops with some coordinates fixed, by Newton's method on the others.

        This is the forward kinematics of a linkage: all joints from the actuated ones. Of several assembly modes, it
        returns the one near q. `project` moves all coordinates instead.

        Args:
            q: (..., nq) the fixed positions, and initial values of the others near a closed state [rad, m].
            independent: names of the fixed coordinates; their number is the mobility.
            qd: (..., nv) the fixed velocities; other entries are ignored. Zero by default.
            most: maximum number of Newton steps.

        Returns:
            q and qd, with errors up to 1e-12 and J qd = 0.

        Raises:
            InputError: a coordinate does not exist, the fixed ones do not determine the others, or no state is found.
            ShapeError, DtypeError: an array does not fit, or is not real numbers.

        Example:
            >>> closure = revolute.PointClosure("tip", at_b=(2.0, 0.0, 0.0))
            >>> slider = revolute.robots.planar(3).with_closures(closure)
            >>> q, qd = slider.assemble([0.5, -1.0, 0.2], ["joint1"], [1.0, 0.0, 0.0])
            >>> float(q[0]), bool(abs(slider.error(q)).max() < 1e-12)
            (0.5, True)
        """
        whole_number("assemble: most", most, 0)
        free = self._coordinates(independent)
        q, velocity = start(self.robot, q, np.zeros(self.robot.nv) if qd is None else qd, "assemble", ("q", "qd"))
        q, e = self._closed(q, self._dependent(free), most, CLOSED)
        if not np.abs(e).max(initial=0) <= CLOSED:
            name = self.row_names[int(np.argmax(np.abs(e).reshape(-1, len(self.row_names)).max(axis=0)))]
            raise InputError(
                f"assemble: found no state with these positions of {', '.join(independent)} that closes the loops of "
                f"'{self.robot.name}'; the error of '{name}' is still {np.abs(e).max():.3g}; the positions may be out "
                "of reach, or the others too far from a closed state"
            )
        T = self._tangent(self.jacobian(q), free, "assemble")
        return q, times(T, velocity[..., free])

    def forward_kinematics(
        self, q: ArrayLike, frame: str | Sequence[str] | None = None, *, point: Point = None,
        out: Out = None, threads: Threads = None,
    ) -> Array:
        """Poses of link frames in the base frame: see `Robot.forward_kinematics`. LP 9.49; GOA Algorithm.

        Args:
            q: (..., nq) joint positions that close the loops [rad, m]: `assemble` computes them from motor positions.
            frame, point, out, threads: see `Robot.forward_kinematics`, also for result and errors.
        """
        return self.robot.forward_kinematics(q, frame, point=point, out=out, threads=threads)

    def frame_jacobian(self, q: ArrayLike, frame: str, independent: Sequence[str], reference: Any = "body") -> Array:
        """The Jacobian J_f T from independent velocities to a link frame's twist: V = J_f T yd.

        Args:
            q: (..., nq) joint positions that close the loops [rad, m].
            frame: name of a link.
            independent: names of coordinates, as many as the robot's mobility.
            reference: frame and reference point of the twist: see `Robot.jacobian`.

        Returns:
            (..., 6, k) Jacobians.

        Raises:
            InputError: a coordinate does not exist, or the coordinates do not determine the others.
            UnknownNameError: no link has that name.
            ShapeError, DtypeError: an array does not fit, or is not real numbers.

        Example:
            >>> closure = revolute.PointClosure("tip", at_b=(2.0, 0.0, 0.0))
            >>> slider = revolute.robots.planar(3).with_closures(closure)
            >>> q, _ = slider.assemble([0.5, -1.0, 0.2], ["joint1"])
            >>> # the tip rotates without translation
            >>> J = slider.frame_jacobian(q, "tip", ["joint1"], "aligned")
            >>> J.shape, float(abs(J[3:]).max().round(9))
            ((6, 1), 0.0)
        """
        q = self._doubles("frame_jacobian", q)
        T = self._tangent(self.jacobian(q), self._coordinates(independent), "frame_jacobian")
        return np.asarray(self.robot.jacobian(q, frame, reference) @ T)

    def _tangent(self, J: Array, free: list[int], caller: str) -> Array:
        """(..., nv, k) T with qd = T yd. Raise `InputError` if yd does not determine all velocities."""
        dependent = self._dependent(free)
        finite = np.isfinite(J).all(axis=(-2, -1))  # a NaN in one state must not affect other states of the batch
        solution, rank = inverse(J[..., dependent])
        ranks = rank, inverse(J)[1]
        if any(np.any(finite & (rank != len(dependent))) for rank in ranks):
            names = self.robot.coordinate_names
            mobility = self.robot.nv - int(np.max(ranks[1]))
            raise InputError(
                f"{caller}: {', '.join(names[k] for k in free) or 'no coordinates'} of '{self.robot.name}' do not "
                f"determine the other joints: the mobility is {mobility}, and some state may be singular"
            )
        T = np.zeros((*J.shape[:-2], self.robot.nv, len(free)))
        T[..., free, range(len(free))] = 1.0
        T[..., dependent, :] = -solution @ J[..., free]
        return T

    def _dependent(self, free: list[int]) -> list[int]:
        return [k for k in range(self.robot.nv) if k not in free]

    def _coordinates(self, names: Sequence[str]) -> list[int]:
        """Indices of the named coordinates. Raise `InputError` for unknown or repeated names."""
        return functions.indices(self.robot, instances("names of coordinates", names, str))


_NEEDED = ("frames", "rows")
_OF_FRAMES: dict[str, Any] = {"options": _NEEDED, "needed": frozenset(_NEEDED), "check": check}


class ConstrainedLinkPoses(LinkPoses, IndependentCoordinates):
    """Joint limits, and inverse kinematics of link poses, with closed loops."""

    _parts: ClassVar[tuple[Function, ...]] = (
        internal("pose_error", functions.pose_error, error_arrays, **_OF_FRAMES),
        internal("chord_error", functions.chord_error, functions.jacobian_arrays, **_OF_FRAMES),
    )

    @property
    def _space(self) -> Robot:
        return self.robot

    @property
    def _continuous(self) -> tuple[Turning, ...]:
        """Continuous joints of the tree, except joints whose positions a loop couples."""
        return self._uncoupled(self.robot._continuous)

    @property
    def _rotations(self) -> tuple[Turning, ...]:
        """Joint angles of the tree that are equivalent modulo 2 pi, except those that a loop couples."""
        return self._uncoupled(self.robot._rotations)

    def _uncoupled(self, turning: tuple[Turning, ...]) -> tuple[Turning, ...]:
        names = {name for closure in self.closures if isinstance(closure, JointClosure) for name in closure.joints()}
        coupled = {self.robot.q_index[self.robot.joint_index(name)].start for name in names}
        return tuple(at for at in turning if at.q not in coupled)

    @property
    def lower_limits(self) -> Array:
        """(nq,) lowest positions [rad, m]; -inf without a limit."""
        return self.robot.lower_limits

    @property
    def upper_limits(self) -> Array:
        """(nq,) highest positions [rad, m]; inf without a limit."""
        return self.robot.upper_limits

    @property
    def coupled_limits(self) -> None:
        """None, because no joint of a robot with closed loops follows several coordinates."""

    def _solved(self, pose: Any, *options: Any) -> PoseSolutions:
        """Refine solutions until the errors of loops and poses are at most `CLOSED`, if possible."""
        frame, _, limits, rows, *_, tolerance, _, threads, every = options
        found = solve(self, pose, *options)
        if every[0]:
            return found
        few = min(CLOSED, tolerance), 0, threads
        one = False, False, False, None
        exact = solve(self, pose, frame, found.q, limits, rows, None, False, False, 0, *few, one)
        better = exact.converged & found.converged
        q, error = (np.where(better[..., None], *pair) for pair in ((exact.q, found.q), (exact.error, found.error)))
        iterations = found.iterations + exact.iterations * better
        return PoseSolutions(q, error, found.converged, iterations, found.restarts).of_rows(found.rows)
