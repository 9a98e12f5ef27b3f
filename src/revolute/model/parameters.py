"""The inertial parameters of a robot: as vectors, checked for physical consistency, and regrouped.

The ten parameters of a body are in the order of GOA 9: mass m [kg], first moment
m rx, m ry, m rz [kg m], inertia Ixx, Iyy, Izz, Ixy, Ixz, Iyz [kg m^2] about the body's origin, expressed in the body
frame. Ixy is the matrix entry, which has the sign of -∫xy dm.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import chain
from numbers import Real
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from revolute.arguments import float_copy
from revolute.errors import InputError, ShapeError
from revolute.plain_numbers import are_plain
from revolute.spatial import Inertia, Matrix, Scalar, Vector

if TYPE_CHECKING:
    from revolute.model.body import Body
    from revolute.model.model import Model

NAMES = ("m", "mx", "my", "mz", "Ixx", "Iyy", "Izz", "Ixy", "Ixz", "Iyz")

MEANINGS = (
    "mass of {} [kg]",
    *(f"first moment of {{}} along {x}, mass times centre of mass [kg m]" for x in "xyz"),
    *(f"moment of inertia of {{}} about {x} through its origin [kg m^2]" for x in "xyz"),
    *(f"{x}{y} entry of the inertia matrix of {{}} about its origin [kg m^2]" for x, y in ("xy", "xz", "yz")),
)
"""Descriptions of the inertial parameters, with a placeholder for the body's name."""


def to_vector(inertia: Inertia) -> tuple[Scalar, ...]:
    """The ten parameters of a body, in the order of `NAMES`. GOA 9."""
    I = inertia.I
    return (inertia.m, *inertia.h, I[0][0], I[1][1], I[2][2], I[0][1], I[0][2], I[1][2])


def from_vector(p: Sequence[Scalar]) -> Inertia:
    """The inverse of `to_vector`."""
    if len(p) != 10:
        raise ShapeError(f"a body has 10 inertial parameters ({', '.join(NAMES)}), not {len(p)}")
    return Inertia(p[0], Vector(p[1:4]), Matrix(((p[4], p[7], p[8]), (p[7], p[5], p[9]), (p[8], p[9], p[6]))))


def implausibility(inertia: Inertia, tolerance: float = 1e-6) -> str | None:
    """The reason why an inertia is physically inconsistent, in words; None if it is consistent.

    The principal moments about the centre of mass must not be negative, and none may exceed the sum of the other two
    (triangle inequality). A violation is allowed up to `tolerance` times the largest, for rounded values of flat
    bodies, or up to the rounding error of the shift from the origin to the centre of mass, for point masses.
    """
    return implausibilities([inertia], tolerance)[0]


def implausibilities(inertias: Sequence[Inertia], tolerance: float = 1e-6) -> list[str | None]:
    """`implausibility` of each; one call of LAPACK computes all principal moments."""
    reasons: list[str | None] = [None] * len(inertias)
    numbers = {k: (inertia.m, *inertia.h, *chain(*inertia.I)) for k, inertia in enumerate(inertias)}
    real = {k: values for k, values in numbers.items() if are_plain(values) or all(isinstance(x, Real) for x in values)}
    for k, values in real.items():
        if values[0] == 0 and any(values):
            reasons[k] = "it has no mass, but a first moment or an inertia matrix"
    bodies = {k: values for k, values in real.items() if values[0] != 0}
    m, h, I = np.split(np.array([*bodies.values()], dtype=float).reshape(-1, 13, 1), (1, 4), axis=1)
    I = I.reshape(-1, 3, 3)
    with np.errstate(all="ignore"):
        r = h * (1 / m)
        square = r[:, :1] * r[:, :1] + r[:, 1:2] * r[:, 1:2] + r[:, 2:] * r[:, 2:]
        about_com = I - (square * np.eye(3) - r * r.mT) * m
    finite = np.isfinite(about_com).all(axis=(1, 2))
    low, middle, high = np.linalg.eigvalsh(np.where(finite[:, None, None], about_com, 0.0)).T
    rounding = 1e-14 * np.abs(I).max(axis=(1, 2), initial=0.0)  # about 50 machine epsilons
    slack = np.maximum(tolerance * np.maximum(np.abs(low), np.abs(high)), rounding)
    negative, uneven = low < -slack, high > low + middle + slack
    keys = [*bodies]
    for k in np.flatnonzero(negative | uneven).tolist():
        wrong = "one is negative" if negative[k] else "the largest exceeds the sum of the others (triangle inequality)"
        moments = f"principal moments {low[k]:.4g}, {middle[k]:.4g}, {high[k]:.4g} kg m^2"
        reasons[keys[k]] = f"{moments} about the centre of mass: {wrong}"
    for k in np.flatnonzero(~finite).tolist():
        reasons[keys[k]] = "its inertia about the centre of mass is not finite"
    return reasons


def regrouped(bodies: Sequence[Body]) -> tuple[Body, ...]:
    """Bodies with the same joint forces, but with inertia moved to the parent where possible.

    A body's joint forces do not determine part of its inertia (see `JointType.unfelt`); this part is added to the
    parent. Many parameters become zero, so kernels have fewer operations. Wrenches between links and energies
    of single links change; joint forces, the mass matrix and the total energy, base included, do not. For joint axes
    other than coordinate axes, only the mass is moved. (Rules of Gautier & Khalil 1990; Khalil & Kleinfinger 1987.)
    """
    new = list(bodies)
    for i in range(len(new) - 1, 0, -1):
        body = new[i]
        if (moved := body.joint.unfelt(body.inertia)) is not None:
            new[i] = replace(body, inertia=_cleaned(body.inertia - moved))
            parent = new[body.parent]
            new[body.parent] = replace(parent, inertia=parent.inertia + body.placement @ moved)
    return tuple(new)


def _cleaned(inertia: Inertia) -> Inertia:
    """Replace entries that are only rounding errors of a difference of equal values by exact zeros."""
    if not all(isinstance(x, Real) for row in inertia.I for x in row):
        return inertia
    scale = max((abs(x) for row in inertia.I for x in row), default=0)
    return replace(inertia, I=Matrix(tuple(0 if abs(x) <= 1e-15 * scale else x for x in row) for row in inertia.I))


def checked_parameters(what: str, model: Model, given: ArrayLike) -> NDArray[np.float64]:
    """A copy of (..., n, 10) finite inertial parameters of all moving bodies."""
    values, core = float_copy(what, given), (model.n_joints, 10)
    if values.shape[-2:] != core:
        raise ShapeError(f"{what} has shape {values.shape}, but robot '{model.name}' needs (..., {core[0]}, 10)")
    if not np.isfinite(values).all():
        raise InputError(f"{what} is not finite")
    return values
