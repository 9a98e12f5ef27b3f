"""Terms: forces beyond links and drives, such as offsets and motors that move several joints; and searches."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from revolute.arguments import real_array
from revolute.errors import InputError, ShapeError
from revolute.identification.samples import Array, Samples

__all__ = ["Search", "Term", "coupled_drive", "offset"]

KINDS = ("armature", "damping", "friction")


@dataclass(frozen=True)
class Term:
    """A force that is a parameter times a function of the state.

    Attributes:
        name: of the parameter.
        factor: function of q (T, nq), qd and qdd (T, nv); returns (T, nv), the forces for the parameter 1.
        value: of the parameter, if known.
    """

    name: str
    factor: Callable[[Array, Array, Array], Array]
    value: float = 0.0

    def column(self, samples: Samples) -> Array:
        """(T, nv) forces for the parameter 1; raise `ShapeError` if the factor returns another shape."""
        return self._forces(samples.q, samples.qd, samples.qdd)

    def _forces(self, q: Array, qd: Array, qdd: Array) -> Array:
        forces = np.asarray(self.factor(q, qd, qdd), dtype=float)
        if forces.shape != qd.shape:
            raise ShapeError(f"term '{self.name}': its factor returns shape {forces.shape}, not {qd.shape}")
        return forces


@dataclass(frozen=True)
class Search:
    """A number on which terms depend nonlinearly, fitted together with the parameters. See `ForceModel`.

    Attributes:
        name: of the number.
        terms: returns the terms for a value of it.
        lower, upper: bounds of the search, both positive; grid steps are equal ratios.
    """

    name: str
    terms: Callable[[float], Sequence[Term]]
    lower: float
    upper: float

    def __post_init__(self) -> None:
        if not 0 < self.lower < self.upper < np.inf:
            raise InputError(f"search of '{self.name}': needs 0 < lower < upper, not {self.lower} and {self.upper}")


@dataclass(frozen=True)
class Constant:
    """A constant force of coordinate k."""

    k: int

    def __call__(self, q: Array, qd: Array, qdd: Array) -> Array:
        column = np.zeros_like(qd)
        column[:, self.k] = 1
        return column


@dataclass(frozen=True)
class Along:
    """The inertia, damping or friction of a motor whose speed is direction @ qd: forces along that direction."""

    kind: str
    direction: tuple[float, ...]

    def __call__(self, q: Array, qd: Array, qdd: Array) -> Array:
        c = np.array(self.direction)
        match self.kind:
            case "armature":
                size = qdd @ c
            case "damping":
                size = qd @ c
            case _:
                size = np.sign(qd @ c)
        return np.asarray(size[:, None] * c)


def offset(coordinate: str, k: int) -> Term:
    """A constant force of one coordinate."""
    return Term(f"{coordinate}.offset", Constant(k))


def coupled_drive(name: str, direction: ArrayLike, kinds: Sequence[str] = KINDS) -> list[Term]:
    """Inertia, damping and friction of a motor that moves several joints, as in wrists. Gautier & Briot 2014.

    Motors that turn by theta = R q have speeds R qd; the motor of row c of R gives the forces

        c (I_a c qdd + F_v c qd + F_c sign(c qd))

    A row may be divided by its gear ratio; then I_a, F_v and F_c are joint-side values.

    Args:
        name: of the motor; the parameters are "name.armature", "name.damping" and "name.friction".
        direction: (nv,) c.
        kinds: selection of the three parameters.

    Example:
        >>> from revolute.identification import coupled_drive
        >>> # turns with joint 5 and with joint 6
        >>> wrist = coupled_drive("motor6", [0, 0, 0, 0, 1, 1])
        >>> [term.name for term in wrist]
        ['motor6.armature', 'motor6.damping', 'motor6.friction']
    """
    c = real_array("coupled_drive: direction", direction).astype(float)
    if c.ndim != 1 or not np.isfinite(c).all() or not c.any():
        raise InputError(f"coupled_drive: direction must be finite numbers, not all zero, and not {direction!r}")
    if unknown := set(kinds) - {*KINDS}:
        raise InputError(f"coupled_drive: unknown kinds {', '.join(sorted(unknown))}; available: {', '.join(KINDS)}")
    return [Term(f"{name}.{kind}", Along(kind, tuple(c.tolist()))) for kind in kinds]
