"""Functions shared by readers and writers: errors that name the file, checks of robots, lists in messages."""

import re
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from numbers import Real

from revolute.errors import InputError, ModelError, warn_caller
from revolute.model import Model, to_vector
from revolute.model.body import ACTING
from revolute.spatial.scalar import Scalar

_ILLEGAL = "[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]"


def need_xml(model: Model, file_format: str) -> None:
    """Raise `ModelError` if XML does not allow a name, or if the Coulomb friction of a joint differs by direction."""
    shapes = [shape for frame in model.frames for shape in (*frame.visuals, *frame.collisions)]
    parts = [part for shape in shapes for part in (shape.name, shape.file)]
    for name in (model.name, *model.link_names, *model.joint_names, *parts):
        if re.search(_ILLEGAL, name):
            raise ModelError(f"the name {name!r} has a character that XML does not allow; rename it")
    for body in model.bodies:
        if body.drive.friction_backward not in ((), body.drive.friction):
            raise ModelError(
                f"joint '{body.joint_name}': {file_format} has one friction for both directions, not "
                f"{body.drive.friction} and {body.drive.friction_backward}; use .toml"
            )


def need_numbers(model: Model, what: str) -> None:
    """Raise `ModelError` if a pose, inertia, joint axis or drive has symbols."""
    for body in model.bodies:
        mimic = body.drive.mimic
        drive = [x for column in body.drive.columns().values() for x in column]
        drive += [mimic.multiplier, mimic.offset] if mimic else []
        if not all(isinstance(x, Real) for x in drive):
            raise ModelError(f"joint '{body.joint_name}': {what} requires numbers, but its drive has symbols")
        pose = (*body.placement.p, *(x for row in body.placement.R.matrix() for x in row))
        if not all(isinstance(x, Real) for x in (*pose, *body.joint.scalars(), *to_vector(body.inertia))):
            raise ModelError(f"link '{body.name}': {what} requires numbers, but its pose, inertia or joint has symbols")


def warn_of_losses(model: Model, file_format: str, held: Sequence[str], others: Mapping[str, Sequence[str]]) -> None:
    """Warn of data that a format cannot represent: drive data in `ACTING`, backlash, the data of stops, and others.

    `others` maps each other kind of lost data to the names of the joints or links.
"""
    lost = [name for name in (*ACTING, "backlash") if name not in held]
    drives = [(body.joint_name, body.drive.columns()) for body in model.bodies]
    joints = {name: [joint for joint, columns in drives if any(x != 0 for x in columns[name])] for name in lost}
    stops = ("restitution", "compliance", "damping")
    joints["restitution and compliance of stops"] = [
        x.joint_name for x in model.bodies if any(any(getattr(x.limits, y)) for y in stops)
    ]
    if left_out := [f"{name} of {listed(names, 3)}" for name, names in (*joints.items(), *others.items()) if names]:
        warn_caller(
            f"robot '{model.name}': {file_format} does not support {'; '.join(left_out)}: omitted. A .toml file stores "
            "all"
        )


def unused(name: str, taken: Container[str]) -> str:
    """The name, with underscores appended until it is unused."""
    while name in taken:
        name += "_"
    return name


def digits(values: Iterable[Scalar]) -> str:
    """Numbers with full precision, separated by blanks."""
    return " ".join(repr(float(x)) for x in values)


def listed(names: Sequence[str], most: int = 6) -> str:
    """Quoted names for a message; of many names, only the first ones and the number of the others."""
    shown = ", ".join(f"'{name}'" for name in names[:most])
    return shown + (f" and {len(names) - most} more" if len(names) > most else "")


@contextmanager
def of_file(where: str) -> Iterator[None]:
    """Context that turns a `ModelError` or `InputError` into a `ModelError` that names the file first."""
    try:
        yield
    except (ModelError, InputError) as error:
        if where in str(error):
            raise
        raise ModelError(f"{where}: {error}") from None
