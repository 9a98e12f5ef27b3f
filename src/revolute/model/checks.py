"""Checks of every new `Model`."""

import math
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import chain
from operator import attrgetter
from typing import Any

import numpy as np

from revolute.arguments import instance, instances, is_scalar, scalars, whole_number
from revolute.errors import InputError, ModelError
from revolute.model.body import DRIVE_FIELDS, Body, Drive, DriveField, Frame, Limits, Mimic
from revolute.model.joints import JointType, Spherical
from revolute.model.joints.check_motion import check_motion
from revolute.model.shapes import Shape
from revolute.plain_numbers import LARGEST, are_plain
from revolute.spatial import Inertia, Transform, Vector

SMALLEST = 1e-12  # minimum of a field of `Drive` that another one needs, such as the Stribeck speed: 1 / x^2 is finite

MOST = {"velocity": math.inf, "effort": math.inf, "restitution": 1.0, "compliance": LARGEST, "damping": LARGEST}
"""Largest values of fields of `Limits`; the smallest is zero."""

_NUMBERS = (int, float, np.integer, np.floating)  # scalars of other types are symbols, without a value to check


def check(
    name: str, bodies: tuple[Body, ...], frames: tuple[Frame, ...], gravity: Vector, closures: tuple[Any, ...]
) -> None:
    """Check all assumptions of the recursions, once for each model. Error messages name the link or joint."""
    if isinstance(bodies, tuple) and not (bodies or frames):
        raise ModelError(f"a robot needs bodies: load a file, revolute.load({str(name)!r}), or see Robot.from_links")
    instance("a robot's name", name, str)
    for what, group, kind in (("bodies", bodies, Body), ("frames", frames, Frame)):
        if instances(f"robot '{name}': {what}", group, kind) and not isinstance(group, tuple):
            raise InputError(f"robot '{name}': {what} must be a tuple, which is immutable")
    if not bodies or bodies[0].parent != -1:
        raise ModelError(f"robot '{name}': bodies[0] must be the base, with parent -1")
    for problem in filter(None, map(_problem, scalars("gravity [m/s^2]", gravity, 3))):
        raise InputError(f"gravity must be three finite numbers [m/s^2]; one is {problem}")
    for i, body in enumerate(bodies):
        _types(body)
        if _is_of_user(body.joint):
            check_motion(body.joint, f"joint '{body.joint_name}'")
        if i and not 0 <= body.parent < i:
            raise ModelError(f"body '{body.name}': its parent must come before it, not at index {body.parent}")
        _placement(f"joint '{body.joint_name}'", body.placement)
        check_limits(body)
        _drive(body)
        _inertia(f"link '{body.name}'", body.inertia)
    links, joints = [frame.name for frame in frames], [body.joint_name for body in bodies[1:]]
    check_unique(f"robot '{name}'", "link", links)
    check_unique(f"robot '{name}'", "joint", joints)
    for frame in frames:
        if not isinstance(frame.placement, Transform):
            instance(f"link '{frame.name}': placement", frame.placement, Transform)
        _placement(f"link '{frame.name}'", frame.placement)
        if type(frame.body) is not int:
            whole_number(f"link '{frame.name}': body", frame.body, 0)
        if not 0 <= frame.body < len(bodies):
            raise ModelError(f"link '{frame.name}': no body {frame.body} in robot '{name}'")
        for use, shapes in (("visuals", frame.visuals), ("collisions", frame.collisions)):
            if type(shapes) is not tuple or any([type(shape) is not Shape for shape in shapes]):
                raise InputError(f"link '{frame.name}': {use} must be a tuple of shapes, not {shapes!r}")
    _closures(name, closures, links, joints)


_KINDS: dict[str, type] = {"name": str, "joint_name": str, "joint": JointType, "placement": Transform}
_KINDS |= {"inertia": Inertia, "limits": Limits, "drive": Drive}
_parts = attrgetter(*_KINDS)


