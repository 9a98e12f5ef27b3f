"""A compiled function of machines: its recursion, and its input and output arrays."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import field
from typing import Any

from revolute.arguments import instances, nearest
from revolute.compiler.signature import Shape, Signature
from revolute.errors import GraphError, InputError, UnknownNameError
from revolute.graph import Input
from revolute.machine.functions.traced import NotTraced
from revolute.records import dataclass
from revolute.spatial import Scalars, Transform, Tree, Twist, Wrench
from revolute.targets.numpy import outputs_of

Sizes = tuple[str, ...]
_RATES = ("qd", "qdd", "qddd", "qdddd", "qdr", "qddr", "momentum", "tau", "dq", "dqd", "dqdd")
_MOTORS = ("theta", "thetad", "stiffness", "rotor_inertia")
_USUAL: dict[str, Sizes] = {"q": ("nq",), **dict.fromkeys(_RATES, ("nv",)), **dict.fromkeys(_MOTORS, ("motors",))}
"""Default sizes of arrays, used if a declaration omits the size."""

_PARTS = {"base_twist": "w, v", "base_acceleration": "wd, vd"}
"""Descriptions of an array's components, for messages. Messages describe all other arrays by their sizes."""


@dataclass(frozen=True)
class Arrays:
    """Inputs and outputs of a function as (name, sizes). A size is a number or a name such as "nq" or "links"."""

    inputs: tuple[tuple[str, Sizes], ...]
    outputs: tuple[tuple[str, Sizes], ...] = ()

    @classmethod
    def of(cls, text: str) -> Arrays:
        """Read "q qd x[6] h[] -> c: 3; J: 3 nv; T". Inputs like q and qd need no sizes; h and T are single numbers."""
        before, _, after = text.partition(" -> ")
        inputs = []
        for word in before.split():
            name, bracket, sizes = word.removesuffix("]").partition("[")
            if not bracket and name not in _USUAL:
                raise GraphError(f"'{text}': the input {name} has no size; write {name}[6], or {name}[] for a number")
            inputs.append((name, tuple(sizes.split(",") if sizes else ()) if bracket else _USUAL[name]))
        outputs = []
        for part in after.split("; ") if after else ():
            name, _, sizes = part.partition(": ")
            outputs.append((name, tuple(sizes.split())))
        return cls(tuple(inputs), tuple(outputs))


@dataclass(frozen=True)
class MachineData:
    """The data of a machine that its functions use."""

    name: str  # of the machine
    arguments: tuple[Any, ...]  # first arguments of recursions: a model, also with drives or closures; or a system
    sizes: Mapping[str, int]  # of arrays, by the names in declarations
    # exact text, or a hash, that identifies all this; None if it includes code outside this library
    content: str | None
    symbols: tuple[Any, ...] = ()  # inputs of this function besides its arrays, a number each
    words: Mapping[str, str] = field(default_factory=dict)  # names of sizes in messages, where they differ


@dataclass(frozen=True)
class WithDrives:
    """The form of a function for robots with drives, with terms of rotors, friction and springs."""

    recursion: Callable[..., Any]  # `recursion(tree, drives, *arrays, **options)`, of the robot's own coordinates
    at_joints: bool = False  # the recursion is of the tree's joints instead, which follow the coordinates
    options: tuple[str, ...] = ()  # further options
    # smooth, check: as of `Function`
    smooth: bool = False
    check: Callable[..., None] | None = None


