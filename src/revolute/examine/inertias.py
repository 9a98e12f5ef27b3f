"""Rules on masses, centres of mass and inertias, alone and relative to the size of the body."""

import math
from collections.abc import Iterator

import numpy as np

from revolute.arguments import Array
from revolute.examine.part import Finding, Part
from revolute.model.parameters import implausibility

BALSA, TUNGSTEN = 40.0, 19_300.0  # bounds of the density of links [kg/m^3]: light balsa wood, and tungsten
USUAL = (200.0, 9000.0)  # range of typical densities of robot links [kg/m^3], from hollow links to solid steel
HEAVY, LONG = 1000.0, 10.0
"""Mass [kg] above which the unit is probably gram, and length [m] above which it is probably millimetre."""

MARGIN = 0.25
"""Allowed distance of mass from the shapes' bounding box, relative to its length, since shapes omit details."""

OBLIQUE, CLOSE = 30.0, 10.0
"""Angles between principal axes [deg]: axes are suspicious above the first, consistent below the second."""
DISTINCT = 3.0  # minimum ratio of variances along two principal axes for which the axes are well defined


def possible(part: Part) -> Iterator[Finding]:
    """Check that the principal moments of inertia are positive and satisfy the triangle inequality."""
    if (reason := implausibility(part.link.inertia)) is None:
        return
    low, middle, high = sorted(np.diag(part.about_com))
    if part.mass == 0:
        cause = "Give it a mass, or remove its inertia"
    elif low < 0 or high > low + middle:
        cause = "A digit, an exponent, or the order of ixx, iyy, izz may be wrong"
    else:
        cause = "The diagonal alone is possible: check ixy, ixz, iyz, their size and order"
    yield Finding(True, part.place, reason, cause)


def heavy(part: Part) -> Iterator[Finding]:
    """Check that the mass of a link of unknown size is not so large that it may be in grams."""
    if part.mass > HEAVY and not part.shapes:
        yield Finding(False, part.place, f"its mass is {part.mass:g} kg", "It may be in grams")


def dense(part: Part) -> Iterator[Finding]:
    """Check that the density is above balsa's for the shapes' volume, and below tungsten's for their box's."""
    box = float(np.prod(part.upper - part.lower))
    if box == 0 or part.volume == 0:
        return
    if part.mass / part.volume < BALSA:
        volume, side = part.volume, f"below {BALSA:g}, that of balsa"
    elif part.mass / box > TUNGSTEN:
        volume, side = box, f"above {TUNGSTEN:g}, that of tungsten"
    else:
        return
    density = part.mass / volume
    cause = "Compare its mass with its shapes"
    for factor, likely_cause in (
        (1e-3, "Its mass may be in grams"),
        (1e9, "Its shapes may be in millimetres"),
        (1e-9, "Its shapes may be scaled to metres twice"),
    ):
        if USUAL[0] <= density * factor <= USUAL[1]:
            cause = likely_cause
    figures = f"{part.mass:.4g} kg in {volume:.4g} m^3 are {density:.4g} kg/m^3, {side}"
    yield Finding(False, part.place, figures, cause)


def centred(part: Part) -> Iterator[Finding]:
    """Check that the centre of mass is within the shapes' bounding box, or near it."""
    if _inside(part, part.com, MARGIN):
        return
    cause = "Check the <origin> of its inertia and of its shapes"
    if np.abs(part.com).max() > 20 * np.abs([part.lower, part.upper]).max():
        cause = "It may be in millimetres"
    ends = f"from {_row(part.lower)} to {_row(part.upper)} m"
    figures = f"its centre of mass {_row(part.com)} m is outside of its shapes, {ends}"
    yield Finding(False, part.place, figures, cause)


