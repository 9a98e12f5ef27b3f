"""A published algorithm as an entry of the registry, with its printed operation counts."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

__all__ = ["Formulation", "Geometry", "Printed", "Quantity"]

Quantity = Literal["inverse_dynamics", "mass_matrix", "forward_dynamics", "sensitivity"]

Geometry = Literal["general", "right"]
"""Arms with any twist angles, and arms whose twists are all 0 or 90 degrees."""


@dataclass(frozen=True)
class Printed:
    """Operation counts as a source prints them: polynomials in the number of joints n.

    Attributes:
        multiplications, additions: coefficients of 1, n, n^2, ...
        source: reference of the source.
        geometry: geometry of the arms.
        only: the only n to which the counts apply; None for all n >= 2.

    Example:
        >>> from revolute.published import Printed
        >>> count = Printed((-108, 93), (-100, 81), "BP Table 5.2")
        >>> print(count, count.at(6))
        93n - 108 multiplications, 81n - 100 additions (450, 386)
    """

    multiplications: tuple[float, ...]
    additions: tuple[float, ...]
    source: str
    geometry: Geometry = "general"
    only: int | None = None

    def at(self, n: int) -> tuple[float, float]:
        """Multiplications and additions for n joints."""
        return _value(self.multiplications, n), _value(self.additions, n)

    def __str__(self) -> str:
        return f"{_text(self.multiplications)} multiplications, {_text(self.additions)} additions"


@dataclass(frozen=True)
class Formulation:
    """A published algorithm, implemented from its source, over any scalar, for serial arms on a fixed base.

    Attributes:
        name: its name in `FORMULATIONS`.
        quantity: name of the `Robot` method with the same result
            ("sensitivity" stands for D, V and P: `inverse_dynamics_partials`, last result first).
        function: function of the model, a serial arm on a fixed base, and of n scalars each [rad, m, s, N m, N]:
            inverse_dynamics(model, q, qd, qdd) -> n joint forces;
            mass_matrix(model, q) -> n rows of n scalars;
            forward_dynamics(model, q, qd, tau) -> n joint accelerations;
            sensitivity(model, q, qd, qdd) -> D, V and P, n rows of n scalars each.
        source: reference in the theory.
        joints: supported joint types.
        published: printed operation counts; the first one is used for comparison.
        remark: differences of the code from print, corrected misprints, and reasons for different counts.
    """

    name: str
    quantity: Quantity
    function: Callable[..., Any]
    source: str
    joints: tuple[str, ...] = ("revolute", "prismatic")
    published: tuple[Printed, ...] = ()
    remark: str = ""

    @classmethod
    def of(cls, quantity: Quantity, function: Callable[..., Any], source: str, **others: Any) -> Formulation:
        """A formulation with the name of its function."""
        return cls(function.__name__, quantity, function, source, **others)


def _value(coefficients: tuple[float, ...], n: int) -> float:
    return sum(c * int(n**k) for k, c in enumerate(coefficients))


def _text(coefficients: tuple[float, ...]) -> str:
    """The polynomial, highest power first: 93n - 108."""
    text = ""
    for k in range(len(coefficients) - 1, -1, -1):
        c = coefficients[k]
        if c == 0 and len(coefficients) > 1:
            continue
        sign = ("-" if c < 0 else "") if not text else (" - " if c < 0 else " + ")
        power = "" if k == 0 else "n" if k == 1 else f"n^{k}"
        text += sign + (f"{abs(c):,g}" if abs(c) != 1 or k == 0 else "") + power
    return text
