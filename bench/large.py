"""Robots of many joints: seconds to compile their kernels, and time per joint."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from bench import fresh

__all__ = ["KINDS", "METHODS", "Kernel", "kernels"]

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
