"""A robot's equations as a `Sheet`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import sympy

from revolute.model.joints import JointType
from revolute.symbolic.sheet import Block, Label, Sheet, check_names, entries, letters

if TYPE_CHECKING:
    from revolute.symbolic.equations import Equations

QUANTITIES = {
    "M": ("mass matrix", "M", 2),
    "C": ("Coriolis matrix, of Christoffel's symbols", "C", 2),
    "g": ("gravity forces", "g", 1),
    "christoffel": ("Christoffel's symbols", "Gamma", 3),
    "tau": ("joint forces", "tau", 1),
    "kinetic": ("kinetic energy", "T", 0),
    "potential": ("potential energy", "U", 0),
    "lagrangian": ("kinetic minus potential energy", "L", 0),
}
"""{quantity: (heading, letter, number of indices)}, for the sheet of equations."""

FORM = Label("M(q) ddq + C(q, dq) dq + g(q) = tau", r"M(q)\,\ddot{q} + C(q, \dot{q})\,\dot{q} + g(q) = \tau")


def sheet(equations: Equations, quantities: Sequence[str], glance: bool = False) -> Sheet:
    """The sheet with a block for each quantity, and one for the constants of grouped equations.

    With `glance`, for a notebook, quantities that are not simplified come last, without lines.
    """
    check_names(quantities, QUANTITIES)
    left_out = [name for name in quantities if glance and not equations.simplified(name)]
    blocks = [*_blocks(equations, [name for name in quantities if name not in left_out])]
    blocks += [Block(f"{QUANTITIES[name][0]}, not simplified yet", ()) for name in left_out]
    return Sheet(equations.robot.name, FORM, coordinate_list(equations), tuple(blocks), coordinate_names(equations))


def coordinate_list(equations: Equations) -> str:
    """Symbols of the coordinates, with joints and units."""
    model = equations.robot
    return ", ".join(
        f"{', '.join(map(str, equations.q[at]))} {body.joint_name} [{_units(body.joint)}]"
        for body, at in zip(model.bodies, model.q_index, strict=True)
        if body.joint.nq
    )


def coordinate_names(equations: Equations) -> dict[Any, str]:
    """LaTeX of the coordinates, their time derivatives and the robot's symbols."""
    rates = (("q", equations.q), (r"\dot{q}", equations.dq), (r"\ddot{q}", equations.ddq))
    names = {symbol: f"{letter}_{{{k + 1}}}" for letter, symbols in rates for k, symbol in enumerate(symbols)}
    return names | letters(equations.robot.symbols)


def _blocks(equations: Equations, quantities: Sequence[str]) -> Iterator[Block]:
    for name in quantities:
        title, letter, indices = QUANTITIES[name]
        before: list[tuple[tuple[Label, ...], Any]] = []
        if equations.simplified(name):
            value = getattr(equations, name)
            scalars = sympy.flatten(value) if indices else [value]
        else:
            steps = equations.steps(name)
            before, scalars = [((Label.of(symbol),), x) for symbol, x in steps.lines], list(steps.results)
            title += f": not simplified within {equations.limits}, with common terms named"
        yield Block(title, (*before, *entries(letter, (equations.robot.nv,) * indices, scalars)))
    constants = equations.parameters() if equations.grouped and equations.simplified("M", "g") else {}
    if constants:
        yield Block("constants", tuple(((Label.of(symbol),), x) for symbol, x in constants.items()))


def _units(joint: JointType) -> str:
    parts = {"m": any(joint.linear), "rad": bool(joint.angles), "quaternion": joint.quaternion_at is not None}
    return ", ".join(name for name, present in parts.items() if present)
