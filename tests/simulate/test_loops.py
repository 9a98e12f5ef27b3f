"""Fixed steps in machine code: the same bits as step by step, for all machines, batches, threads and pieces."""

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
import pytest
from comparing import assert_each, assert_raises
from motions import arrays, step_by_step
from robots import BOX, chain

import revolute
from revolute import Drive, Link, Robot, SimulationError
from revolute.compiler import batch, pool, recurrence
from revolute.compiler.signature import Signature
from revolute.dynamics.steps import IMPLICIT
from revolute.graph import Input
from revolute.simulate import FIXED, loop
from revolute.targets.llvm import group, host
from revolute.targets.llvm.recurrence import LoopForm, Stage, joined

H = 1e-3


TWO = revolute.Composite((revolute.Revolute((1, 0, 0)), revolute.Prismatic((0, 1, 0))))
"""Its rates are products of coordinates."""
MACHINES: dict[str, Callable[[], Any]] = {
    "ur5": revolute.robots.ur5,
    "panda": revolute.robots.panda,
    "floating": lambda: revolute.robots.random_tree(1, rng=3, base="free"),
    "composed": lambda: chain((BOX, revolute.Spherical()), (BOX, revolute.Cylindrical((0, 0, 1))), (BOX, TWO)),
    "driven": lambda: revolute.robots.planar(2).with_drives({"joint1": Drive(armature=(0.3,), damping=(0.2,))}),
    "coupled": lambda: revolute.robots.random_tree(2, rng=4).with_drives(
        {"joint2": Drive(friction=(0.5,), armature=(0.1,))}, smoothing=0.1
    ),
    "elastic": lambda: revolute.robots.planar(2).with_elastic_joints(500.0, rotor_inertia=0.2),
}


@cache
def machine(name: str) -> Any:
    return MACHINES[name]()


def states(name: str, batch: tuple[int, ...]) -> tuple[np.ndarray, ...]:
    """A first state, and the number of joint forces."""
    rng, robot = np.random.default_rng(7), machine(name)
    rigid = getattr(robot, "robot", robot)
    q = np.array([rigid.random_configuration(rng=rng) for _ in range(int(np.prod(batch)))]).reshape(*batch, rigid.nq)
    qd = rng.standard_normal((*batch, rigid.nv))
    return (q, q + 0.01, qd, qd) if name == "elastic" else (q, qd)


def require_same(simulate: Callable[[], Any]) -> Any:
    motion = simulate()
    assert_each(np.testing.assert_array_equal, arrays(motion), arrays(step_by_step(simulate)), strict=True)
    return motion


SMALL = ("floating", "composed", "driven", "coupled", "elastic")
SOLVED = ("composed", "coupled", "elastic")
"""Machines for all methods, and for steps that solve equations: all kinds of joints and forces, few coordinates."""


@pytest.mark.parametrize(
    ("name", "method"),
    [("ur5", "semi_implicit_euler"), ("ur5", "runge_kutta_4")]
    + [(name, method) for name in SMALL for method in FIXED if name in SOLVED or method not in IMPLICIT],
)
def test_the_bits_are_those_of_single_steps(name: str, method: str) -> None:
    """Rows by the code for rows (3) and by that for blocks, the last of which overlaps (9)."""
    rng = np.random.default_rng(1)
    for rows in (3, 9):
        state, t = states(name, (rows,)), np.cumsum(rng.uniform(0.5, 1.5, 12)) * H
        n = 2 if name == "elastic" else machine(name).nv
        table = rng.standard_normal((rows, len(t), n))
        motion = require_same(lambda: machine(name).simulate(*state, table, t, method=method))  # noqa: B023
        assert np.ptp(motion.qd, axis=-2).min() > 0 and np.isfinite(motion.energy).all()


@pytest.mark.parametrize("batch", [(), (1,), (4,), (5,), (2, 3), (0,), (3, 0)])
@pytest.mark.parametrize("torque", ["none", "constant", "table", "one table for all", "one for the first axis"])
def test_batches_and_torques(batch: tuple[int, ...], torque: str) -> None:
    rng, t = np.random.default_rng(2), np.arange(7) * H
    forces = {
        "none": None,
        "constant": rng.standard_normal(6),
        "table": rng.standard_normal((*batch, len(t), 6)),
        "one table for all": rng.standard_normal((len(t), 6)),
        "one for the first axis": rng.standard_normal((*(min(n, 1) for n in batch[:1]), *batch[1:], len(t), 6)),
    }[torque]
    motion = require_same(lambda: machine("ur5").simulate(*states("ur5", batch), forces, t, "semi_implicit_euler"))
    assert motion.q.shape == (*batch, 7, 6) and motion.energy.shape == (*batch, 7)
    assert np.moveaxis(motion.q, -2, 0).flags.c_contiguous  # the first axis in memory is time


