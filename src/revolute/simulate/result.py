"""The result of a simulation."""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from revolute.arguments import Array, float_copy, instance
from revolute.errors import InputError, extra
from revolute.model.contact import Contact
from revolute.simulate.contact_wrenches import contact_wrenches
from revolute.simulate.events import Reached
from revolute.simulate.files import ENERGIES, FORCES, MOTORS, column_names, read_motion, write_motion
from revolute.simulate.interpolation import between, hermite
from revolute.simulate.owner import MotionOwner, owner_of

if TYPE_CHECKING:
    from revolute.plot.figures import Figure
    from revolute.view import View


@dataclass(frozen=True, eq=False, repr=False)
class Simulation:
    """A motion of T instants, or a batch of such motions, as returned by `simulate`.

    `motion[10:20]` selects these instants, `motion[::10]` every tenth one, `motion[-1]` the last one.

    Attributes:
        t: (T,) times [s].
        q: (..., T, nq) joint positions [rad, m]; with elastic joints the link positions.
        qd, qdd: (..., T, nv) joint velocities [rad/s, m/s] and accelerations [rad/s^2, m/s^2].
        tau: (..., T, nv) applied joint forces [N m, N], without damping; with elastic joints, (..., T, motors).
        kinetic_energy, potential_energy: (..., T) energies [J].
        theta, thetad, thetadd: (..., T, motors) positions, velocities and accelerations of the motors of elastic
            joints; None for other machines.
        contact_forces, stop_forces: (..., T, contacts, 3) forces on links in the base frame [N], and (..., T, stops)
            forces of joint stops [N m, N]: averages over the step that begins at the instant; None without contacts or
            stops.
        contacts: the contacts; empty if the motion is from a file.
        residual: (..., T) relative change of these forces in the last iteration of their solution; None after `load`.
        controller: {name: (..., T, ...)} states of a controller, such as adapted parameters.
        owner: names of all columns, and the machine; None if unknown.
        event: the event that stopped the motion at its last instant; None if no event stopped it.
    """

    t: Array
    q: Array
    qd: Array
    qdd: Array
    tau: Array
    kinetic_energy: Array
    potential_energy: Array
    theta: Array | None = None
    thetad: Array | None = None
    thetadd: Array | None = None
    contact_forces: Array | None = None
    stop_forces: Array | None = None
    contacts: tuple[Contact, ...] = ()
    residual: Array | None = None
    controller: Mapping[str, Array] = field(default_factory=dict)
    owner: MotionOwner | None = None
    event: Reached | None = None

    @classmethod
    def of(
        cls, owner: MotionOwner, t: Array, q: Array, qd: Array, qdd: Array, tau: Array, kinetic: Array, potential: Array
    ) -> Simulation:
        """Create a motion from arrays whose first axis is time; with elastic joints, q is (q, theta)."""
        q, qd, qdd, tau = (np.moveaxis(x, 0, -2) for x in (q, qd, qdd, tau))
        kinetic, potential = (np.moveaxis(np.asarray(x), 0, -1) for x in (kinetic, potential))
        if not owner.motors:
            return cls(t, q, qd, qdd, tau, kinetic, potential, owner=owner)
        (q, theta), (qd, thetad), (qdd, thetadd) = (np.split(x, [-len(owner.motors)], axis=-1) for x in (q, qd, qdd))
        return cls(t, q, qd, qdd, tau, kinetic, potential, theta, thetad, thetadd, owner=owner)

    @classmethod
    def load(cls, path: str | os.PathLike[str], machine: object = None) -> Simulation:
        """Read a motion that `save` wrote.

        Args:
            path: the file: .csv, .parquet or .npz.
            machine: the robot or system, for `plot`, `view` and quaternions in `resample`.

        Raises:
            TrajectoryError: the file cannot be read, is damaged, or lacks a quantity.
            ShapeError: the names of the machine and of the file differ.

        Example:
            >>> import pathlib, tempfile, numpy as np, revolute
            >>> arm = revolute.robots.planar(2)
            >>> file = pathlib.Path(tempfile.mkdtemp(), "fall.csv")
            >>> arm.simulate([0.0, 0.5], [0.0, 0.0], None, np.linspace(0, 1, 101)).save(file)
            >>> revolute.Simulation.load(file, arm)
            <Simulation of 'planar2': 101 instants, t from 0 to 1 s, q (101, 2), qd (101, 2)>
        """
        instance("load: path", path, (str, os.PathLike))
        owner, parts = read_motion(path)
        if machine is not None:
            of_machine = owner_of(machine)
            of_machine.require_same(owner, os.fspath(path))
            owner = replace(of_machine, contacts=owner.contacts, stops=owner.stops)
        motion: dict[str, Any] = {**parts, "owner": owner}
        if owner.contacts:
            flat = parts["contact_forces"]
            motion["contact_forces"] = flat.reshape(*flat.shape[:-1], len(owner.contacts), 3)
        return cls(**motion)

    def __repr__(self) -> str:
        *batch, instants, _ = self.q.shape
        motions = f"{math.prod(batch):,} motions, " if batch else ""
        when = f"t from {self.t[0]:g} to {self.t[-1]:g} s" if instants else "no instant"
        whose = f" of {self.owner.name!r}" if self.owner else ""
        count = f"{instants:,} instant{'s' * (instants != 1)}"
        shapes = f"q {self.q.shape}, qd {self.qd.shape}"
        end = f", stopped by {self.event.name}" if self.event else ""
        return f"<{type(self).__name__}{whose}: {motions}{count}, {when}, {shapes}{end}>"

    def __len__(self) -> int:
        """Number of instants."""
        return len(self.t)

    def __getitem__(self, instants: slice | int | np.integer) -> Simulation:
        """The motion at one instant or a slice of them; arrays are views."""
        if isinstance(instants, (int, np.integer)) and not isinstance(instants, bool):
            k = range(len(self))[instants]
            instants = slice(k, k + 1)
        if not isinstance(instants, slice):
            raise InputError(
                f"motion[...] accepts one instant or a slice, not {instants!r}; motion.resample(times) returns "
                "states at times, motion.row(k) one motion of a batch"
            )
        if instants.step is not None and instants.step < 0:
            raise InputError("motion[...]: times of a motion must increase; use a step of at least one")
        at = (*[slice(None)] * (self.q.ndim - 2), instants)
        return self._changed(lambda x: x[at], self.t[instants])

    def row(self, k: int | tuple[int, ...]) -> Simulation:
        """One motion of a batch.

        Args:
            k: index of the motion; one number for each axis of the batch.

        Raises:
            InputError: the motion does not exist.

        Example:
            >>> import numpy as np, revolute
            >>> arm, starts = revolute.robots.planar(1), np.array([[0.0], [0.5], [1.0]])
            >>> falls = arm.simulate(starts, [0.0], None, np.linspace(0, 1, 11))
            >>> float(falls.row(2).q[0, 0])
            1.0
        """
        place = k if isinstance(k, tuple) else (k,)
        batch = self.q.shape[:-2]
        fits = len(place) == len(batch) and all(isinstance(x, (int, np.integer)) for x in place)
        if not fits or not all(-n <= x < n for x, n in zip(place, batch, strict=True)):
            raise InputError(f"row: {k!r} is not in the batch {batch}: give a number for each axis")
        return self._changed(lambda x: x[place], self.t)

    def resample(self, times: ArrayLike) -> Simulation:
        """The motion at other times.

        Between two instants, positions and velocities follow a cubic Hermite curve in the tangent space of the first
        configuration, which keeps quaternions normalised. Errors decrease with the fourth power of the time between
        instants for positions, the third for velocities, and the second for accelerations, forces and energies, which
        are interpolated linearly.

        Args:
            times: (n,) increasing times [s], from t[0] to t[-1].

        Raises:
            InputError: times do not increase, or are outside the motion; q has quaternions and the machine is unknown.

        Example:
            >>> import numpy as np, revolute
            >>> body = revolute.robots.random_tree(1, rng=0, base="free")
            >>> spin = body.simulate(
            ...     body.neutral(), [1, 2, 3, 0, 0, 0, 0], None, np.linspace(0, 1, 11)
            ... )
            >>> fine = spin.resample(np.linspace(0, 1, 1001))
            >>> bool(abs(np.linalg.norm(fine.q[:, 3:7], axis=1) - 1).max() < 1e-15)
            True
        """
        wanted = float_copy("resample: times [s]", times)
        if wanted.ndim != 1 or not np.isfinite(wanted).all() or (np.diff(wanted) <= 0).any():
            raise InputError("resample: times must be one row of finite, increasing times [s]")
        if len(wanted) and (not len(self) or wanted[0] < self.t[0] or wanted[-1] > self.t[-1]):
            span = f"from {self.t[0]:g} to {self.t[-1]:g} s" if len(self) else "without instants"
            raise InputError(f"resample: times from {wanted[0]:g} to {wanted[-1]:g} s, but the motion is {span}")
        model = self.owner.model if self.owner else None
        if model is None and self.q.shape[-1] != self.qd.shape[-1]:
            raise InputError("resample: q has quaternions, and their joints are not known; use load(path, robot)")
        if not len(wanted):
            return self[:0]
        q, qd = hermite(model, self.t, self.q, self.qd, wanted)
        k, _, s = between(self.t, wanted)
        axis = self.q.ndim - 2

        def between_instants(x: Array) -> Array:
            before, after = x.take(k, axis), x.take(np.minimum(k + 1, len(self) - 1), axis)
            return np.asarray(before + s.reshape(-1, *[1] * (x.ndim - axis - 1)) * (after - before))

        changed = self._changed(between_instants, wanted)
        if self.theta is None or self.thetad is None:
            return replace(changed, q=q, qd=qd)
        theta, thetad = hermite(None, self.t, self.theta, self.thetad, wanted)
        return replace(changed, q=q, qd=qd, theta=theta, thetad=thetad)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the motion as a table (.csv, .parquet) or as arrays (.npz). A batch requires .npz.

        Columns are t, q.JOINT, qd.JOINT, qdd.JOINT, tau.JOINT, theta.JOINT ... of motors, contact_forces.LINK.x ...,
        stop_forces.JOINT, kinetic_energy, potential_energy and energy. The file is written atomically. States of a
        controller are not saved.

        Raises:
            TrajectoryError: the suffix is not supported, or the file cannot be written.
            InputError: the motion is a batch and the file is a table.

        Example:
            >>> import pathlib, tempfile, numpy as np, revolute
            >>> arm = revolute.robots.planar(1)
            >>> file = pathlib.Path(tempfile.mkdtemp(), "fall.csv")
            >>> arm.simulate(
            ...     [0.0], [0.0], None, np.linspace(0, 0.1, 3), "semi_implicit_euler"
            ... ).save(file)
            >>> print(file.read_text()[:69])
            t,q.joint1,qd.joint1,qdd.joint1,tau.joint1,kinetic_energy,potential_e
        """
        instance("save: path", path, (str, os.PathLike))
        if not os.fspath(path).lower().endswith(".npz"):
            self._require_one("save: a table")
        write_motion(path, self._named("save"), self._columns())

    def to_dataframe(self) -> Any:
        """The motion as a pandas DataFrame, with the same columns as in `save`.

        Raises:
            InputError: the motion is a batch.
            MissingExtraError: pandas is not installed.

        Example:
            >>> import numpy as np, revolute
            >>> motion = revolute.robots.planar(1).simulate(
            ...     [0.0], [0.0], None, np.linspace(0, 0.1, 3)
            ... )
            >>> list(motion.to_dataframe())[:4]
            ['t', 'q.joint1', 'qd.joint1', 'qdd.joint1']
        """
        with extra("a table of a motion needs pandas", "pandas"):
            import pandas
        self._require_one("to_dataframe: a table")
        rows = np.column_stack([*self._columns().values(), self.energy])
        return pandas.DataFrame(rows, columns=column_names(self._named("to_dataframe")))

    def plot(self, title: str | None = None) -> Figure:
        """Plot the motion: a panel for each joint, and the energies. Return a Matplotlib figure.

        Dashed lines show limits near the motion, and dotted lines the motors of elastic joints.

        Args:
            title: title; by default the name of the machine and the duration of the motion.

        Raises:
            InputError: the motion is a batch or has no instants.
            MissingExtraError: Matplotlib is not installed.

        Example:
            >>> import numpy as np, revolute
            >>> motion = revolute.robots.planar(2).simulate(
            ...     [0.0, 0.0], [0.0, 0.0], None, np.linspace(0, 1, 101)
            ... )
            >>> len(motion.plot().axes)
            3
        """
        from revolute.plot import motion  # Matplotlib is an optional dependency

        self._require_one("plot: a picture")
        owner = self._named("plot")
        if not len(self):
            raise InputError("plot: the motion has no instants")
        seconds = self.t[-1] - self.t[0]
        return motion(owner.model, self, title or f"{owner.name}: {seconds:g} s of motion", owner.velocities)

    def view(
        self, *, wrenches: Mapping[str, ArrayLike] | None = None, collisions: bool = False, host: str = "127.0.0.1",
        port: int = 8080,
    ) -> View:
        """Show the motion in a browser, with a time slider, by `Robot.view` with its times, states and contacts.

        Args:
            wrenches, collisions, host, port: see `Robot.view`.

        Raises:
            InputError: the robot of the motion is unknown.
            MissingExtraError: viser is not installed.

        Example:
            >>> import numpy as np, revolute
            >>> arm = revolute.robots.planar(2)
            >>> arm.simulate([0.0, 0.0], [0.0, 0.0], None, np.linspace(0, 1, 101)).view()  # doctest: +SKIP
        """
        machine = self.owner.machine if self.owner else None
        robot: Any = machine if hasattr(machine, "view") else getattr(machine, "robot", None)
        if not hasattr(robot, "view"):
            raise InputError("view: this motion has no robot to show; read a motion file with load(path, robot)")
        tau = self.tau if self.tau.shape[-1] == self.qd.shape[-1] and self.theta is None else None
        touches = self.contact_forces is not None and self.q.ndim == 2
        loads = contact_wrenches(robot if self.theta is None else robot.robot, self) if touches else {}
        options: dict[str, Any] = {"wrenches": {**loads, **(wrenches or {})}, "collisions": collisions}
        shown: View = robot.view(self.q, t=self.t, tau=tau, **options, host=host, port=port)
        return shown

    @property
    def energy(self) -> Array:
        """(..., T) total energy [J]."""
        return np.asarray(self.kinetic_energy + self.potential_energy)

    def _parts(self) -> dict[str, Array]:
        names = ("t", "q", "qd", "qdd", "tau", *MOTORS, *FORCES, *ENERGIES)
        return {name: x for name in names if (x := getattr(self, name)) is not None}

    def _columns(self) -> dict[str, Array]:
        parts, forces = self._parts(), self.contact_forces
        return parts if forces is None else {**parts, "contact_forces": forces.reshape(*forces.shape[:-2], -1)}

    def _changed(self, change: Callable[[Array], Array], t: Array) -> Simulation:
        """A copy at times t, with `change` applied to all other arrays."""
        parts: dict[str, Any] = {name: change(x) for name, x in self._parts().items() if name != "t"}
        parts |= {} if self.residual is None else {"residual": change(self.residual)}
        controller = {name: change(x) for name, x in self.controller.items()}
        ends = self.event is not None and len(t) > 0 and t[-1] == self.event.t
        return replace(self, t=t, controller=controller, event=self.event if ends else None, **parts)

    def _named(self, what: str) -> MotionOwner:
        if self.owner is None:
            raise InputError(f"{what}: the motion has no column names; a motion from `simulate` has them")
        return self.owner

    def _require_one(self, what: str) -> None:
        if self.q.ndim > 2:
            raise InputError(f"{what} requires one motion, but this is a batch {self.q.shape[:-2]}; select one: row(k)")
