"""`Conventions`: coordinates, forces and matrices of a robot in the conventions of another library, and back."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

from numpy.typing import ArrayLike

from revolute.arguments import by_names, real_array
from revolute.conventions import maps
from revolute.errors import InputError, ShapeError
from revolute.machine.declare import declared, has_kernel, internal
from revolute.machine.function import Function, MachineData
from revolute.machine.machine import Array, Machine, Out, Threads
from revolute.model.identity import exact_text

if TYPE_CHECKING:
    from revolute.machine.driven import DrivenRobot
    from revolute.machine.robot import Robot


class Conventions(Machine):
    """A robot's coordinates, forces and matrices in another library, made by `pinocchio`, `mujoco` or `drake`.

    Its velocities v = S(q) qd are in another order, and some vectors are along other axes. So

        a = S qdd + dS/dt qd,    tau' = S^-T tau,    M' = S^-T M S^-1,    J' = J S^-1
        h' = S^-T (h - M S^-1 dS/dt qd)

    `q`, `v`, `a`, `tau`, `mass_matrix`, `bias` and `jacobian` convert to the other library, and take arrays of `robot`
    alone; `from_q` and so on convert back, and take arrays of the other library alone, with its positions first.

    Joints of a `DrivenRobot` that follow others may be joints of the other library. There `tau` is zero at them, and
    `from_tau` adds their forces to those of their leaders; matrices and `bias` convert only from there.

    Attributes:
        library: name of the other library.
        robot: the robot; with drives M includes armature and rotors.
        joint_names, position_names, coordinate_names: of joints and of the entries of q and v, in its order.
        nq, nv: numbers of its positions and velocities.
    """

    _kind = "robot in other conventions"
    _parts = (internal("drift", maps.drift, "qd -> drift: nv"),)

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

    def _labels(self) -> Mapping[str, Sequence[str]]:
        return self._names

    def _machine_data(self, function: Function, options: Mapping[str, Any]) -> MachineData:
        sizes = {"nq": self.robot.nq, "nv": self.robot.nv, "its.nq": self.nq, "its.nv": self.nv}
        words = {"its.nq": f"positions of {self.library}", "its.nv": f"velocities of {self.library}"}
        return MachineData(self.robot.name, (self._layout,), sizes, exact_text(self._layout), words=words)

    @declared(maps.positions, "q -> q: its.nq")
    def q(self, q: ArrayLike, *, out: Out = None, threads: Threads = None) -> Array:
        """Positions there, (..., nq), with quaternions of length one."""

    @declared(maps.velocities, "q qd -> v: its.nv")
    def v(self, q: ArrayLike, qd: ArrayLike, *, out: Out = None, threads: Threads = None) -> Array:
        """Velocities there, (..., nv)."""

    @declared(maps.accelerations, "q qd qdd -> a: its.nv")
    def a(self, q: ArrayLike, qd: ArrayLike, qdd: ArrayLike, *, out: Out = None, threads: Threads = None) -> Array:
        """Accelerations there, (..., nv): the rates of the components of `v`."""

    @declared(maps.forces, "q tau -> tau: its.nv")
    def tau(self, q: ArrayLike, tau: ArrayLike, *, out: Out = None, threads: Threads = None) -> Array:
        """Forces there, (..., nv), with the same power."""

    def mass_matrix(self, q: ArrayLike, M: ArrayLike, *, threads: Threads = None) -> Array:
        """The mass matrix there, (..., nv, nv), of `robot.mass_matrix(q)`."""
        return self._by_rows("mass_matrix", q, M, threads)

    @has_kernel(maps.bias, "q bias[nv] momentum -> bias: its.nv")
    def bias(self, q: ArrayLike, qd: ArrayLike, bias: ArrayLike, *, threads: Threads = None) -> Array:
        """Forces at zero accelerations there, (..., nv), of `robot.bias_forces(q, qd)`, or `coriolis_forces`.

        Zero accelerations there are not zero here, so this depends on the masses of `robot`.
        """
        self._require_square("bias")
        drift = self._evaluate("drift", (qd,), threads)
        momentum = self.robot.generalized_momentum(q, drift, threads=threads)
        found: Array = self._evaluate("bias", (q, bias, momentum), threads)
        return found

    def jacobian(self, q: ArrayLike, J: ArrayLike, *, threads: Threads = None) -> Array:
        """A Jacobian (..., m, nv) with columns for `v`. Rows stay: those of twists are angular first, as here."""
        return self._by_rows("jacobian", q, J, threads)

    @declared(maps.from_positions, "q[its.nq] -> q: nq")
    def from_q(self, q: ArrayLike, *, out: Out = None, threads: Threads = None) -> Array:
        """Positions here, of (..., nq) there. Angles of cosine and sine are in -pi ... pi."""

    @declared(maps.from_velocities, "q[its.nq] v[its.nv] -> qd: nv")
    def from_v(self, q: ArrayLike, v: ArrayLike, *, out: Out = None, threads: Threads = None) -> Array:
        """Velocities here, of positions (..., nq) and velocities (..., nv) there."""

    @declared(maps.from_accelerations, "q[its.nq] v[its.nv] a[its.nv] -> qdd: nv")
    def from_a(self, q: ArrayLike, v: ArrayLike, a: ArrayLike, *, out: Out = None, threads: Threads = None) -> Array:
        """Accelerations here, of positions, velocities and accelerations there."""

    @declared(maps.from_forces, "q[its.nq] tau[its.nv] -> tau: nv")
    def from_tau(self, q: ArrayLike, tau: ArrayLike, *, out: Out = None, threads: Threads = None) -> Array:
        """Forces here, of positions (..., nq) and forces (..., nv) there."""

    def from_mass_matrix(self, q: ArrayLike, M: ArrayLike, *, threads: Threads = None) -> Array:
        """The mass matrix here, of positions (..., nq) and the full matrix (..., nv, nv) there."""
        return self._by_rows("from_mass_matrix", q, M, threads)

    @has_kernel(maps.from_bias, "q[its.nq] bias[its.nv] momentum -> bias: nv")
    def from_bias(self, q: ArrayLike, v: ArrayLike, bias: ArrayLike, *, threads: Threads = None) -> Array:
        """Forces at zero accelerations here, of positions, velocities and forces at zero accelerations there."""
        drift = self._evaluate("drift", (self.from_v(q, v, threads=threads),), threads)
        momentum = self.robot.generalized_momentum(self.from_q(q, threads=threads), drift, threads=threads)
        found: Array = self._evaluate("from_bias", (q, bias, momentum), threads)
        return found

    def from_jacobian(self, q: ArrayLike, J: ArrayLike, *, threads: Threads = None) -> Array:
        """A Jacobian (..., m, robot.nv) with columns for `robot`, of positions and a Jacobian there."""
        return self._by_rows("from_jacobian", q, J, threads)

    def _by_rows(self, what: str, q: ArrayLike, X: ArrayLike, threads: Threads) -> Array:
        """A Jacobian, whose rows are converted as forces are; or a mass matrix, whose columns are too."""
        to_there, is_square = not what.startswith("from_"), what.endswith("mass_matrix")
        n, convert = (self.robot.nv, self.tau) if to_there else (self.nv, self.from_tau)
        if to_there:
            self._require_square(what)
        X = real_array(f"{what}: {'M' if is_square else 'J'}", X)
        if X.shape[-1:] != (n,) or X.ndim < 2 or (is_square and X.shape[-2] != n):
            needed = f"(..., {n if is_square else 'm'}, {n})"
            raise ShapeError(f"{what}: {'M' if is_square else 'J'} has shape {X.shape}, and {needed} is needed")
        q = real_array(f"{what}: q", by_names(f"{what}: q", q, self._names["nq" if to_there else "its.nq"]))
        q = q[..., None, :] if q.ndim > 1 else q  # for one state the fast call broadcasts
        found: Array = convert(q, X, threads=threads)
        if is_square:
            found = convert(q, found.swapaxes(-1, -2), threads=threads)
            found = (found + found.swapaxes(-1, -2)) / 2  # symmetric but for rounding
        return found

    def _require_square(self, what: str) -> None:
        """Raise `InputError` if joints follow others: their rows do not follow from those of the coordinates."""
        if self.robot.nv < self.nv:
            raise InputError(
                f"{what}: '{self.robot.name}' has joints that follow others: a matrix or bias of all joints does not "
                "follow from that of the coordinates; convert that of `robot.robot`, or back from the other library"
            )

