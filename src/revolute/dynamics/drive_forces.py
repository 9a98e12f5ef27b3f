"""Forces of drives at each joint, in addition to those of the links: rotors, friction, springs. For any scalar type."""

from revolute.dynamics.sparse_factorization import is_zero
from revolute.model.model import Model
from revolute.spatial.scalar import Scalar, Scalars, exp, sign, tanh


def drive_column(model: Model, name: str, default: Scalar = 0) -> list[Scalar]:
    """The nv scalars of one field of `Drive`."""
    return [x for body in model.bodies for x in (getattr(body.drive, name) or (default,) * body.joint.nv)]


def backward_column(model: Model) -> list[Scalar]:
    """Magnitudes of the nv Coulomb friction forces at negative velocities."""
    return [x for body in model.bodies for x in (body.drive.backward() or (0,) * body.joint.nv)]


def rotor_inertias(model: Model) -> list[Scalar]:
    """Rotor inertias reflected to the joints: armature + r^2 I_m. SHV ex. 6.1."""
    columns = (drive_column(model, name) for name in ("armature", "rotor_inertia"))
    ratios = drive_column(model, "gear_ratio", 1)
    return [Ia if I == 0 else Ia + r * r * I for Ia, I, r in zip(*columns, ratios, strict=True)]


def friction_forces(model: Model, qd: Scalars, smoothing: float) -> list[Scalar]:
    """The forces that overcome friction. JIN 48; Armstrong-Helouvry 1991.

        D qd + (F_c + F_s exp(-(qd/v_s)^2)) sgn(qd)

    If the Coulomb forces F_+ and F_- of the two directions differ, F_c is (F_+ + F_-)/2 + (F_+ - F_-)/2 sgn(qd). So
    friction dissipates energy at any smoothing, and is zero at rest.

    Args:
        smoothing: sgn(qd) is tanh(qd/smoothing); 0 selects the exact sign.
    """
    forces: list[Scalar] = []
    for v, D, dry, excess, _, sgn in zip(qd, *_friction(model, qd), signs(qd, smoothing), strict=True):
        viscous = 0 if D == 0 else D * v
        size = dry if is_zero(excess) else dry + excess * sgn
        forces.append(viscous if is_zero(size) else viscous + size * sgn)
    return forces


def dry_friction_bounds(model: Model, qd: Scalars) -> tuple[list[Scalar], list[Scalar]]:
    """Magnitudes of the dry friction at positive and at negative velocities, F_c + F_s exp(-(qd/v_s)^2)."""
    _, dry, excess, _ = _friction(model, qd)
    pairs = [(x, x) if is_zero(e) else (x + e, x - e) for x, e in zip(dry, excess, strict=True)]
    return [x for x, _ in pairs], [x for _, x in pairs]


def friction_slopes(model: Model, qd: Scalars, smoothing: float) -> list[Scalar]:
    """Derivatives of `friction_forces` with respect to qd.

        D + (F_c + F_s exp(-(qd/v_s)^2)) (1 - sgn^2)/smoothing - 2 qd/v_s^2 F_s exp(-(qd/v_s)^2) sgn

    In this derivative, F_c is (F_+ + F_-)/2 + (F_+ - F_-) sgn.
    """
    slopes: list[Scalar] = []
    for v, D, dry, excess, fading, sgn in zip(qd, *_friction(model, qd), signs(qd, smoothing), strict=True):
        size = dry if is_zero(excess) else dry + 2 * excess * sgn
        slope = D if is_zero(size) else D + size * (1 - sgn * sgn) * (1 / smoothing)
        slopes.append(slope if is_zero(fading) else slope - fading * sgn * v)
    return slopes


def signs(qd: Scalars, smoothing: float) -> list[Scalar]:
    """sgn(qd), or tanh(qd/smoothing) if `smoothing` is not zero."""
    return [tanh(v * (1 / smoothing)) if smoothing else sign(v) for v in qd]


def bells(model: Model, qd: Scalars) -> list[Scalar]:
    """exp(-(qd/v_s)^2) for joints with a v_s, otherwise 0. Bo & Pavelescu 1982; Armstrong-Helouvry 1991."""
    speeds = drive_column(model, "stribeck_speed")
    return [0 if v_s == 0 else exp(v * v * (-1 / (v_s * v_s))) for v, v_s in zip(qd, speeds, strict=True)]


def _friction(model: Model, qd: Scalars) -> tuple[list[Scalar], ...]:
    """Four terms per joint: D; (F_+ + F_-)/2 + F_s exp(-(qd/v_s)^2); (F_+ - F_-)/2; 2/v_s^2 F_s exp(-(qd/v_s)^2)."""
    columns = (drive_column(model, name) for name in ("friction", "stribeck", "stribeck_speed"))
    dry, excess, fading = [], [], []
    for F, F_s, v_s, back, bell in zip(*columns, backward_column(model), bells(model, qd), strict=True):
        F_c = F if back == F else (F + back) / 2
        stribeck = 0 if F_s == 0 else F_s * bell
        dry.append(stribeck if F_c == 0 else F_c + stribeck)
        excess.append(0 if back == F else (F - back) / 2)
        fading.append(0 if F_s == 0 else stribeck * (2 / (v_s * v_s)))
    return drive_column(model, "damping"), dry, excess, fading


def stretches(model: Model, q: Scalars) -> list[Scalar]:
    """q - rest for joints with a spring; 0 for other joints."""
    found: list[Scalar] = []
    for body, at in zip(model.bodies, model.q_index, strict=True):
        if any(k != 0 for k in body.drive.stiffness):
            (x,), (rest,) = q[at], body.drive.rest or (0,)
            found.append(x if rest == 0 else x - rest)
        else:
            found += (0,) * body.joint.nv
    return found


def spring_forces(model: Model, q: Scalars) -> list[Scalar]:
    """The forces K (q - rest) that balance the joint springs."""
    return [0 if k == 0 else k * x for k, x in zip(drive_column(model, "stiffness"), stretches(model, q), strict=True)]


def spring_energy(model: Model, q: Scalars, start: Scalar = 0) -> Scalar:
    """`start` plus the energy (q - rest)^T K (q - rest) / 2 of the joint springs."""
    springs = zip(drive_column(model, "stiffness"), stretches(model, q), strict=True)
    return sum((k / 2 * (x * x) for k, x in springs if k != 0), start=start)
