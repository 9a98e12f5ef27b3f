"""Forces of drives at each joint, in addition to those of the links: rotors, friction, springs. For any scalar type.

Friction and springs are entries of `TERMS`. From these entries follow slopes, regressors, bounds of sticking friction
and energies.
"""

from collections.abc import Callable, Iterable

from revolute.dynamics.drive_terms import DriveTerm, Values, check_all, coordinates
from revolute.dynamics.sparse_factorization import is_zero
from revolute.model.body import DRIVE_FIELDS, Drive, column_of, is_parameter
from revolute.model.model import Model
from revolute.spatial.dual import Dual, slopes_of
from revolute.spatial.quaternion import exponential, logarithm, motion, product
from revolute.spatial.scalar import Scalar, Scalars, exp, sign, tanh


def rotor_inertias(model: Model) -> list[Scalar]:
    """Rotor inertias reflected to the joints: I_a = armature + r^2 I_m. SHV ex. 6.1."""
    columns = ((x["armature"], x["rotor_inertia"], x["gear_ratio"]) for x in coordinates(model))
    return [Ia if I == 0 else Ia + r * r * I for Ia, I, r in columns]


def viscous_friction(phid: Scalar, damping: Scalar) -> Scalar:
    """Viscous friction D phid. JIN Generalized forces."""
    return damping * phid


def dry_friction(
    phid: Scalar, sgn: Scalar, friction: Scalar, friction_backward: Scalar, stribeck: Scalar, stribeck_speed: Scalar
) -> Scalar:
    """(F_c + F_s exp(-(phid/v_s)^2)) sgn(phid). Bo & Pavelescu 1982; Armstrong-Helouvry 1991.

    If the Coulomb forces F_+ and F_- of the two directions differ, F_c is (F_+ + F_-)/2 + (F_+ - F_-)/2 sgn(phid). So
    friction dissipates energy at any smoothing, and is zero at rest.
    """
    equal = friction_backward == friction
    size = friction if equal else (friction + friction_backward) / 2
    if stribeck != 0:
        bell = stribeck * exp(phid * phid * (-1 / (stribeck_speed * stribeck_speed)))
        size = bell if size == 0 else size + bell
    return (size if equal else size + (friction - friction_backward) / 2 * sgn) * sgn


def spring(phi: Scalar, stiffness: Scalar, rest_position: Scalar) -> Scalar:
    """The spring force K (phi - rest_position)."""
    return stiffness * (phi if rest_position == 0 else phi - rest_position)


def energy_of_spring(phi: Scalar, stiffness: Scalar, rest_position: Scalar) -> Scalar:
    """The spring energy K (phi - rest_position)^2 / 2."""
    stretch = phi if rest_position == 0 else phi - rest_position
    return stiffness / 2 * (stretch * stretch)


TERMS = (DriveTerm(viscous_friction), DriveTerm(dry_friction), DriveTerm(spring, energy_of_spring))
"""The forces of drives, except those of rotors."""

FRICTION, SPRINGS = ([x for x in TERMS if x.is_spring == spring] for spring in (False, True))
_LISTED = ["armature", *(name for term in TERMS for name in term.parameters)]
PARAMETERS = tuple(sorted(_LISTED, key=lambda name: bool(DRIVE_FIELDS[name].instead)))
"""Parameters of drives in the order of the regressor; armature is part of `rotor_inertias`."""

DRY = frozenset(name for term in TERMS if term.is_dry for name in term.fields)
"""Fields of `Drive` for friction that jumps where the velocity changes sign."""

OF_ROTORS = ("armature", "gear_ratio", "rotor_inertia", "backlash")
"""Fields that no term uses: those for `rotor_inertias`, and for springs between rotors and joints."""

check_all(TERMS, OF_ROTORS)


def has_dry_friction(drive: Drive) -> bool:
    """Whether a joint has friction that jumps where its velocity changes sign."""
    return any(x != 0 for name in DRY if DRIVE_FIELDS[name].parameter for x in getattr(drive, name))


def signs(phid: Scalars, smoothing: float) -> list[Scalar]:
    """sgn(phid), or tanh(phid/smoothing) if `smoothing` is not zero."""
    return [tanh(v * (1 / smoothing)) if smoothing else sign(v) for v in phid]


def friction_forces(model: Model, phid: Scalars, smoothing: float) -> list[Scalar]:
    """The forces that overcome friction.

    Args:
        smoothing: sgn(phid) is tanh(phid/smoothing); 0 selects the exact sign.
    """
    states = zip(coordinates(model), phid, signs(phid, smoothing), strict=True)
    return [_sum(term.of(drive, phid=v, sgn=sgn) for term in FRICTION) for drive, v, sgn in states]


def friction_slopes(model: Model, phid: Scalars, smoothing: float) -> list[Scalar]:
    """Derivatives of `friction_forces` with respect to phid; the derivative of sgn = tanh(phid/s) is (1 - sgn^2)/s."""
    slopes: list[Scalar] = []
    for drive, v, sgn in zip(coordinates(model), phid, signs(phid, smoothing), strict=True):
        by = slopes_of(_sum(term.of(drive, phid=Dual(v, {0: 1}), sgn=Dual(sgn, {1: 1})) for term in FRICTION))
        slope, by_sgn = by.get(0, 0), by.get(1, 0)
        slopes.append(slope if is_zero(by_sgn) else slope + by_sgn * (1 - sgn * sgn) * (1 / smoothing))
    return slopes


