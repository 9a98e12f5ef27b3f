"""Motions of a constrained robot, from one closed state to the next, and messages about singular states."""

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike

from revolute.arguments import by_names, instance
from revolute.dynamics.steps import METHODS
from revolute.errors import InputError, SimulationError
from revolute.machine.constrained.loops import APPEARS_CLOSED, DRIVEN, ClosedLoops, optional
from revolute.machine.constrained.moving import inputs_of
from revolute.machine.declare import declared, internal
from revolute.machine.driven import DrivenRobot
from revolute.machine.function import Function
from revolute.machine.functions import constrained_motion as functions
from revolute.machine.machine import Array, Out, Threads
from revolute.machine.motion_loop import mechanism
from revolute.machine.robot.contacts import Contacts, touching_step
from revolute.machine.stepper import Stepper, stepper
from revolute.machine.touched import Stops
from revolute.model import Contact, ContactInputs
from revolute.simulate import ADAPTIVE, MotionOwner, Request, Simulation
from revolute.simulate import simulate as simulate_motion
from revolute.simulate.request import instants_beside, start

AT_REST = 1e-5  # distance within which loops at rest can stop [rad, m]

NEARBY, CLOSING = (0.1, 0.5), 8
"""Maximum displacements of joints [rad, m], and Newton steps, to find states with the usual rank of the closures."""

_OF_MOTION: dict[str, Any] = {
    **optional(DRIVEN), "options": ("closing", "wrenches", "stabilization", *DRIVEN), "inverts": True, "smooth": True
}


