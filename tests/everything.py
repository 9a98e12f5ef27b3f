"""Everything public that runs machine code on arrays: the registry from which suites of the contract draw their cells.

A cell is an owner, such as a machine or a controller, and a function of it. Functions that are declared without a body,
and those that are kernels alone, are found; `CALLS` has all others. `LEFT_OUT` has what is in no cell, `refused` what a
cell does not take, each with the reason. `docs/reliability.md` has both as tables.
"""

import copy
import functools
import inspect
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import sympy

import revolute
from revolute import AxisClosure, Contact, Limits, Plane, control, optimal
from revolute.compiler.bound import _Compiled
from revolute.optimal import OptimalControl, Predictive, Sampling, StateCost, TorqueCost

ROWS = 5


@functools.cache
def arm() -> revolute.Robot:
    return revolute.robots.planar(2)


@functools.cache
def floating() -> revolute.Robot:
    return revolute.robots.random_tree(1, rng=1, base="free")


@functools.cache
def cart() -> Any:
    x, a, dx, da, m = sympy.symbols("x a dx da m")
    kinetic = m * dx**2 / 2 + (dx**2 + da**2 + 2 * dx * da * sympy.cos(a)) / 2
    return revolute.lagrange([x, a], kinetic, 9.81 * sympy.cos(a) + x**2).subs({"m": 2.0})


MACHINES: dict[str, Callable[[], Any]] = {
    "arm": arm,
    "floating": floating,
    "driven": lambda: arm().with_drives(
        {"joint1": revolute.Drive(damping=(0.5,), armature=(0.1,))}, coupling=[[1.0, 0.3], [-1.1, 1.0]]
    ),
    "closed": lambda: revolute.robots.planar(3).with_closures(AxisClosure("tip", at_b=(1.5, 0.0, 0.0))),
    "elastic": lambda: arm().with_elastic_joints([100.0, 80.0], rotor_inertia=0.2, damping=0.5),
    "elastic floating": lambda: floating().with_elastic_joints([100.0], rotor_inertia=0.2, damping=0.5),
    "system": cart,
    "constrained system": lambda: cart().with_constraints([sympy.sympify("x - sin(a) / 2")]),
    "operational": lambda: arm().operational_space("tip", rows=(3, 4)),
    "conventions": lambda: revolute.conventions.mujoco(floating()),
}

GOAL = [0.3, 0.4]
TIMES = np.arange(9) * 2.0**-9
TASKS = [control.PointTask("tip", weight=(1.0, 1.0, 0.0)), control.PostureTask(weight=1e-2)]
TARGETS = {"posture": np.array(GOAL), "point of tip": np.array([1.2, 0.9, 0.0])}
TICKS = {name: np.tile(x, (3,) + (1,) * x.ndim) for name, x in TARGETS.items()}


def filter_of(kind: Any, batch: tuple[int, ...] = ()) -> Any:
    noise = {"torque_noise": [0.1, 0.1], "encoder_noise": [0.01, 0.01]}
    return kind(arm(), 0.01, np.broadcast_to(GOAL, (*batch, 2)), [0.1, 0.2], np.full(4, 0.1), **noise)


def regulated() -> Any:
    motion = arm().simulate(GOAL, [0.0, 0.0], None, TIMES)
    return control.TimeVaryingLQR(arm(), TIMES, motion.q, motion.qd, motion.tau, np.ones(4), np.ones(2))


def problem() -> OptimalControl:
    return OptimalControl(arm(), [StateCost(1.0), TorqueCost(1e-2)], steps=5, dt=0.02)


def pd() -> Any:
    return control.PDWithGravity(arm(), GOAL, 10.0, 2.0)


