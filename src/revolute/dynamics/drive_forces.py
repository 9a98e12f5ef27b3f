"""Forces of drives at each joint, in addition to those of the links: rotors, friction, springs. Over any scalar."""

from __future__ import annotations

from collections.abc import Sequence

from revolute.dynamics.sparse_factorization import is_zero
from revolute.model.model import Model
from revolute.spatial.scalar import Scalar, exp, sign, tanh

__all__ = [
    "bells",
    "drive_column",
    "friction_forces",
    "friction_slopes",
    "rotor_inertias",
    "signs",
    "spring_energy",
    "spring_forces",
]


def drive_column(model: Model, name: str, default: Scalar = 0) -> list[Scalar]:
    """The nv scalars of a field of `Drive`."""
    return [x for body in model.bodies for x in (getattr(body.drive, name) or (default,) * body.joint.nv)]


def rotor_inertias(model: Model) -> list[Scalar]:
    """Inertias of rotors reflected to the joints: armature + r^2 I_m. SHV ex. 6.1."""
    columns = (drive_column(model, name) for name in ("armature", "rotor_inertia"))
    ratios = drive_column(model, "gear_ratio", 1)
    return [Ia if I == 0 else Ia + r * r * I for Ia, I, r in zip(*columns, ratios, strict=True)]


def friction_forces(model: Model, qd: Sequence[Scalar], smoothing: float) -> list[Scalar]:
    """The forces that overcome friction. JIN 48; Armstrong-Helouvry 1991.

        D qd + (F_c + F_s exp(-(qd/v_s)^2)) sgn(qd)

    Args:
        model: kinematic tree.
        qd: (nv,) joint velocities [rad/s, m/s].
        smoothing: sgn(qd) is tanh(qd/smoothing); for 0 the exact sign.
    """
    forces: list[Scalar] = []
    for v, D, dry, _, sgn in zip(qd, *_friction(model, qd), signs(qd, smoothing), strict=True):
        viscous = 0 if D == 0 else D * v
        forces.append(viscous if is_zero(dry) else viscous + dry * sgn)
    return forces


def friction_slopes(model: Model, qd: Sequence[Scalar], smoothing: float) -> list[Scalar]:
    """Derivatives of `friction_forces` by qd.

        D + (F_c + F_s exp(-(qd/v_s)^2)) (1 - sgn^2)/smoothing - 2 qd/v_s^2 F_s exp(-(qd/v_s)^2) sgn
    """
    slopes: list[Scalar] = []
    for v, D, dry, fading, sgn in zip(qd, *_friction(model, qd), signs(qd, smoothing), strict=True):
        slope = D if is_zero(dry) else D + dry * (1 - sgn * sgn) * (1 / smoothing)
        slopes.append(slope if is_zero(fading) else slope - fading * sgn * v)
    return slopes


def signs(qd: Sequence[Scalar], smoothing: float) -> list[Scalar]:
    """The signs of velocities, or tanh(qd/smoothing)."""
    return [tanh(v * (1 / smoothing)) if smoothing else sign(v) for v in qd]


def bells(model: Model, qd: Sequence[Scalar]) -> list[Scalar]:
    """exp(-(qd/v_s)^2) where there is a v_s, else 0. Bo & Pavelescu 1982; Armstrong-Helouvry 1991."""
    speeds = drive_column(model, "stribeck_speed")
    return [0 if v_s == 0 else exp(v * v * (-1 / (v_s * v_s))) for v, v_s in zip(qd, speeds, strict=True)]


def _friction(model: Model, qd: Sequence[Scalar]) -> tuple[list[Scalar], list[Scalar], list[Scalar]]:
    """D; F_c + F_s exp(-(qd/v_s)^2); 2/v_s^2 F_s exp(-(qd/v_s)^2)."""
    names = ("friction", "stribeck", "stribeck_speed")
    dry, fading = [], []
    for F_c, F_s, v_s, bell in zip(*(drive_column(model, name) for name in names), bells(model, qd), strict=True):
        stribeck = 0 if F_s == 0 else F_s * bell
        dry.append(stribeck if F_c == 0 else F_c + stribeck)
        fading.append(0 if F_s == 0 else stribeck * (2 / (v_s * v_s)))
    return drive_column(model, "damping"), dry, fading


def spring_forces(model: Model, q: Sequence[Scalar]) -> list[Scalar]:
    """The forces K (q - rest) that hold the joint springs."""
    forces: list[Scalar] = []
    for body, at in zip(model.bodies, model.q_index, strict=True):
        if any(k != 0 for k in body.drive.stiffness):
            (k,), (x,), (rest,) = body.drive.stiffness, q[at], body.drive.rest or (0,)
            forces.append(k * (x if rest == 0 else x - rest))
        else:
            forces += (0,) * body.joint.nv
    return forces



def spring_energy(model: Model, q: Sequence[Scalar], start: Scalar = 0) -> Scalar:
    """Energy (q - rest)^T K (q - rest) / 2 of the joint springs, added to `start`."""
    springs = (
        body.drive.stiffness[0] / 2 * _square(q[at.start] - (body.drive.rest or (0,))[0])
        for body, at in zip(model.bodies, model.q_index, strict=True)
        if any(k != 0 for k in body.drive.stiffness)
    )
    return sum(springs, start=start)


def _square(x: Scalar) -> Scalar:
    return x * x
