"""Patterns of calls, with arrays by name or in a dict: machine code puts them in order, and takes no others."""

import itertools
import sys
from collections import OrderedDict
from typing import Any

import numpy as np
import pytest
import sympy
from machine_code import Slow, fast_calls

import revolute
from revolute import UnknownNameError
from revolute.compiler.patterns import pattern
from revolute.targets.llvm.call_form import MOST_ARRAYS

RNG = np.random.default_rng(4)
ROBOT = revolute.robots.ur5()
Q, QD, QDD = RNG.uniform(-2, 2, (3, 6))
WRENCHES = {"tool0": RNG.standard_normal(6), "forearm_link": RNG.standard_normal(6)}


def test_wrenches_in_a_dict_go_straight_to_machine_code() -> None:
    robot, out = revolute.robots.ur5(), np.empty(6)
    kernel = robot.kernel("inverse_dynamics", wrenches=("tool0", "forearm_link"))
    expected = kernel(Q, QD, QDD, *WRENCHES.values())
    other = {name: 2 * w for name, w in reversed(WRENCHES.items())}
    doubled = kernel(Q, QD, QDD, *(2 * w for w in WRENCHES.values()))
    for _ in range(4):
        np.testing.assert_array_equal(robot.inverse_dynamics(Q, QD, QDD, wrenches=WRENCHES), expected)
        assert robot.inverse_dynamics(Q, QD, QDD, wrenches=WRENCHES, out=out) is out
        np.testing.assert_array_equal(out, expected)
        # forces of wrenches are added in another order: some roundings
        np.testing.assert_allclose(robot.inverse_dynamics(Q, QD, QDD, wrenches=other), doubled, rtol=1e-13, atol=1e-12)
    assert fast_calls(robot.inverse_dynamics) == 2  # dicts of either order


def test_named_arrays_in_any_order() -> None:
    robot = revolute.robots.ur5()
    expected, f = robot.kernel("inverse_dynamics")(Q, QD, QDD), robot.inverse_dynamics
    arrays = {"q": Q, "qd": QD, "qdd": QDD}
    for names in itertools.permutations(arrays):
        for _ in range(3):
            np.testing.assert_array_equal(f(**{name: arrays[name] for name in names}), expected)
    assert fast_calls(f) == 6


def test_one_object_for_several_arguments_is_learned_and_swaps_no_others() -> None:
    robot = revolute.robots.ur5()
    f, kernel = robot.bias_forces, robot.kernel("bias_forces")
    for x in (Q, [*Q], (*Q,)):
        np.testing.assert_array_equal(f(qd=x, q=x), kernel(Q, Q))
        assert fast_calls(f) == 1
        np.testing.assert_array_equal(f(qd=QD, q=Q), kernel(Q, QD))
        np.testing.assert_array_equal(f(qd=x, q=x), kernel(Q, Q))
    for _ in range(3):
        np.testing.assert_array_equal(f(Q, Q), kernel(Q, Q))
    np.testing.assert_array_equal(f(Q, QD), kernel(Q, QD))
    assert fast_calls(f) == 2

    push = RNG.standard_normal(6)
    loaded = robot.kernel("inverse_dynamics", wrenches=("tool0", "forearm_link"))
    for _ in range(3):
        found = robot.inverse_dynamics(Q, Q, Q, wrenches={"tool0": push, "forearm_link": push})
        np.testing.assert_array_equal(found, loaded(Q, Q, Q, push, push))
    np.testing.assert_array_equal(
        robot.inverse_dynamics(Q, QD, QDD, wrenches=WRENCHES), loaded(Q, QD, QDD, *WRENCHES.values())
    )
    assert fast_calls(robot.inverse_dynamics) == 1


@pytest.mark.parametrize("names", [("base_twist",), ("base_acceleration",), ("base_twist", "base_acceleration")])
def test_a_base_that_moves(names: tuple[str, ...]) -> None:
    robot = revolute.robots.ur5()
    f, zero = robot.inverse_dynamics, np.zeros(6)
    kernel = robot.kernel("inverse_dynamics", base_motion=True)
    for k in range(1, 5):
        moving = {name: k * w for name, w in zip(names, WRENCHES.values(), strict=False)}
        expected = kernel(Q, QD, QDD, moving.get("base_twist", zero), moving.get("base_acceleration", zero))
        np.testing.assert_array_equal(f(Q, QD, QDD, **moving), expected)
    assert fast_calls(f) == 1