OWNERS: dict[str, Callable[[], Any]] = {
    **MACHINES,
    "undamped": lambda: arm().with_elastic_joints([100.0, 80.0], rotor_inertia=0.2),
    "PDWithGravity": pd,
    "FeedforwardPD": lambda: control.FeedforwardPD(arm(), GOAL, 10.0, 2.0),
    "ComputedTorque": lambda: control.ComputedTorque(arm(), GOAL, 10.0),
    "PassivityBased": lambda: control.PassivityBased(arm(), GOAL, 10.0, 2.0),
    "SlidingMode": lambda: control.SlidingMode(arm(), GOAL, 10.0, 2.0, bound=3.0, boundary=0.1),
    "Adaptive": lambda: control.Adaptive(arm(), GOAL, 10.0, 2.0),
    "Limited": lambda: control.Limited(pd(), 30.0),
    "Measured": lambda: control.Measured(pd(), 0.1),
    "FrictionCompensation": lambda: control.FrictionCompensation(pd()),
    "Impedance": lambda: control.Impedance(arm(), "tip", np.eye(4), 10.0, 2.0, (3, 4)),
    "Hybrid": lambda: control.Hybrid(arm(), "tip", np.eye(4), 10.0, 2.0, (3, 4)),
    "ResolvedAcceleration": lambda: control.ResolvedAcceleration(arm(), "tip", np.eye(4), 10.0, rows=(3, 4)),
    "MotorFeedback": lambda: control.MotorFeedback(OWNERS["undamped"](), GOAL, 50.0, 2.0),
    "LQR": lambda: control.LQR(arm(), [np.pi / 2, 0.0], np.ones(4), np.ones(2)),
    "LQR of a floating base": lambda: control.LQR(floating(), floating().neutral(), np.ones(14), np.ones(7)),
    "TimeVaryingLQR": regulated,
    "MomentumObserver": lambda: control.MomentumObserver(arm(), 0.05, 1e-3),
    "ExtendedKalmanFilter": lambda: filter_of(control.ExtendedKalmanFilter),
    "UnscentedKalmanFilter": lambda: filter_of(control.UnscentedKalmanFilter),
    "DifferentialIK": lambda: control.DifferentialIK(arm(), TASKS),
    "WholeBody": lambda: control.WholeBody(arm(), TASKS, targets=TARGETS),
    "OptimalControl": problem,
    "OptimalPlan": lambda: problem().solve(GOAL),
    "Predictive": lambda: Predictive(problem()),
    "Sampling": lambda: Sampling(problem(), samples=64, rng=3),
}

# --- calls ----------------------------------------------------------------------------------------------------

LOOP = {"batches": "of one state: a real-time loop, which allocates no memory"}
RUNNING = {**LOOP, "pickles": "it has the memory of a running loop; its problem has pickles"}
IN_PLACE = {"other arrays": "the state is changed in place", "broadcasting": "the state is changed in place"}
SAME_BATCH = {"broadcasting": "the batch is fixed when the object is made"}
SAME_STATES = {"broadcasting": "q and qd are one state, of equal batches"}
INSTANTS = {"batches": "rows are instants of one motion"}


@dataclass(frozen=True)
class Call:
    """A function of an owner: its arrays with core shapes, the call if it is not the method's, what is refused and why.

    An array without a shape has nq or nv entries. `state` makes states of random ones, times `scale`.
    """

    arrays: str
    call: Callable[..., Any] | None = None
    options: Mapping[str, Any] = field(default_factory=dict)
    refused: Mapping[str, str] = field(default_factory=dict)
    state: Callable[..., Any] | None = None
    scale: float = 1.0


def parts(*names: str) -> Callable[[Any], tuple[Any, ...]]:
    return lambda found: tuple(x for x in (getattr(found, name) for name in names) if x is not None)


def motion(owner: Any, *state: Any, **options: Any) -> Any:
    found = owner.simulate(*state, None, TIMES, **options)
    return parts("q", "qd", "qdd", "theta", "thetad", "contact_forces", "stop_forces")(found)


def sensitivities(owner: Any, q0: Any, qd0: Any) -> Any:
    return parts("q", "qd", "dq_dpi", "dqd_dpi")(owner.simulate_sensitivities(q0, qd0, None, TIMES))


