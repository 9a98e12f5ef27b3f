"""Rotors as bodies that rotate about an axis fixed to a link."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from numbers import Real
from typing import Any

import numpy as np

from revolute.arguments import instance
from revolute.dynamics.drivetrain import Drivetrain, Row
from revolute.errors import InputError, ModelError, UnknownNameError
from revolute.machine.driven.couplings import whole_or_float
from revolute.model.body import Body
from revolute.model.joints import Revolute
from revolute.model.joints.joint import unit
from revolute.model.model import AnyModel, Model
from revolute.plain_numbers import LARGEST, is_moderate, plain_number
from revolute.spatial import ZERO, Inertia, Matrix, Scalar, Transform, Vector

ROUNDING = 1e-12  # relative rounding error of a difference between two inertias


@dataclass(frozen=True)
class Rotor:
    """A motor's rotor, symmetric about an axis fixed to the link that carries it.

    The rotor rotates relative to this link, by `ratio` times the coordinate.

    Attributes:
        coordinate: name of the joint that the rotor drives, or of an independent coordinate.
        link: name of the link that carries the rotor; by default the parent of the joint.
        axis: the rotor's axis in the frame of that link; by default the joint's axis.
        ratio: ratio of the rotor's speed to the coordinate's; by default the joint's `Drive.gear_ratio`.
        inertia: moment of inertia about the axis [kg m^2]; by default the joint's `Drive.rotor_inertia`.
        included: whether the inertia of the link includes the rotor's inertia about its axis, as usual. If true, the
            link's inertia about this axis must not be less than the rotor's.
    """

    coordinate: str
    link: str | None = None
    axis: tuple[float, float, float] | None = None
    ratio: float | None = None
    inertia: float | None = None
    included: bool = True


def with_rotors(model: AnyModel, drives: Drivetrain, rotors: bool | Sequence[Rotor]) -> tuple[AnyModel, Drivetrain]:
    """The tree with a body for every rotor, and the drivetrain of joints and rotors."""
    # Joints whose rotor is a body lose its reflected inertia. True selects the rotors of all joints with one
    # coordinate and a rotor inertia.
    if rotors is True:
        rotors = [
            Rotor(body.joint_name)
            for body in model.bodies
            if body.joint.nv == 1 and any(I != 0 for I in body.drive.rotor_inertia)
        ]
    elif rotors is False:
        rotors = []
    if not isinstance(rotors, Sequence) or not all(isinstance(rotor, Rotor) for rotor in rotors):
        raise InputError(f"with_drives: rotors must be True, False or a list of Rotor(...), not {rotors!r}")
    bodies, rows = list(model.bodies), list(drives.A)
    for n, rotor in enumerate(rotors, 1):
        instance("with_drives: the coordinate of a rotor", rotor.coordinate, str)
        instance(f"with_drives: 'included' of the rotor of '{rotor.coordinate}'", rotor.included, bool)
        joint = model.joint_index(rotor.coordinate) if rotor.coordinate in model.joint_names else None
        if joint is not None and model.bodies[joint].joint.nv != 1:
            raise ModelError(f"with_drives: rotors drive joints with one coordinate; '{rotor.coordinate}' has several")
        I, ratio = _inertia(rotor, joint, model), _ratio(rotor, joint, model)
        carrier, placement, axis = _place(rotor, joint, model)
        inertia = Inertia(0, ZERO, Matrix(tuple(I * x * y for y in axis) for x in axis))
        if rotor.included and carrier > 0:
            with_rotor = bodies[carrier].inertia
            without_rotor = Inertia(with_rotor.m, with_rotor.h, with_rotor.I - (placement @ inertia).I)
            _require_room(without_rotor, with_rotor, rotor, bodies[carrier])
            bodies[carrier] = replace(bodies[carrier], inertia=without_rotor)
        if joint is not None:
            bodies[joint] = replace(bodies[joint], drive=replace(bodies[joint].drive, rotor_inertia=()))
        name = f"rotor {n} ({rotor.coordinate})"
        bodies.append(Body(name, carrier, name, Revolute(axis), placement, inertia))
        rows.append(tuple((k, whole_or_float(ratio * f)) for k, f in _row(rotor, joint, model, drives)))
    tree = replace(model, bodies=tuple(bodies))
    included = tuple(rotor.included for rotor in rotors)
    return tree, replace(drives, A=tuple(rows), b=(*drives.b, *(0 for _ in rotors)), rotors=included)


def _require_room(without_rotor: Inertia, with_rotor: Inertia, rotor: Rotor, carrier: Body) -> None:
    """Raise `ModelError` if a link's inertia without its rotor is negative. Expressions are not checked."""
    C, scale = ([list(row) for row in inertia.about_com()] for inertia in (without_rotor, with_rotor))
    if not all(isinstance(x, Real) for row in C for x in row):
        return
    if np.linalg.eigvalsh(np.array(C, dtype=float))[0] < -ROUNDING * sum(scale[k][k] for k in range(3)):
        raise ModelError(
            f"with_drives: link '{carrier.name}' has less inertia about the axis of the rotor of '{rotor.coordinate}' "
            "than the rotor; correct one of them, or exclude the rotor from the link: Rotor(..., included=False)"
        )


