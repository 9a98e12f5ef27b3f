"""The symbols of a system: coordinates, their rates, and parameters."""

from collections.abc import Iterable, Sequence, Sized
from typing import Any

import sympy
from sympy.core.function import AppliedUndef

from revolute.arguments import nearest
from revolute.errors import InputError, UnknownNameError

Expression = Any  # type of a SymPy expression, as SymPy has no type annotations
Symbol = Any


def expression(value: Any, what: str) -> Expression:
    """A number or expression as a SymPy expression. Text is rejected, because SymPy would execute it as code."""
    if isinstance(value, str):
        raise InputError(f"{what} must be a SymPy expression or a number, not text: {value!r}")
    try:
        result = sympy.sympify(value, strict=True)
    except (sympy.SympifyError, TypeError):
        result = None
    if not isinstance(result, sympy.Expr):
        raise InputError(f"{what} must be a SymPy expression or a number, not {type(value).__name__}")
    return result


def coordinate_symbols(coordinates: Sequence[Any]) -> tuple[tuple[Symbol, ...], Symbol | None]:
    """A symbol for every coordinate, and the symbol of time if coordinates are functions of it.

    Raise `InputError` for other coordinates, for duplicates, and for functions of different times.
    """
    if isinstance(coordinates, (str, sympy.Basic)) or not isinstance(coordinates, Sized) or not len(coordinates):
        raise InputError(f"coordinates must be a sequence of SymPy symbols or functions of time, not {coordinates!r}")
    times = {x.args[0] for x in coordinates if isinstance(x, AppliedUndef) and len(x.args) == 1}
    if len(times) > 1:
        raise InputError(f"coordinates are functions of different times: {', '.join(sorted(map(str, times)))}")
    symbols = []
    for x in coordinates:
        if isinstance(x, sympy.Symbol):
            symbols.append(x)
        elif isinstance(x, AppliedUndef) and len(x.args) == 1 and isinstance(x.args[0], sympy.Symbol):
            symbols.append(sympy.Symbol(x.func.__name__, real=x.is_real))
        else:
            raise InputError(f"coordinate {x!r} is neither a SymPy symbol nor a function of time only")
        if symbols[-1] in symbols[:-1]:
            raise InputError(f"duplicate coordinate '{symbols[-1]}'")
    return tuple(symbols), next(iter(times), None)


def derivative(x: Expression, symbol: Symbol) -> Expression:
    """dx/dsymbol for real symbols; without this assumption, SymPy differentiates |x| as for complex numbers."""
    if not x.has(sympy.Abs, sympy.sign):
        return x.diff(symbol)
    real = {y: sympy.Dummy(y.name, real=True) for y in {*x.free_symbols, symbol}}
    return x.subs(real).diff(real[symbol]).subs({y: z for z, y in real.items()})


def dotted(symbol: Symbol, accent: str) -> str:
    """A symbol in LaTeX with an accent, such as `\\dot`, over its stem."""
    stem, _, index = sympy.latex(symbol).partition("_")
    return f"{accent}{{{stem}}}_{index}" if index else f"{accent}{{{stem}}}"


def named(name: str, like: Symbol, known: Iterable[Symbol]) -> Symbol:
    """The known symbol with that name, or a new symbol that is real if `like` is."""
    return next((x for x in known if x.name == name), None) or sympy.Symbol(name, real=like.is_real)


def look_up(symbol: Any, known: Sequence[Symbol], what: str) -> Symbol:
    """The known symbol with the name of `symbol`: a symbol, a function of time, or a name."""
    name = symbol.func.__name__ if isinstance(symbol, AppliedUndef) else str(symbol)
    for x in known:
        if x.name == name:
            return x
    raise UnknownNameError(f"{what} '{name}' is unknown; {nearest(name, (x.name for x in known))}")


def without_functions(q: Sequence[Symbol], qd: Sequence[Symbol], time: Symbol | None, x: Expression) -> Expression:
    """An expression with symbols for the coordinates that are functions of time, and for their rates.

    Raise `UnknownNameError` for other functions, and for other derivatives.
    """
    if time is not None:
        x = x.doit(deep=True) if x.has(sympy.Derivative) else x
        places = {y.name: k for k, y in enumerate(q)}
        functions = [f for f in x.atoms(AppliedUndef) if f.args == (time,) and f.func.__name__ in places]
        x = x.xreplace({f.diff(time): qd[places[f.func.__name__]] for f in functions})
        x = x.xreplace({f: q[places[f.func.__name__]] for f in functions})
    foreign = x.atoms(sympy.Derivative) or x.atoms(AppliedUndef)
    if foreign:
        listed = ", ".join(str(y) if time is None else f"{y}({time})" for y in q)
        raise UnknownNameError(f"'{min(foreign, key=str)}' is neither a coordinate ({listed}) nor the rate of one")
    return x