def solutions(owner: Any, pose: Any, **options: Any) -> Any:
    found = owner.inverse_kinematics(pose, rng=1, restarts=3, **options)
    return found.q, found.error, found.converged


def stepped(owner: Any, q: Any, qd: Any, tau: Any, **options: Any) -> Any:
    """Two steps of copies."""
    q, qd, stepper = copy.deepcopy(q), copy.deepcopy(qd), owner.stepper(2.0**-9, **options)
    stepper.step(q, qd, tau)
    return stepper.step(q, qd, tau)


def batch_of(x: Any) -> tuple[int, ...]:
    """Leading axes of an array; none of what is not an array of numbers."""
    return np.array(x, dtype=object).shape[:-1]


def observed(owner: Any, q: Any, qd: Any, tau: Any) -> Any:
    owner.reset()
    owner.step(q, qd, tau)
    return owner.step(q, qd, tau).copy()


def filtered(owner: Any, tau: Any, z: Any) -> Any:
    estimate = filter_of(type(owner), batch_of(z) or batch_of(tau))
    estimate.step(tau, z)
    return estimate.q, estimate.qd, estimate.covariance


def law_step(owner: Any, *state: Any) -> Any:
    stepper, out = owner.stepper(1e-3), np.zeros(2)
    stepper.step(*state, out=out)
    return stepper.step(*state, out=out)


def sampled(_: Any, *state: Any) -> Any:
    return OWNERS["Sampling"]().step(*state, out=np.zeros(2))


def whole_body(owner: Any, q: Any, qd: Any) -> Any:
    return owner.stepper(batch_of(q)).step(q, qd, TARGETS)


def on_loops(owner: Any, *arrays: np.ndarray) -> Any:
    """States that close the loops, in place of the first two arrays."""
    q, *rates = arrays
    q, qd = owner.project(np.array([1.0, -1.6, 0.9]) + 0.1 * q, *rates[:1])
    return [q, *([qd] if rates else []), *rates[1:]]


def near_loops(_: Any, q: np.ndarray, *rates: np.ndarray) -> Any:
    return [np.array([1.0, -1.6, 0.9]) + 0.1 * q, *rates]


def reached(frame: str) -> Callable[..., Any]:
    """Poses of a link at positions within a part of the range."""

    def poses(owner: Any, *_: np.ndarray) -> Any:
        tree = getattr(owner, "robot", owner)
        q = tree.normalize(0.5 * tree.random_configuration(ROWS, rng=7))
        q = on_loops(owner, q)[0] if isinstance(owner, revolute.ConstrainedRobot) else q
        return [tree.forward_kinematics(q, frame)]

    return poses


def symmetric(_: Any, q: np.ndarray, M: np.ndarray) -> Any:
    return [q, M + np.swapaxes(M, -1, -2)]


def projected(owner: Any, *state: np.ndarray) -> Any:
    return owner.project(*state)


TORQUE = Call("q qd", lambda owner, *state: owner.torque(0.0, *state))


def law(reference: str) -> dict[str, Call]:
    return {"torque": TORQUE, "stepper": Call(f"q qd {reference}", law_step, refused=LOOP)}


def touching(rates: str, contact: Mapping[str, Any], state: Any = None) -> dict[str, Call]:
    arrays = {"impact": "q qd", "contact_forces": rates, "contact_step": "q qd tau h[]"}
    arrays["contact_step_differential"] = "q qd tau h[] dq dqd dtau"
    return {name: Call(x, options=contact, state=state) for name, x in arrays.items()}


def stops(contact: Contact, end: float, middle: float = 0.0) -> dict[str, Any]:
    return {"contacts": [contact], "stops": {"joint1": Limits((middle - end,), (middle + end,))}}


