"""Recursions of robots with elastic joints. The data of springs and rotors are inputs."""

from collections.abc import Callable
from typing import Any

from revolute.dynamics import elastic
from revolute.dynamics.articulated_body import articulated_body
from revolute.dynamics.composite_body import mass_matrix_factors
from revolute.dynamics.constrained import Constraints
from revolute.dynamics.coordinate_rates import coordinate_rates
from revolute.dynamics.drivetrain import Drivetrain
from revolute.dynamics.hamilton import lagrangian_partials, velocities
from revolute.dynamics.mechanics import Mechanics
from revolute.dynamics.newton_euler import newton_euler
from revolute.dynamics.rows import Linkage
from revolute.dynamics.sparse_factorization import Factors
from revolute.machine.functions import contacts
from revolute.machine.functions.forward_dynamics import forward_dynamics as rigid_forward_dynamics
from revolute.model import Model, reduced
from revolute.spatial import Scalar, Scalars, Tree, Wrenches


def forward_dynamics(
    model: Model, q: Scalars, theta: Scalars, qd: Scalars, thetad: Scalars, tau: Scalars, stiffness: Scalars,
    damping: Scalars, rotor_inertia: Scalars, wrenches: Wrenches = None,
) -> Tree:
    """Accelerations of links and of motors."""
    springs = elastic.spring_forces(model, q, theta, qd, thetad, stiffness, damping)
    qdd = rigid_forward_dynamics(reduced(model), q, qd, elastic.on_links(model, springs), wrenches)
    return qdd, elastic.motor_accelerations(tau, springs, rotor_inertia)


def state_rate(
    model: Model, stiffness: Scalars, damping: Scalars, rotor_inertia: Scalars, x: Scalars, xd: Scalars, tau: Scalars,
    wrenches: Wrenches = None,
) -> Tree:
    """dx/dt and xdd of x = (q, theta)."""
    mechanics = _mechanics(model, (stiffness, damping, rotor_inertia), tau, wrenches)
    return coordinate_rates(mechanics.space, x, xd), mechanics.accelerate(x, xd)


def step(method: Callable[..., Any]) -> Callable[..., Any]:
    """A recursion for the state after one step of length h."""

    def next_state(
        model: Model, stiffness: Scalars, damping: Scalars, rotor_inertia: Scalars, x: Scalars, xd: Scalars,
        tau: Scalars, h: Scalars, wrenches: Wrenches = None,
    ) -> Tree:
        return method(_mechanics(model, (stiffness, damping, rotor_inertia), tau, wrenches), x, xd, h[0])

    return next_state


def touching_step(
    model: Model, stiffness: Scalars, damping: Scalars, rotor_inertia: Scalars, x: Scalars, xd: Scalars, tau: Scalars,
    h: Scalars, *numbers: Scalars, **options: Any,
) -> Tree:
    """The state after a step with contacts and stops of the links; spring forces are those at the start of the step."""
    same, nq, nv = reduced(model), model.nq, model.nv
    rows = tuple(((k, 1),) for k in range(nv))
    links = Drivetrain(elastic.links_and_motors(model).bodies[1:], rows, (0,) * nv)

    def held(x: Scalars) -> Constraints:
        found = mass_matrix_factors(same, x[:nq])
        inverse_D = (*found.inverse_D, *(1 / B for B in rotor_inertia))
        return Constraints([], Factors((*found.L, *({} for _ in rotor_inertia)), (*found.D, *rotor_inertia), inverse_D))

    def accelerations(x: Scalars, xd: Scalars, tau: Scalars, wrenches: Wrenches) -> Tree:
        s = elastic.spring_forces(model, x[:nq], x[nq:], xd[:nv], xd[nv:], stiffness, damping)
        bias = newton_euler(same, x[:nq], xd[:nv], (0,) * nv, wrenches)
        forces = [a - b for a, b in zip(elastic.on_links(model, s), bias, strict=True)]
        return held(x).factors.solve([*forces, *(a - b for a, b in zip(tau, s, strict=True))])

    return contacts.touching_step(Linkage(model, accelerations, held, links), x, xd, tau, h, *numbers, **options)


def _mechanics(model: Model, data: tuple[Scalars, Scalars, Scalars], tau: Scalars, wrenches: Wrenches) -> Mechanics:
    same, (stiffness, damping, rotor_inertia) = reduced(model), data
    nq, nv = model.nq, model.nv

    def springs(x: Scalars, xd: Scalars) -> list[Scalar]:
        return elastic.spring_forces(model, x[:nq], x[nq:], xd[:nv], xd[nv:], stiffness, damping)

    def accelerate(x: Scalars, xd: Scalars) -> Tree:
        s = springs(x, xd)
        qdd = articulated_body(same, x[:nq], xd[:nv], elastic.on_links(model, s), wrenches)
        return [*qdd, *elastic.motor_accelerations(tau, s, rotor_inertia)]

    def missing_forces(x: Scalars, xd: Scalars, xdd: Scalars) -> Tree:
        s = springs(x, xd)
        links = newton_euler(same, x[:nq], xd[:nv], xdd[:nv], wrenches)
        motors = [B * a + spring - force for a, B, spring, force in zip(xdd[nv:], rotor_inertia, s, tau, strict=True)]
        return [*(a - b for a, b in zip(links, elastic.on_links(model, s), strict=True)), *motors]

    def partials(x: Scalars, xd: Scalars) -> Tree:
        s = springs(x, xd)
        momenta, forces = lagrangian_partials(same, x[:nq], xd[:nv], wrenches)
        links = [a + b for a, b in zip(forces, elastic.on_links(model, s), strict=True)]
        motors = [B * v for B, v in zip(rotor_inertia, xd[nv:], strict=True)]
        return [*momenta, *motors], [*links, *(force - spring for force, spring in zip(tau, s, strict=True))]

    def rates(x: Scalars, p: Scalars) -> Tree:
        return [*velocities(same, x[:nq], p[:nv]), *[a / B for a, B in zip(p[nv:], rotor_inertia, strict=True)]]

    return Mechanics(elastic.links_and_motors(model), accelerate, missing_forces, partials, rates)