class ConstrainedMotions(ClosedLoops, Contacts):
    """Motions that keep the loops closed."""

    _parts: ClassVar[tuple[Function, ...]] = (
        internal("closed_state", functions.closed_state, "q qd -> q: nq; qd: nv", inverts=True, **optional(DRIVEN)),
        internal("state_rate", functions.state_rate, "q qd tau -> dq/dt: nq; qdd: nv", **_OF_MOTION),
        *(
            internal(f"{name}_step", functions.step(method), "q qd tau h[] -> q: nq; qd: nv", **_OF_MOTION)
            for name, method in METHODS.items()
        ),
        touching_step(optional(DRIVEN)["optional"]),
    )

    @declared(functions.kinetic_energy, "q qd -> T")
    def kinetic_energy(self, q: ArrayLike, qd: ArrayLike, *, out: Out = None, threads: Threads = None) -> Array:
        """Kinetic energy (...) of all bodies and, with `drives`, of rotors [J]."""

    @declared(functions.potential_energy, "q -> U")
    def potential_energy(self, q: ArrayLike, *, out: Out = None, threads: Threads = None) -> Array:
        """Potential energy (...) of gravity and, with `drives`, of springs [J]."""

    @cached_property
    def _owner(self) -> MotionOwner:
        return MotionOwner.of(self, self.robot)

    def simulate(
        self, q0: ArrayLike, qd0: ArrayLike, torque: Any, t: ArrayLike, method: str | None = None, *,
        contacts: Sequence[Contact] = (), stops: Stops = False, sticking: bool = False,
        stabilization: float | None = None, projection: bool = True, wrenches: Mapping[str, Any] | None = None,
        rtol: float = 1e-9, atol: float = 1e-11, threads: Threads = None, events: Sequence[Any] = (),
        stop_at_limits: bool = False, every: int = 1, progress: bool | None = None, active: Any = None,
        target: Any = None, target_rate: Any = None,
    ) -> Simulation:
        """A motion that closes the loops at every recorded state.

        A motion through a singular position, where branches of motion cross, continues on its branch. Within about
        1e-4 rad of this position, vanishing rows are treated as redundant: recorded accelerations do not satisfy them.
        Loops that change branches within that distance lose energy. Implicit steps whose midpoint is within about
        1e-3 rad of the position often have no solution: the motion then stops; choose other times.

        Args:
            q0, qd0: (..., nq), (..., nv) an initial state near a closed one; it is projected first.
            torque: joint forces, or a controller; a row of an array applies from its time until the next: see
                `Robot.simulate`.
            method: see `Robot.simulate`. A projection ends each step; with an adaptive method, each interval between
                two times.
            contacts, stops, sticking: see `Robot.simulate`.
            stabilization: Baumgarte rate [1/s]: see `forward_dynamics`.
            projection: project states, so that the errors of the loops stay below 1e-12.
            active: (..., closures) 1 for every closure that holds, 0 for every open one; also (..., T, closures), where
                a row applies from its time until the next, or a function of time. A closure that closes stops the
                velocity of its rows, without restitution.
            target: (..., m) values that the errors e follow, such as the path of a guided hand, or of a foot on a
                lift; also (..., T, m) at all times, interpolated by cubics, or a function of time.
            target_rate: time derivatives of the targets, in the same form; by default finite differences.
            t, wrenches, rtol, atol, threads, events, stop_at_limits, every, progress: see `Robot.simulate`.

        Raises:
            InputError, ShapeError: the arguments do not fit.
            MissingExtraError: an adaptive method needs SciPy, which is not installed.
            SimulationError: the motion diverges, or loops cannot be kept closed; `partial` is the motion up to that
                time. For loops at rest in a singular position, as with collinear links, it names rows and joints.
        """
        touching, method = self._touched_motion("simulate", contacts, stops, sticking, method)
        acting = self._acting("simulate", method, stabilization, projection, touching)
        if projection and isinstance(method, str) and method in ADAPTIVE:
            acting["closing"] = "stages"
        space = self.robot
        q0 = by_names("simulate: q0", q0, space.position_names, "q.")
        qd0 = by_names("simulate: qd0", qd0, space.coordinate_names, "qd.")
        q, qd = start(space, q0, qd0)
        sizes, times = (len(self.closures), len(self.row_names)), instants_beside(torque, t)
        inputs = inputs_of(space, sizes, times, q.shape[:-1], active, target, target_rate)
        now = {name: x(0, float(times[0])) for name, x in inputs.items()}
        target, target_rate = np.split(now["led"], 4, axis=-1)[:2] if "led" in now else (None, None)
        q, qd = self.project(q, qd, active=now.get("switched"), target=target, target_rate=target_rate)
        options = dict.fromkeys(inputs, True)
        settled = self.kernel("closed_state", **options) if acting.get("closing") == "stages" else None
        request = Request(
            q, qd, torque, t, method, wrenches, rtol, atol, events, stop_at_limits, every, progress, threads,
            inputs={DRIVEN[name].partition("[")[0]: x for name, x in inputs.items()}, touching=touching,
        )
        found = simulate_motion(mechanism(self, self.robot, settled), request, {**acting, **options})
        if not inputs and not touching:
            self._require_determined(found)
        return found

    def _require_determined(self, motion: Simulation) -> None:
        """Raise `SimulationError` if the loops are at rest in a singular position at the start of a motion."""
        q, qd, qdd = (x[..., 0, :].reshape(-1, x.shape[-1]) for x in (motion.q, motion.qd, motion.qdd))
        resting = (qd**2).sum(axis=-1) < 2 * AT_REST * np.linalg.norm(qdd, axis=-1)
        if not resting.any():
            return
        moves = np.cos(np.arange(1, 4)[:, None] * np.arange(1, self.robot.nv + 1) ** 2)
        near = self.robot.integrate(q[resting][0], np.concatenate([size * moves for size in NEARBY]))
        for _ in range(CLOSING):
            near = self.kernel("newton")(near)
        near = near[np.abs(self.error(near)).max(axis=-1, initial=0) < APPEARS_CLOSED]
        if there := singular_closures(self, q[resting], np.concatenate([near, q[resting][:1]])):
            raise SimulationError(
                f"simulate: the motion is not determined after t={motion.t[0]:g} s: {there}. The robot is at rest; "
                "start with a nonzero velocity, or a little away from this position",
                motion[:1],
            )

    def stepper(
        self, dt: float, method: str | None = None, *, contacts: Sequence[Contact] = (), stops: Stops = False,
        sticking: bool = False, stabilization: float | None = None, projection: bool = True,
        wrench_links: Sequence[str] = (), threads: Threads = None, switched: bool = False, led: bool = False,
    ) -> Stepper:
        """Steps of fixed length, in place, from one closed state to the next: see `Robot.stepper`.

        Args:
            dt, wrench_links, threads: see `Robot.stepper`.
            method: a fixed-step method.
            contacts, stops, sticking: see `Robot.stepper`.
            stabilization, projection: see `simulate`. States whose loops cannot be closed become NaN.
            switched: whether `step` takes `active`, (..., closures), after its other arguments: see `forward_dynamics`.
            led: whether `step` takes, as its last argument, (..., 4 m) targets of the errors e at the start of the
                step, followed by their first three time derivatives. Targets are cubic during a step.

        Raises:
            InputError: the method does not exist, or an argument is not a positive number.

        Example:
            >>> closure = revolute.PointClosure("tip", at_b=(2.0, 0.0, 0.0))
            >>> slider = revolute.robots.planar(3).with_closures(closure)
            >>> q, qd = slider.project([0.5, -1.0, 0.2])
            >>> stepper = slider.stepper(1e-3, "semi_implicit_euler")
            >>> for _ in range(100):
            ...     state = stepper.step(q, qd, np.zeros(3))
            >>> bool(abs(slider.error(q)).max() < 1e-12)
            True
        """
        touching, method = self._touched_motion("stepper", contacts, stops, sticking, method)
        acting = self._acting("stepper", method, stabilization, projection, touching)
        inputs = {name: True for name, given in (("switched", switched), ("led", led)) if given}
        return stepper(self, dt, method, acting | inputs, wrench_links, threads, touching=touching)

    def _acting(
        self, what: str, method: str, stabilization: float | None, projection: bool, touching: ContactInputs | None
    ) -> dict[str, Any]:
        """Options of the kernels of a motion. Raise `InputError` for an invalid rate, or for friction that jumps."""
        if touching and "sticking" in touching.options:
            if not isinstance(self.model, DrivenRobot):
                raise InputError(f"{what}: '{self.robot.name}' has no friction that can stick; use drives=True")
        elif isinstance(self.model, DrivenRobot):
            self.model._require_smooth(what)
        if touching and (stabilization or projection is not True):
            raise InputError(f"{what}: contacts, stops and sticking need projection=True, and no stabilization")
        kept = instance(f"{what}: projection", projection, (bool, np.bool_))
        if stabilization is not None and not (isinstance(stabilization, (int, float)) and 0 <= stabilization < np.inf):
            raise InputError(f"stabilization must be a rate [1/s], zero or more, not {stabilization!r}")
        if stabilization and isinstance(method, str) and method == "variational_midpoint":
            raise InputError(f"{what}: variational_midpoint closes the loops by itself; leave out stabilization")
        acting: dict[str, Any] = {} if kept else {"closing": "never"}
        return {**acting, "stabilization": float(stabilization)} if stabilization else acting

