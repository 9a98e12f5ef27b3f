"""Plans: minimum-cost motions with feedback gains, and their comparison with a finer simulation."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from revolute.arguments import Array, float_copy, number, whole_number
from revolute.dynamics.optimal.holding import plane_of
from revolute.errors import InputError, ShapeError, printable
from revolute.machine.row_products import times
from revolute.model.contact_inputs import contact_names
from revolute.optimal.costs.cost import TIME
from revolute.optimal.fddp import CONVERGED, REASONS
from revolute.optimal.iterations_log import IterationsLog
from revolute.optimal.plan_check import PlanCheck, checked
from revolute.simulate import Simulation
from revolute.simulate.owner import owner_of

if TYPE_CHECKING:
    from revolute.optimal.problem import OptimalControl
    from revolute.plot.figures import Figure
    from revolute.view.view import View


@dataclass(frozen=True, eq=False, repr=False)
class OptimalPlan:
    """The minimum-cost motion of a problem, or of each problem of a batch.

    Attributes:
        t: (T + 1,) times of the nodes [s]; (..., T + 1) if `solve` chose them.
        q, qd: (..., T + 1, nq), (..., T + 1, nv) positions [rad, m] and velocities [rad/s, m/s].
        qdd, tau: (..., T, nv) accelerations [rad/s^2, m/s^2] and forces [N m, N], constant between nodes.
        gains: (..., T, nv, 2 nv) K of tau + K dx, with dx the deviation of the state from the plan. With a
            `TorqueRateCost` the state includes the forces of the previous step, and K has 3 nv columns. NaN if the
            first plan is too large, or the costs have no curvature or no derivative.
        cost: (...) total cost of the motion, without hard costs.
        costs: {name: (..., T + 1)} parts of the cost by node; zero for hard costs. "free time" is the cost of
            durations.
        errors: {name: (...)} the largest error of each hard cost; at the first node, only costs of forces count.
        gap: (...) the largest remaining gap between the end of a step and the next node.
        iterations: (...) number of iterations.
        state: (...) code of the termination reason: see `reason`.
        contact_forces: (..., T, contacts, 3) forces on links in the base frame, means over the steps [N]; None
            without contacts.
        iterations_log: the iterations, if `solve` was called with `log=True`; otherwise None.
        multipliers: (..., T, m) forces of closures, means over the steps: see `ConstrainedRobot.multipliers`; None
            without closed loops.
    """

    t: Array
    q: Array
    qd: Array
    qdd: Array
    tau: Array
    gains: Array
    cost: Array
    costs: Mapping[str, Array]
    errors: Mapping[str, Array]
    gap: Array
    iterations: Array
    state: Array
    problem: OptimalControl = field(repr=False)
    contact_forces: Array | None = None
    iterations_log: IterationsLog | None = None
    multipliers: Array | None = None

    @classmethod
    def of(
        cls, problem: OptimalControl, t: Array, parts: Mapping[str, Array], log: IterationsLog | None = None
    ) -> OptimalPlan:
        """Create a plan from the arrays of a solution."""
        nq, setting = problem._tree.nq, problem._setting
        hard = [cost.called() for cost in setting.costs if cost.hard]
        errors = {name: parts["errors"][..., k] for k, name in enumerate(hard)}
        named = {name: parts[name] for name in ("qdd", "tau", "gains", "cost", "gap", "iterations", "state")}
        forces: dict[str, Any] = {name: parts.get(name) for name in ("contact_forces", "multipliers")}
        q, qd = parts["x"][..., :nq], parts["x"][..., nq : nq + problem._tree.nv]
        costs = {name: parts["costs"][..., k] for k, name in enumerate(problem.names)}
        costs |= {TIME: parts["time"]} if "time" in parts else {}
        t = parts.get("t", t)
        return cls(t=t, q=q, qd=qd, costs=costs, errors=errors, problem=problem, iterations_log=log, **forces, **named)

    @property
    def converged(self) -> Array:
        """(...) whether the iterations reached a minimum, without gaps and with satisfied hard costs."""
        return np.asarray(np.asarray(self.state) == CONVERGED)

    @property
    def reason(self) -> str | Array:
        """The termination reason: a text, or an array of texts for a batch."""
        texts = np.array([REASONS[int(k)] for k in np.ravel(self.state)], object).reshape(np.shape(self.state))
        return texts if texts.ndim else str(texts.item())

    def row(self, k: int | tuple[int, ...]) -> OptimalPlan:
        """One plan of a batch.

        Raises:
            InputError: the row does not exist.
        """
        place = k if isinstance(k, tuple) else (k,)
        batch = np.shape(self.state)
        if len(place) != len(batch) or not all(-n <= x < n for x, n in zip(place, batch, strict=True)):
            raise InputError(f"row: {k!r} is not an index into the batch {batch}: give a number for each axis")
        chosen = {x.name: getattr(self, x.name) for x in fields(self) if x.name != "problem"}
        chosen = {name: x for name, x in chosen.items() if x is not None and (name != "t" or np.ndim(x) > 1)}
        for field_name, x in chosen.items():
            parts = isinstance(x, Mapping)
            chosen[field_name] = {name: a[place] for name, a in x.items()} if parts else x[place]
        return replace(self, **chosen)

    def report(self) -> str:
        """A text table of costs, and of forces and speeds relative to limits; the problem's bounds are limits too.

        Raises:
            InputError: the plan is a batch.
        """
        self._require_one("report")
        robot = self.problem._tree
        lines = [f"{printable(robot.name)}: cost {self.cost:.6g} after {self.iterations} iterations; {self.reason}"]
        names = (f"contact {name}" for name in contact_names(self.problem.contacts))
        width = max(map(len, [*self.costs, "forces / limit", *names]))
        for name, parts in ((name, parts) for name, parts in self.costs.items() if name not in self.errors):
            lines.append(f"  {name:<{width}}  {parts[:-1].sum():12.6g} on the way  {parts[-1]:12.6g} at the end")
        for name, error in self.errors.items():
            lines.append(f"  {name:<{width}}  {error:12.3g} largest error of the hard cost")
        low, high = efforts = np.array([-robot.effort_limits, robot.effort_limits])
        bounds, motors = self.problem._bounds, self.problem._motors
        efforts[:, motors] = np.where(np.isfinite(bounds), bounds, efforts[:, motors])
        shares = (
            ("forces / limit", self.tau, np.maximum(np.where(self.tau < 0, -low, high), 1e-300)),  # 0 of 0 is 0
            ("speeds / limit", self.qd, robot.velocity_limits),
        )
        for label, values, limits in shares:
            if np.isfinite(limits).any():
                share = (np.abs(values) / limits).max(axis=0)
                joint = robot.coordinate_names[int(np.argmax(share))]
                lines.append(f"  {label:<{width}}  {share.max():12.3f} at most, of '{printable(joint)}'")
        contacts = self.problem.contacts
        for k, (name, contact) in enumerate(zip(contact_names(contacts), contacts, strict=True)):
            pressed = self.contact_forces[:, k] @ plane_of(contact).normal  # type: ignore[index]
            label, held = f"contact {printable(name)}", np.count_nonzero(pressed)
            lines.append(f"  {label:<{width}}  {held:12} of {len(pressed)} steps, {pressed.max():.4g} N at most")
        if self.multipliers is not None:
            opened = np.abs(self.problem.robot.error(self.q)).max()
            lines.append(f"  {'loops':<{width}}  {opened:12.3g} largest closure error")
        return "\n".join(lines)

    def check(self, steps: int = 10) -> PlanCheck:
        """Simulate each step of the plan again with finer steps: see `PlanCheck`.

        With contacts, `simulate(contacts=...)` is used: contacts do not pull, and slide if forces leave friction cones.
        A foot may touch down at another time than in the plan; velocities then differ by their change at the impact.

        Args:
            steps: number of finer steps per step.

        Raises:
            InputError: the plan is a batch, steps is not a positive integer, or a contact is too deep in its surface
                at a node.
        """
        self._require_one("check")
        return checked(self, whole_number("check: steps", steps, 1))

    def motion(self) -> Simulation:
        """The plan as a motion at its nodes, to save, plot and view; the last node repeats the previous forces.

        Raises:
            InputError: the plan is a batch whose times differ.
        """
        if np.ndim(self.t) > 1:
            self._require_one("motion")
        robot = self.problem.robot
        qdd, tau = (np.concatenate([x, x[..., -1:, :]], axis=-2) for x in (self.qdd, self.tau))
        energies = robot.kinetic_energy(self.q, self.qd), robot.potential_energy(self.q)
        motion = Simulation(self.t, self.q, self.qd, qdd, tau, *energies, owner=owner_of(robot))
        if self.contact_forces is None:
            return motion
        forces = np.concatenate([self.contact_forces, self.contact_forces[..., -1:, :, :]], axis=-3)
        contacts = self.problem.contacts
        owner = replace(owner_of(robot), contacts=contact_names(contacts))
        return replace(motion, contact_forces=forces, contacts=contacts, owner=owner)

    def torque(self, t: float, q: ArrayLike, qd: ArrayLike) -> Array:
        """The forces at a time and a state: those of the plan, corrected by its gains, within its bounds.

            tau + K (difference(q_plan, q), qd - qd_plan)

        So a plan is a controller for `simulate`. Between nodes, states are interpolated linearly; after the end, the
        last state, forces and gains are used.

        Args:
            t: time [s], as in the plan's `t`.
            q, qd: (..., nq), (..., nv) the state, or states [rad, m; rad/s, m/s].

        Returns:
            (..., nv) forces [N m, N]. Gains of the forces of the previous step, for `TorqueRateCost`, are not used.

        Raises:
            ShapeError, DtypeError: the state does not fit.
            InputError: the plan is a batch, or has no gains; t is not a number.

        Example:
            >>> import numpy as np, revolute
            >>> from revolute.optimal import OptimalControl, StateCost, TorqueCost
            >>> arm = revolute.robots.planar(2)
            >>> costs = [StateCost([50, 50, 1, 1]), TorqueCost(1e-3)]
            >>> problem = OptimalControl(arm, costs, steps=50, dt=0.02)
            >>> plan = problem.solve([0.0, 0.0], goal={"state": [0.5, -0.3, 0, 0]})
            >>> heavier = arm.with_payload("tip", revolute.Inertia(m=0.1))
            >>> times = np.linspace(0, 1, 501)
            >>> motion = heavier.simulate(plan.q[0], plan.qd[0], plan, times, "runge_kutta_4")
            >>> bool(abs(motion.q[-1] - plan.q[-1]).max() < 0.1)
            True
        """
        self._require_one("torque")
        if np.isnan(self.gains).any():
            raise InputError(f"torque: the plan has no gains: {self.reason}")
        motors, robot = self.problem._motors, self.problem._tree
        q, qd = (float_copy(f"torque: {name}", x) for name, x in (("q", q), ("qd", qd)))
        if q.shape[-1:] != (robot.nq,) or qd.shape != (*q.shape[:-1], robot.nv):
            raise ShapeError(f"torque: q and qd have shapes {q.shape} and {qd.shape}, not (..., nq) and (..., nv)")
        k, near, rates = self.state_at(number("torque: t", t))
        away = np.concatenate([robot.difference(near, q), qd - rates], axis=-1)
        forces = self.tau[k] + times(self.gains[k, :, : away.shape[-1]], away)
        forces[..., motors] = np.clip(forces[..., motors], *self.problem._bounds)
        return np.asarray(forces)

    def state_at(self, t: ArrayLike) -> tuple[Array, Array, Array]:
        """The node before each time t, and q and qd at t, interpolated linearly between nodes."""
        robot, times = self.problem._tree, np.asarray(t, float)
        k = np.clip(np.searchsorted(self.t, times + 1e-9 * self.t[1], side="right") - 1, 0, len(self.t) - 2)
        s = np.clip((times - self.t[k]) / (self.t[k + 1] - self.t[k]), 0, 1)[..., None]
        q = robot.integrate(self.q[k], s * robot.difference(self.q[k], self.q[k + 1]))
        return k, q, self.qd[k] + s * (self.qd[k + 1] - self.qd[k])

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the plan, or a batch of plans, as arrays (.npz), atomically. The log of iterations is not saved.

        Raises:
            TrajectoryError: the suffix is not supported, or the file cannot be written.

        Example:
            >>> import pathlib, tempfile, revolute
            >>> from revolute.optimal import OptimalControl, OptimalPlan, StateCost, TorqueCost
            >>> arm = revolute.robots.planar(2)
            >>> problem = OptimalControl(arm, [StateCost(), TorqueCost()], steps=9, dt=0.02)
            >>> plan = problem.solve([0.5, 0.0])
            >>> file = pathlib.Path(tempfile.mkdtemp(), "plan.npz")
            >>> plan.save(file)
            >>> OptimalPlan.load(file, problem).cost == plan.cost
            np.True_
        """
        from revolute.optimal.files import write_plan

        write_plan(path, self)

    @classmethod
    def load(cls, path: str | os.PathLike[str], problem: OptimalControl | Any) -> OptimalPlan:
        """Read a plan that `save` wrote.

        Args:
            path: the file, .npz.
            problem: the problem of the plan, or only its robot.

        Raises:
            TrajectoryError: the file cannot be read, is damaged, or does not contain a plan.
            ShapeError: names, steps, motors, contacts or closures of the file and of the problem differ.
        """
        from revolute.optimal.files import read_plan

        return read_plan(path, problem)

    def plot(self, title: str | None = None) -> Figure:
        """Plot the positions of all joints, with nearby limits, and the energies. Return a Matplotlib figure.

        Args:
            title: title; by default the name of the robot, the cost and the termination reason.

        Raises:
            InputError: the plan is a batch.
            MissingExtraError: Matplotlib is not installed.
        """
        self._require_one("plot")
        ended = "converged" if self.converged else "not converged"
        return self.motion().plot(title or f"{printable(self.problem._tree.name)}: cost {self.cost:.4g}, {ended}")

    def view(self, **options: Any) -> View:
        """Show the motion in a browser: see `Simulation.view`."""
        self._require_one("view")
        return self.motion().view(**options)

    def _require_one(self, what: str) -> None:
        if np.ndim(self.state):
            raise InputError(f"{what}: needs one plan, but this is a batch {np.shape(self.state)}; select one: row(k)")

    def __repr__(self) -> str:
        name, batch = self.problem._tree.name, np.shape(self.state)
        if batch:
            return f"<OptimalPlan of '{name}': {np.size(self.state)} problems, {int(self.converged.sum())} converged>"
        return f"<OptimalPlan of '{name}': {np.shape(self.t)[-1] - 1} steps, cost {self.cost:.6g}, {self.reason}>"
