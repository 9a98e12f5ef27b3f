"""Problems of optimal control: a robot, costs, a horizon."""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, DTypeLike

from revolute.arguments import broadcast_shapes, finite_rows, instances, positive, whole_number
from revolute.compiler.batch import workers_for
from revolute.compiler.pool import on_threads
from revolute.control.checks import effort_bounds, machine, motors, row
from revolute.dynamics.optimal.stepping import EXPLICIT, Dynamics
from revolute.dynamics.steps import check_method
from revolute.errors import InputError, ShapeError
from revolute.machine.constrained import ConstrainedRobot
from revolute.machine.driven import DrivenRobot
from revolute.model.contact import Contact
from revolute.optimal.contact_numbers import ContactNumbers, checked, checked_gains
from revolute.optimal.costs.cost import Cost, Goal, merged
from revolute.optimal.fddp import REASONS, SINGULAR
from revolute.optimal.first_plan import first_plan, require_start
from revolute.optimal.free_time import FreeTime, free_times
from revolute.optimal.goals import Goals
from revolute.optimal.iterations_log import Iteration, IterationsLog
from revolute.optimal.kernels.setting import Setting
from revolute.optimal.kernels.tick import write_tick
from revolute.optimal.plan import OptimalPlan
from revolute.optimal.shooting import Array, Code, Shooting
from revolute.optimal.solving import Queue
from revolute.simulate.progress import Progress

if TYPE_CHECKING:
    from revolute.optimal.predictive import PlanStepper

ROWS = 8  # number of problems solved together; they fill the SIMD lanes, and their nodes fit the processor's cache