def compact(part: Part) -> Iterator[Finding]:
    """Check that a body within the shapes' box, or near it, can have this spread of mass along each axis."""
    # A distribution between x_min and x_max with mean c has a variance of at most (x_max - c)(c - x_min)
    # (Bhatia & Davis 2000). The variances are the diagonal of K / m, with the Euler tensor K. BP 4.3.6.
    if not _inside(part, part.com, MARGIN) or implausibility(part.link.inertia):
        return
    C, r = part.about_com, part.com
    shift = part.mass * (r @ r * np.eye(3) - np.outer(r, r))
    at_origin = _inside(part, r, 0) and _excess(part, C, 0) > 1 >= _excess(part, C - shift, 0)
    if at_origin and np.linalg.eigvalsh(C - shift)[0] >= 0:
        cause = "It may be about the link's origin; it should be about the centre of mass"
    elif _excess(part, C, MARGIN) > 1:
        cause = "Compare it with that of a box of this size"
        for factor, unit in ((1e-3, "g m^2"), (1e-6, "kg mm^2"), (1e-9, "g mm^2")):
            if 0.03 <= _excess(part, C * factor, MARGIN) <= 1:  # a solid box yields 1/3, or 0.15 with MARGIN
                cause = f"It may be in {unit}; it should be in kg m^2"
    else:
        return
    widths = np.sqrt(np.clip(_variances(part, C), 0, None))
    figures = (
        f"its inertia spreads {part.mass:.4g} kg by {_row(widths)} m (standard deviations along x, y, z), too far "
        f"for its shapes from {_row(part.lower)} to {_row(part.upper)} m"
    )
    yield Finding(False, part.place, figures, cause)


def oblique(part: Part) -> Iterator[Finding]:
    """Check that the longest and shortest principal axes of inertia, if well defined, are near those of the shapes."""
    if not part.volume > 0 or implausibility(part.link.inertia):
        return
    C = part.about_com
    for which, end in (("longest", 2), ("shortest", 0)):
        axis, shape_axis = _direction(_euler(C), end), _direction(part.spread, end)
        if axis is None or shape_axis is None or abs(axis @ shape_axis) > np.cos(np.radians(OBLIQUE)):
            continue
        mirrored = _direction(_euler(2 * np.diag(np.diag(C)) - C), end)
        cause = "Check the rpy of its <origin>, and the order of ixx, iyy, izz"
        if mirrored is not None and abs(mirrored @ shape_axis) > np.cos(np.radians(CLOSE)):
            cause = "The signs of ixy, ixz, iyz may be reversed: ixy is the integral of -x y, and programs differ"
        angle = math.degrees(math.acos(min(1.0, abs(float(axis @ shape_axis)))))
        figures = f"the {which} principal axis of its inertia is {angle:.0f} degrees from that of its shapes"
        yield Finding(False, part.place, figures, cause)
        return


def _direction(K: Array, end: int) -> Array | None:
    """The eigenvector of the largest (2) or smallest (0) eigenvalue; None if that is close to the middle one."""
    if not np.isfinite(K).all():
        return None
    values, vectors = np.linalg.eigh(K)
    return np.array(vectors[:, end]) if values[max(end, 1)] > DISTINCT * max(values[max(end, 1) - 1], 0) else None


def _euler(C: Array) -> Array:
    """The Euler tensor of an inertia matrix, the integral of x x^T. BP 4.3.6."""
    return np.array(np.trace(C) / 2 * np.eye(3) - C)


def wide(part: Part) -> Iterator[Finding]:
    """Check that the radius of gyration and the centre's distance of a link of unknown size are below `LONG`."""
    if part.shapes or part.mass == 0 or implausibility(part.link.inertia):
        return
    radius = float(np.sqrt(np.linalg.eigvalsh(part.about_com)[-1] / part.mass))
    if radius > LONG:
        figures = f"its inertia about the centre of mass has a radius of gyration of {radius:.4g} m"
        yield Finding(False, part.place, figures, "It may be in kg mm^2 or g mm^2; it should be in kg m^2")
    distance = float(np.linalg.norm(part.com))
    if distance > LONG:
        figures = f"its centre of mass is {distance:.4g} m from its frame"
        yield Finding(False, part.place, figures, "It may be in millimetres")


def _variances(part: Part, C: Array) -> Array:
    return np.array((np.trace(C) / 2 - np.diag(C)) / part.mass)


def _excess(part: Part, C: Array, margin: float) -> float:
    """Largest ratio of a variance to its bound in the shapes' box, widened by `margin` of the box's length."""
    slack = margin * float((part.upper - part.lower).max()) + 1e-9
    r = np.clip(part.com, part.lower, part.upper)
    allowed = (part.upper + slack - r) * (r - part.lower + slack)
    return float((_variances(part, C) / allowed).max()) * (1 - 1e-3)  # tolerate rounded inertias of thin rods


def _inside(part: Part, point: Array, margin: float) -> bool:
    slack = margin * float((part.upper - part.lower).max())
    return bool(np.all(point >= part.lower - slack) and np.all(point <= part.upper + slack))


def _row(values: Array) -> str:
    return "(" + ", ".join(f"{x:.4g}" for x in values) + ")"


RULES = (possible, heavy, wide)  # checks of every link
SHAPED = (dense, centred, compact, oblique)  # checks of links with mass and known shapes