ROW = {"frame": "tip", "rows": (3, 4)}
FIRST = ["joint1"]
FLOOR = stops(Contact("tip", surface=Plane((0, 1, 0), -0.5)), 0.5)
NEAR = stops(Contact("tip", surface=Plane((0, 1, 0), -0.01)), 0.004)
HELD = stops(Contact("link3", surface=Plane((0, 1, 0), -0.5)), 0.6, 1.2)
BALL = {"contacts": [Contact("link1", radius=0.1)]}
STEP = {"call": stepped, "refused": IN_PLACE}
ROBOT = {
    "dynamically_consistent_inverse": Call("q", options=ROW),
    "linearize_task": Call("q qd qdd", options=ROW),
    "task_space_dynamics": Call("q qd", options=ROW),
    "task_space_forces": Call("q qd acceleration[2]", options=ROW),
    "inverse_kinematics": Call("pose[4,4]", solutions, ROW, state=reached("tip")),
    "simulate": Call("q0 qd0", motion),
    "simulate with contacts": Call("q0 qd0", motion, NEAR, scale=0.005),
    "simulate_sensitivities": Call("q0 qd0", sensitivities),
    "stepper": Call("q qd tau", **STEP),
    "stepper with contacts": Call("q qd tau", options=FLOOR, **STEP),
    **touching("q qd tau", FLOOR),
}
CALLS: dict[str, dict[str, Call]] = {
    "arm": ROBOT,
    "floating": {
        "inverse_kinematics": Call("pose[4,4]", solutions, {"frame": "link1"}, state=reached("link1")),
        "simulate": Call("q0 qd0", motion),
        "stepper with contacts": Call("q qd tau", options=BALL, **STEP),
        **touching("q qd tau", BALL),
    },
    "driven": {**ROBOT, "independent": Call("joint_positions")},
    "closed": {
        "forward_kinematics": Call("q", options={"frame": "tip"}),
        "frame_jacobian": Call("q", options={"frame": "tip", "independent": FIRST}, state=on_loops),
        "mobility": Call("q"),
        "project": Call("q qd", state=near_loops),
        "assemble": Call("q", lambda owner, q: owner.assemble(q, FIRST), state=near_loops),
        "inverse_dynamics": Call(
            "q qd tau", lambda owner, *x: owner.inverse_dynamics(*x[:2], owner.forward_dynamics(*x)), state=on_loops
        ),
        "linearize": Call(
            "q qd tau", lambda owner, *x: parts("A", "B", "C")(owner.linearize(*x, FIRST)), state=on_loops
        ),
        "reduced_dynamics": Call(
            "q qd", lambda owner, *x: parts("M", "bias", "T")(owner.reduced_dynamics(*x, FIRST)), state=on_loops
        ),
        "inverse_kinematics": Call("pose[4,4]", solutions, {"frame": "link2", "rows": (3,)}, state=reached("link2")),
        "simulate": Call("q0 qd0", motion, state=on_loops),
        "simulate with contacts": Call("q0 qd0", motion, HELD, state=on_loops),
        "stepper": Call("q qd tau", state=on_loops, **STEP),
        "stepper with contacts": Call("q qd tau", options=HELD, state=on_loops, **STEP),
        **touching("q qd tau", HELD, on_loops),
    },
    "elastic": {
        "impact": Call("q qd", options=FLOOR),
        "contact_forces": Call("q theta qd thetad", options=FLOOR),
        "feedforward": Call(
            "q[5,2] qd[5,2] qdd[5,2] qddd[5,2]", lambda owner, *x: vars(owner.feedforward(TIMES[:5], *x)),
            refused=INSTANTS,
        ),
        "inverse_kinematics": ROBOT["inverse_kinematics"],
        "simulate": Call("q0 theta0 qd0 thetad0", motion, {"method": "runge_kutta_4"}),
        "simulate with contacts": Call("q0 theta0 qd0 thetad0", motion, NEAR, scale=0.005),
        "stepper": Call("x[4] xd[4] tau", **STEP),
        "stepper with contacts": Call("x[4] xd[4] tau", options=FLOOR, **STEP),
    },
    "undamped": {"inverse_dynamics": Call("q qd qdd qddd qdddd", lambda owner, *x: vars(owner.inverse_dynamics(*x)))},
    "elastic floating": {"simulate": Call("q0 theta0[1] qd0 thetad0[1]", motion, {"method": "runge_kutta_4"})},
    "system": {"simulate": Call("q0 qd0", motion)},
    "constrained system": {
        "simulate": Call("q0 qd0", motion, state=projected, refused={"broadcasting": "states obey the constraints"}),
        "project": Call("q qd"),
    },
    "operational": {
        **{x: Call("q") for x in ("coordinates", "jacobian", "mass_matrix", "gravity_forces")},
        **{x: Call("q qd") for x in ("jacobian_rate", "equations_of_motion", "bias_forces", "dynamics")},
        "dynamically_consistent_inverse": Call("q"),
        "inverse_dynamics": Call("q qd acceleration[2]"),
        "linearize": Call("q qd qdd"),
    },
    "conventions": {
        **{x: Call("q M[7,7]", state=symmetric) for x in ("mass_matrix", "from_mass_matrix")},
        **{x: Call("q J[6,7]") for x in ("jacobian", "from_jacobian")},
    },
    **{x.__name__: law("q_ref") for x in (control.PDWithGravity, control.FeedforwardPD, control.ComputedTorque)},
    **{x.__name__: law("q_ref") for x in (control.PassivityBased, control.SlidingMode, control.Adaptive)},
    **{x.__name__: law("q_ref") for x in (control.Limited, control.Measured, control.FrictionCompensation)},
    **{x.__name__: law("pose[7]") for x in (control.Impedance, control.Hybrid, control.ResolvedAcceleration)},
    "MotorFeedback": {"torque": Call("q theta qd thetad", TORQUE.call)},
    **{x: {"torque": TORQUE, "cost_to_go": Call("q qd")} for x in ("LQR", "LQR of a floating base")},
    "TimeVaryingLQR": {"torque": TORQUE, "cost_to_go": Call("q qd", lambda owner, *x: owner.cost_to_go(3, *x))},
    "MomentumObserver": {"step": Call("q qd tau", observed), "run": Call("q[4,2] qd[4,2] tau[4,2]")},
    **{
        x: {"step": Call("tau z", filtered, refused=SAME_BATCH), "nees": Call("q qd")}
        for x in ("ExtendedKalmanFilter", "UnscentedKalmanFilter")
    },
    "DifferentialIK": {
        "step": Call("q", lambda owner, q: owner.step(q, 0.01, TARGETS)),
        "solve": Call("q", lambda owner, q: [np.moveaxis(x, 0, -2) for x in owner.solve(q, 0.01, TICKS)]),
    },
    "WholeBody": {
        "torque": Call("q qd", lambda owner, *x: copy.copy(owner).torque(0.0, *x), refused=SAME_BATCH),
        "stepper": Call("q qd", whole_body, refused=SAME_BATCH),
    },
    "OptimalControl": {
        "solve": Call("q0 qd0", lambda owner, *x: parts("q", "qd", "tau", "cost")(owner.solve(*x, threads=2))),
        "stepper": Call("q qd", lambda owner, *x: owner.stepper().step(*x, out=np.zeros(2)), refused=LOOP),
    },
    "OptimalPlan": {"torque": Call("q[2] qd[2]", TORQUE.call, refused=SAME_STATES)},
    "Predictive": {"torque": Call("q[2] qd[2]", lambda _, *x: Predictive(problem()).torque(0.0, *x), refused=RUNNING)},
    "Sampling": {"step": Call("q[2] qd[2]", sampled, refused=RUNNING)},
}