@dataclass(frozen=True, eq=False)
class Function:
    """The declaration of a compiled function, for all machines of a class."""

    name: str  # its name
    recursion: Callable[..., Any]  # `recursion(*subject.arguments, *arrays, **options)`, for any scalar type
    arrays: Callable[..., Arrays]  # `arrays(**options)` has the inputs and outputs
    # its options, in the order of the method; `wrenches` are names of links, with an input each
    options: tuple[str, ...] = ()
    needed: frozenset[str] = frozenset()  # options without a default
    # {option: inputs that it adds}; the recursion takes these by name
    optional: Mapping[str, Arrays] = field(default_factory=dict)
    on: Callable[[Any], Any] | None = None  # makes the model that the recursion gets, such as `reduced`
    # `check(*subject.arguments, **options)` raises for wrong options, before anything is traced
    check: Callable[..., None] | None = None
    driven: WithDrives | None = None  # the function with drives
    # true if it depends only on geometry and motion, so that drives add no term; this is checked where a robot with
    # drives first uses it. If it depends on masses or gravity, the reason why drives add none.
    of_links: bool | str = False
    inverts: bool = False  # whether it needs the inverse of the mass matrix
    smooth: bool = False  # whether it needs continuous friction
    internal: bool = False  # whether only other functions use it, so that it is not a method
    symbols_in: tuple[str, ...] = ()  # parts of a Lagrangian system whose symbols are inputs
    known_as: str | None = None  # a name that determines the declaration; None if it includes code outside this library

    def check_options(self, options: Mapping[str, Any]) -> None:
        """Raise `InputError` for unknown options, and for missing ones."""
        if unknown := sorted(options.keys() - {*self.options}):
            name = unknown[0]
            raise InputError(f"{self.name} has no option '{name}'; {nearest(name, sorted(self.options))}")
        if missing := sorted(self.needed - options.keys()):
            raise InputError(f"{self.name} needs the option '{missing[0]}'")

    def shaping(self, options: Mapping[str, Any]) -> dict[str, Any]:
        """The options that determine the declared arrays, without `wrenches` and `optional`, which add arrays."""
        return {x: value for x, value in options.items() if x != "wrenches" and x not in self.optional}

    def signature(self, subject: MachineData, options: Mapping[str, Any]) -> Signature:
        """The function of one machine, ready to be traced."""
        chosen = dict(options)
        links = instances("kernel: wrenches", chosen.pop("wrenches", ()), str)
        extra = [x for name, arrays in self.optional.items() if chosen.pop(name, False) for x in arrays.inputs]
        if self.check:
            self.check(*subject.arguments, **chosen)
        model, *others = subject.arguments
        for link in links:
            try:
                model.frame(link)
            except UnknownNameError as error:
                raise UnknownNameError(f"{self.name}: wrenches: {error}") from None

        def shape(sizes: Sizes) -> Shape:
            return tuple(subject.sizes[size] if size in subject.sizes else int(size) for size in sizes)

        def array(name: str, sizes: Sizes) -> Input:
            named = ", ".join(subject.words.get(x, x) for x in sizes if x in subject.sizes)
            return Input(name, shape(sizes), _PARTS.get(name, named))

        arrays = self.arrays(**chosen)
        loads = [Input(f"wrench on '{link}'", (6,), "m, f") for link in links]
        symbols = [Input(symbol.name, ()) for symbol in subject.symbols]
        inputs = [*(array(*x) for x in arrays.inputs), *loads, *(array(*x) for x in extra), *symbols]
        outputs = tuple((name, shape(sizes)) for name, sizes in arrays.outputs)

        def body(*given: Scalars) -> Tree:
            rest = iter(given)
            own = [next(rest) for _ in arrays.inputs]
            named: dict[str, Any] = {"wrenches": {link: next(rest) for link in links}} if links else {}
            named |= {name: next(rest) for name, _ in extra}
            if symbols:
                named["values"] = {symbol: x for symbol, (x,) in zip(subject.symbols, rest, strict=True)}
            start = self.on(model) if self.on else model
            try:
                results = self.recursion(start, *others, *own, **named, **chosen)
            except NotTraced:  # its derivatives are those of the graph
                found = outputs_of(form.graph(), dict(zip((x.name for x in inputs), given, strict=True)))
                return found[0] if len(outputs) == 1 else found
            if len(outputs) == 1:
                return _filled(self.name, *outputs[0], results)
            return [_filled(self.name, *output, result) for output, result in zip(outputs, results, strict=True)]

        form = Signature(self.name, tuple(inputs), outputs, body)
        return form


def _filled(name: str, output: str, shape: Shape, result: Tree) -> Sequence[Any]:
    """The scalars of a result, row by row. Raise `GraphError` unless their number fits the shape."""
    scalars = list(scalars_of(result))
    if len(scalars) != math.prod(shape):
        raise GraphError(f"{name}: {output} has shape {shape}, but the recursion returns {len(scalars)} scalars")
    return scalars


def scalars_of(x: Tree) -> Iterator[Any]:
    """The scalars of a recursion's result, in C order."""
    if isinstance(x, (Twist, Wrench)):
        yield from (*x.ang, *x.lin)
    elif isinstance(x, Transform):
        yield from scalars_of(x.rows())
    elif isinstance(x, (tuple, list)):
        if any(issubclass(kind, (tuple, list, Twist, Wrench, Transform)) for kind in {*map(type, x)}):
            for part in x:
                yield from scalars_of(part)
        else:
            yield from x
    else:
        yield x
