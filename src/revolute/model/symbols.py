"""Robots whose lengths, masses, inertias or gravity are SymPy expressions.

A robot may have an expression in place of any scalar: in placements, axes, inertias, gravity and drives. SymPy is not
loaded for a numeric robot.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, TypeVar

from revolute.errors import InputError, ModelError, UnknownNameError
from revolute.model.body import Body, Drive
from revolute.model.model import AnyModel
from revolute.model.scalars import expressions, scalars
from revolute.spatial import Inertia, Matrix, Rotation, Scalar, Transform, Vector

Substituted = TypeVar("Substituted")


def mapped(model: AnyModel, change: Callable[[Scalar], Scalar]) -> AnyModel:
    """The robot with a function applied to every scalar in `revolute.model.scalars.scalars`."""
    return replace(
        model,
        gravity=Vector(map(change, model.gravity)),
        bodies=tuple(_body(body, change) for body in model.bodies),
        frames=tuple(replace(frame, placement=_transform(frame.placement, change)) for frame in model.frames),
    )


def substituted(model: AnyModel, values: Mapping[Any, Any]) -> AnyModel:
    """See `Robot.subs`."""
    table = values_of(f"robot '{model.name}'", model.symbols, values)
    return mapped(model, lambda x: _plain(x.xreplace(table)) if hasattr(x, "free_symbols") else x)


def values_of(owner: str, known: Sequence[Any], values: Mapping[Any, Any]) -> dict[Any, Any]:
    """{symbol: value} from {symbol or its name: value}; messages name `owner`, which has the symbols."""
    if not isinstance(values, Mapping):
        raise InputError(f"subs needs {{symbol or its name: value}}, not {type(values).__name__}")
    table: dict[Any, Any] = {}
    for key, value in values.items():
        if not (matches := [symbol for symbol in known if symbol == key or symbol.name == key]):
            names = ", ".join(symbol.name for symbol in known) or "none"
            raise UnknownNameError(f"{owner} has no symbol '{key}'; it has: {names}")
        table |= dict.fromkeys(matches, _value(key, value))
    return table


def numeric(model: AnyModel, what: str) -> AnyModel:
    """The robot with SymPy numbers converted to floats; raise `InputError`, which names `what`, if it has symbols."""
    if model.symbols:
        names = ", ".join(symbol.name for symbol in model.symbols)
        raise InputError(
            f"{what} needs numbers, but robot '{model.name}' has symbols: {names}. Substitute values first: "
            f"robot.subs({{'{model.symbols[0].name}': ...}}); or derive the equations: robot.equations()"
        )
    if next(expressions(scalars(model.gravity, model.bodies, model.frames)), None) is None:
        return model
    return mapped(model, lambda x: float(x) if hasattr(x, "free_symbols") else x)


def with_irregular_numbers(symbols: Sequence[Any], substitute: Callable[[dict[Any, Any]], Substituted]) -> Substituted:
    """Substitute 17/16, 19/16, 23/16 ... for symbols, so that no accidental zeros or ones appear.

    Sums and products of these do not round, so equal expressions have equal values. Smaller numbers are tried if these
    do not form a valid robot.
"""
    sympy = _sympy()
    for scale in (16, 128, 1024, 8192):
        try:
            return substitute({x: sympy.Rational(sympy.prime(k), scale) for k, x in enumerate(symbols, 7)})
        except (ModelError, InputError) as error:
            cause: Exception = error
    raise counted_with(cause, symbols) from None


def counted_with(error: Exception, symbols: Sequence[Any]) -> ModelError:
    """The error for a robot whose symbols were replaced by values that the user has not chosen."""
    names = ", ".join(symbol.name for symbol in symbols)
    return ModelError(f"{error} (counted with numbers for the symbols {names}; choose others with subs())")


def _sympy() -> Any:
    import sympy

    return sympy


def _value(name: Any, value: Any) -> Any:
    sympy = _sympy()
    try:
        expression = sympy.sympify(value, strict=True)
    except sympy.SympifyError:
        expression = None
    if not isinstance(expression, sympy.Expr) or expression.has(sympy.nan, sympy.oo, -sympy.oo, sympy.zoo):
        raise InputError(f"subs: the value of '{name}' must be a finite number or a SymPy expression, not {value!r}")
    return expression


def _plain(x: Any) -> Any:
    """A Python number for an integer or a decimal number; exact fractions and roots are unchanged."""
    if x.is_Integer:
        return int(x)
    return float(x) if x.is_number and any(atom.is_Float for atom in x.atoms()) else x


def _transform(X: Transform, change: Callable[[Scalar], Scalar]) -> Transform:
    factors = tuple(Matrix(map(change, row) for row in factor) for factor in X.R.factors)
    return Transform(Rotation(factors), Vector(map(change, X.p)))


def _body(body: Body, change: Callable[[Scalar], Scalar]) -> Body:
    m, h, I = body.inertia.m, body.inertia.h, body.inertia.I
    return replace(
        body,
        joint=body.joint.mapped(change),
        placement=_transform(body.placement, change),
        inertia=Inertia(change(m), Vector(map(change, h)), Matrix(map(change, row) for row in I)),
        drive=_drive(body.drive, change),
    )


def _drive(drive: Drive, change: Callable[[Scalar], Scalar]) -> Drive:
    columns: dict[str, Any] = {name: tuple(map(change, column)) for name, column in drive.columns().items()}
    if drive.mimic:
        multiplier, offset = map(change, (drive.mimic.multiplier, drive.mimic.offset))
        columns["mimic"] = replace(drive.mimic, multiplier=multiplier, offset=offset)
    return replace(drive, **columns)
