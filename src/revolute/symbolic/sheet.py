"""Equations as text for a terminal, as LaTeX, and as files."""

from __future__ import annotations

import itertools
import re
from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import sympy

from revolute.arguments import instance
from revolute.errors import InputError, UnknownNameError, printable, printable_lines
from revolute.spatial.scalar import Expression
from revolute.whole_file import write_document

DIGITS = 6
GLANCE = 3000
"""Maximum number of symbols, numbers and operations that a notebook typesets, because larger ones take seconds."""

_SUPERSCRIPTS = str.maketrans("0123456789-", "⁰¹²³⁴⁵⁶⁷⁸⁹⁻")


@dataclass(frozen=True)
class Label:
    """A left-hand side, or the general form of equations, as text and as LaTeX."""

    text: str
    latex: str

    @classmethod
    def of(cls, x: Expression, names: Mapping[Any, str] | None = None) -> Label:
        """Create from an expression."""
        return cls(plain(x), str(sympy.latex(_short(x), symbol_names=dict(names or {}))))


@dataclass(frozen=True)
class Block:
    """Equations under a heading."""

    title: str  # the heading
    # for each line, the left-hand sides that are equal, and their right-hand side
    lines: tuple[tuple[tuple[Label, ...], Any], ...]


@dataclass(frozen=True)
class Sheet:
    """Equations to print.

    Attributes:
        name: name of the robot or system.
        form: the general form of the equations.
        coordinates: list of the coordinates, as text.
        blocks: the equations.
        names: LaTeX of symbols whose LaTeX differs from SymPy's.
    """

    name: str
    form: Label
    coordinates: str
    blocks: tuple[Block, ...]
    names: Mapping[Any, str]

    def text(self) -> str:
        """Plain text for a terminal."""
        lines = [*self._head()]
        for block in self.blocks:
            lines += [f"\n{block.title}", *(f"  {_texts(left)} = {plain(right)}" for left, right in block.lines)]
        return "\n".join(map(printable_lines, lines))

    def table(self) -> Any:
        """Styled text for a terminal: a renderable for rich."""
        from rich import console, padding, table, text

        parts: list[Any] = [text.Text(line, style="bold" if k == 0 else "") for k, line in enumerate(self._head())]
        for block in self.blocks:
            grid = table.Table.grid(padding=(0, 1))
            grid.add_column(style="cyan", max_width=36)
            grid.add_column(overflow="fold")
            for left, right in block.lines:
                grid.add_row(text.Text(_texts(left)), text.Text(f"= {plain(right)}"))
            parts += [text.Text(f"\n{block.title}", style="italic"), padding.Padding(grid, (0, 0, 0, 2))]
        return console.Group(*parts)

    def latex(self) -> str:
        r"""The lines of an `aligned` or `align*` environment."""
        lines = [f"& {self.form.latex}"]
        for block in self.blocks:
            lines.append(rf"& \text{{{block.title}:}}")
            for left, right in block.lines:
                label = " = ".join(x.latex for x in left)
                lines.append(f"{label} &= {sympy.latex(_short(right), symbol_names=dict(self.names))}")
        return " \\\\\n".join(lines)

    def glance(self) -> str:
        """LaTeX for a notebook: the first quantities in full, up to the limit `GLANCE`; the others by name."""
        shown: list[Block] = []
        left_out, room = [], GLANCE
        for block in self.blocks:
            length = size((right for _, right in block.lines), room)
            if block.lines and length <= room:
                shown.append(block)
                room -= length
            else:
                long = "" if not block.lines else ", too long to show here"
                left_out.append(rf"& \text{{{block.title}{long}}}")
        lines = [replace(self, blocks=tuple(shown)).latex(), *left_out]
        if left_out:
            lines.append(r"& \text{the whole: print(equations), or equations.save('equations.tex')}")
        return "$$\\begin{aligned}\n" + " \\\\\n".join(lines) + "\n\\end{aligned}$$"

    def markdown(self) -> str:
        """A page with LaTeX between dollar signs."""
        head = f"# Equations of motion of {printable(self.name)}\n\n{printable(self.coordinates)}\n\n"
        return f"{head}$$\n\\begin{{aligned}}\n{self.latex()}\n\\end{{aligned}}\n$$\n"

    def save(self, path: Path) -> None:
        """Write a LaTeX document (.tex) or a Markdown page (.md)."""
        if path.suffix == ".tex":
            content = _TEX.replace("TITLE", _escaped(printable(self.name))).replace("LINES", self.latex())
        elif path.suffix == ".md":
            content = self.markdown()
        else:
            raise InputError(f"equations are saved as .tex or .md, not as '{path.name}'")
        write_document(path, content)

    def _head(self) -> tuple[str, str]:
        return f"{printable(self.name)}: {self.form.text}", printable(self.coordinates)


