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

MAKERS = (dataclasses.dataclass, records.dataclass)


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


@pytest.fixture(params=MAKERS, ids=["dataclasses", "records"])
def kind(request: pytest.FixtureRequest) -> Any:
    return pair(request.param)


@records.dataclass(frozen=True)
class Single:
    """One number; at the top of a module, for pickles."""

    x: float


@records.dataclass(frozen=True)
class Double(Single):
    """Another one."""

    y: float = 0.0


def test_objects_are_made_by_place_and_by_name(kind: Any) -> None:
    x, y = kind(1.0), kind(b=2.0, a=1.0)
    assert x == y and hash(x) == hash(y) == hash((1.0, 2.0)) and x.seen == (1.0, 2.0)
    assert x.notes == [] and x.notes is not y.notes
    assert repr(x).endswith("Pair(a=1.0, b=2.0)")


def test_signatures_are_there_before_the_first_object(kind: Any) -> None:
    assert str(inspect.signature(kind)) == (
        "(a: 'float', b: 'float' = 2.0, notes: 'list[str]' = <factory>) -> None"
    )


@pytest.mark.parametrize("args", [(), (1, 2, [], 4)])
def test_wrong_arguments_are_refused(kind: Any, args: tuple[Any, ...]) -> None:
    with pytest.raises(TypeError, match=r"Pair\.__init__\(\)"):
        kind(*args)


def test_objects_do_not_change(kind: Any) -> None:
    x = kind(1.0)
    with pytest.raises(dataclasses.FrozenInstanceError, match="cannot assign to field 'a'"):
        x.a = 2.0
    with pytest.raises(dataclasses.FrozenInstanceError, match="cannot delete field 'a'"):
        del x.a
    with pytest.raises(dataclasses.FrozenInstanceError, match="cannot assign to field"):
        x.other = 1


def test_a_subclass_that_changes_may_have_attributes_of_its_own(kind: Any) -> None:
    x = type("Named", (kind,), {})(1.0)
    x.name = "one"
    del x.name
    assert not hasattr(x, "name")
    with pytest.raises(dataclasses.FrozenInstanceError, match="cannot delete field 'a'"):
        del x.a


def test_what_dataclasses_offers_works(kind: Any) -> None:
    x = kind(1.0)
    assert dataclasses.is_dataclass(kind) and kind.__dataclass_params__.frozen and kind.__match_args__[:2] == ("a", "b")
    assert dataclasses.replace(x, b=3.0) == kind(1.0, 3.0)
    assert dataclasses.asdict(x) == {"a": 1.0, "b": 2.0, "notes": []}
    assert copy.deepcopy(x) == x and copy.copy(x) == x


def test_other_classes_and_nan_compare_as_with_dataclasses(kind: Any) -> None:
    nan = float("nan")
    assert kind(nan) != kind(float("nan"))
    if sys.version_info < (3, 13):  # since then `dataclasses` compares field by field, and finds nan in none
        assert kind(nan) == kind(nan)
    assert kind(1.0) != (1.0, 2.0) and kind(1.0) != pair(dataclasses.dataclass)(1.0)


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
    with pytest.raises(TypeError, match="Some: use dataclasses"):
        records.dataclass(**flags)(type("Some", (), {"__annotations__": {"x": "int"}, "x": x, "__doc__": "Some."}))