def test_damping_and_wrenches() -> None:
    robot, loads = machine("panda"), np.random.default_rng(3).standard_normal((6, 9, 6))
    given = *states("panda", (6,)), None, np.arange(9) * H, "semi_implicit_euler"
    wrenches = {robot.link_names[-1]: loads, robot.link_names[3]: np.arange(6.0)}
    motion = require_same(lambda: robot.simulate(*given, joint_damping=True, wrenches=wrenches))
    assert not np.array_equal(motion.q, robot.simulate(*given).q)


@pytest.mark.parametrize("threads", [1, 2, 3, None])
def test_threads_and_pieces_do_not_change_a_bit(threads: int | None, monkeypatch: pytest.MonkeyPatch) -> None:
    state, table = states("ur5", (67,)), np.random.default_rng(4).standard_normal((67, 30, 6))

    def simulate() -> Any:
        return machine("ur5").simulate(*state, table, np.arange(30) * H, "semi_implicit_euler", threads=threads)

    whole, calls = simulate(), short_calls(monkeypatch)
    with monkeypatch.context() as patch:
        patch.setattr(recurrence, "CALL", 2e4)  # some instants of some groups
        patch.setattr(recurrence, "SHARES", 2)
        patch.setattr(pool, "PIECE", 1e4)
        patch.setattr(batch, "PAYS", 1)
        patch.setattr(batch, "cores", lambda: 3)
        assert_each(np.testing.assert_array_equal, arrays(simulate()), arrays(whole))
    assert len(calls) > 3 and max(groups for _, groups in calls) > 1


