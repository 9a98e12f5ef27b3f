"""Recursions of contacts and stops for all machines: linkages, gaps, and steps of motions."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import wraps
from typing import Any

from revolute.compiler.signature import flat
from revolute.dynamics.composite_body import mass_matrix_factors
from revolute.dynamics.constrained import Constraints
from revolute.dynamics.contact_steps import contact_step
from revolute.dynamics.contacts import touch
from revolute.dynamics.drive_forces import DRY
from revolute.dynamics.driven import driven_bias_forces, driven_factors
from revolute.dynamics.drivetrain import Drivetrain
from revolute.dynamics.newton_euler import newton_euler
from revolute.dynamics.rows import Linkage
from revolute.machine.functions import closures
from revolute.machine.functions.closures import Loops, Switches
from revolute.machine.functions.constrained_motion import allowed_velocity, closed_state, led
from revolute.machine.functions.simulation import less_friction
from revolute.machine.functions.traced import along
from revolute.model import Model, aligned, derived, reduced
from revolute.model.contact import NUMBERS, STOP_NUMBERS, Links, check_contacts, check_stops
from revolute.spatial import Scalar, Scalars, Tree, Wrenches


def of_robot(model: Model, damping: bool = False) -> Linkage:
    """The linkage of a robot without drives, or with only the viscous friction of its drives."""
    same = reduced(model)

    def accelerations(q: Scalars, qd: Scalars, tau: Scalars, wrenches: Wrenches) -> Tree:
        bias = newton_euler(same, q, qd, (0,) * model.nv, wrenches)
        forces = less_friction(model, qd, tau, damping)
        return mass_matrix_factors(same, q).solve([force - x for force, x in zip(forces, bias, strict=True)])

    return Linkage(model, accelerations, lambda q: Constraints([], mass_matrix_factors(same, q)))


def of_driven(tree: Model, drives: Drivetrain, sticking: bool = False) -> Linkage:
    """The linkage of a robot with drives. Dry friction is smooth or, with `sticking`, modelled by rows that stick."""
    same = reduced(tree)
    acting, forces = (without_dry_friction(same), replace(drives, smoothing=1.0)) if sticking else (same, drives)

    def accelerations(q: Scalars, qd: Scalars, tau: Scalars, wrenches: Wrenches) -> Tree:
        bias = driven_bias_forces(acting, forces, q, qd, wrenches)
        return driven_factors(same, drives, q).solve([force - x for force, x in zip(tau, bias, strict=True)])

    return Linkage(tree, accelerations, lambda q: Constraints([], driven_factors(same, drives, q)), drives, sticking)


def of_loops(
    model: Model, loops: Loops, sticking: bool = False, active: Switches = None, path: Scalars | None = None
) -> Linkage:
    """The linkage of a robot with closed loops. Closures may be open, or follow targets that move along a `path`."""
    smooth, acting = loops.drives, loops
    if smooth and sticking:
        model, acting = without_dry_friction(model), replace(loops, drives=replace(smooth, smoothing=1.0))

    def accelerations(q: Scalars, qd: Scalars, tau: Scalars, wrenches: Wrenches) -> Tree:
        return closures.forward_dynamics(model, acting, q, qd, tau, wrenches=wrenches, active=active, **led(path))

    def allowed(q: Scalars, v: Scalars, h: Scalar) -> list[Scalar]:
        return allowed_velocity(model, loops, q, v, active, led(path, h))

    def settled(q: Scalars, qd: Scalars, h: Scalar) -> Tree:
        return closed_state(model, acting, q, qd, active, path, h)

    moves = active is not None or path is not None
    return Linkage(
        model, accelerations, lambda q: closures.constraints(model, loops, q, active), smooth, sticking,
        allowed if moves else None, settled,
    )


def without_dry_friction(tree: Model) -> Model:
    """The tree without the dry friction of its drives."""
    none: Any = dict.fromkeys(DRY, ())
    return derived(tree, bodies=tuple(replace(body, drive=replace(body.drive, **none)) for body in tree.bodies))


def of_machines(recursion: Callable[..., Tree]) -> Callable[..., Tree]:
    """Convert a recursion of a linkage to one of a robot, or of a robot and its drives or loops."""

    @wraps(recursion)
    def of_arrays(
        model: Model, *given: Any, damping: bool = False, sticking: bool = False, active: Switches = None,
        path: Scalars | None = None, **options: Any,
    ) -> Tree:
        if isinstance(given[0], Drivetrain):
            return recursion(of_driven(model, given[0], sticking), *given[1:], **options)
        if isinstance(given[0], Loops):
            return recursion(of_loops(model, given[0], sticking, active, path), *given[1:], **options)
        return recursion(of_robot(model, damping), *given, **options)

    return of_arrays


def arrays(inputs: str, outputs: str, impulses: str) -> Any:
    """Declaration of the arrays of a function of contacts and stops."""

    def of_options(contacts: tuple[Links, ...] = (), stops: tuple[str, ...] = (), **_: Any) -> str:
        count = len(contacts) or "contacts"
        given = f"{inputs} contacts[{count},{NUMBERS}]" + (f" limits[{len(stops)},{STOP_NUMBERS}]" if stops else "")
        stopped = f"stop_{impulses}s: {len(stops)}; " if stops else ""
        return f"{given} -> {outputs}; {impulses}s: {count} 3; {stopped}residual"

    return of_options


def of_gaps(contacts: tuple[Links, ...] = (), **_: Any) -> str:
    """Declaration of the arrays of `contact_gaps`."""
    return f"q contacts[{len(contacts)},{NUMBERS}] -> gaps: {len(contacts)}"


def of_motions(inputs: str = "q qd tau h[]", outputs: str = "q: nq; qd: nv; qdd: nv") -> Any:
    """Declaration of the arrays of a step with contacts, with stops, or with both."""

    def of_options(contacts: tuple[Links, ...] = (), stops: tuple[str, ...] = (), **_: Any) -> str:
        numbers = [f"contacts[{len(contacts)},{NUMBERS}]"] * bool(contacts)
        numbers += [f"limits[{len(stops)},{STOP_NUMBERS}]"] * bool(stops)
        forces = [f"contact_forces: {len(contacts)} 3"] * bool(contacts) + [f"stop_forces: {len(stops)}"] * bool(stops)
        return f"{' '.join([inputs, *numbers])} -> {'; '.join([outputs, *forces, 'residual'])}"

    return of_options


def check(model: Model, *_: Any, contacts: tuple[Links, ...], stops: tuple[str, ...] = (), **__: Any) -> None:
    """Raise an error unless the links can have these contacts, and the joints these stops."""
    check_contacts(model, contacts)
    check_stops(model, stops)


def check_motion(
    model: Model, *_: Any, contacts: tuple[Links, ...] = (), stops: tuple[str, ...] = (), **__: Any
) -> None:
    """Run `check` for a motion, for which contacts are optional, too."""
    if contacts:
        check_contacts(model, contacts)
    check_stops(model, stops)


def contact_gaps(model: Model, q: Scalars, numbers: Scalars, *, contacts: Any) -> Tree:
    """Distances between contacts and their surfaces, negative inside a surface."""
    same, own = aligned(model), [numbers[k * NUMBERS : (k + 1) * NUMBERS] for k in range(len(contacts))]
    return [touch(same, q, link, x).gap for link, x in zip(contacts, own, strict=True)]


def contact_step_differential(
    linkage: Linkage, q: Scalars, qd: Scalars, tau: Scalars, h: Scalars, dq: Scalars, dqd: Scalars, dtau: Scalars,
    *numbers: Scalars, **options: Any,
) -> Tree:
    """Changes of the results of a step for changes dq, dqd and dtau, and the residual of the step."""
    *results, residual = contact_step(linkage, q, qd, tau, h, *numbers, **options)
    changes = iter(along(linkage.space, flat(results), (q, qd, tau), (dq, dqd, dtau)))
    return *([next(changes) for _ in part] for part in results), residual


def touching_step(
    linkage: Linkage, q: Scalars, qd: Scalars, tau: Scalars, h: Scalars, *data: Scalars, contacts: Any = (),
    stops: Any = (), bounces: bool = False, wrenches: Wrenches = None,
) -> Tree:
    """The state after a step, mean accelerations and forces over the step, and the residual.

    `data` are the parameters of contacts, if there are any, then the parameters of stops.
    """
    numbers, limits = data[0] if contacts else (), data[-1] if stops else ()
    after, rate, *impulses, residual = contact_step(
        linkage, q, qd, tau, h, numbers, limits, contacts=contacts, stops=stops, bounces=bounces, wrenches=wrenches
    )
    means = [[x / h[0] for x in p] for p in impulses[not contacts :]]
    return after, rate, [(b - a) / h[0] for a, b in zip(qd, rate, strict=True)], *means, residual
