"""The page of operation counts, as Markdown."""

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import Any

from revolute.cli.commands.count import HEADINGS, cells, counts
from revolute.graph import STRUCTURE, Input, count, trace
from revolute.library import dh_arm, puma560, stanford
from revolute.machine.robot import Robot
from revolute.published import FORMULATIONS, PRINT_ONLY, Geometry, rigid_body
from revolute.published.counting import OURS, counted, function, printed_for
from revolute.published.ledger import LEDGERS, total
from revolute.spatial import Matrix, Vector, Wrench

ROBOTS: tuple[Callable[[], Robot], ...] = (lambda: dh_arm(6), lambda: dh_arm(6, "right"), puma560, stanford)
SIZES = (2, 3, 4, 5, 6, 8, 10, 12, 20, 30, 40)
GROWING = (
    "augmented_links", "luh_walker_paul", "generalized_links", "walker_orin", "generalized_links_accelerations",
    "articulated_bodies", "sensitivity",
)  # fmt: skip
"""Formulations in the plot of operations against joints; each quantity's cheapest formulation is one of them."""

HEAD = """# Operation counts

What one evaluation costs, in scalar multiplications and additions (with subtractions), of this
library's functions and of the published algorithms that it has. These are coded from their sources;
[below](#where-code-and-print-differ) is what the code does otherwise, and why its count differs.

Three ways of counting stand side by side:

- **traced**: the equations of this one robot, in which zeros, ones, constants, common terms and
  what no result needs are gone. Of this library's functions (bold) that is what runs.
- **source**: as books count. The same, but every product and sum that is written counts, also
  where neighbouring constants could be merged; a term that occurs twice is computed once.
- **printed**: the source's own figure for this number of joints, and for these twist angles where
  it has one. Rows with *print only* are algorithms that a text compares, and that have no code here.

Calls are sines, cosines and roots, which sources count apart or not at all. Constants cost nothing,
in print as here. `revolute.robots.dh_arm` has no zero among its parameters but those of its first
frame, whose axis is along gravity; the right one has twist angles of 90 degrees throughout.
"""

REMARKS = """
## Where code and print differ

Counts here are those of *source*. Polynomials, multiplications first, are for `general_arm` of
`revolute.published.counting`, whose first axis is inclined to gravity, unless another arm is named;
numbers for n = 6 are for `dh_arm(6)`. Each function's own text has the misprints that it corrects.

"""

LEDGER = """
## Where print and count differ, equation by equation

Balafoutis and Patel break the counts of two algorithms down. *Priced* is what their own prices
(A v 8 + 4, a x b 6 + 3, A E A^T 21 + 18; in right arms A v 4 + 2, A E A^T 11 + 11) make of the
same equations, evaluated as often as their text says. Equations not shown are printed as priced.

The additions of Algorithm 6.2 leave out the sum of vectors in 6.3.30b. No implementation of these
equations has the printed 5.5 n^2 and 3.5 n^2 as leading terms: they are 7 n^2 and 5 n^2, by the
prices and by the count. As its source counts, `generalized_links` takes 11n^2 + 2n - 27
multiplications and 7n^2 + 27n - 52 additions in a general arm, 7n^2 - 4n and 5n^2 + 17n - 34 in a
right one, for every n from 4 on. [Costs of algorithms](costs-of-algorithms.md) explains
the differences.

Of Algorithm 7.1 Balafoutis and Patel count steps 1 and 2 alone, and take the quantities of
Algorithm 5.7 for granted; the counts of `sensitivity` above have both. They also count n - 1 full
cycles of step 1, as if a frame n + 1 were turned against the last link; without it the first cycle
is almost free. Counted with Algorithm 5.7, `sensitivity` takes 46n^2 + 143n - 295 multiplications
and 30n^2 + 169n - 322 additions in a general arm, 29n^2 + 102n - 164 and 20n^2 + 133n - 232 in a
right one, for every n from 5 on: [Algorithm 5.7](costs-of-algorithms.md) has 93n + 81n and 73n + 71n
of these.
"""


ONE_BODY = """## One rigid body (BP 4.3.4)

The force and the moment of one body, of a given motion. In vectors, F = m (sdd + wd x r + w x (w x r)) and
M = I wd + w x I w; in tensors, F = m (sdd + Omega r) and M = dual(Omega J - (Omega J)^T) with the Euler tensor J. Both
are in `revolute.published.rigid_body`, and [Cartesian tensors](reference/tensors.md) has the letters. Omega is
another 6 + 9, once for a body, and the reason for the low counts of Algorithms 5.6 and 5.7.

"""


def page(robot: Robot) -> str:
    """The whole page."""
    robots = {r.name: r for r in (*(make() for make in ROBOTS), robot)}
    parts = [HEAD, *map(section, robots.values())]
    parts += [one_body(), LEDGER, *map(ledger, LEDGERS), remarks(), _growth("general"), _growth("right")]
    return "\n".join(part.strip() + "\n" for part in parts)


