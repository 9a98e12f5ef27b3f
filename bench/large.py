"""Robots of many joints: seconds to compile their kernels, and time per joint."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np

from bench import fresh
from bench.peaks import bandwidth
from bench.robots import CASES
from bench.timing import Contestant, Effort, only_cores, race

__all__ = ["KINDS", "METHODS", "Kernel", "kernels", "stores", "talos", "talos_operations"]

METHODS = {"inverse_dynamics": "q, qd, qdd", "forward_dynamics": "q, qd, qdd", "mass_matrix": "q"}
KINDS = {"tree": 0.3, "chain": 0.0}
"""The parts of `random_tree`'s joints that branch off."""
RESULTS_BYTES = 8 << 20


@dataclass(frozen=True)
class Kernel:
    """A kernel of a robot of `joints` joints; `large` is None where it was given up after `limit` seconds."""

    kind: str
    joints: int
    method: str
    limit: float
    large: fresh.Large | None

    @property
    def joint(self) -> float | None:
        """Nanoseconds of a joint in a row."""
        return 1e9 * self.large.row / self.joints if self.large else None

    @property
    def operations(self) -> float:
        """Multiplications and additions of a joint in a row; not a number where it was given up."""
        return self.large.operations / self.joints if self.large else float("nan")

    @property
    def number(self) -> float | None:
        """Nanoseconds of a number of a row's result."""
        numbers = self.joints if self.method == "mass_matrix" else 1
        return self.joint / numbers if self.joint is not None else None


def kernels(joints: Sequence[int], limit: float, say: Callable[[str], None]) -> list[Kernel]:
    """Every kernel of trees and chains, each compiled in a process of its own."""
    found = []
    for kind, branching in KINDS.items():
        for method in METHODS:
            for n in joints:
                made = fresh.large(n, branching, method, rows(n, method), limit)
                found.append(Kernel(kind, n, method, limit, made))
                say(f"{kind} of {n}, {method}: {f'{made.compile:.2f} s' if made else f'more than {limit:g} s'}")
    return found


def rows(joints: int, method: str) -> int:
    """As many as in batches of Talos, or fewer where results would fill the caches."""
    numbers = joints**2 if method == "mass_matrix" else joints
    return max(8, min(512, RESULTS_BYTES // (8 * numbers)))


def stores(joints: int) -> float:
    """Nanoseconds of a store of a number into memory of the size of a batch of mass matrices, measured."""
    return 8e9 / bandwidth(8 * joints**2 * rows(joints, "mass_matrix")).write


@cache
def talos(method: str) -> float:
    """Nanoseconds of a joint of Talos in a row, measured as for large robots."""
    case = next(x for x in CASES if x.key == "talos")
    count = rows(case.robot.nv, method)
    states, kernel = case.states(count), case.robot.kernel(method)
    names = {"kernel": kernel, "q": states.q, "qd": states.qd, "qdd": states.qdd}
    call = f"kernel({METHODS[method]}"
    given = np.empty((count, *kernel.outputs[0][1]))
    with only_cores(1):
        contestant = Contestant(method, f"{call}, out=given, threads=1)", names | {"given": given}, count)
        (timing,) = race([contestant], Effort(slice=0.0, seconds=0.5, least=5, most=200))
    return timing.per_row / case.robot.nv


def talos_operations(method: str) -> float:
    """Multiplications and additions of a joint of Talos in a row."""
    robot = next(x for x in CASES if x.key == "talos").robot
    return robot.count(method).arithmetic / robot.nv
