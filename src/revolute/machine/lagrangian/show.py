"""The printed sheet of a system of `revolute.lagrange`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import sympy

from revolute.machine.lagrangian.symbols import dotted
from revolute.symbolic.sheet import Block, Label, Sheet, check_names, entries, letters

if TYPE_CHECKING:
    from revolute.machine.lagrangian.equations import SystemEquations

QUANTITIES = {
    "kinetic": ("kinetic energy", "T", 0),
    "potential": ("potential energy", "U", 0),
    "dissipation": ("dissipation, Rayleigh's function", "D", 0),
    "lagrangian": ("kinetic minus potential energy", "L", 0),
    "energy": ("kinetic and potential energy", "E", 0),
    "equations": ("equations of motion", "", 1),
    "M": ("mass matrix", "M", 2),
    "C": ("Coriolis matrix, of Christoffel's symbols", "C", 2),
    "g": ("forces of the potential energy", "g", 1),
    "christoffel": ("Christoffel's symbols", "Gamma", 3),
    "tau": ("forces that a motion needs", "tau", 1),
    "momenta": ("generalised momenta", "p", 1),
    "accelerations": ("accelerations", "", 1),
}
"""Description, letter and number of indices of each quantity that can be shown."""

FORM = Label(
    "d/dt dL/d(dq) - dL/dq + dD/d(dq) = Q + tau",
    r"\frac{d}{dt} \frac{\partial L}{\partial \dot{q}} - \frac{\partial L}{\partial q}"
    r" + \frac{\partial D}{\partial \dot{q}} = Q + \tau",
)

CONSTRAINED = Label(f"{FORM.text} + A^T lambda", rf"{FORM.latex} + A^T \lambda")


def sheet(system: SystemEquations, quantities: Sequence[str]) -> Sheet:
    """The sheet of some quantities; by default the energies and the equations of motion."""
    check_names(quantities, QUANTITIES)
    default = ["kinetic", "potential", *(["dissipation"] if system.dissipation != 0 else []), "equations"]
    names = latex_names(system)
    blocks = tuple(_block(system, name, names) for name in quantities or default)
    form = CONSTRAINED if system.constraints else FORM
    return Sheet(system.name, form, f"coordinates {', '.join(map(str, system.q))}", blocks, names)


def latex_names(system: SystemEquations) -> dict[Any, str]:
    """{symbol: its LaTeX}, with dots over rates."""
    velocities = {v: dotted(y, r"\dot") for y, v in zip(system.q, system.dq, strict=True)}
    accelerations = {a: dotted(y, r"\ddot") for y, a in zip(system.q, system.ddq, strict=True)}
    return velocities | accelerations | letters(system.parameters)


def _block(system: SystemEquations, name: str, names: dict[Any, str]) -> Block:
    words, letter, indices = QUANTITIES[name]
    if name == "equations":
        return Block(words, tuple(((Label.of(y.rhs, names),), y.lhs) for y in system.equations))
    value = system.readable_kinetic if name == "kinetic" else getattr(system, name)
    if name == "accelerations":
        left = [Label.of(a, names) for a in system.ddq]
        return Block(words, tuple(((label,), x) for label, x in zip(left, value, strict=True)))
    return Block(words, entries(letter, (system.n,) * indices, sympy.flatten(value) if indices else [value]))
