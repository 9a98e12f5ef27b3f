"""Frozen dataclasses of `revolute.records` behave as those of `dataclasses`."""

from __future__ import annotations

import copy
import dataclasses
import inspect
import pickle
import sys
from collections.abc import Callable
from typing import Any

import pytest

from revolute import records


def pair(maker: Callable[..., Any]) -> Any:
    @maker(frozen=True)
    class Pair:
        """Two numbers, and notes."""

        a: float
        b: float = 2.0
        notes: list[str] = dataclasses.field(default_factory=list, compare=False, repr=False)

        def __post_init__(self) -> None:
            object.__setattr__(self, "seen", (self.a, self.b))

    return Pair


@records.dataclass(frozen=True)
class Single:
    """One number; at the top of a module, for pickles."""

    x: float


@records.dataclass(frozen=True)
class Double(Single):
    """Another one."""

    y: float = 0.0


def outcome(check: Callable[[Any], object], kind: Any) -> object:
    """What a check gives, or the error that it raises."""
    try:
        return check(kind)
    except (TypeError, dataclasses.FrozenInstanceError) as error:
        return type(error), str(error).partition(':')[0]


def changed(x: Any, change: Callable[[Any], None]) -> Any:
    change(x)
    return x


def named(kind: Any) -> Any:
    """An object of a subclass that may have attributes of its own."""
    return changed(type("Named", (kind,), {})(1.0), lambda x: setattr(x, "name", "one"))


NAN = float("nan")
ALIKE: list[Callable[[Any], object]] = [
    lambda kind: (hash(kind(1.0)), kind(1.0).seen, kind(1.0) == kind(b=2.0, a=1.0), kind(1.0) == kind(1.0, 3.0)),
    lambda kind: (kind(1.0).notes, kind(1.0).notes is kind(1.0).notes),
    lambda kind: repr(kind(1.0)),
    lambda kind: str(inspect.signature(kind)),
    lambda kind: kind(),
    lambda kind: kind(1, 2, [], 4),
    lambda kind: setattr(kind(1.0), "a", 2.0),
    lambda kind: delattr(kind(1.0), "a"),
    lambda kind: setattr(kind(1.0), "other", 2.0),
    lambda kind: named(kind).name,
    lambda kind: hasattr(changed(named(kind), lambda x: delattr(x, "name")), "name"),
    lambda kind: delattr(named(kind), "a"),
    lambda kind: (dataclasses.is_dataclass(kind), kind.__dataclass_params__.frozen, kind.__match_args__),
    lambda kind: dataclasses.replace(kind(1.0), b=3.0) == kind(1.0, 3.0),
    lambda kind: dataclasses.asdict(kind(1.0)),
    lambda kind: copy.deepcopy(kind(1.0)) == kind(1.0) == copy.copy(kind(1.0)),
    lambda kind: (kind(NAN) == kind(float("nan")), kind(1.0) == (1.0, 2.0), kind(1.0) == Single(1.0)),
    # since Python 3.13 `dataclasses` compares field by field, and finds nan in none
    lambda kind: sys.version_info < (3, 13) and kind(NAN) == kind(NAN),
]


@pytest.mark.parametrize("check", ALIKE)
def test_records_behave_as_those_of_dataclasses(check: Callable[[Any], object]) -> None:
    assert outcome(check, pair(records.dataclass)) == outcome(check, pair(dataclasses.dataclass))


def test_subclasses() -> None:
    assert Double(1.0, 2.0) == pickle.loads(pickle.dumps(Double(1.0, 2.0))) != Single(1.0)
    assert repr(Double(1.0)) == "Double(x=1.0, y=0.0)" and Single(float("inf")) == Single(float("inf"))
    with pytest.raises(dataclasses.FrozenInstanceError, match="cannot assign to field"):
        Double(1.0).x = 2.0  # type: ignore[misc]

    @dataclasses.dataclass(frozen=True)
    class Triple(Double):
        """One of `dataclasses` itself."""

        z: float = 0.0

    assert Triple(1.0, 2.0, 3.0).z == 3.0


def test_own_methods_are_kept() -> None:
    @records.dataclass(frozen=True)
    class Own:
        """A class with an `__eq__`, a `__repr__` and an `__init__`."""

        x: int

        def __init__(self) -> None:
            object.__setattr__(self, "x", 5)

        def __eq__(self, other: object) -> bool:
            return True

        def __repr__(self) -> str:
            return "own"

    assert Own().x == 5 and repr(Own()) == "own" and Own() == 1 and hash(Own()) == hash((5,))


@pytest.mark.parametrize("flags", [{"frozen": False}, {"frozen": True, "field": dataclasses.field(init=False)}])
def test_what_records_do_not_do_is_refused(flags: dict[str, Any]) -> None:
    x = flags.pop("field", 0)
    with pytest.raises(TypeError, match="Some must be frozen, without"):
        records.dataclass(**flags)(type("Some", (), {"__annotations__": {"x": "int"}, "x": x, "__doc__": "Some."}))