def check_base(base: Any) -> None:
    """Raise `InputError` unless the base of a robot to make is "fixed" or "free"."""
    if not isinstance(base, str) or base not in ("fixed", "free"):
        hint = "; write 'free'" if re.search("float|fly", str(base), re.IGNORECASE) else ""
        raise InputError(f"base must be 'fixed' or 'free', not {base!r}{hint}")


def _types(body: Body) -> None:
    if not all(map(isinstance, _parts(body), _KINDS.values())):
        for name, kind in _KINDS.items():
            instance(f"body '{body.name}': {name}", getattr(body, name), kind)
    if type(body.parent) is not int or body.parent < -1:
        whole_number(f"body '{body.name}': parent", body.parent, -1)


def _is_of_user(joint: JointType) -> bool:
    """Whether a joint is numeric and of a type from outside this library; tests check the library's own types."""
    return not type(joint).__module__.startswith("revolute.") and all(map(_is_number, joint.scalars()))


def _placement(where: str, X: Transform) -> None:
    _bounded(where, "its placement", X.p)
    if X.R.factors:
        _bounded(where, "its placement", chain(*X.R.matrix()))


def _inertia(where: str, inertia: Inertia) -> None:
    """Mass, first moment and inertia matrix must not exceed `LARGEST`, its square and its cube, respectively."""
    _bounded(where, "its mass", (inertia.m,))
    _bounded(where, "its mass times centre of mass", inertia.h, LARGEST**2)
    _bounded(where, "its inertia about the link's origin", chain(*inertia.I), LARGEST**3)
    if _is_number(inertia.m) and inertia.m < 0:
        raise ModelError(f"{where}: mass {float(inertia.m):g} kg is negative")


def check_limits(body: Body) -> None:
    """Limits and drive data must be empty or have one number per coordinate of the joint; for limits see `MOST`."""
    for part in (body.limits, body.drive):
        for name, values in vars(part).items():
            if name == "mimic" or (type(values) is tuple and not values):
                continue
            what = f"joint '{body.joint_name}': {type(part).__name__}.{name}"
            if not isinstance(values, tuple) or not (are_plain(values) or all(map(is_scalar, values))):
                raise ModelError(f"{what} must be a tuple of numbers, not {values!r}")
            size = body.joint.nq if name in ("lower", "upper") else body.joint.nv
            if len(values) not in (0, size):
                raise ModelError(f"{what} must have {size} number(s) or none, not {len(values)}")
    for name, most in MOST.items():
        for x in filter(_is_number, getattr(body.limits, name)):
            if not 0 <= x <= most:
                what, bounds = f"Limits.{name}", f"from 0 to {most:g}"
                if most == math.inf:
                    what, bounds = f"its {name} limit", "positive or zero"
                raise ModelError(f"joint '{body.joint_name}': {what} is {x:g}; it must be {bounds}")


def _drive(body: Body) -> None:
    """Drive data must be finite, and satisfy their rows in `DRIVE_FIELDS`."""
    drive, place = body.drive, f"joint '{body.joint_name}'"
    if drive.mimic is None and not any(vars(drive).values()):
        return
    if drive.mimic is not None:
        mimic = instance(f"{place}: Drive.mimic", drive.mimic, Mimic)
        instance(f"{place}: Mimic.joint", mimic.joint, str)
        if any(map(_problem, (mimic.multiplier, mimic.offset))):
            raise ModelError(
                f"{place}: Mimic.multiplier and Mimic.offset must be finite numbers up to {LARGEST:g}, not those of "
                f"{mimic}"
            )
    for name, column in drive.columns().items():
        if column:
            _bounded(place, f"Drive.{name}", [math.nan if isinstance(x, np.ndarray) else x for x in column])
    for name, row in DRIVE_FIELDS.items():
        _field(place, name, row, drive, body.joint)