NEAR = 1e-4
"""Singular value, relative to the largest one, that counts as zero: about the angle between collinear links [rad]."""


def singular_closures(linkage: ClosedLoops, q: Array, regular: Array) -> str | None:
    """Message about closures that are singular in the most singular of the states q, (n, nq), or None."""
    # A state is singular if its Jacobian has fewer singular values well above zero than the best of the regular states.
    # Its singular rows are those in the left singular vectors of the lost values, among combinations of rows that are
    # independent in a regular state: permanently redundant rows are excluded.
    J, J_regular = linkage.jacobian(q), linkage.jacobian(regular)
    J = J[np.isfinite(J).all(axis=(-2, -1))]
    rank = _rank(J_regular).max(initial=0)
    if not len(J) or _rank(J).min() == rank:
        return None
    J = J[np.argmin(_rank(J))]
    flat = J_regular.reshape(-1, *J_regular.shape[-2:])
    independent = np.linalg.svd(flat[np.argmax(_rank(flat))])[0][:, :rank]
    U, s, _ = np.linalg.svd(independent.T @ J)
    lost = np.abs(independent @ U[:, _rank(J) :]).max(axis=1) > 0.1
    sizes = [len(closure.row_names()) for closure in linkage.closures]
    loops = np.repeat([part.any() for part in np.split(lost, np.cumsum(sizes)[:-1])], sizes)
    moved = np.abs(J_regular[..., loops, :]).reshape(-1, linkage.robot.nv).max(axis=0) > NEAR * np.abs(J_regular).max()
    rows, joints = (
        ", ".join(f"'{name}'" for name, part in zip(names, flags, strict=True) if part)
        for names, flags in ((linkage.row_names, lost), (linkage.robot.coordinate_names, moved))
    )
    return (
        f"closures of '{linkage.robot.name}' are singular there, their Jacobian loses rank: {rows}, in the loops of "
        f"the joints {joints} (singular value {s[rank - 1] / s[0]:.1g} of the largest). "
        "Links are collinear, or joint axes coincide"
    )


def _rank(J: Array) -> Array:
    """(...) number of singular values well above zero."""
    s = np.linalg.svd(J, compute_uv=False)
    return np.asarray((s > NEAR * s.max(axis=-1, keepdims=True, initial=0)).sum(axis=-1))