class OptimalControl:
    """The minimum-cost motion from a state: forces at the nodes of a horizon, and feedback gains.

        least  sum_t dt sum_i w_i |e_i(x_t, tau_t)|^2 / 2 + sum_j w_j |e_j(x_T)|^2 / 2
        over   tau_0 ... tau_T-1,    x_t+1 = step(x_t, tau_t)

    where `step` is an integration step of `method`. The algorithm is differential dynamic programming with multiple
    shooting and Gauss-Newton Hessians (FDDP, Mastalli et al. 2020), with projected Newton steps for bounded forces
    (Tassa et al. 2014) and an augmented Lagrangian for hard costs. It is compiled for this robot and these costs;
    goals, weights and the contacts that hold at each node are inputs.

    Attributes:
        robot, steps, contacts: see the arguments.
        t: (T + 1,) times of the nodes [s].
        actuated: names of the coordinates with a motor.
        names: names of the costs, for `goal` and `weights` of `solve`.

    Example:
        >>> import numpy as np, revolute
        >>> from revolute.optimal import TorqueCost, OptimalControl, PointCost, StateCost
        >>> ur5 = revolute.robots.ur5()
        >>> costs, end = [StateCost(1e-2), TorqueCost(1e-3)], [PointCost("tool0", 1e4)]
        >>> problem = OptimalControl(ur5, costs, terminal=end, steps=50, dt=0.01)
        >>> goal = np.array([0.4, 0.3, 0.5])
        >>> plan = problem.solve([0, -1.2, 1.5, -0.8, -1, 0.3], goal=goal)
        >>> bool(plan.converged), plan.reason
        (True, 'converged')
        >>> tip = ur5.forward_kinematics(plan.q[-1], "tool0")[:3, 3]
        >>> bool(abs(tip - goal).max() < 0.01)
        True
    """

    def __init__(
        self, robot: Any, costs: Sequence[Cost], *, terminal: Sequence[Cost] = (), steps: int, dt: ArrayLike,
        effort_limits: ArrayLike | tuple[ArrayLike, ArrayLike] | None = None, actuated: Sequence[str] | None = None,
        method: str = "semi_implicit_euler", contacts: Sequence[Contact] = (),
        contact_gains: tuple[float, float] | None = None,
    ) -> None:
        """Check the problem; its functions are compiled at the first call of `solve`, or by `prepare`.

        Args:
            robot: a `Robot`, a `DrivenRobot`, or a `ConstrainedRobot`, whose loops are closed in every step.
            costs: costs of the nodes before the end, per second. Hard costs also hold at the end.
            terminal: costs of the last node, which has no forces.
            steps: number of steps; there are steps + 1 nodes.
            dt: length of every step, or (steps,) lengths [s].
            effort_limits: maximum forces (nv,) [N m, N], or a tuple of two such arrays: lower and upper bounds;
                None: no bounds.
            actuated: names of the coordinates with a motor; other forces are zero. By default all coordinates except
                those of free joints.
            method: integration method, as in `simulate`: "semi_implicit_euler", the fastest, "explicit_euler",
                "runge_kutta_4" or "runge_kutta_munthe_kaas_4".
            contacts: points of links that hold on planes while they are active: see `solve`. Only `ConeCost` limits
                their forces.
            contact_gains: k_p [1/s^2] and k_d [1/s] of accelerations of contacts, J qdd + dJ/dt qd + k_d J qd + k_p e =
                0. None: a step ends at velocities J qd = -e / dt, as in `contact_step`.

        Raises:
            InputError: a number is invalid, bounds are crossed, or two costs have the same name.
            UnknownNameError: a link or coordinate does not exist.
        """
        what = "OptimalControl"
        closures = robot.closures if isinstance(robot, ConstrainedRobot) else ()
        self.robot, self._tree = robot, robot.model if closures else machine(what, robot)
        tree = self._tree  # its joints are the coordinates
        self.steps = whole_number(f"{what}: steps", steps, 1)
        self._dt = row(f"{what}: dt", dt, self.steps)
        if not (self._dt > 0).all():
            raise InputError(f"{what}: dt must be positive times [s], not {dt!r}")
        self.t = np.concatenate([[0.0], np.cumsum(self._dt)])
        if isinstance(tree, DrivenRobot):
            tree._require_smooth(what)
        subject = tree._machine_data(tree.functions()["forward_dynamics_partials"], {})
        check_method(what, method, EXPLICIT)
        unique, sides = merged(instances(f"{what}: costs", costs, Cost), instances(f"{what}: terminal", terminal, Cost))
        model, drives = (*subject.arguments, None)[:2]
        self.contacts = checked(what, model, contacts, method, closures)
        gains = None if contact_gains is None else checked_gains(f"{what}: contact_gains", contact_gains)
        remembers = any(cost.remembers for cost in unique)
        dynamics = Dynamics(model, drives, method, remembers, self.contacts, gains is not None, closures)
        for cost in unique:
            cost.check(dynamics)
        self._motors = at = motors(what, tree, actuated)
        self.actuated = tuple(tree.coordinate_names[k] for k in at)
        self._bounds = effort_bounds(what, effort_limits, tree, at)
        boxed = bool(np.isfinite(self._bounds).any())
        whole = dynamics.lean and len(at) == tree.nv and not boxed and not dynamics.holds
        self._setting = Setting(dynamics, unique, None if whole else tuple(at), boxed)
        self.names = tuple(cost.called() for cost in unique)
        self._goals = Goals(self._setting, sides, self._dt)
        self._contacts = ContactNumbers(self._setting, self._dt, gains)
        self._idle: dict[int, list[Shooting]] = {}
        """Work arrays that are not in use by a call of `solve`, by their number of rows."""

    def prepare(self) -> None:
        """Compile all functions now; later problems with this robot and these costs load them from the cache."""
        self._idle.setdefault(1, []).append(self._shooting(1))

    def solve(
        self, q0: ArrayLike, qd0: ArrayLike | None = None, *, goal: Goal = None,
        weights: Mapping[str, ArrayLike] | None = None, guess: OptimalPlan | tuple[ArrayLike, ...] | None = None,
        tau0: ArrayLike | None = None, iterations: int = 200, tolerance: float = 1e-9, violation: float = 1e-4,
        threads: int | None = None, progress: bool | None = None, log: bool = False,
        callback: Callable[[Iteration], object] | None = None, free_time: FreeTime | Sequence[FreeTime] | None = None,
        active: ArrayLike | None = None, places: ArrayLike | None = None,
    ) -> OptimalPlan:
        """The minimum-cost plan from a state, or a batch of plans if the state has leading axes.

        Args:
            q0, qd0: (..., nq), (..., nv) initial states; at rest by default.
            goal: goal of the cost that requires one, or {name of a cost: goal}. A goal may have the leading axes of the
                states, to differ by row, followed by an axis of steps + 1, to differ by node.
            weights: {name of a cost: factor of its weight}; a factor may have the same leading axes as a goal.
            guess: an initial plan; or a tuple of (..., steps + 1, nq) positions, optionally (..., steps + 1, nv)
                velocities, and (..., steps, nv) forces. By default the robot is at rest, held by its motors. If motions
                and forces are inconsistent, iterations close the gaps.
            tau0: (..., nv) forces before the first node, for `TorqueRateCost`: by default the forces that hold the
                robot at rest.
            iterations: maximum number of iterations for each problem, set of multipliers and choice of durations.
            tolerance: a problem has converged once the next step, without regularization, would lower its cost by less
                than this.
            violation: largest permitted error of hard costs, also at the start.
            threads: number of threads, for hundreds of problems; None: all cores.
            progress: show a progress bar on stderr. None: only in interactive sessions; True: also in scripts on a
                terminal; False: never.
            log: record all iterations in `iterations_log` of the plan.
            callback: function that is called after each iteration of a problem, on one thread. An error that it raises
                ends all iterations.
            free_time: durations to be optimized, of all steps or of phases; the first guess is those of the problem.
            active: (..., steps, contacts) 1 for every contact that holds during a step, and 0 for others, which exert
                no forces. By default all contacts hold.
            places: (..., steps, contacts, 3) points at which contacts hold, in the base frame [m]; values at an
                additional last node are ignored. NaN, the default, allows any point of the plane. Places of several
                contacts of one link are used only while all these contacts are active.

        Returns:
            the plan; if it has not converged, its `reason` says why.

        Raises:
            ShapeError, DtypeError: an array does not fit.
            InputError: a number is not finite, the start exceeds hard limits or opens loops, or the costs of all
                problems lack curvature.
            UnknownNameError: no cost has this name.
        """
        start = self._start(q0, qd0)
        batch = start.shape[:-1]
        count = math.prod(batch)
        whole_number("solve: iterations", iterations, 1)
        positive("solve: tolerance", tolerance)
        positive("solve: violation", violation)
        p = np.empty((self.steps + 1, *batch, self._setting.parameters))
        self._goals.fill(p, batch, goal, weights)
        self._contacts.fill(p, batch, active, places)
        x, tau = first_plan(self, guess, start, batch, tau0)
        p, x, tau = (a.reshape(len(a), count, a.shape[-1]) for a in (p, x, tau))
        require_start(self, x[0], p, violation)
        span, note = (count, "{now} of {end} problems") if count > 1 else (iterations, "iteration {now}, {end} at most")
        bar = Progress(f"solving '{self._tree.name}'", (0, span), progress, note)
        stop = iterations, tolerance, violation
        free = None if free_time is None else free_times(free_time, self.steps, batch)
        noted = _silent if log and callback is None else callback
        queue = Queue(self._setting, x, tau, p, stop, bar, self._dt, noted, free)
        size = min(count, ROWS)
        idle = self._idle.setdefault(size, [])
        idle.append(self._borrowed(idle, size))  # compiles the kernels

        def work(_: int) -> None:
            nodes = self._borrowed(idle, size)
            queue.work(nodes)
            if not queue.stopped.is_set():  # otherwise, some rows are not at rest
                idle.append(nodes)

        workers = 1 if threads == 1 or callback is not None or count <= ROWS else workers_for(threads, count * 1e8)
        with bar:
            on_threads(work, range(workers), workers, queue.stopped.set)
        records = IterationsLog.of(queue.logs, batch) if log else None
        return OptimalPlan.of(self, self.t, _stacked(queue.plans, batch), records)

    def stepper(self, iterations: int = 1, *, delay: float = 0.0) -> PlanStepper:
        """Predictive control for a real-time loop: see `PlanStepper`.

        Args:
            iterations: number of iterations per call.
            delay: time from a call until its forces act [s], shorter than the horizon. Plans then start at the state
                predicted for that time, under the forces of earlier calls.

        Raises:
            InputError: iterations is not a positive integer, delay is not such a time, or a cost is hard.
        """
        from revolute.optimal.predictive import PlanStepper

        return PlanStepper(self, iterations, delay)

    def parameters(
        self, goal: Goal = None, weights: Mapping[str, ArrayLike] | None = None, active: ArrayLike | None = None,
        places: ArrayLike | None = None,
    ) -> Array:
        """(steps + 1, parameters) weights and goals of all nodes, as input for the C code of `to_c`.

        Args:
            goal, weights, active, places: see `solve`; for one problem, without leading axes.

        Raises:
            ShapeError, DtypeError, InputError, UnknownNameError: see `solve`.
        """
        p = np.empty((self.steps + 1, self._setting.parameters))
        self._goals.fill(p, (), goal, weights)
        self._contacts.fill(p, (), active, places, "parameters")
        return p

    def to_c(
        self, path: str | os.PathLike[str], *, dtype: DTypeLike = np.float64, sincos: str = "math.h", cpp: bool = False,
        target: str | None = None,
    ) -> list[Path]:
        """Write one control cycle (tick) of predictive control as C99. The code uses only stack memory and `<math.h>`.

        The function `NAME_tick` does the same as `stepper().step` with one iteration. Its header documents its arrays,
        and the layout of weights and goals in the parameters. For a first plan use the result of `solve`: states
        (q, qd) of all nodes, `tau`, and the rows of `gains` that belong to motors.

        Args:
            path: the file, whose name without .c is the prefix of all names; or a folder, with files named after the
                robot.
            dtype: float64 or float32.
            sincos: "math.h": sin and cos of the C library; "own": generated sine and cosine code.
            cpp: also write a C++ header, whose arrays have fixed sizes.
            target: processor of an object file: see `Robot.to_c`.

        Returns:
            the files.

        Raises:
            InputError: a cost is hard, an option is invalid, or the folder does not exist.
            CompileError: a file cannot be written.

        Example:
            >>> import pathlib, tempfile, revolute
            >>> from revolute.optimal import TorqueCost, OptimalControl, StateCost
            >>> arm = revolute.robots.planar(2)
            >>> costs = [StateCost(1.0), TorqueCost(1e-2)]
            >>> problem = OptimalControl(arm, costs, steps=5, dt=0.02)
            >>> folder = pathlib.Path(tempfile.mkdtemp())
            >>> files = problem.to_c(folder / "arm.c", dtype="float32")
            >>> sorted(file.name for file in files)
            ['arm.c', 'arm.h']
        """
        if self._setting.hard:
            raise InputError("to_c: hard costs need many iterations per call; use costs without hard=True")
        return write_tick(self, path, dtype, sincos=sincos, cpp=cpp, target=target)

    # --- parts of `solve` -----------------------------------------------------------------------

    def _start(self, q0: ArrayLike, qd0: ArrayLike | None) -> Array:
        robot = self._tree
        q0 = finite_rows("solve", "q0", q0, robot.nq, robot.position_names)
        if qd0 is None:
            start = np.zeros((*q0.shape[:-1], robot.nq + robot.nv))
            start[..., : robot.nq] = q0
            return start
        qd0 = finite_rows("solve", "qd0", qd0, robot.nv, robot.coordinate_names)
        try:
            batch = broadcast_shapes([q0.shape[:-1], qd0.shape[:-1]])
        except ValueError:
            raise ShapeError(f"solve: q0 has the batch {q0.shape[:-1]}, but qd0 has {qd0.shape[:-1]}") from None
        return np.concatenate([np.broadcast_to(x, (*batch, x.shape[-1])) for x in (q0, qd0)], axis=-1)

    @cached_property
    def _code(self) -> Code:
        return Code(self._setting)

    def _shooting(self, rows: int) -> Shooting:
        nodes = Shooting(self._code, self.steps, rows)
        nodes.h[:-1, :, 0] = self._dt[:, None]
        nodes.low[:], nodes.high[:] = self._bounds
        return nodes

    def _borrowed(self, idle: list[Shooting], rows: int) -> Shooting:
        """Work arrays for exclusive use: idle ones if there are any, otherwise new ones."""
        try:
            return idle.pop()
        except IndexError:
            return self._shooting(rows)

    def __getstate__(self) -> dict[str, Any]:
        """Everything but compiled functions and their arrays, which the next call creates again."""
        return {name: x for name, x in self.__dict__.items() if name != "_code"} | {"_idle": {}}

    def __repr__(self) -> str:
        costs = ", ".join(self.names)
        return f"<OptimalControl of '{self._tree.name}': {self.steps} steps, {self.t[-1]:g} s; {costs}>"


def _silent(iteration: Iteration) -> None:
    """Do nothing: the callback if only a log is wanted."""


def _stacked(plans: list[dict[str, Any]], batch: tuple[int, ...]) -> dict[str, Array]:
    """Stack the parts of all plans along the axes of the batch; `InputError` if no problem has enough curvature."""
    if all(plan["state"] == SINGULAR for plan in plans):
        raise InputError(f"solve: {REASONS[SINGULAR]}")
    if not batch:
        return {name: np.asarray(x) for name, x in plans[0].items()}
    shapes = {name: (*batch, *np.shape(first)) for name, first in plans[0].items()}
    return {name: np.array([plan[name] for plan in plans]).reshape(shape) for name, shape in shapes.items()}
