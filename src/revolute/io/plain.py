"""What readers and writers of files need: errors that name the file, robots of plain numbers and plain names."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from numbers import Real

from revolute.errors import InputError, ModelError
from revolute.model.model import Model
from revolute.model.parameters import to_vector

__all__ = ["check_characters", "need_numbers", "of_file"]

_ILLEGAL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")


def check_characters(model: Model) -> None:
    """Refuse names that no XML file can hold.

    Raises:
        ModelError: the name.
    """
    for name in (model.name, *model.link_names, *model.joint_names):
        if _ILLEGAL.search(name):
            raise ModelError(f"the name {name!r} has a character that no XML file can hold; rename it")


def need_numbers(model: Model, what: str) -> None:
    """Refuse a robot with symbols in it.

    Raises:
        ModelError: a pose, inertia, joint axis or drive that is no number, with the name of its link or joint.
    """
    for body in model.bodies:
        mimic = body.drive.mimic
        drive = [x for column in body.drive.columns().values() for x in column]
        drive += [mimic.multiplier, mimic.offset] if mimic else []
        if not all(isinstance(x, Real) for x in drive):
            raise ModelError(f"joint '{body.joint_name}': {what} holds numbers, and its drive has symbols")
        pose = (*body.placement.p, *(x for row in body.placement.R.matrix() for x in row))
        if not all(isinstance(x, Real) for x in (*pose, *body.joint.scalars(), *to_vector(body.inertia))):
            raise ModelError(f"link '{body.name}': {what} holds numbers, and its pose, inertia or joint has symbols")


@contextmanager
def of_file(where: str) -> Iterator[None]:
    """Have errors about what a file says name the file too.

    Raises:
        ModelError: the error's message after the file's name, unless it is in there.
    """
    try:
        yield
    except (ModelError, InputError) as error:
        if where in str(error):
            raise
        raise ModelError(f"{where}: {error}") from None
