"""Who competes: one call from Python, batches on one core, one thread against two.

Every peer gets what suits it: arrays in its own order, made before the clock starts, and
room for the result where the contest is about throughput.
"""

from __future__ import annotations

from typing import Any

import mujoco  # type: ignore[import-untyped]
import numpy as np
import pinocchio as pin  # type: ignore[import-untyped]

from bench.mujoco_peer import MuJoCo
from bench.pinocchio_peer import Pinocchio
from bench.robots import Case, States
from bench.timing import Contestant, Timing

__all__ = ["MUJOCO", "OURS", "PINOCCHIO", "batches", "named", "single_call", "threads"]

OURS, PINOCCHIO, MUJOCO = "Revolute", "Pinocchio", "MuJoCo"

LONGEST_LOOP = 4096  # rows of a Python loop over MuJoCo; longer ones cost the same per row

Names = dict[str, Any]


def named(timings: tuple[Timing, ...], name: str) -> Timing:
    """The contestant of that name."""
    return next(x for x in timings if x.name == name)


def single_call(case: Case) -> list[Contestant]:
    """One state: (nq,) and (nv,) arrays, a new array for the result."""
    ours = _revolute(case, case.states(1))
    one = {key: x[0] if isinstance(x, np.ndarray) else x for key, x in ours.items()} | {"np": np}
    peer = Pinocchio(case)
    q, v, a = (x[:, 0].copy() for x in peer.states(case.states(1)))
    theirs = {"pin": pin, "model": peer.model, "data": peer.data, "q": q, "v": v, "a": a}
    simulator = MuJoCo(case)
    world = simulator.states(case.states(1))
    simulated = {"mujoco": mujoco, "model": simulator.model, "data": simulator.data}
    simulated |= {"q": world.q[0], "qd": world.qd[0], "qdd": world.qdd[0]}
    fill = "data.qpos[:] = q; data.qvel[:] = qd; data.qacc[:] = qdd"
    return [
        Contestant(OURS, "robot.inverse_dynamics(q, qd, qdd)", one),
        Contestant(PINOCCHIO, "pin.rnea(model, data, q, v, a)", theirs),
        Contestant(MUJOCO, f"{fill}; mujoco.mj_inverse(model, data)", simulated),
        Contestant(f"{MUJOCO}, filled before", "mujoco.mj_inverse(model, data)", simulated),
        Contestant(f"{OURS}, given result", "robot.inverse_dynamics(q, qd, qdd, out=tau)", one),
        Contestant(f"{OURS}, ufunc", "ufunc(q, qd, qdd)", one),
        Contestant(f"{OURS}, float32", "robot.inverse_dynamics(q, qd, qdd)", _in_float32(one)),
        Contestant("NumPy, for scale", "np.add(q, q)", one),
    ]


def batches(case: Case, rows: int) -> list[Contestant]:
    """A batch on one core: C-ordered rows for Revolute, Fortran-ordered columns for Pinocchio."""
    states = case.states(rows)
    ours, peer = _revolute(case, states), Pinocchio(case)
    call = "robot.inverse_dynamics(q, qd, qdd, out=tau, threads=1)"
    contestants = [
        Contestant(OURS, call, ours, rows),
        _pinocchio(peer, states, 1, PINOCCHIO),
        Contestant(f"{OURS}, new result", "robot.inverse_dynamics(q, qd, qdd)", ours, rows),
        Contestant(f"{OURS}, ufunc", "ufunc(q, qd, qdd, tau)", ours, rows),
        Contestant(f"{OURS}, float32", call, _in_float32(ours), rows),
    ]
    if rows <= LONGEST_LOOP:
        simulator = MuJoCo(case)
        world = simulator.states(states)
        loop = {"peer": simulator, "q": world.q, "qd": world.qd, "qdd": world.qdd, "tau": np.empty_like(world.qd)}
        contestants += [
            Contestant(MUJOCO, "peer.inverse(q, qd, qdd, tau)", loop, rows),
            Contestant(f"{MUJOCO}, recursion only", "peer.recursion(q, qd, qdd, tau)", loop, rows),
        ]
    return contestants


def threads(case: Case, rows: int) -> tuple[list[Contestant], list[Contestant]]:
    """One thread against two, ours and Pinocchio's; a contestant's name ends in its number of threads.

    Two contests: after a call, Pinocchio's second thread spins for some milliseconds in wait
    of the next, and would hold the core that a contestant of ours needs.
    """
    states = case.states(rows)
    names, peer = _revolute(case, states), Pinocchio(case)
    ours = [
        Contestant(f"{OURS}{kind} {count}", f"robot.inverse_dynamics(q, qd, qdd{out}, threads={count})", names, rows)
        for kind, out in ((",", ", out=tau"), (", new result,", ""))
        for count in (1, 2)
    ]
    return ours, [_pinocchio(peer, states, count, f"{PINOCCHIO}, {count}") for count in (1, 2)]


def _revolute(case: Case, states: States) -> Names:
    """What statements of ours refer to; the kernel is compiled here, not in a contest."""
    names = {"robot": case.robot, "ufunc": case.robot.kernel("inverse_dynamics").ufunc}
    return names | {"q": states.q, "qd": states.qd, "qdd": states.qdd, "tau": np.zeros_like(states.qd)}


def _in_float32(names: Names) -> Names:
    return {key: x.astype(np.float32) if isinstance(x, np.ndarray) else x for key, x in names.items()}


def _pinocchio(peer: Pinocchio, states: States, count: int, name: str) -> Contestant:
    q, v, a = peer.states(states)
    names = {"pin": pin, "pool": peer.pool(count), "Q": q, "V": v, "A": a, "TAU": peer.result(states.rows)}
    return Contestant(name, f"pin.rneaInParallel({count}, pool, Q, V, A, TAU)", names, states.rows)