BY = {
    "LawStepper.step": "stepper", "WholeBodyStepper.step": "stepper", "PlanStepper.step": "stepper", "correct": "step",
    "predict": "step", "Controller.torque": "torque",
}  # fmt: skip
"""Methods that another cell calls, or overrides."""

LEFT_OUT = {
    "identification": "NumPy on logs, and functions of robots: `identification/`",
    "simulate": "results of motions, in NumPy: `simulate/test_result.py`",
    "resample": "results of motions, in NumPy: `simulate/test_result.py`",
    "trajectory": "NumPy at instants, and functions of robots: `trajectory/`",
    "animate": "a picture: `plot/`", "plot": "a picture: `plot/`", "view": "a picture: `view/`",
    "configuration": "data, no machine code", "from_screws": "data, no machine code", "hold": "data, no machine code",
    "joint_values": "data, no machine code", "with_elastic_joints": "data, no machine code",
    "passivity_check": "a report on one recorded motion: `machine/test_structure.py`",
    "feet": "data for `solve`: `optimal/test_gaits.py`", "of": "data of a plan: `optimal/`",
    "parameters": "data for `solve`: `optimal/test_c_code.py`", "state_at": "NumPy; `torque` calls it",
    "row": "a search in NumPy",
}  # fmt: skip
"""Rooms, and methods that take arrays, that are in no cell."""