def test_none_means_that_there_is_no_array() -> None:
    robot = revolute.robots.ur5()
    f, twist = robot.inverse_dynamics, WRENCHES["tool0"]
    for _ in range(3):
        f(Q, QD, QDD, base_twist=twist)
    np.testing.assert_array_equal(f(Q, QD, QDD, base_twist=None), robot.kernel("inverse_dynamics")(Q, QD, QDD))
    np.testing.assert_array_equal(f(Q, QD, QDD, base_twist=list(twist)), f(Q, QD, QDD, base_twist=twist))


def test_a_learned_call_takes_lists_by_one_conversion(monkeypatch: pytest.MonkeyPatch) -> None:
    """The method itself does not run again."""
    robot = revolute.robots.ur5()
    expected = [robot.inverse_dynamics(Q, QD, QDD), robot.inverse_dynamics(Q, QD, QDD, wrenches={"tool0": QD})]
    monkeypatch.setattr(revolute.Robot, "_run", None)
    for x in (QD.tolist(), tuple(QD), np.repeat(QD, 2)[::2]):
        np.testing.assert_array_equal(robot.inverse_dynamics(Q, x, QDD), expected[0])
        np.testing.assert_array_equal(robot.inverse_dynamics(Q, x, QDD, wrenches={"tool0": x}), expected[1])
    assert fast_calls(robot.inverse_dynamics) == 2


def test_drives_and_systems_too() -> None:
    driven = ROBOT.with_drives()
    for _ in range(3):
        found = driven.inverse_dynamics(Q, QD, QDD, wrenches=WRENCHES)
    kernel = driven.kernel("inverse_dynamics", wrenches=tuple(WRENCHES))
    np.testing.assert_array_equal(found, kernel(Q, QD, QDD, *WRENCHES.values()))
    assert fast_calls(driven.inverse_dynamics) == 1
    k, m, x, dx = sympy.symbols("k m x dx")
    spring = revolute.lagrange([x], m * dx**2 / 2, k * x**2 / 2)
    one, values = np.ones(1), {"m": np.array(2.0), "k": np.array(3.0)}
    for _ in range(3):
        np.testing.assert_array_equal(spring.inverse_dynamics(one, one, one, values), [5.0])
        np.testing.assert_array_equal(spring.inverse_dynamics(one, one, one, {"m": 2.0, "k": 3.0}), [5.0])
        np.testing.assert_array_equal(spring.inverse_dynamics(one, one, one, {k: 3.0, m: 2.0}), [5.0])
    assert fast_calls(spring.inverse_dynamics) == 2  # by names, and by symbols
    with pytest.raises(UnknownNameError, match="'c'"):
        spring.inverse_dynamics(one, one, one, {"m": np.array(2.0), "c": np.array(3.0)})


W, V = WRENCHES.values()
CALLS: list[tuple[tuple[Any, ...], dict[str, Any]]] = [
    ((Q, QD, QDD), {"wrenches": WRENCHES}), ((Q, QD, QDD, WRENCHES), {}),
    ((Q, QD, QDD, WRENCHES, "body"), {"flag": True}), ((), {"qdd": QDD, "wrenches": WRENCHES, "qd": QD, "q": Q}),
    ((Q, "body", QD, QDD), {"b": V, "a": W}),
]


@pytest.mark.parametrize(("args", "named"), CALLS)
def test_every_pattern_takes_its_own_calls_and_no_others(args: tuple[Any, ...], named: dict[str, Any]) -> None:
    kernel = ROBOT.kernel("inverse_dynamics", wrenches=tuple(WRENCHES))
    expected, out, slow = kernel(Q, QD, QDD, W, V), np.empty(6), Slow()
    call = kernel.fast_call(slow, pattern(args, named, (Q, QD, QDD, W, V)))
    assert type(call) is type(len)
    np.testing.assert_array_equal(call(*args, **named), expected)
    assert call(*args, **named, out=out) is out
    np.testing.assert_array_equal(out, expected)
    assert slow.calls == []
    for wrong, names in [
        (args[:-1], named) if args else ((), dict(list(named.items())[:-1])),
        ((*args, None), named),
        (args, {**named, "more": 1}),
        (args, {**named, "out": out, "more": 1}),
        (args, dict(reversed(named.items())) if len(named) > 1 else {"wrong": 1, **named}),
        ((), {}),
        (tuple("other" if isinstance(x, str) else x for x in args), {**named, "flag": 1}),
    ]:
        assert call(*wrong, **names) == "slow"
        assert slow.calls.pop() == (wrong, names)
    dicts = {}, {"tool0": Q}, WRENCHES | {"base_link": Q}, {"tool0": Q, "base_link": Q}, OrderedDict(WRENCHES)
    for less in (*dicts, [], None, Q, "body") if any(x is WRENCHES for x in (*args, *named.values())) else ():
        wrong = tuple(less if x is WRENCHES else x for x in args)
        assert isinstance(call(*wrong, **{k: less if x is WRENCHES else x for k, x in named.items()}), str)


