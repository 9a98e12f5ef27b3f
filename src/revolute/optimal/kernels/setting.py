"""The settings of a problem's compiled functions, and the layout of its parameters in arrays."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate, pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from revolute.compiler.kernel import Kernel, compiled
from revolute.compiler.signature import Signature
from revolute.dynamics.optimal.holding import NUMBERS
from revolute.dynamics.optimal.stepping import Dynamics
from revolute.errors import InputError
from revolute.graph import Input
from revolute.model.identity import exact_text
from revolute.optimal.costs.cost import Between, Cost, CostNode, within
from revolute.spatial.scalar import Scalar, Scalars

Shape = tuple[int, ...]


@dataclass(frozen=True)
class ParameterPlace:
    """Slices of a cost's weights, goal and multiplier shifts among the parameters of a node."""

    weight: slice
    goal: slice
    shift: slice


@dataclass(frozen=True, eq=False)
class Setting:
    """A robot, the distinct costs of its running nodes and of the end, and its controls.

    `motors` are indices of the coordinates whose forces are the controls. None: every coordinate has a motor without
    bounds, and accelerations are the controls. Forces have bounds if `boxed`.
    """

    dynamics: Dynamics
    costs: tuple[Cost, ...]
    motors: tuple[int, ...] | None = None
    boxed: bool = False

    @cached_property
    def sizes(self) -> tuple[int, int, int, int]:
        """Sizes of the state, its tangent space, the velocities (nv), and the controls."""
        n, N = self.dynamics.space.nv, self.dynamics.size
        return self.dynamics.space.nq + N - n, N, n, n if self.motors is None else len(self.motors)

    @property
    def accelerated(self) -> bool:
        """Whether the controls of the Riccati pass are accelerations: of all coordinates, or of those with a motor."""
        return self.dynamics.lean and not self.boxed and not self.dynamics.holds

    @cached_property
    def passive(self) -> tuple[int, ...]:
        """Indices of coordinates without a motor, if accelerations of coordinates with a motor are the controls."""
        found = range(self.sizes[2]) if self.accelerated and self.motors is not None else ()
        return tuple(k for k in found if k not in (self.motors or ()))

    def joined(self, passive: Sequence[Any], active: Sequence[Any]) -> list[Any]:
        """Values of all coordinates, merged from values of passive coordinates and of coordinates with a motor."""
        parts = iter(passive), iter(active)
        return [next(parts[k not in self.passive]) for k in range(self.sizes[2])]

    @cached_property
    def counts(self) -> tuple[int, ...]:
        """Number of errors of each cost."""
        return tuple(cost.size(self.dynamics) for cost in self.costs)

    @cached_property
    def places(self) -> tuple[ParameterPlace, ...]:
        """Slices of the parameters of each cost among those of a node."""
        sizes: list[int] = []
        for cost, n in zip(self.costs, self.counts, strict=True):
            sizes += [n, cost.goal_size(self.dynamics), n * cost.hard]
        parts = iter([slice(a, b) for a, b in pairwise([0, *accumulate(sizes)])])
        return tuple(ParameterPlace(*three) for three in zip(parts, parts, parts, strict=True))

    @cached_property
    def contact_numbers(self) -> slice:
        """Slice of the parameters of contacts among those of a node, after those of costs: see `Holding`."""
        first, count = self.places[-1].shift.stop, len(self.dynamics.contacts)
        return slice(first, first + count * NUMBERS + (count > 0))

    @property
    def parameters(self) -> int:
        """Number of parameters of a node."""
        return int(self.contact_numbers.stop)

    def stretch(self, p: NDArray[Any], ratio: float) -> None:
        """Adapt the contact gains 1/h^2 and 1/h to steps longer by `ratio`; gains given by the user are unchanged."""
        if self.dynamics.contacts and not self.dynamics.gains:
            first = self.contact_numbers.start
            p[..., first] /= ratio
            for k in range(first + 2, self.contact_numbers.stop, NUMBERS):
                p[..., k : k + 3] /= ratio**2

    @property
    def motions(self) -> int:
        """Number of accelerations plus number of forces of contacts and closures."""
        return self.sizes[2] + self.dynamics.rows

    @cached_property
    def hard(self) -> int:
        """Number of errors that must become zero."""
        return sum(n for cost, n in zip(self.costs, self.counts, strict=True) if cost.hard)

    @cached_property
    def turning(self) -> tuple[slice, ...]:
        """Indices in qd of joints with several coordinates, whose steps have derivatives other than 1 and h."""
        space = self.dynamics.space
        return tuple(at for body, at in zip(space.bodies, space.v_index, strict=True) if body.joint.nv > 1)

    @cached_property
    def step_entries(self) -> int:
        """Number of entries in the blocks of F_q (or F_v) of the joints in `turning`."""
        return sum((at.stop - at.start) ** 2 for at in self.turning)

    def accelerations(self, x: Scalars, tau: Scalars, p: Scalars, h: Scalar = None) -> list[Scalar]:
        """Accelerations, and forces of contacts and closures, at a node with parameters p, in a step of length h."""
        q, qd, _ = self.dynamics.parts(x)
        return self.dynamics.accelerations(q, qd, tau, p[self.contact_numbers], h)

    def node(self, x: Scalars, qdd: Scalars, tau: Scalars, p: Scalars, h: Scalar) -> CostNode:
        """A node as an argument of costs; qdd are its accelerations, then forces of contacts and closures."""
        (q, qd, before), n = self.dynamics.parts(x), self.sizes[2]
        seen = self.dynamics.positions(q), self.dynamics.rates(qd), p[self.contact_numbers][1::NUMBERS], qdd[n:]
        return CostNode(q, qd, qdd[:n], tau, before, h, *seen)

    def errors(self, node: CostNode, p: Scalars) -> list[Sequence[Scalar | Between]]:
        """The errors of each cost."""
        found = [cost.errors(self.dynamics, node, p[at.goal]) for cost, at in zip(self.costs, self.places, strict=True)]
        for cost, errors, n in zip(self.costs, found, self.counts, strict=True):
            if len(errors) != n:
                raise InputError(
                    f"{type(cost).__name__}.errors returns {len(errors)} scalars, but {type(cost).__name__}.size is "
                    f"{n}; define size, which is the number of scalars of the goal by default"
                )
        return found

    def residuals(self, node: CostNode, p: Scalars) -> list[tuple[list[Scalar], Scalars]]:
        """For each cost, the residuals with multiplier shifts, and their weights."""
        found = []
        for cost, errors, at in zip(self.costs, self.errors(node, p), self.places, strict=True):
            shifts = p[at.shift] if cost.hard else (0,) * len(errors)
            found.append(([within(e, s) for e, s in zip(errors, shifts, strict=True)], p[at.weight]))
        return found

    def cost(self, x: Scalars, qdd: Scalars, tau: Scalars, p: Scalars, h: Scalar) -> Scalar:
        """The cost of a node."""
        return sum(half_squares(r, w) for r, w in self.residuals(self.node(x, qdd, tau, p, h), p))

    def kernel(
        self, name: str, inputs: Mapping[str, Shape], outputs: Mapping[str, Shape], body: Callable[..., list[Scalars]],
        again: Callable[[], Kernel],
    ) -> Kernel:
        """A compiled function; in another process, `again` creates it again."""
        form = Signature(name, tuple(Input(*x) for x in inputs.items()), tuple(outputs.items()), body)
        return compiled("robot", self.dynamics.model.name, form, np.float64, self.identity(name), again)

    def identity(self, *parts: Any) -> str | None:
        """The exact text of all data that determine the compiled functions; None if user code is part of them."""
        digest, dynamics = self.dynamics.model.digest, self.dynamics
        if digest is None:
            return None
        steps = dynamics.drives, dynamics.method, dynamics.remembers
        holds = dynamics.contacts, dynamics.gains, dynamics.closures
        return exact_text((digest, *steps, *holds, self.costs, self.motors, self.boxed, *parts))


def half_squares(residuals: Scalars, weights: Scalars) -> Scalar:
    """Half the weighted sum of squares."""
    return 0.5 * sum(w * (r * r) for r, w in zip(residuals, weights, strict=True))
