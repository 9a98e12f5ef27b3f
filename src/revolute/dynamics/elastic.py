"""Robots with elastic joints: a spring between each motor and its link. Spong 1987; SHV ex. 6.2.

With x = (q, theta), s = K (theta - q) + D (thetad - qd), and S^T, which selects the joints with one coordinate,

    M qdd + C qd + g = S s,    B thetadd = tau - s

so that M_x = diag(M, B), C_x = diag(C, 0), g_x = (g, 0). Joints with several coordinates have no motor.

With a backlash b, a spring acts only where |theta - q| > b/2, like a pair of stops: it pushes and never pulls.
"""

from revolute.dynamics.energy import kinetic_energy, potential_energy
from revolute.dynamics.equations_of_motion import equations_of_motion
from revolute.dynamics.forward_dynamics_partials import forward_dynamics_partials
from revolute.dynamics.linear_models import state_matrices
from revolute.dynamics.mass_matrix import mass_matrix
from revolute.dynamics.newton_euler import gravity_forces
from revolute.model.body import Body, Frame, column_of
from revolute.model.joints import Fixed
from revolute.model.model import Model
from revolute.spatial.scalar import Rows, Scalar, Scalars, Wrenches, between, select


def motor_places(model: Model) -> list[tuple[int, int]]:
    """Indices in q and in qd of the joints with one coordinate: each has a motor."""
    places = zip(model.bodies, model.q_index, model.v_index, strict=True)
    return [(at.start, rate_at.start) for body, at, rate_at in places if body.joint.nv == 1]


def links_and_motors(model: Model) -> Model:
    """A massless robot whose joints are the coordinates x = (q, theta)."""
    joints = [Body(body.joint_name, 0, body.joint_name, body.joint, limits=body.limits) for body in model.bodies[1:]]
    names = {f"{body.joint_name} (motor)": body.joint for body in joints if body.joint.nv == 1}
    motors = [Body(name, 0, name, joint) for name, joint in names.items()]
    base = Body("", -1, "", Fixed())
    frames = (Frame("", 0), *(Frame(body.name, k) for k, body in enumerate((*joints, *motors), 1)))
    return Model(model.name, (base, *joints, *motors), frames)


def spring_forces(
    model: Model, q: Scalars, theta: Scalars, qd: Scalars, thetad: Scalars, stiffness: Scalars, damping: Scalars
) -> list[Scalar]:
    """s = K (theta - q) + D (thetad - qd): forces that the springs apply to the links."""
    rates = [motor - qd[k] for (_, k), motor in zip(motor_places(model), thetad, strict=True)]
    forces: list[Scalar] = []
    for (x, has_gap), v, k, d in zip(twists(model, q, theta), rates, stiffness, damping, strict=True):
        s = k * x + d * v
        forces.append(select(x * s > 0, s, 0.0) if has_gap else s)
    return forces


def twists(model: Model, q: Scalars, theta: Scalars) -> list[tuple[Scalar, bool]]:
    """theta - q beyond the backlash of each spring, and whether it has one."""
    found: list[tuple[Scalar, bool]] = []
    for (i, _), motor, gap in zip(motor_places(model), theta, backlash(model), strict=True):
        x = motor - q[i]
        found.append((x - between(x, -gap / 2, gap / 2), True) if gap != 0 else (x, False))
    return found


def backlash(model: Model) -> list[float]:
    """The backlash of each spring [rad, m]."""
    joints = (body for body in model.bodies if body.joint.nv == 1)
    return [column_of(body.drive, "backlash", 1)[0] for body in joints]


def on_links(model: Model, springs: Scalars) -> list[Scalar]:
    """S s: joint forces, zero at joints without a motor."""
    forces: list[Scalar] = [0] * model.nv
    for (_, k), force in zip(motor_places(model), springs, strict=True):
        forces[k] = force
    return forces


def motor_accelerations(tau: Scalars, springs: Scalars, rotor_inertia: Scalars) -> list[Scalar]:
    """The solution thetadd of B thetadd = tau - s."""
    return [(force - spring) / inertia for force, spring, inertia in zip(tau, springs, rotor_inertia, strict=True)]


def elastic_mass_matrix(model: Model, q: Scalars, rotor_inertia: Scalars) -> Rows:
    """The mass matrix diag(M, B)."""
    return _with_motors(mass_matrix(model, q), rotor_inertia)


def elastic_coriolis_matrix(model: Model, q: Scalars, qd: Scalars) -> Rows:
    """The Coriolis matrix diag(C, 0)."""
    return _with_motors(equations_of_motion(model, q, qd)[1], [0 for _ in motor_places(model)])


def elastic_gravity_forces(model: Model, q: Scalars) -> list[Scalar]:
    """The gravity forces (g, 0)."""
    return [*gravity_forces(model, q), *(0 for _ in motor_places(model))]


