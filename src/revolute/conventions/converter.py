"""`Conventions`: coordinates, forces and matrices of a robot in the conventions of another library, and back."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from revolute.arguments import by_names, real_array
from revolute.conventions import maps
from revolute.errors import InputError, ShapeError
from revolute.machine.declare import declared, has_kernel
from revolute.machine.function import Function, MachineData
from revolute.machine.machine import Array, Machine, Out, Threads
from revolute.model.identity import exact_text

if TYPE_CHECKING:
    from revolute.machine.driven import DrivenRobot
    from revolute.machine.robot import Robot

ROUNDED = 1e-5
"""Largest difference between M and its transpose, relative to the largest entry; also of float32."""


class Conventions(Machine):
    """Conversions of a robot's arrays to another library and back, created by `pinocchio`, `mujoco` or `drake`.

    The other library's velocities v = S(q) qd are in another order, and some vectors are along other axes. So

        a = S qdd + dS/dt qd,    tau' = S^-T tau,    M' = S^-T M S^-1,    J' = J S^-1
        h' = S^-T (h - M S^-1 dS/dt qd)

    `q`, `v`, `a`, `tau`, `mass_matrix`, `bias` and `jacobian` convert arrays of `robot` to arrays of the other
    library. `from_q`, `from_v` and so on convert arrays of the other library to arrays of `robot`; their first argument
    is its positions.

    Joints of a `DrivenRobot` that follow others may be joints of the other library. `tau` is zero at them, and
    `from_tau` adds their forces to those of their leaders. Then matrices and `bias` can be converted only from the
    other library.

    Attributes:
        library: name of the other library.
        robot: the robot; with drives M includes armature and rotors.
        joint_names, position_names, coordinate_names: names of joints, and of entries of q and v in the other library.
        nq, nv: numbers of positions and velocities in the other library.
    """

    _kind = "robot in other conventions"

    def __init__(self, robot: Robot | DrivenRobot, layout: maps.Layout) -> None:
        self.library, self.robot, self._layout = layout.library, robot, layout
        self.joint_names, self.position_names, self.coordinate_names = layout.names
        self.nq, self.nv = len(self.position_names), len(self.coordinate_names)

    def __reduce__(self) -> tuple[Any, ...]:
        return Conventions, (self.robot, self._layout)

    def __repr__(self) -> str:
        return f"<Conventions of {self.library} for {self.robot.name!r}: nq={self.nq}, nv={self.nv}>"

    @cached_property
    def _names(self) -> dict[str, tuple[str, ...]]:
        there = {"its.nq": self.position_names, "its.nv": self.coordinate_names}
        return {"nq": self.robot.position_names, "nv": self.robot.coordinate_names, **there}

    def _labels(self) -> dict[str, tuple[str, ...]]:
        return self._names

    def _machine_data(self, function: Function, options: Mapping[str, Any]) -> MachineData:
        if function.name in ("mass_matrix", "bias"):
            self._require_square(function.name)
        arguments: tuple[Any, ...] = (self._layout,)
        content: str | None = exact_text(self._layout)
        if function.name in ("bias", "from_bias"):
            momentum, masses, _ = self.robot._identified("generalized_momentum", {})
            arguments, content = (self._layout, momentum.body), masses and exact_text((self._layout, masses))
        sizes = {"nq": self.robot.nq, "nv": self.robot.nv, "its.nq": self.nq, "its.nv": self.nv}
        words = {"its.nq": f"positions of {self.library}", "its.nv": f"velocities of {self.library}"}
        return MachineData(self.robot.name, arguments, sizes, content, words=words)

    @declared(maps.positions, "q -> q: its.nq")
    def q(self, q: ArrayLike, *, out: Out = None, threads: Threads = None) -> Array:
        """Positions in the other library, (..., nq), with quaternions of length one."""

    @declared(maps.velocities, "q qd -> v: its.nv")
    def v(self, q: ArrayLike, qd: ArrayLike, *, out: Out = None, threads: Threads = None) -> Array:
        """Velocities in the other library, (..., nv)."""

    @declared(maps.accelerations, "q qd qdd -> a: its.nv")
    def a(self, q: ArrayLike, qd: ArrayLike, qdd: ArrayLike, *, out: Out = None, threads: Threads = None) -> Array:
        """Accelerations in the other library, (..., nv): the rates of the components of `v`."""

    @declared(maps.forces, "q tau -> tau: its.nv")
    def tau(self, q: ArrayLike, tau: ArrayLike, *, out: Out = None, threads: Threads = None) -> Array:
        """Forces in the other library, (..., nv), with the same power."""

    @has_kernel(maps.mass_matrix, "q M[nv,nv] -> M: its.nv its.nv")
    def mass_matrix(self, q: ArrayLike, M: ArrayLike, *, threads: Threads = None) -> Array:
        """The mass matrix in the other library, (..., nv, nv), from `robot.mass_matrix(q)`."""
        return self._symmetric("mass_matrix", q, M, threads)

    @declared(maps.bias, "q qd bias[nv] -> bias: its.nv")
    def bias(self, q: ArrayLike, qd: ArrayLike, bias: ArrayLike, *, out: Out = None, threads: Threads = None) -> Array:
        """Forces (..., nv) at `a` = 0, from `bias`, a result of `robot.bias_forces(q, qd)` or `robot.coriolis_forces`.

        If `a` is zero, accelerations of `robot` are not, so the result depends on its masses.
        """

    def jacobian(self, q: ArrayLike, J: ArrayLike, *, threads: Threads = None) -> Array:
        """A Jacobian (..., m, nv) with columns for `v`. The order of rows is unchanged: angular first in twists."""
        self._require_square("jacobian")
        return self.tau(*self._rows("jacobian", "nq", "nv", q, J), threads=threads)

    @declared(maps.from_positions, "q[its.nq] -> q: nq")
    def from_q(self, q: ArrayLike, *, out: Out = None, threads: Threads = None) -> Array:
        """Positions of `robot`, from the other library's (..., nq). Angles from cosine and sine are in -pi ... pi."""

    @declared(maps.from_velocities, "q[its.nq] v[its.nv] -> qd: nv")
    def from_v(self, q: ArrayLike, v: ArrayLike, *, out: Out = None, threads: Threads = None) -> Array:
        """Velocities of `robot`, from the other library's positions (..., nq) and velocities (..., nv)."""

    @declared(maps.from_accelerations, "q[its.nq] v[its.nv] a[its.nv] -> qdd: nv")
    def from_a(self, q: ArrayLike, v: ArrayLike, a: ArrayLike, *, out: Out = None, threads: Threads = None) -> Array:
        """Accelerations of `robot`, from the other library's positions, velocities and accelerations."""

    @declared(maps.from_forces, "q[its.nq] tau[its.nv] -> tau: nv")
    def from_tau(self, q: ArrayLike, tau: ArrayLike, *, out: Out = None, threads: Threads = None) -> Array:
        """Forces of `robot`, from the other library's positions (..., nq) and forces (..., nv)."""

    @has_kernel(maps.from_mass_matrix, "q[its.nq] M[its.nv,its.nv] -> M: nv nv")
    def from_mass_matrix(self, q: ArrayLike, M: ArrayLike, *, threads: Threads = None) -> Array:
        """The mass matrix of `robot`, from the other library's positions (..., nq) and full matrix (..., nv, nv)."""
        return self._symmetric("from_mass_matrix", q, M, threads)

    @declared(maps.from_bias, "q[its.nq] v[its.nv] bias[its.nv] -> bias: nv")
    def from_bias(
        self, q: ArrayLike, v: ArrayLike, bias: ArrayLike, *, out: Out = None, threads: Threads = None
    ) -> Array:
        """Forces of `robot` at qdd = 0, from the other library's positions, velocities and forces at `a` = 0."""

    def from_jacobian(self, q: ArrayLike, J: ArrayLike, *, threads: Threads = None) -> Array:
        """A Jacobian (..., m, robot.nv) for `robot`, from the other library's positions and Jacobian."""
        return self.from_tau(*self._rows("from_jacobian", "its.nq", "its.nv", q, J), threads=threads)

    def _rows(self, what: str, nq: str, nv: str, q: ArrayLike, J: ArrayLike) -> tuple[Array, Array]:
        """Arrays q and J, checked, with which the rows of J are converted like forces."""
        names = self._names
        J, q = real_array(f"{what}: J", J), real_array(f"{what}: q", by_names(f"{what}: q", q, names[nq]))
        if J.ndim < 2 or J.shape[-1] != len(names[nv]):
            raise ShapeError(f"{what}: J has shape {J.shape}, but (..., m, {len(names[nv])}) is needed")
        return q[..., None, :] if q.ndim > 1 else q, J  # the fast call is of one state

    def _symmetric(self, what: str, q: ArrayLike, M: ArrayLike, threads: Threads) -> Array:
        """Convert a mass matrix; raise `InputError` unless it is symmetric."""
        M = real_array(f"{what}: M", M)
        found: Array = self._evaluate(what, (q, M), threads)
        with np.errstate(invalid="ignore"):  # infinity less infinity
            apart = M - M.swapaxes(-1, -2)
        if apart.any() and (abs(apart) > ROUNDED * abs(M).max((-2, -1), keepdims=True)).any():
            raise InputError(f"{what}: M is not symmetric; fill both triangles")
        return found

    def _require_square(self, what: str) -> None:
        """Raise `InputError` if joints follow others: rows of the coordinates do not determine rows of all joints."""
        if self.robot.nv < self.nv:
            raise InputError(
                f"{what}: '{self.robot.name}' has joints that follow others: a matrix or bias of all joints cannot "
                "be computed from that of the coordinates; convert that of `robot.robot`, or use `from_...`"
            )