class Shown(ABC):
    """Base of objects that print as equations: in terminals, notebooks and files."""

    @abstractmethod
    def _sheet(self, quantities: tuple[str, ...]) -> Sheet:
        """The equations to show; by default the usual quantities."""

    def latex(self, *quantities: str) -> str:
        r"""LaTeX for an `aligned` or `align*` environment, one line per entry; equal entries share a line.

        Args:
            *quantities: names of quantities: see the class.

        Raises:
            UnknownNameError: the quantity does not exist.

        Example:
            >>> print(revolute.robots.planar(2).equations().latex("g"))
            & M(q)\,\ddot{q} + C(q, \dot{q})\,\dot{q} + g(q) = \tau \\
            & \text{gravity forces:} \\
            g_{1} &= 14.715 \cos{\left(q_{1} \right)}
                + 4.905 \cos{\left(q_{1} + q_{2} \right)} \\
            g_{2} &= 4.905 \cos{\left(q_{1} + q_{2} \right)}
        """
        return self._sheet(quantities).latex()

    def text(self, *quantities: str) -> str:
        """Lines of text, one per entry, as `print` shows them. Arguments are those of `latex`.

        Example:
            >>> print(revolute.robots.planar(2).equations().text("M"))
            planar2: M(q) ddq + C(q, dq) dq + g(q) = tau
            q1 joint1 [rad], q2 joint2 [rad]
            <BLANKLINE>
            mass matrix
              M11 = cos(q2) + 1.66667
              M12 = M21 = 0.5·cos(q2) + 0.333333
              M22 = 0.333333
        """
        return self._sheet(quantities).text()

    def markdown(self, *quantities: str) -> str:
        """A page of Markdown with the LaTeX of `latex` between dollar signs."""
        return self._sheet(quantities).markdown()

    def table(self, *quantities: str) -> Any:
        """The lines of `text` with style, for `rich.print`; arguments are those of `latex`."""
        return self._sheet(quantities).table()

    def save(self, path: str | Path, *quantities: str) -> None:
        """Write a LaTeX document (.tex) or a Markdown page with LaTeX in it (.md).

        Args:
            path: the file.
            *quantities: as in `latex`.

        Raises:
            InputError: the suffix is not .tex or .md, or the file cannot be written.
            UnknownNameError: the quantity does not exist.
        """
        instance("save: path", path, (str, Path))
        self._sheet(quantities).save(Path(path))

    def __str__(self) -> str:
        return self.text()

    def _glance(self) -> Sheet:
        """The equations that a notebook shows."""
        return self._sheet(())

    def _repr_latex_(self) -> str:
        return self._glance().glance()

    def __rich__(self) -> Any:
        return self.table()


def check_names(quantities: Iterable[str], known: Iterable[str]) -> None:
    """Raise `UnknownNameError` for an unknown quantity."""
    names = list(known)
    for name in quantities:
        if name not in names:
            raise UnknownNameError(f"equations have no '{name}'; available: {', '.join(names)}")


def entries(letter: str, shape: tuple[int, ...], scalars: Sequence[Any]) -> tuple[tuple[tuple[Label, ...], Any], ...]:
    """Lines for the entries of an array, in C order; equal entries share a line, zeros are last."""
    shared: dict[Any, list[Label]] = {}
    for indices, x in zip(itertools.product(*map(range, shape)), scalars, strict=True):
        place = tuple(k + 1 for k in indices)
        shared.setdefault(x, []).append(Label(_pretty(letter) + _index(place), _letter(letter, place)))
    lines = [(tuple(left), x) for x, left in shared.items()]
    return (*((left, x) for left, x in lines if x != 0), *((left, x) for left, x in lines if x == 0))


def block_of(equations: Any, heading: tuple[str, str, int], name: str, shape: tuple[int, ...]) -> Block:
    """The entries of a quantity under its heading: title, letter, number of indices."""
    title, letter, indices = heading
    value = getattr(equations, name)
    return Block(title, entries(letter, shape, sympy.flatten(value) if indices else [value]))


def letters(symbols: Iterable[Any]) -> dict[Any, str]:
    """LaTeX for symbols of two letters and a number: lc1 becomes l_{c1}; mu1, a Greek letter, is left to SymPy."""
    names = {}
    for symbol in symbols:
        two = re.fullmatch(r"([a-z])([a-z])_?(\d+)", symbol.name)
        if two and "\\" not in sympy.latex(symbol):
            names[symbol] = f"{two[1]}_{{{two[2]}{two[3]}}}"
    return names


def plain(x: Expression) -> str:
    """An expression as a line of text: powers raised, numbers with six digits."""
    return _pretty(sympy.sstr(_short(x), full_prec=False))


def size(expressions: Iterable[Any], most: int) -> int:
    """Number of symbols, numbers and operations; counting stops beyond `most`."""
    nodes = itertools.chain.from_iterable(map(sympy.preorder_traversal, map(sympy.sympify, expressions)))
    return sum(1 for _ in itertools.islice(nodes, most + 1))


def _texts(left: Sequence[Label]) -> str:
    return " = ".join(label.text for label in left)


def _index(place: tuple[int, ...]) -> str:
    return "".join(map(str, place)) if max(place, default=0) < 10 else f"[{','.join(map(str, place))}]"


def _letter(letter: str, place: tuple[int, ...]) -> str:
    name = {"tau": r"\tau", "Gamma": r"\Gamma"}.get(letter) or sympy.latex(sympy.Symbol(letter))
    separator = "," if max(place, default=0) >= 10 else ""
    return f"{name}_{{{separator.join(map(str, place))}}}" if place else name


def _pretty(line: str) -> str:
    line = re.sub(r"\*\*(\d+)\b", lambda power: power[1].translate(_SUPERSCRIPTS), line)
    return re.sub(r"\bTheta_(\d+)", r"Θ\1", line).replace("**", "^").replace("*", "·")


def _short(x: Any) -> Any:
    return x.xreplace({number: sympy.Float(number, DIGITS) for number in x.atoms(sympy.Float)})


def _escaped(name: str) -> str:
    """A name as LaTeX text, with special characters escaped."""
    words = {"\\": r"\textbackslash{}", "^": r"\textasciicircum{}", "~": r"\textasciitilde{}"}
    return re.sub(r"[\\^~_&%#${}]", lambda match: words.get(match[0], f"\\{match[0]}"), name)


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