def _field(place: str, name: str, row: DriveField, drive: Drive, joint: JointType) -> None:
    """Check a field of a drive: its signs, the type of its joint, and the field that it needs."""
    column: tuple[Any, ...] = getattr(drive, name)
    numbers = [x for x in column if _is_number(x)]
    if row.sign == "not negative" and numbers and min(numbers) < 0:
        raise ModelError(f"{place}: its {name} is {float(min(numbers)):g}; it must be positive or zero")
    if row.sign == "not zero" and 0 in numbers:
        raise ModelError(f"{place}: Drive.{name} must not be zero; omit it for the default, {row.default}")
    ball = row.ball and isinstance(joint, Spherical)
    if row.single and any(x != 0 for x in column) and joint.nv != 1 and not ball:
        which = "joints with one coordinate" + (" and ball joints" if row.ball else "")
        raise ModelError(f"{place}: Drive.{name} applies only to {which}; this one has {joint.nv} velocities")
    if ball and name == "stiffness" and len(set(column)) > 1:
        raise ModelError(f"{place}: the three values of Drive.stiffness must be equal for a ball joint, not {column}")
    if row.where not in ("", name):
        needed: tuple[Any, ...] = getattr(drive, row.where) or (0,) * len(column)
        for x, least in zip(column or (0,) * len(needed), needed, strict=True):
            if _is_number(least) and not least >= SMALLEST and (x != 0 or least != 0):
                raise ModelError(
                    f"{place}: Drive.{name} needs a Drive.{row.where} above {SMALLEST:g}, not {float(least):g}"
                )


def _is_number(x: Any) -> bool:
    return isinstance(x, _NUMBERS) or bool(getattr(x, "is_number", False))


def _closures(robot: str, closures: tuple[Any, ...], links: Sequence[str], joints: Sequence[str]) -> None:
    if not isinstance(closures, tuple):
        raise InputError(f"robot '{robot}': closures must be a tuple, not {closures!r}")
    link_names = set(links)
    for closure in closures:
        if not callable(getattr(closure, "links", None)):
            raise InputError(f"robot '{robot}': {closure!r} is not a closure; give one such as PointClosure(...)")
        for link in closure.links():
            if link not in link_names:
                raise ModelError(f"robot '{robot}': {closure} refers to link '{link}', which does not exist")
        for joint in closure.joints():
            if joint not in joints:
                raise ModelError(f"robot '{robot}': {closure} refers to joint '{joint}', which does not exist")


def _bounded(where: str, what: str, values: Iterable[Any], largest: float = LARGEST) -> None:
    """Raise `ModelError` if a number is not finite, or is so large that forces overflow."""
    for x in values:
        if (type(x) is float or type(x) is int) and -largest <= x <= largest:
            continue
        if problem := _problem(x, largest):
            raise ModelError(f"{where}: {what} is {problem}")


def _problem(x: Any, largest: float = LARGEST) -> str:
    """Description of what is wrong with a number; "" if it is valid. Symbols have no value, so they pass."""
    if getattr(x, "is_number", False):  # a SymPy number, which may be nan or complex
        if x.is_extended_real is False:
            return f"not finite: {x}"
        x = float(x)
    if isinstance(x, (complex, np.complexfloating)) or not is_scalar(x):
        return f"not a real number: {x!r}"
    if not isinstance(x, _NUMBERS):
        return ""
    if -largest <= x <= largest:
        return ""
    if not isinstance(x, int) and not math.isfinite(x):
        return f"not finite: {x}"
    shown = f"{x:.6g}" if not isinstance(x, int) or abs(x) < 1 << 1023 else "a whole number too large for a float"
    return f"too large: {shown}; numbers beyond {largest:g} make forces overflow. Check the value and its unit"


def check_unique(where: str, kind: str, names: Sequence[str]) -> None:
    """Raise `ModelError` if a name occurs twice."""
    if repeated := sorted(name for name, times in Counter(names).items() if times > 1):
        raise ModelError(f"{where}: duplicate {kind} name '{repeated[0]}'; names must be unique")
