"""Fixed steps as a loop in machine code, with all quantities that a simulation records."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple, cast

from revolute.compiler.recurrence import TimeLoop
from revolute.compiler.signature import Shape, Signature
from revolute.graph import Graph, Input, graph_text
from revolute.machine.machine import Array, Machine
from revolute.model import Contact, exact_text
from revolute.simulate import (
    EventMethods,
    Mechanism,
    Request,
    Sensitivities,
    Simulation,
    simulate,
    simulate_sensitivities,
)
from revolute.simulate.feedback import law_input
from revolute.simulate.watching import State
from revolute.targets.llvm.recurrence import LoopForm, Recurrence, Stage, following, joined

if TYPE_CHECKING:
    from revolute.machine.constrained.motion import ConstrainedMotions
    from revolute.machine.robot import Robot
    from revolute.machine.robot.simulation import Simulations


class MotionForms(NamedTuple):
    """The functions that a time loop evaluates. Their inputs have the names of the step's inputs.

    `step` maps "data q qd tau h wrenches" to the next state; `rate` maps these without h to dq/dt and qdd. With
    contacts `rate` is None: qdd is a result of the step, with forces and a residual. `identity` is the exact text that
    determines the functions; None if they include code outside this library.
    """

    step: Signature
    rate: Signature | None
    kinetic: Signature
    potential: Signature
    identity: str | None
    owner: str


def motion_forms(machine: Machine, method: str, options: Mapping[str, Any]) -> MotionForms:
    """The functions of a motion, for a machine whose energies are functions of its state."""
    chosen = {f"{method}_step": options, "kinetic_energy": {}, "potential_energy": {}}
    if method != "touching":
        chosen["state_rate"] = options
    if "parameters" in options:  # regrouped parameters preserve only kinetic energy
        chosen |= {"kinetic_energy": {"parameters": "regrouped"}, "potential_energy": {"parameters": "inertial"}}
    found = [machine._identified(name, x) for name, x in chosen.items()]
    step, kinetic, potential, *rates = (form for form, _, _ in found)
    identity = exact_text(tuple(identity for _, identity, _ in found)) if all(x for _, x, _ in found) else None
    return MotionForms(step, rates[0] if rates else None, kinetic, potential, identity, found[0][2])


def motion_loop(name: str, forms: MotionForms, feedback: Signature | None) -> TimeLoop:
    """The loop of a motion, with the states q, qd and the law's states, and the results qdd, tau, T and U.

    `feedback` returns the joint forces, then the next state of the law; if None, the forces are the input "force".
    """
    step, rate, kinetic, potential, identity, owner = forms
    names = _names(step)
    shapes: dict[str, Shape] = {names[x.name]: x.shape for x in step.inputs}
    states = {x: shapes.pop(x) for x in ("q", "qd")}
    more = {"qdd": rate.outputs[1][1]} if rate else dict(step.outputs[2:])
    stores: dict[str, Shape] = {**more, "tau": shapes.pop("tau"), "T": (), "U": ()}
    law = feedback or _held(stores["tau"])
    own = {law_input(name): shape for name, shape in law.outputs[1:]}
    given = {law_input(x.name): x.shape for x in law.inputs}
    shapes |= {x.name: x.shape for x in potential.inputs if x.name not in names}  # parameters of the potential energy
    loads = shapes | {name: shape for name, shape in given.items() if name not in (*states, *own)}
    states |= own
    identity = identity and exact_text((identity, graph_text(law.graph())))

    def stage(graph: Graph, *outputs: str) -> Stage:
        return Stage(graph, tuple(names.get(x.name, x.name) for x in graph.inputs), outputs)

    def trace() -> Recurrence:
        energies = [stage(kinetic.graph(), "T"), stage(potential.graph(), "U")]
        forces = Stage(law.graph(), tuple(given), ("tau", *map(following, own)))
        results = following("q"), following("qd"), *(name for name, _ in step.outputs[2:])
        steps = [stage(step.graph(), *results), *([stage(rate.graph(), "dq/dt", "qdd")] if rate else [])]
        return joined(form, (forces, *steps, *energies))

    form = LoopForm(states, loads, stores)
    return TimeLoop(name, owner, identity, form, trace)


def mechanism(
    machine: Simulations | ConstrainedMotions, robot: Simulations, settled: Callable[..., State] | None = None
) -> Mechanism:
    """The interface of a machine for simulations. `robot`: the machine itself, or the tree of its loops."""

    def loop(method: str, feedback: Signature | None, options: Mapping[str, Any]) -> tuple[TimeLoop, Mapping[str, Any]]:
        return kept_loop(machine, method, feedback, options, partial(motion_forms, machine, method, options)), {}

    return Mechanism(machine, robot._space, partial(scene_of, robot), machine._owner, loop, settled)


def scene_of(robot: Simulations) -> EventMethods:
    """Names and limits of joints, contact gaps and joint positions of a robot, for events."""
    links, joints = cast("Robot", robot._links), robot._in_joints

    def gaps(q: Array, contacts: Sequence[Contact]) -> Array:
        return links._gaps(joints(q), contacts)

    return EventMethods(links.position_names, links.lower_limits, links.upper_limits, gaps, joints=joints)


def simulated(robot: Simulations, acting: Mapping[str, bool], *request: Any) -> Simulation:
    """See `Robot.simulate`."""
    return simulate(mechanism(robot, robot), Request(*request), acting)


def sensitivities(
    robot: Simulations, acting: Mapping[str, bool], columns: Sequence[int] | None, *request: Any
) -> Sensitivities:
    """See `Robot.simulate_sensitivities`."""
    checked = replace(Request(*request), progress=False)
    return simulate_sensitivities(mechanism(robot, robot), checked, acting, len(robot.parameter_names), columns)


def kept_loop(
    machine: Machine, method: str, feedback: Signature | None, options: Mapping[str, Any],
    forms: Callable[[], MotionForms],
) -> TimeLoop:
    """The time loop of a machine, created at its first use and then cached."""
    key = (method, tuple(sorted(options.items())), feedback)
    if key not in machine._loops:
        machine._loops[key] = motion_loop(f"{method}_motion", forms(), feedback)
    loop: TimeLoop = machine._loops[key]
    return loop


def _names(step: Signature) -> dict[str, str]:
    """{input of the step: its name in the loop}: a machine may use other names for its coordinates."""
    names = [x.name for x in step.inputs]
    at = names.index("h") - 3
    return {**{x: x for x in names}, names[at]: "q", names[at + 1]: "qd"}


def _held(shape: Shape) -> Signature:
    """A law that returns its input "force"."""
    return Signature("held", (Input("force", shape),), (("tau", shape),), lambda force: force)