EXEMPT = {
    "internal functions": ("all but graphs", "parts of methods, which have cells"),
    "kernels alone": ("float32", "their type is fixed when they are made: `compiler/test_batch.py`"),
    "methods of arms": ("float32 in `make test`", "a floating robot has them all"),
    "`driven`, `elastic floating`": ("the contract in `make test`", "they put together what others have"),
    "bridges": ("all", "arrays of other libraries, by the same kernels: `bridges/`"),
}
"""What suites leave out as a whole: the part, and the reason."""


def table() -> list[str]:
    """What is left out, in Markdown."""
    lines = ["| cells | left out | reason |", "| --- | --- | --- |"]
    lines += [f"| {what} | {part} | {reason} |" for what, (part, reason) in EXEMPT.items()]
    refused: dict[tuple[str, str], dict[str, list[str]]] = {}
    for owner, calls in CALLS.items():
        for name, call in calls.items():
            for part, reason in call.refused.items():
                refused.setdefault((part, reason), {}).setdefault(name, []).append(owner)
    for (part, reason), cells in refused.items():
        listed = "; ".join(f"`{name}` of {', '.join(owners)}" for name, owners in cells.items())
        lines.append(f"| {listed} | {part}: refused | {reason} |")
    reasons: dict[str, list[str]] = {}
    for name, reason in LEFT_OUT.items():
        reasons.setdefault(reason, []).append(f"`{name}`")
    return lines + [f"| {', '.join(names)} | all | {reason} |" for reason, names in reasons.items()]


def found_by_themselves() -> Iterator[tuple[str, str]]:
    """Declared functions, and those that are kernels alone."""
    for machine, make in MACHINES.items():
        members = [vars(kind) for kind in type(make()).__mro__]
        declared = {name for each in members for name, x in each.items() if isinstance(x, _Compiled)}
        kernels = {name for each in members for name in each.get("_by_kernel", {})}
        yield from ((machine, name) for name in sorted(declared | kernels))


FOUND = [*found_by_themselves()]
OTHERS = [(owner, name) for owner, calls in CALLS.items() for name in calls]
CELLS = sorted([*FOUND, *OTHERS], key=lambda cell: [*OWNERS].index(cell[0]))


@functools.lru_cache(maxsize=2)
def owner_of(name: str) -> Any:
    return OWNERS[name]()


