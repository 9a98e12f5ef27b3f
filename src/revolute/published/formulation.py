"""Entries of the registry: published algorithms with printed operation counts, and algorithms that are only cited."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

Quantity = Literal["inverse_dynamics", "mass_matrix", "forward_dynamics", "sensitivity"]

Geometry = Literal["general", "right"]
"""Twist angles of the arms: "general" for any angles, "right" if all are 0 or 90 degrees."""


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
    """A published algorithm, implemented from its source, for any scalar type, for serial arms on a fixed base.

    Attributes:
        name: key in `FORMULATIONS`.
        quantity: name of the `Robot` method with the same result
            ("sensitivity" stands for D, V and P: `inverse_dynamics_partials`, last result first).
        function: function of the model, a serial arm on a fixed base, and of sequences of n scalars
            [rad, m; rad/s, m/s; rad/s^2, m/s^2; N m, N]:
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
    """The polynomial as a text, highest power first, such as 93n - 108."""
    text = ""
    for k, c in reversed([*enumerate(coefficients)]):
        if c or len(coefficients) == 1:
            sign = ("-" if c < 0 else "") if not text else (" - " if c < 0 else " + ")
            number = f"{abs(c):,g}" if abs(c) != 1 or k == 0 else ""
            text += sign + number + ("", "n", f"n^{k}")[min(k, 2)]
    return text


@dataclass(frozen=True)
class PrintOnly:
    """An algorithm that is cited but not implemented."""

    name: str  # names of the authors
    quantity: Quantity  # the result, as in `Formulation`
    source: str  # the paper or book, and the reference in BP
    published: tuple[Printed, ...]  # printed operation counts
    why: str  # reason why there is no code and no count


PRINT_ONLY = (
    PrintOnly("craig", "inverse_dynamics", "Craig 1989; BP Table 5.3",
        (Printed((-99, 126), (-92, 106), "BP Table 5.3"),),
        "The equations are those of `luh_walker_paul`, counted 117n and 90n. With 9 and 6 for each of the five A v per "
        "joint, instead of 8 and 4, and 4 for A, they take the printed 126n multiplications, but 100n additions."),
    PrintOnly("khosla_neuman", "inverse_dynamics", "Khosla & Neuman 1985; BP Table 5.3",
        (Printed((-60, 123), (-55, 96), "BP Table 5.3"),),
        "A customised Newton-Euler recursion; BP prints no equations. (Table 5.3 refers to [49], which is another "
        "paper; [48] is theirs.)"),
    PrintOnly("li", "inverse_dynamics", "Li 1988; BP Table 5.3", (Printed((-104, 120), (-94, 98), "BP Table 5.3"),),
        "BP prints no equations."),
    PrintOnly("balafoutis_patel", "sensitivity", "Balafoutis & Patel 1989; BP section 7.3",
        (Printed((2186,), (2040,), "BP section 7.3", only=6),),
        "An implementation of 7.3.2 to 7.3.4 without recursions; BP does not print its steps."),
    PrintOnly("kazerounian_gupta", "forward_dynamics", "Kazerounian & Gupta 1986; BP Table 6.3",
        (Printed((2468,), (1879,), "BP Table 6.3", only=6),), "Zero reference positions; BP prints no equations."),
    PrintOnly("wang_ravani", "forward_dynamics", "Wang & Ravani 1985; BP Table 6.3",
        (Printed((1659,), (1252,), "BP Table 6.3", only=6),),
        "A modified method of Walker and Orin; BP prints no equations."),
)
"""The rows of BP Tables 5.3 and 6.3, and a count of section 7.3, without a formulation."""
