"""Links with identified parameters, and whether these are physically consistent."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from revolute.identification.forces.force_model import ForceModel
from revolute.identification.samples import Array
from revolute.model.pseudo_inertia import pseudo_inertia

__all__ = ["MovingLink", "bodies"]

SLACK = 1e-9
"""Largest negative eigenvalue that counts as rounding, relative to the largest."""


@dataclass(frozen=True, eq=False)
class MovingLink:
    """A moving link.

    Attributes:
        name: of the link.
        mass: [kg].
        centre: (3,) of mass, in the link's frame [m]; NaN without mass.
        moments: (3,) principal moments about the centre of mass, rising [kg m^2].
        why: the reason why it is not physically consistent; "" if it is. Traversaro et al. 2016; Wensing et al. 2018.
    """

    name: str
    mass: float
    centre: Array
    moments: Array
    why: str

    @property
    def possible(self) -> bool:
        """Whether it is physically consistent: its pseudo-inertia matrix is positive semidefinite."""
        return not self.why


def bodies(model: ForceModel, parameters: Any) -> tuple[MovingLink, ...]:
    """The moving links with (p,) parameters of the model."""
    ten = np.asarray(parameters, dtype=float)[: model.links].reshape(-1, 10)
    names = [name.rpartition(".")[0] for name in model.names[: model.links : 10]]
    return tuple(_body(name, row) for name, row in zip(names, ten, strict=True))


def _body(name: str, ten: Array) -> MovingLink:
    m, h = float(ten[0]), ten[1:4]
    xx, yy, zz, xy, xz, yz = ten[4:]
    I = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
    if m == 0 and not ten.any():
        return MovingLink(name, 0.0, np.full(3, np.nan), np.zeros(3), "")
    with np.errstate(divide="ignore", invalid="ignore"):
        centre = h / m
        about = I - m * (centre @ centre * np.eye(3) - np.outer(centre, centre))
    moments = np.linalg.eigvalsh(about) if np.isfinite(about).all() else np.full(3, np.nan)
    smallest, *_, largest = np.linalg.eigvalsh(pseudo_inertia(ten))
    if smallest >= -SLACK * abs(largest):
        return MovingLink(name, m, centre, moments, "")
    return MovingLink(name, m, centre, moments, _why(m, moments))


def _why(m: float, moments: Array) -> str:
    if m <= 0:
        return "its mass is not positive"
    if moments[0] < 0:
        return "a principal moment is negative"
    return "a principal moment exceeds the sum of the others"
