"""Equations as text for a terminal, as LaTeX and as files."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import sympy

from revolute.errors import InputError, UnknownNameError
from revolute.joints import Joint

if TYPE_CHECKING:
    from revolute.symbolic.equations import Equations

__all__ = ["QUANTITIES", "Block", "blocks", "latex", "save", "table", "text"]

DIGITS = 6

QUANTITIES = {
    "M": ("mass matrix", 2),
    "C": ("Coriolis matrix, of Christoffel's symbols", 2),
    "g": ("gravity forces", 1),
    "christoffel": ("Christoffel's symbols", 3),
    "tau": ("joint forces", 1),
    "kinetic": ("kinetic energy", 0),
    "potential": ("potential energy", 0),
    "lagrangian": ("kinetic less potential energy", 0),
}
"""What can be shown, in words, and how many indices it has."""

_LETTERS = {"christoffel": "Gamma", "kinetic": "T", "potential": "U", "lagrangian": "L"}
_SUPERSCRIPTS = str.maketrans("0123456789-", "⁰¹²³⁴⁵⁶⁷⁸⁹⁻")


@dataclass(frozen=True)
class Block:
    """Equations under a heading.

    Attributes:
        title: the heading.
        lines: left sides, (letter, indices) each, and the right side that they have.
    """

    title: str
    lines: tuple[tuple[tuple[tuple[str, tuple[int, ...]], ...], Any], ...]


def blocks(equations: Equations, quantities: Sequence[str]) -> Iterator[Block]:
    """What is to be shown: the constants, then each quantity.

    Raises:
        UnknownNameError: no such quantity.
    """
    for name in quantities:
        if name not in QUANTITIES:
            raise UnknownNameError(f"equations have no '{name}'; there are: {', '.join(QUANTITIES)}")
    for name in quantities:
        words, indices = QUANTITIES[name]
        letter, n = _LETTERS.get(name, name), equations.robot.nv
        simplified = equations.simplified(name)
        before: list[Any] = []
        if simplified:
            value = getattr(equations, name)
            scalars = sympy.flatten(value) if indices else [value]
        else:
            steps = equations.steps(name)
            before, scalars = [((((symbol.name, ()),)), x) for symbol, x in steps.lines], list(steps.results)
        if not simplified:
            words += f": not simplified within {equations.budget:g} s, as it is computed"
        places = [tuple(k // n**d % n + 1 for d in reversed(range(indices))) for k in range(len(scalars))]
        yield Block(words, (*before, *_gathered(letter, places, scalars)))
    if equations.grouped and equations.simplified("M", "g"):
        parameters = equations.parameters().items()
        if parameters:
            yield Block("constants", tuple((((str(symbol), ()),), x) for symbol, x in parameters))


def _gathered(letter: str, places: Sequence[tuple[int, ...]], scalars: Sequence[Any]) -> list[Any]:
    """Entries that are equal share a line; zeros come last."""
    shared: dict[Any, list[tuple[str, tuple[int, ...]]]] = {}
    for place, x in zip(places, scalars, strict=True):
        shared.setdefault(x, []).append((letter, place))
    zeros = [(tuple(left), x) for x, left in shared.items() if x == 0]
    return [(tuple(left), x) for x, left in shared.items() if x != 0] + zeros


# --- text ----------------------------------------------------------------------------------


def text(equations: Equations, quantities: Sequence[str]) -> str:
    """For a terminal."""
    return "\n".join([*_head(equations), *(line for block in blocks(equations, quantities) for line in _rows(block))])


def table(equations: Equations, quantities: Sequence[str]) -> Any:
    """For a terminal, with style: a renderable of rich."""
    from rich.console import Group
    from rich.padding import Padding
    from rich.table import Table
    from rich.text import Text

    parts: list[Any] = [Text(line, style="bold" if k == 0 else "") for k, line in enumerate(_head(equations))]
    for block in blocks(equations, quantities):
        grid = Table.grid(padding=(0, 1))
        grid.add_column(style="cyan", max_width=36)
        grid.add_column(overflow="fold")
        for left, right in block.lines:
            grid.add_row(Text(_left(left)), Text(f"= {plain(right)}"))
        parts += [Text(f"\n{block.title}", style="italic"), Padding(grid, (0, 0, 0, 2))]
    return Group(*parts)


def _head(equations: Equations) -> list[str]:
    robot = equations.robot
    lines = [f"{robot.name}: M(q) ddq + C(q, dq) dq + g(q) = tau"]
    names = []
    for body, at in zip(robot.bodies, robot.q_index, strict=True):
        symbols = ", ".join(str(x) for x in equations.q[at])
        if symbols:
            names.append(f"{symbols} {body.joint_name} [{_units(body.joint)}]")
    return [*lines, ", ".join(names)]


def _units(joint: Joint) -> str:
    parts = {"m": any(joint.linear), "rad": bool(joint.angles), "quaternion": joint.quaternion_at is not None}
    return ", ".join(name for name, there in parts.items() if there)


def _rows(block: Block) -> Iterator[str]:
    yield f"\n{block.title}"
    for left, right in block.lines:
        yield f"  {_left(left)} = {plain(right)}"


def _left(left: Sequence[tuple[str, tuple[int, ...]]]) -> str:
    return " = ".join(_pretty(letter) + _index(place) for letter, place in left)


def _index(place: tuple[int, ...]) -> str:
    return "".join(map(str, place)) if max(place, default=0) < 10 else f"[{','.join(map(str, place))}]"


def plain(x: Any) -> str:
    """An expression as a line of text: powers raised, numbers with six digits."""
    return _pretty(sympy.sstr(_short(x), full_prec=False))


def _pretty(line: str) -> str:
    line = re.sub(r"\*\*(\d+)\b", lambda power: power[1].translate(_SUPERSCRIPTS), line)
    return re.sub(r"\bTheta_(\d+)", r"Θ\1", line).replace("**", "^").replace("*", "·")


def _short(x: Any) -> Any:
    return x.xreplace({number: sympy.Float(number, DIGITS) for number in x.atoms(sympy.Float)})


# --- LaTeX ---------------------------------------------------------------------------------


def latex(equations: Equations, quantities: Sequence[str]) -> str:
    r"""The lines of an `aligned`, or `align*`, environment."""
    names = _names(equations)
    lines = [r"& M(q)\,\ddot{q} + C(q, \dot{q})\,\dot{q} + g(q) = \tau"]
    for block in blocks(equations, quantities):
        lines.append(rf"& \text{{{block.title}:}}")
        for left, right in block.lines:
            label = " = ".join(_letter(letter, place) for letter, place in left)
            lines.append(f"{label} &= {sympy.latex(_short(right), symbol_names=names)}")
    return " \\\\\n".join(lines)


def _letter(letter: str, place: tuple[int, ...]) -> str:
    name = {"tau": r"\tau", "Gamma": r"\Gamma"}.get(letter) or sympy.latex(sympy.Symbol(letter))
    separator = "," if max(place, default=0) >= 10 else ""
    return f"{name}_{{{separator.join(map(str, place))}}}" if place else name


def _names(equations: Equations) -> dict[Any, str]:
    rates = (("q", equations.q), (r"\dot{q}", equations.dq), (r"\ddot{q}", equations.ddq))
    names = {symbol: f"{letter}_{{{k + 1}}}" for letter, symbols in rates for k, symbol in enumerate(symbols)}
    for symbol in equations.robot.symbols:
        two = re.fullmatch(r"([a-z])([a-z])_?(\d+)", symbol.name)
        if two and "\\" not in sympy.latex(symbol):  # lc1 is l with an index, mu1 is a Greek letter
            names[symbol] = f"{two[1]}_{{{two[2]}{two[3]}}}"
    return names


# --- files ---------------------------------------------------------------------------------


def save(equations: Equations, path: Path, quantities: Sequence[str]) -> None:
    """See `Equations.save`."""
    lines = latex(equations, quantities)
    if path.suffix == ".tex":
        content = _TEX.replace("TITLE", _escaped(equations.robot.name)).replace("LINES", lines)
    elif path.suffix == ".md":
        content = markdown(equations, quantities)
    else:
        raise InputError(f"equations are saved as .tex or .md, not as '{path.name}'")
    path.write_text(content, encoding="utf-8")


def markdown(equations: Equations, quantities: Sequence[str]) -> str:
    """A page with LaTeX between dollar signs."""
    head, names = _head(equations)
    lines = latex(equations, quantities)
    title = head.partition(":")[0]
    return f"# Equations of motion of {title}\n\n{names}\n\n$$\n\\begin{{aligned}}\n{lines}\n\\end{{aligned}}\n$$\n"


def _escaped(name: str) -> str:
    return re.sub(r"([_&%#$])", r"\\\1", name)


_TEX = r"""\documentclass{article}
\usepackage{amsmath}
\allowdisplaybreaks
\begin{document}
\section*{Equations of motion of TITLE}
\begin{align*}
LINES
\end{align*}
\end{document}
"""
