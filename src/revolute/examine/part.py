"""A link under examination, with its size."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from revolute.errors import printable
from revolute.io.solids import Solid
from revolute.model.assemble import Link


@dataclass(frozen=True)
class Finding:
    """An impossible or suspicious property of a link or joint.

    Attributes:
        impossible: whether the data is physically impossible; otherwise it is suspicious.
        place: the link or joint: "link 'arm'", "joint 'elbow'".
        figures: the values behind the finding.
        cause: the likely cause, or how to find the cause; empty if the figures show it.
    """

    impossible: bool
    place: str
    figures: str
    cause: str = ""

    def __str__(self) -> str:
        kind = "impossible" if self.impossible else "suspicious"
        return printable(f"{kind}: {self.place}: {self.figures}{f'. {self.cause}' if self.cause else ''}")


@dataclass(frozen=True)
class Part:
    """A link as in its file, before fixed links are merged, with its visual or collision shapes if all are known."""

    link: Link
    shapes: tuple[Solid, ...] = ()

    @property
    def place(self) -> str:
        """Name of the link in messages."""
        return f"link '{self.link.name}'"

    @property
    def mass(self) -> float:
        """Mass [kg]."""
        return float(self.link.inertia.m)

    @property
    def com(self) -> NDArray[np.float64]:
        """Centre of mass in the link's frame [m]."""
        return np.array([float(x) for x in self.link.inertia.com()])

    @property
    def about_com(self) -> NDArray[np.float64]:
        """Inertia matrix about the centre of mass [kg m^2]."""
        return np.array([[float(x) for x in row] for row in self.link.inertia.about_com()])

    @property
    def volume(self) -> float:
        """Volume of the shapes [m^3]; too large if shapes overlap."""
        return sum(shape.volume for shape in self.shapes)

    @property
    def spread(self) -> NDArray[np.float64]:
        """(3, 3) mean of (x - c)(x - c)^T over the shapes with centre c [m^2]; NaN if a shape's spread is unknown."""
        c = sum(shape.volume * shape.centre for shape in self.shapes) / self.volume
        parts = (shape.volume * (shape.spread + np.outer(shape.centre - c, shape.centre - c)) for shape in self.shapes)
        return np.array(sum(parts) / self.volume)

    @property
    def lower(self) -> NDArray[np.float64]:
        """Minimum coordinates of its shapes [m]."""
        return np.array([min(float(shape.lower[k]) for shape in self.shapes) for k in range(3)])

    @property
    def upper(self) -> NDArray[np.float64]:
        """Maximum coordinates of its shapes [m]."""
        return np.array([max(float(shape.upper[k]) for shape in self.shapes) for k in range(3)])