def section(robot: Robot) -> str:
    """Counts of one robot, by both conventions."""
    traced, written = counted(robot), counted(robot, counting="source")
    rows = []
    for row, other in zip(traced, written, strict=True):
        *texts, printed = cells(row, robot.n_joints)
        by_hand = f"{other.counts.multiplications:,}+{other.counts.additions:,}"
        rows.append((*_named(texts, row.ours), by_hand, printed))
    headings = (*HEADINGS[:6], "source", "printed")
    tables = []
    for quantity in dict.fromkeys(row.quantity for row in traced):
        here = [cell for cell, row in zip(rows, traced, strict=True) if row.quantity == quantity]
        here += _print_only(robot, quantity)
        tables.append(f"**{quantity}**\n\n{_table(headings, here)}")
    return f"## {robot.name}\n\n" + "\n".join(tables)


def _print_only(robot: Robot, quantity: str) -> list[tuple[str, ...]]:
    """Table rows of algorithms for which this library has no code."""
    rows: list[tuple[str, ...]] = []
    for cited in PRINT_ONLY:
        printed = printed_for(robot, cited.published) if cited.quantity == quantity else None
        if printed:
            rows.append((cited.name, "", "", "", "", "", "print only", counts(printed, robot.n_joints)))
    return rows


def remarks() -> str:
    """Differences between the code of formulations and their sources, and algorithms without code."""
    coded = [(f.name, f.source, f.remark) for f in FORMULATIONS.values() if f.remark]
    cited = [(x.name, x.source, f"Print only. {x.why}") for x in PRINT_ONLY]
    return REMARKS + _table(("algorithm", "source", "remark"), coded + cited, "---")


def _named(texts: Sequence[str], ours: bool) -> tuple[str, ...]:
    return tuple(f"**{text}**" if ours else text for text in texts)


def one_body() -> str:
    """Counts of one body's equations, by this library and in print."""
    forms: dict[str, tuple[Callable[..., Wrench], tuple[int, ...]]] = {
        "vectors": (rigid_body.by_vectors, (1, 9, 3, 3, 3, 3)),
        "tensors": (rigid_body.by_tensors, (1, 9, 3, 9, 3)),
    }
    rows = []
    for name, (form, sizes) in forms.items():
        inputs = [Input(f"x{k}", (size,)) for k, size in enumerate(sizes)]
        counts = count(trace(name, partial(_wrench, form), inputs, STRUCTURE))
        printed = "{} + {}".format(*rigid_body.PRINTED[name])
        rows.append((name, f"{counts.multiplications} + {counts.additions}", printed))
    return ONE_BODY + _table(("form", "counted", "printed"), rows)


def _wrench(function: Callable[..., Wrench], *arrays: Sequence[Any]) -> list[tuple[str, tuple[int, ...], list[Any]]]:
    """A function of scalars, vectors and tensors, with flat arrays as inputs and outputs."""
    shaped: dict[int, Callable[..., Any]] = {1: lambda x: x[0], 3: Vector, 9: lambda x: Matrix((x[:3], x[3:6], x[6:]))}
    F = function(*(shaped[len(x)](x) for x in arrays))
    return [("F", (6,), [*F.ang, *F.lin])]


def ledger(key: tuple[str, Geometry]) -> str:
    """Table of printed and priced counts of one algorithm, equation by equation."""
    name, geometry = key
    entries, formulation = LEDGERS[key], FORMULATIONS[name]
    rows = []
    for entry in entries:
        if entry.printed != entry.priced:
            printed, priced = (total((entry,), side, "") for side in (True, False))
            rows.append((entry.equation, str(printed), str(priced), entry.why))
    printed, priced = (total(entries, side, "") for side in (True, False))
    rows.append(("all", str(printed), str(priced), ""))
    sums = ", ".join(f"{x:g}" for x in (*printed.at(6), *priced.at(6)))
    return (
        f"### {name}, {geometry} arm ({formulation.source})\n\n"
        + _table(("equation", "printed", "priced", "why"), rows, "---")
        + f"\nFor n = 6, printed and priced: {sums}.\n"
    )


def _growth(geometry: Geometry) -> str:
    """Table of multiplications and additions by number of joints."""
    names = [*OURS.values(), *GROWING]
    arms = {n: dh_arm(n, geometry) for n in SIZES}
    rows = []
    for name in names:
        counts = [arm.count(function(name)) for arm in arms.values()]
        ours = name not in FORMULATIONS
        rows.append(_named((name, *(f"{c.multiplications:,}+{c.additions:,}" for c in counts)), ours))
        for printed in FORMULATIONS[name].published if not ours else ():
            if printed.geometry == geometry and printed.only is None:
                rows.append((f"printed: {printed}", *(f"{m:,g}+{a:,g}" for m, a in map(printed.at, SIZES))))
    return f"## Growth, {geometry} arm\n\n" + _table(("n", *map(str, SIZES)), rows)


def _table(headings: Sequence[str], rows: Iterable[Sequence[str]], others: str = "---:") -> str:
    lines = [headings, ["---", *[others] * (len(headings) - 1)], *rows]
    return "".join("| " + " | ".join(cell.replace("|", "\\|") for cell in line) + " |\n" for line in lines)