def test_references_are_kept_as_they_were() -> None:
    robot = revolute.robots.ur5()
    w = {"tool0": np.ones(6)}
    out = np.empty(6)
    for _ in range(3):
        robot.inverse_dynamics(Q, QD, QDD, wrenches=w, out=out)
    things = (Q, QD, QDD, w, w["tool0"], out, "tool0")
    before = [sys.getrefcount(x) for x in things]
    for _ in range(1000):
        robot.inverse_dynamics(Q, QD, QDD, wrenches=w, out=out)
        robot.inverse_dynamics(Q, QD, QDD, wrenches=w)
    assert [sys.getrefcount(x) for x in things] == before


@pytest.mark.parametrize("first", [np.float64, np.float32])
def test_the_type_of_a_later_call_is_its_own(first: type) -> None:
    """Seen to go wrong: all calls by name were in the type of the first."""
    robot = revolute.robots.ur5()
    f = robot.inverse_dynamics
    for dtype in (first, np.float64, np.float32) * 3:
        q, qd, qdd = (x.astype(dtype) for x in (Q, QD, QDD))
        w = {name: x.astype(dtype) for name, x in WRENCHES.items()}
        plain = robot.kernel("inverse_dynamics", dtype=dtype)(q, qd, qdd)
        loaded = robot.kernel("inverse_dynamics", dtype=dtype, wrenches=tuple(w))(q, qd, qdd, *w.values())
        for found, expected in ((f(qdd=qdd, qd=qd, q=q), plain), (f(q, qd, qdd, wrenches=w), loaded)):
            assert found.dtype == dtype
            np.testing.assert_array_equal(found, expected)
        assert f(qdd=qdd.astype(float), qd=qd.astype(np.float32), q=q.astype(int)).dtype == np.float64
    assert fast_calls(f) == 4


def test_a_system_computes_in_float32_if_all_that_it_gets_has_it() -> None:
    x, dx, k = sympy.symbols("x dx k")
    system, single = revolute.lagrange([x], dx**2 / 2, x**2 * k / 6), np.float32([1.0])
    for value, dtype in ((np.float32(2.0), "float64"), (np.array(2.0, "f"), "float32"), (2.0, "float64")):
        for _ in range(3):
            (found,) = system.gravity_forces(single, {"k": value})
            assert found.dtype.name == dtype and found == np.dtype(dtype).type(2) / np.dtype(dtype).type(3)


def test_strange_names_are_taken_by_python() -> None:
    robot = revolute.robots.ur5()
    for _ in range(3):
        np.testing.assert_array_equal(robot.gravity_forces(**{np.str_("q"): Q}), robot.kernel("gravity_forces")(Q))
    name = "".join(["q", "d"])
    for _ in range(3):
        robot.bias_forces(Q, **{name: QD})
    assert fast_calls(robot.gravity_forces) == 0 and fast_calls(robot.bias_forces) == 1


def test_a_dict_that_changes_while_its_keys_are_compared() -> None:
    """Machine code compares no keys but by identity, so nobody's code runs while it holds the values."""

    class Key(str):
        def __eq__(self, other: object) -> bool:
            wrenches[self] = np.zeros(6)
            return str.__eq__(self, other)

        __hash__ = str.__hash__

    robot = revolute.robots.ur5()
    wrenches: dict[str, np.ndarray] = {Key("tool0"): np.ones(6)}
    for _ in range(3):
        robot.inverse_dynamics(Q, QD, QDD, wrenches={"tool0": np.ones(6)})
        assert np.isfinite(robot.inverse_dynamics(Q, QD, QDD, wrenches=wrenches)).all()


def test_what_is_no_pattern() -> None:
    a, b = np.zeros(2), np.ones(2)
    assert pattern((a, b), {}, (a, b)) is not None
    for args, named, inputs in [
        ((a,), {"x": b}, (a, b + 0)),  # an input from nowhere
        ((a, 0.5), {}, (a,)),  # no option
        ((a,), {"x": {"p": b, "q": a}}, (a, b)),  # what is in the dict is an argument elsewhere
        ((a,), {"x": {"p": b}, "y": {"q": b}}, (a, b, b)),
        ((), {"x": a, "y": a}, (a, a)),
        ((a,), {"x": {"p": b, "q": 1.0}}, (a, b)),
        ((), {"x": a, "y": {"p": a}}, (a,)),
        ((), {"x": a, "y": a}, (a,)),
    ]:
        assert pattern(args, named, inputs) is None
    many = tuple(np.zeros(1) for _ in range(MOST_ARRAYS + 1))
    assert pattern(many, {}, many) is None and pattern(many[1:], {}, many[1:]) is not None
