"""Algorithms that BP compares only by their operation counts."""

from __future__ import annotations

from dataclasses import dataclass

from revolute.published.formulation import Printed, Quantity

__all__ = ["PRINT_ONLY", "PrintOnly"]


@dataclass(frozen=True)
class PrintOnly:
    """An algorithm that is cited but not implemented.

    Attributes:
        name: names of the authors.
        quantity: the result, as in `Formulation`.
        source: the paper or book, and the reference in BP.
        published: printed operation counts.
        why: reason why there is no code and no count.
    """

    name: str
    quantity: Quantity
    source: str
    published: tuple[Printed, ...]
    why: str


PRINT_ONLY = (
    PrintOnly("craig", "inverse_dynamics", "Craig 1989; BP Table 5.3",
        (Printed((-99, 126), (-92, 106), "BP Table 5.3"),),
        "The equations are those of `luh_walker_paul`, counted 117n and 90n. With 9 and 6 for each of its five A v "
        "a joint, in place of 8 and 4, and 4 for A, they take the printed 126n multiplications, but 100n additions."),
    PrintOnly("khosla_neuman", "inverse_dynamics", "Khosla & Neuman 1985; BP Table 5.3",
        (Printed((-60, 123), (-55, 96), "BP Table 5.3"),),
        "A customised Newton-Euler recursion; BP has no equations of it. (Table 5.3 refers to [49], which is another "
        "paper; [48] is theirs.)"),
    PrintOnly("li", "inverse_dynamics", "Li 1988; BP Table 5.3", (Printed((-104, 120), (-94, 98), "BP Table 5.3"),),
        "BP has no equations of it."),
    PrintOnly("balafoutis_patel", "sensitivity", "Balafoutis & Patel 1989; BP section 7.3",
        (Printed((2186,), (2040,), "BP section 7.3", only=6),),
        "An implementation of 7.3.2 to 7.3.4 without recursions; BP has no steps of it."),
    PrintOnly("kazerounian_gupta", "forward_dynamics", "Kazerounian & Gupta 1986; BP Table 6.3",
        (Printed((2468,), (1879,), "BP Table 6.3", only=6),), "Zero reference positions; BP has no equations of it."),
    PrintOnly("wang_ravani", "forward_dynamics", "Wang & Ravani 1985; BP Table 6.3",
        (Printed((1659,), (1252,), "BP Table 6.3", only=6),),
        "A modified method of Walker and Orin; BP has no equations of it."),
)
"""The rows of BP Tables 5.3 and 6.3, and a count of section 7.3, without a formulation."""
