"""Printed operation counts of each equation, compared to counts by the unit costs of the same book.

See also BP Table 6.1, Table 7.1-7.2.

BP's unit costs (sections 5.3.2 and 6.4), in multiplications and additions: A v 8, 4; tilde(a) b 6, 3; tilde(a) tilde(b)
9, 3, and its sum with its transpose 9, 9; A E A^T for a symmetric E 21, 18; for twist angles of 0 or 90 degrees A v 4,
2 and A E A^T 11, 11; a sum of vectors 0, 3, of symmetric matrices 0, 6; products with z are free.
"""

from dataclasses import dataclass

from revolute.published.formulation import Geometry, Printed

Polynomial = tuple[float, ...]


@dataclass(frozen=True)
class LedgerEntry:
    """One equation: coefficients of 1, n and n^2 in its multiplications and additions."""

    equation: str  # number of the equation
    printed: tuple[Polynomial, Polynomial]  # counts in the table
    # counts from unit costs and the number of evaluations; equal if the printed counts are correct
    priced: tuple[Polynomial, Polynomial]
    why: str = ""  # reason for the difference


def total(entries: tuple[LedgerEntry, ...], printed: bool, source: str) -> Printed:
    """The sum over all equations of the printed counts, or of the counts by unit costs."""
    sides = [entry.printed if printed else entry.priced for entry in entries]
    return Printed(_sum([m for m, _ in sides]), _sum([a for _, a in sides]), source)


def _sum(polynomials: list[Polynomial]) -> Polynomial:
    length = max(map(len, polynomials))
    return tuple(sum(p[k] for p in polynomials if k < len(p)) for k in range(length))


def _right(equation: str, multiplications: Polynomial, additions: Polynomial) -> LedgerEntry:
    """An equation whose printed counts are correct."""
    return LedgerEntry(equation, (multiplications, additions), (multiplications, additions))


_OUTER = (
    LedgerEntry("7.3.18f", ((-4, 4), (-1, 1)), ((-4, 4), (-3, 3)),
        "U x (w x z) is (4, 1), and its sum with Ud x z (0, 2)"),
    LedgerEntry("7.3.18g", ((-9, 9), (-12, 12)), ((-10, 10), (-12, 12)),
        "U x (Omega z) is (6, 3) and Ud x (w x z) (4, 1)"),
    _right("7.3.18j", (-6, 6), (-6, 6)),
    LedgerEntry("7.3.18k", ((-18, 18), (-21, 21)), ((-19, 19), (-21, 21)),
        "E (Omega z) takes 9 multiplications, L (w x z) 6 and U x (sdd x z) 4"),
    _right("7.3.18m", (-2, 2), (-3, 3)),
    _right("7.3.18n", (-7, 7), (-7, 7)),
)
"""Rows of BP Table 7.1 whose counts do not depend on the twist angles."""

_LAST = (
    _right("7.3.19j", (0, -1, 1), (0, -1.5, 1.5)),
    _right("7.3.19k", (0,), (0, -0.5, 0.5)),
    LedgerEntry("7.3.19l", ((0, -3, 3), (0, -3, 3)), ((5, -8.5, 3.5), (6, -9.5, 3.5)),
        "the same expression is (7, 7) in 7.3.18n, and (6, 6) here; for j = 1 it is (2, 1), as w_1 x z_1 and "
        "Omega_1 z_1 are zero"),
)
"""Rows of BP Table 7.2 whose counts do not depend on the twist angles."""

LEDGERS: dict[tuple[str, Geometry], tuple[LedgerEntry, ...]] = {
    ("generalized_links", "general"): (
        LedgerEntry("6.3.29a", ((-16, 8), (-10, 7)), ((-16, 8), (-14, 7)),
            "n - 2 evaluations of A U (8, 4) and a sum (0, 3)"),
        _right("6.3.29b", (-2, 2), (0,)),
        _right("6.3.29c", (-42, 30), (-52, 39)),
        _right("6.3.30a", (8, -12, 4), (4, -6, 2)),
        LedgerEntry("6.3.30b", ((10, -17, 7), (4, -7.5, 3.5)), ((14, -15, 7), (7, -10, 5)),
            "A (8, 4), tilde(s) f (6, 3) and the sum (0, 3) make (14, 10) for j > 1, where (14, 7) is printed; the one "
            "component that j = 1 needs is (A^T z) . eta + (A^T (z x s)) . f, which is (6, 5) and once (6, 2), where "
            "(4, 3) is printed"),
    ),
    ("generalized_links", "right"): (
        _right("6.3.29a", (-8, 4), (-10, 5)),
        _right("6.3.29b", (-2, 2), (0,)),
        _right("6.3.29c", (-25, 20), (-42, 32)),
        _right("6.3.30a", (4, -6, 2), (2, -3, 1)),
        LedgerEntry("6.3.30b", ((8, -13, 5), (3, -5.5, 2.5)), ((7, -10, 5), (4, -8, 4)),
            "A (4, 2), tilde(s) f (6, 3) and the sum (0, 3) make (10, 8) for j > 1, where (10, 5) is printed; the "
            "component of j = 1 is s eta_x + c eta_y + d c f_x - d s f_y - a f_z, which is (5, 4) and once (2, 0), "
            "where (2, 2) is printed"),
    ),
    ("sensitivity", "general"): (
        _right("7.3.18a", (-8, 8), (-7, 7)),
        _right("7.3.18b", (-14, 14), (-10, 10)),
        LedgerEntry("7.3.18c", ((-12, 30), (-31, 39)), ((-12, 30), (-13, 39)),
            "the one entry that i = 1 needs is (18, 26) in Table 6.1 and (18, 8) here"),
        _right("7.3.18d", (-51, 69), (-60, 74)),
        *_OUTER,
        *(_right(equation, (0, -4, 4), (0, -2, 2)) for equation in ("7.3.19a", "7.3.19b", "7.3.19c")),
        _right("7.3.19d", (0, -7, 7), (0, -5, 5)),
        *(_right(equation, (9, -16, 7), (6, -11, 5)) for equation in ("7.3.19e", "7.3.19f", "7.3.19g")),
        *_LAST,
    ),
    ("sensitivity", "right"): (
        _right("7.3.18a", (-4, 4), (-5, 5)),
        _right("7.3.18b", (-10, 10), (-8, 8)),
        LedgerEntry("7.3.18c", ((-2, 20), (-24, 32)), ((-5, 20), (-10, 32)),
            "the one entry that i = 1 needs is (15, 22) in Table 6.1 and (18, 8) here"),
        _right("7.3.18d", (-33, 51), (-49, 63)),
        *_OUTER,
        *(_right(equation, (0, -2, 2), (0, -1, 1)) for equation in ("7.3.19a", "7.3.19b", "7.3.19c")),
        _right("7.3.19d", (0, -5, 5), (0, -4, 4)),
        *(
            LedgerEntry(equation, ((5, -10, 5), (4, -8, 4)), ((6, -11, 5), (5, -9, 4)),
                "5n^2 - 10 + 5 is printed for the multiplications; the component of j = 1 is (4, 3), where (5, 4) is "
                "printed")
            for equation in ("7.3.19e", "7.3.19f", "7.3.19g")
        ),
        *_LAST,
    ),
}
"""BP Table 6.1, and Tables 7.1 and 7.2, for arms with revolute joints.

BP Table 7.1 counts n - 1 full cycles of step 1, for an end-effector frame n + 1 that is rotated relative
to link n. If it is not, the first cycle needs only 7.3.18d-k without the terms of outboard links.
"""