def _inertia(rotor: Rotor, joint: int | None, model: Model) -> Scalar:
    inertia: Scalar = rotor.inertia
    if inertia is None and joint is not None:
        inertia = (*model.bodies[joint].drive.rotor_inertia, 0)[0]
    positive = inertia is not None and _is_scalar(inertia) and inertia != 0
    if not positive or (not hasattr(inertia, "free_symbols") and inertia < 0):
        raise InputError(
            f"with_drives: the rotor of '{rotor.coordinate}' needs an inertia above zero [kg m^2], not {inertia!r}; "
            "give Rotor(..., inertia=...), or the joint a Drive.rotor_inertia"
        )
    return inertia


def _ratio(rotor: Rotor, joint: int | None, model: Model) -> Scalar:
    ratio: Scalar = rotor.ratio
    if ratio is None:
        ratio = (*model.bodies[joint].drive.gear_ratio, 1)[0] if joint is not None else 1
    if not _is_scalar(ratio):
        raise InputError(
            f"with_drives: the rotor of '{rotor.coordinate}' needs a finite ratio up to {LARGEST:g}, not {ratio!r}"
        )
    return ratio


def _is_scalar(x: Any) -> bool:
    return hasattr(x, "free_symbols") or is_moderate(plain_number(x))


def _place(rotor: Rotor, joint: int | None, model: Model) -> tuple[int, Transform, Vector]:
    """The body that carries a rotor, the placement of the rotor's frame in this body, and the axis in that frame."""
    if joint is None and (rotor.link is None or rotor.axis is None):
        raise InputError(
            f"with_drives: the rotor of coordinate '{rotor.coordinate}', which is not a joint, needs link= and axis="
        )
    frame = model.frame(rotor.link) if rotor.link is not None else None
    driven = model.bodies[joint or 0]
    if rotor.axis is not None:
        try:
            axis = unit(rotor.axis)
        except (ModelError, TypeError, ValueError):
            raise InputError(
                f"with_drives: the axis of the rotor of '{rotor.coordinate}' must be three finite numbers, at least "
                f"one of them nonzero, not {rotor.axis!r}"
            ) from None
        return (driven.parent, Transform(), axis) if frame is None else (frame.body, Transform(frame.placement.R), axis)
    if frame is not None and frame.body != driven.parent:
        raise InputError(
            f"with_drives: the rotor of joint '{rotor.coordinate}' is on '{rotor.link}', not on the link that "
            f"carries the joint; give its axis= in the frame of '{rotor.link}'"
        )
    S = driven.joint.columns()[0]
    return driven.parent, Transform(driven.placement.R), S.lin if driven.joint.linear[0] else S.ang


def _row(rotor: Rotor, joint: int | None, model: Model, drives: Drivetrain) -> Row:
    if joint is not None:
        return drives.A[model.v_index[joint].start]
    names = drives.space.joint_names
    if rotor.coordinate not in names:
        listed = ", ".join(dict.fromkeys((*model.joint_names, *names)))
        raise UnknownNameError(
            f"with_drives: '{model.name}' has no joint and no coordinate '{rotor.coordinate}'; available: {listed}"
        )
    return ((drives.space.v_index[drives.space.joint_index(rotor.coordinate)].start, 1),)