def elastic_equations_of_motion(
    model: Model, q: Scalars, qd: Scalars, rotor_inertia: Scalars
) -> tuple[Rows, Rows, list[Scalar]]:
    """M_x, C_x and g_x of this module."""
    M, C, g = equations_of_motion(model, q, qd)
    none = [0 for _ in rotor_inertia]
    return _with_motors(M, rotor_inertia), _with_motors(C, none), [*g, *none]


def elastic_energy(
    model: Model, q: Scalars, theta: Scalars, qd: Scalars, thetad: Scalars, stiffness: Scalars, rotor_inertia: Scalars
) -> Scalar:
    """H + (thetad^T B thetad + (theta - q)^T K (theta - q)) / 2: total energy of links, motors and springs."""
    doubled = _of_springs(model, q, theta, stiffness) + _of_motors(thetad, rotor_inertia)
    return kinetic_energy(model, q, qd) + potential_energy(model, q) + doubled / 2


def elastic_kinetic_energy(model: Model, q: Scalars, qd: Scalars, thetad: Scalars, rotor_inertia: Scalars) -> Scalar:
    """T + thetad^T B thetad / 2: kinetic energy of links and motors."""
    return kinetic_energy(model, q, qd) + _of_motors(thetad, rotor_inertia) / 2


def elastic_potential_energy(model: Model, q: Scalars, theta: Scalars, stiffness: Scalars) -> Scalar:
    """U + (theta - q)^T K (theta - q) / 2: potential energy of links and springs."""
    return potential_energy(model, q) + _of_springs(model, q, theta, stiffness) / 2


def elastic_linearize(
    model: Model, q: Scalars, theta: Scalars, qd: Scalars, thetad: Scalars, tau: Scalars, stiffness: Scalars,
    damping: Scalars, rotor_inertia: Scalars, wrenches: Wrenches = None,
) -> tuple[Rows, Rows]:
    """A and B of d/dt (dx, dxd) = A (dx, dxd) + B dtau: see `linearize`.

        dqdd = F_q dq + F_qd dqd + M^-1 S ds,    dthetadd = B^-1 (dtau - ds)
        ds = K (dtheta - S^T dq) + D (dthetad - S^T dqd)

    with F_q, F_qd the derivatives of the links' forward dynamics at the forces S s.
    """
    springs = spring_forces(model, q, theta, qd, thetad, stiffness, damping)
    pairs = [*zip(springs, twists(model, q, theta), strict=True)]
    stiffness, damping = (
        [select(abs(s) > 0, c, 0.0) if has_gap else c for c, (s, (_, has_gap)) in zip(column, pairs, strict=True)]
        for column in (stiffness, damping)
    )
    by_q, by_qd, inverse = forward_dynamics_partials(model, q, qd, on_links(model, springs), wrenches)
    places, motors = [k for _, k in motor_places(model)], range(len(springs))
    by_s = [[row[k] for k in places] for row in inverse]  # the product M^-1 S
    by_s += [[-1 / rotor_inertia[j] if i == j else 0 for j in motors] for i in motors]

    def by_state(links: Rows, rates: Scalars) -> Rows:
        rows = [[*row] for row in links] + [[0] * model.nv for _ in motors]
        for row, slopes in zip(rows, by_s, strict=True):
            changes = [slope * rate for slope, rate in zip(slopes, rates, strict=True)]
            for k, change in zip(places, changes, strict=True):
                row[k] -= change
            row += changes
        return rows

    by_tau: Rows = [[0 for _ in motors] for _ in range(model.nv)]
    by_tau += [[1 / rotor_inertia[j] if i == j else 0 for j in motors] for i in motors]
    velocities = (*qd, *thetad)
    return state_matrices(
        links_and_motors(model), velocities, by_state(by_q, stiffness), by_state(by_qd, damping), by_tau
    )


def _of_springs(model: Model, q: Scalars, theta: Scalars, stiffness: Scalars) -> Scalar:
    """Twice the energy of the springs."""
    return sum(k * x * x for k, (x, _) in zip(stiffness, twists(model, q, theta), strict=True))


def _of_motors(thetad: Scalars, rotor_inertia: Scalars) -> Scalar:
    """Twice the kinetic energy of the motors."""
    return sum(b * x * x for b, x in zip(rotor_inertia, thetad, strict=True))


def _with_motors(links: Rows, motors: Scalars) -> Rows:
    """The block-diagonal matrix diag(links, diag(motors))."""
    n, m = len(links), len(motors)
    rows = [[*row, *(0 for _ in motors)] for row in links]
    return rows + [[*(0 for _ in range(n)), *(motors[i] if i == j else 0 for j in range(m))] for i in range(m)]