class Case:
    """A cell with states for its arrays, and options; of an owner that nobody has called yet, if `new`."""

    def __init__(self, owner: str, name: str, new: bool = True) -> None:
        shared = owner_of(owner)
        self.machine, self.name, self.frame = copy.copy(shared) if new else shared, name, ""
        self.given = CALLS.get(owner, {}).get(name, Call(""))
        self.refused, self.options = self.given.refused, dict(self.given.options)
        self.takes = self.taken(type(self.machine), owner, name)
        if (owner, name) in FOUND:
            self._of_kernel()
        else:
            self.names, self.shapes = zip(*map(self._array, self.given.arrays.split()), strict=True)
        self.function = self.of(self.machine)
        self.arrays = self.state(7)

    @staticmethod
    def taken(kind: type, owner: str, name: str) -> set[str]:
        """Which of `out` and `threads` the function takes."""
        if (owner, name) in FOUND:
            return {"out", "threads"}
        direct = CALLS[owner][name].call is None
        return {"out", "threads"} & {*inspect.signature(getattr(kind, name)).parameters} if direct else set()

    def of(self, machine: Any) -> Callable[..., Any]:
        """The function of an owner."""
        if self.given.call:
            return functools.partial(self.given.call, machine)
        if hasattr(type(machine), self.name):
            return getattr(machine, self.name)  # type: ignore[no-any-return]
        return machine.kernel(self.name, **({"frame": self.frame} if self.frame else {}))  # type: ignore[no-any-return]

    def _of_kernel(self) -> None:
        if "frame" in self.machine.functions()[self.name].needed:
            self.frame = self.machine.link_names[-1]
        inputs = self.machine.kernel(self.name, **({"frame": self.frame} if self.frame else {})).inputs
        if hasattr(type(self.machine), self.name):  # a machine may have arrays of its own
            parameters = inspect.signature(getattr(self.machine, self.name)).parameters
            inputs = [x for x in inputs if x.name in parameters]
            self.options = {"frame": self.frame} if self.frame else {}
        self.names, self.shapes = [x.name for x in inputs], [x.shape for x in inputs]

    def _array(self, text: str) -> tuple[str, tuple[int, ...]]:
        name, _, shape = text.partition("[")
        if shape:
            return name, tuple(map(int, re.findall(r"\d+", shape)))
        sizes = self.machine
        while not hasattr(sizes, "nq"):
            sizes = sizes.robot
        return name, (sizes.nq if name in ("q", "q0") else sizes.nv,)

    def state(self, seed: int) -> list[np.ndarray]:
        rng = np.random.default_rng(seed)
        arrays = [self.given.scale * rng.uniform(-1, 1, (ROWS, *shape)) for shape in self.shapes]
        arrays = [np.full(ROWS, 0.01) if name == "h" else x for name, x in zip(self.names, arrays, strict=True)]
        return [*self.given.state(self.machine, *arrays)] if self.given.state else arrays

    def results(self, found: Any) -> tuple[np.ndarray, ...]:
        found = tuple(found.values()) if isinstance(found, dict) else found
        return tuple(map(np.asarray, found)) if isinstance(found, (tuple, list)) else (np.asarray(found),)

    def __call__(self, *arrays: Any, **named: Any) -> tuple[np.ndarray, ...]:
        return self.results(self.function(*arrays, **self.options, **named))

    def row(self, k: int) -> list[np.ndarray]:
        return [x[k].copy() for x in self.arrays]


def array_functions(kind: type) -> Iterator[tuple[str, str]]:
    """Names and places of the public methods of a class that take arrays."""
    for name in dir(kind):
        function = inspect.getattr_static(kind, name)
        function = getattr(function, "__func__", getattr(function, "method", function))
        if name.startswith("_") or not inspect.isfunction(function):
            continue
        if any("Array" in str(p.annotation) for p in inspect.signature(function).parameters.values()):
            yield name, function.__qualname__


def forgotten() -> set[str]:
    """Public methods that take arrays, and are in no cell."""
    missing = set()
    kinds = {type(owner_of(owner)): owner for owner in OWNERS}
    cells = {(type(owner_of(owner)), name) for owner, name in CELLS}
    for kind in kinds:
        missing |= {f"{kind.__name__}.{name}" for name, _ in array_functions(kind) if (kind, name) not in cells}
    covered = {place for kind in kinds for name, place in array_functions(kind) if (kind, name) in cells}
    for x in [getattr(room, name) for room in (revolute, control, optimal) for name in room.__all__]:
        missing |= {place for _, place in array_functions(x)} - covered if inspect.isclass(x) else set()
    return {x for x in missing if x not in BY and x.rpartition(".")[2] not in BY}


if __name__ == "__main__":
    print(*table(), sep="\n")