@pytest.mark.parametrize("name", ["ur5", "composed", "elastic"])
@pytest.mark.parametrize("rows", [4, 9, 16, 17, 37])
def test_records_past_the_cache_have_the_same_bits(name: str, rows: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Groups that are full, that have one block, and that overlap the group before."""
    state, t = states(name, (rows,)), np.arange(9) * H

    def simulate() -> Any:
        return machine(name).simulate(*state, None, t, method="semi_implicit_euler")

    usual = simulate()
    monkeypatch.setattr(recurrence, "BYPASS", 0)
    monkeypatch.setattr(loop, "new_array", lambda shape, dtype: np.full(shape, np.nan, dtype))
    assert_each(np.testing.assert_array_equal, arrays(simulate()), arrays(usual), strict=True)


@pytest.mark.parametrize("bypass", [0, 1 << 60])
def test_blocks_of_long_code_go_through_it_in_groups(bypass: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of three blocks, the last of which overlaps, with the bits of single steps; records in stages or straight."""
    for name, value in (("LONG", 0), ("MOST", 3), ("SPARSE", 1e9)):
        monkeypatch.setattr(group, name, value)
    monkeypatch.setattr(recurrence, "BYPASS", bypass)
    monkeypatch.setattr(recurrence, "load_stored", lambda key: None)
    robot = revolute.robots.random_tree(3, rng=29, branching=0.6)
    rows, rng = 7 * host().lanes().width + 1, np.random.default_rng(2)
    q, qd = rng.standard_normal((rows, robot.nq)), rng.standard_normal((rows, robot.nv))
    require_same(lambda: robot.simulate(q, qd, None, np.arange(9) * H))


def short_calls(monkeypatch: pytest.MonkeyPatch) -> list[tuple[int, int]]:
    """Collects the number of instants and of groups of blocks of every call of machine code."""
    calls: list[tuple[int, int]] = []
    plain = recurrence._calls

    def counted(*given: Any) -> Any:
        for span, part in plain(*given):
            calls.append((len(span), len(part)))
            yield span, part

    monkeypatch.setattr(recurrence, "_calls", counted)
    return calls


def test_one_call_takes_all_steps_of_a_short_motion(monkeypatch: pytest.MonkeyPatch) -> None:
    machine("ur5").simulate(*states("ur5", ()), None, np.arange(3) * H)
    calls = short_calls(monkeypatch)
    machine("ur5").simulate(*states("ur5", ()), None, np.arange(1000) * H)
    assert calls == [(1000, 1)]


def test_a_long_motion_comes_back_to_python_for_signals(monkeypatch: pytest.MonkeyPatch) -> None:
    arm, calls = revolute.robots.planar(1), short_calls(monkeypatch)
    arm.simulate([0.1], [0.0], None, np.arange(600_000) * 1e-4, "semi_implicit_euler")
    operations = next(iter(arm._loops.values()))._code[1][-1]
    assert len(calls) > 1 and max(instants for instants, _ in calls) * operations <= recurrence.CALL
    assert sum(instants for instants, _ in calls) == 600_000


@pytest.mark.parametrize("call", [recurrence.CALL, 1.0])
@pytest.mark.parametrize("rows", [2, 11])
def test_a_motion_that_diverges_is_told_as_step_by_step(
    rows: int, call: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The row that diverges first is neither the first nor the last; others stay finite. Also by an instant a call."""
    monkeypatch.setattr(recurrence, "CALL", call)
    arm, t = revolute.robots.planar(2), np.arange(60.0)
    state = np.zeros((rows, 2)), np.zeros((rows, 2))
    state[1][1] = [0.0, 1e3]
    state[1][rows // 2] = [1e5, -1e5]
    found = []
    for simulate in (lambda f: f(), step_by_step):
        with pytest.raises(SimulationError, match=r"diverges at t=\d+ s, first in joint 'joint\d'") as caught:
            simulate(lambda: arm.simulate(*state, [1e3, -1e3], t, "explicit_euler"))
        found.append(caught.value)
    assert str(found[0]) == str(found[1]) and len(found[0].partial.t) > 1 and np.isfinite(found[0].partial.q).all()
    assert_each(np.testing.assert_array_equal, *(arrays(error.partial) for error in found))


def test_a_robot_without_joints() -> None:
    rock = Robot.from_links("rock", [Link("base")], [])
    require_same(lambda: rock.simulate(np.zeros((5, 0)), np.zeros((5, 0)), None, [0.0, 0.1]))


def test_code_from_the_disk_needs_no_trace() -> None:
    for robot in (revolute.robots.planar(4), revolute.robots.planar(4)):
        robot.simulate(np.zeros(4), np.zeros(4), None, [0.0, 0.1])
    (loop,) = robot._loops.values()
    assert "recurrence" not in vars(loop)


def test_threads_are_checked() -> None:
    call, message = machine("ur5").simulate, "threads must be a positive number, not 0"
    assert_raises(revolute.InputError, message, call, np.zeros(6), np.zeros(6), None, [0.0, 0.1], threads=0)


def graph(body: Callable[..., Any], outputs: int, shape: tuple[int, ...] = ()) -> Any:
    return Signature("f", (Input("x", (3,)),), tuple((f"y{k}", shape) for k in range(outputs)), body).graph()


def test_joined_functions_have_the_bits_of_each_alone() -> None:
    """x y is fused with the sum that alone uses it, and is not if it is a result too."""
    fused = graph(lambda x: [x[0] * x[1] + x[2]], 1)
    apart = graph(lambda x: [[x[0] * x[1] + x[2]], [x[0] * x[1]]], 2)
    form = LoopForm({"x": (3,)}, {}, {"a": (), "b": (), "c": ()})
    same = Stage(graph(list, 1, (3,)), ("x",), ("next x",))
    body = joined(form, [same, Stage(fused, ("x",), ("a",)), Stage(apart, ("x",), ("b", "c"))]).body
    _, a, b, c = (y.nodes[0] for y in body.outputs)
    assert (a.op, b.op, c.op) == ("fma", "add", "mul") and c in b.args


def test_steps_accelerations_and_energies_share_what_they_have_in_common() -> None:
    machine("ur5").simulate(*states("ur5", ()), None, [0.0, 0.1], "semi_implicit_euler")
    body = next(x for key, x in machine("ur5")._loops.items() if key[0] == "semi_implicit_euler").recurrence.body
    assert [y.name for y in body.outputs] == ["next q", "next qd", "qdd", "tau", "T", "U"]
    assert [node.op for node in body.nodes].count("sin") == 5  # gravity and inertia do not feel the first joint