def dry_friction_bounds(model: Model, phid: Scalars) -> tuple[list[Scalar], list[Scalar]]:
    """Magnitudes of the dry friction at positive and at negative velocities: at sgn = 1 and at sgn = -1."""
    dry, states = [x for x in FRICTION if x.is_dry], [*zip(coordinates(model), phid, strict=True)]
    forward, backward = ([_sum(x.of(drive, phid=v, sgn=s) for x in dry) for drive, v in states] for s in (1, -1))
    return forward, [-x for x in backward]


def spring_forces(model: Model, phi: Scalars) -> list[Scalar]:
    """The forces that balance the joint springs."""
    return [_sum(term.of(drive, x) for term in SPRINGS) for drive, x in _at_positions(model, phi)]


def spring_slopes(model: Model, phi: Scalars) -> dict[tuple[int, int], Scalar]:
    """{(i, j): derivative of spring force i along joint velocity j}, without structural zeros."""
    states = _at_positions(model, phi)
    forces = (_sum(term.of(drive, Dual(x, {0: 1})) for term in SPRINGS) for drive, x in states)
    own = [slopes_of(force).get(0, 0) for force in forces]
    slopes = {(k, k): x for k, x in enumerate(own) if not is_zero(x)}
    for body, at in zip(model.bodies, model.v_index, strict=True):
        if body.joint.nv == 3 and not is_zero(own[at.start]):  # of a ball joint, as r turns
            rest = column_of(body.drive, "rest_position", 3)
            r = [x - start for (_, x), start in zip(states[at], rest, strict=True)]
            for j in range(3):
                turned = motion([-x for x in r], [int(i == j) for i in range(3)])
                slopes |= {(at.start + i, at.start + j): own[at.start] * x for i, x in enumerate(turned)}
    return slopes


def spring_energy(model: Model, phi: Scalars, start: Scalar = 0) -> Scalar:
    """`start` plus the energy of the joint springs."""
    springs = (term.of(drive, x, energy=True) for drive, x in _at_positions(model, phi) for term in SPRINGS)
    return sum((x for x in springs if not is_zero(x)), start=start)


def force_columns(model: Model, phi: Scalars, phid: Scalars, smoothing: float) -> dict[str, list[Scalar]]:
    """Derivatives of the forces of friction and springs with respect to each of their parameters."""
    states = [*zip(spring_positions(model, phi), phid, signs(phid, smoothing), strict=True)]
    return _columns(model, lambda term, unit, k: term.of(unit, *states[k]))


def energy_columns(model: Model, phi: Scalars) -> dict[str, list[Scalar]]:
    """Derivatives of `spring_energy` with respect to each parameter."""
    positions = spring_positions(model, phi)
    return _columns(model, lambda term, unit, k: term.of(unit, positions[k], energy=True))


def _columns(model: Model, of: Callable[[DriveTerm, Values, int], Scalar]) -> dict[str, list[Scalar]]:
    """`of(term, unit values, coordinate)` for each parameter; 0 where the drive does not have the parameter."""
    drives = [(body.drive, k) for body in model.bodies for k in range(body.joint.nv)]
    columns: dict[str, list[Scalar]] = {}
    for term in TERMS:
        for name in term.parameters:
            columns[name] = column = []
            for at, (values, (drive, k)) in enumerate(zip(coordinates(model), drives, strict=True)):
                also = [x for x in term.parameters if DRIVE_FIELDS[x].instead == name and not getattr(drive, x)]
                column.append(of(term, term.unit(name, values, also), at) if is_parameter(drive, name, k) else 0)
    return columns


def spring_positions(model: Model, phi: Scalars) -> list[Scalar]:
    """For each of the nv velocities, the position of its spring; 0 for a joint with several velocities and no spring.

    For a ball joint with springs, they are rest_position + r, with r the rotation vector from the rest position.
    """
    positions: list[Scalar] = []
    for body, at in zip(model.bodies, model.q_index, strict=True):
        nv = body.joint.nv
        if nv > 1 and any(x != 0 for x in body.drive.stiffness):
            rest = column_of(body.drive, "rest_position", nv)
            x, y, z, w = exponential(rest)
            r = logarithm(product((-x, -y, -z, w), phi[at]))
            positions += [a + b for a, b in zip(rest, r, strict=True)]
        else:
            positions += phi[at] if nv == 1 else (0,) * nv
    return positions


def _at_positions(model: Model, phi: Scalars) -> list[tuple[Values, Scalar]]:
    return [*zip(coordinates(model), spring_positions(model, phi), strict=True)]


def _sum(forces: Iterable[Scalar]) -> Scalar:
    """The sum of the forces, without structural zeros; 0 if there are no others."""
    found = [x for x in forces if not is_zero(x)]
    return sum(found[1:], start=found[0]) if found else 0
