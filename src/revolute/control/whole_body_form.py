"""The kernel of whole-body control: the quadratic program of a robot, tasks and contacts, in the arrays of a solver."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, partial, reduce
from itertools import accumulate, pairwise
from math import prod

import numpy as np

from revolute.compiler.kernel import Kernel, compiled
from revolute.compiler.signature import Signature, flat
from revolute.control.tasks import PostureTask, Task
from revolute.dynamics.active_set import most
from revolute.dynamics.contacts import Contacts, on_shared_links, touch
from revolute.dynamics.control.whole_body import Program, Rowed, acceleration_box, held, independent, place, wanted
from revolute.dynamics.driven import driven_bias_forces, driven_mass_matrix
from revolute.dynamics.mass_matrix import mass_matrix
from revolute.dynamics.mobility import dot
from revolute.dynamics.newton_euler import bias_forces
from revolute.dynamics.optimal.stepping import Dynamics
from revolute.dynamics.sparse_factorization import is_zero
from revolute.graph import Input
from revolute.machine.functions.closures import Loops
from revolute.machine.functions.closures import drift as drift_of_loops
from revolute.machine.functions.closures import error as error_of_loops
from revolute.machine.functions.closures import jacobian as jacobian_of_loops
from revolute.model.contact import NUMBERS
from revolute.model.identity import exact_text
from revolute.model.model import Closure, Model
from revolute.model.reduce import aligned
from revolute.records import dataclass as record
from revolute.spatial.scalar import Scalar, Scalars

POSE, POINT = 16, 3
"""Sizes of an anchor: the pose of a link with several contacts, or the point of a link with one contact."""


@record(frozen=True)
class Stand:
    """The contacts of one link, by their indices. Several contacts hold the link's pose, a single one holds a point."""

    link: str
    contacts: tuple[int, ...]

    @property
    def rows(self) -> int:
        """Number of components of the link's motion that the contacts hold."""
        return 6 if len(self.contacts) > 1 else 3


@dataclass(frozen=True, eq=False)
class ProgramForm:
    """The data that determine a program's kernel; `rows` are the rows of each task whose weight is above zero."""

    dynamics: Dynamics
    tasks: tuple[Task, ...]
    rows: tuple[tuple[int, ...], ...]
    hard: tuple[str, ...]
    contacts: Contacts
    stands: tuple[Stand, ...]
    motors: tuple[int, ...]
    closures: tuple[Closure, ...]

    @cached_property
    def model(self) -> Model:
        """The model of the links, for tasks and contacts."""
        return aligned(self.dynamics.model)

    def seen(self, task: Task) -> Model:
        """The model on whose positions a task depends: of the coordinates, or of the links."""
        return self.dynamics.space if task.of_coordinates else self.model

    @cached_property
    def places(self) -> list[list[slice]]:
        """For each task, the slices of its target, rate, acceleration, weights and gain in the input of all tasks."""
        sizes = ((prod(x.target_shape(self.seen(x))), x.size(self.seen(x))) for x in self.tasks)
        parts = _slices([n for target, size in sizes for n in (target, size, size, size, 1)])
        return [parts[k : k + 5] for k in range(0, len(parts), 5)]

    @cached_property
    def anchors(self) -> list[slice]:
        """The slice of each stand's anchor in the input of all anchors."""
        return _slices([POSE if len(x.contacts) > 1 else POINT for x in self.stands])

    @cached_property
    def counts(self) -> tuple[int, int, int]:
        """The numbers of variables, of equalities that can always hold, and of all equalities."""
        tasks = [(x, len(rows)) for x, rows in zip(self.tasks, self.rows, strict=True)]
        soft = sum(n for x, n in tasks if x.called() not in self.hard and not self._is_near(x))
        n, firm = self.dynamics.space.nv, self.dynamics.space.nv - len(self.motors) + soft
        return n + 3 * len(self.contacts) + self.loop_rows + soft, firm, firm + len(self.constraints)

    @property
    def loop_rows(self) -> int:
        """Number of rows of closed loops."""
        return sum(len(closure.row_names()) for closure in self.closures)

    @property
    def constraints(self) -> list[str]:
        """The name of the contact, loop or hard task of each equality that may be impossible to satisfy."""
        tasks = zip(self.tasks, self.rows, strict=True)
        hard = [f"task '{x.called()}'" for x, rows in tasks if x.called() in self.hard for _ in rows]
        loops = [f"loop '{name}'" for closure in self.closures for name in closure.row_names()]
        return [f"contact of '{x.link}'" for x in self.stands for _ in range(x.rows)] + loops + hard

    def _is_near(self, task: Task) -> bool:
        """Whether a task is soft, and each row of its Jacobian has a single nonzero entry, which is 1."""
        return isinstance(task, PostureTask) and task.called() not in self.hard

    @property
    def kernel(self) -> Kernel:
        """The compiled program: see `revolute.dynamics.control.whole_body.Program`."""
        model, nv, k, m = self.dynamics.model, self.dynamics.space.nv, len(self.contacts), len(self.motors)
        size, _, equal = self.counts
        rows = equal + 4 * k + m
        inputs = {"q": (self.dynamics.space.nq,), "qd": (nv,), "limits": (nv, 5), "efforts": (2, m), "settings": (3,)}
        inputs |= {"tasks": (self.places[-1][-1].stop,)} if self.tasks else {}
        inputs |= {"contacts": (k, NUMBERS), "active": (k,), "anchors": (self.anchors[-1].stop,)} if k else {}
        outputs = {"H": (size,), "g": (size,), "A": (rows, size), "lower": (nv + rows,), "upper": (nv + rows,)}
        outputs |= {"bias": (m,), **({"places": (k, 12)} if k else {})}
        given = tuple(Input(*x) for x in inputs.items())
        form = Signature("whole_body_program", given, tuple(outputs.items()), self._body)
        parts = self.dynamics.drives, self.tasks, self.rows, self.hard, self.contacts, self.stands, self.motors
        identity = model.digest and exact_text((model.digest, form.name, *parts, self.closures))
        return compiled("robot", model.name, form, np.float64, identity, partial(_kernel, self))

    def _body(
        self, q: Scalars, v: Scalars, limits: Scalars, efforts: Scalars, settings: Scalars, *more: Scalars
    ) -> list[Scalars]:
        tasks, (numbers, active, anchors) = (more[0] if self.tasks else ()), (more[-3:] if self.contacts else ((),) * 3)
        dynamics, model, m = self.dynamics, self.model, len(self.motors)
        joints, rates = dynamics.positions(q), dynamics.rates(v)
        near, soft, hard = self._tasks(q, v, tasks)
        given = (numbers[k * NUMBERS : (k + 1) * NUMBERS] for k in range(len(self.contacts)))
        found = [touch(model, joints, link, own) for link, own in on_shared_links(model, self.contacts, given)]
        stands = []
        for stand, at in zip(self.stands, self.anchors, strict=True):
            own = [found[k] for k in stand.contacts]
            x = held(model, joints, rates, own, stand.link, anchors[at], settings[0])
            share = reduce(most, (active[k] for k in stand.contacts))  # 1 if any acts, otherwise 0
            stands.append(Rowed([_scaled(self.dynamics.row(row), share) for row in x.J], [a * share for a in x.a]))
        acts = zip(found, active, strict=True)
        J_c = [_scaled(self.dynamics.row(row), on) for x, on in acts for row in x.rows(model, joints)]
        loops = self._loops(joints, rates, settings[0])
        pairs = enumerate(zip(self._positions(q), v, strict=True))
        box = [acceleration_box(x, rate, limits[5 * k : 5 * k + 5]) for k, (x, rate) in pairs]
        M, h = self._motion(q, v)
        bounds = [x.friction for x in found], box, (efforts[:m], efforts[m:]), settings[1:]
        firm = [*stands, loops, *hard], J_c + loops.J
        H, g, A, lower, upper = Program(M, h, self.motors, near, soft, *firm, *bounds).arrays()
        where = [[*place(model, joints, x), *flat(x.axes)] for x in found]
        return [H, g, flat(A), lower, upper, [h[i] for i in self.motors], *[flat(where)] * bool(where)]

    def _tasks(self, q: Scalars, v: Scalars, numbers: Scalars) -> tuple[list[Rowed], ...]:
        """Rows of soft tasks of single coordinates, of other soft tasks, and of hard tasks."""
        joints = self.dynamics.positions(q), self.dynamics.rates(v)
        found: tuple[list[Rowed], ...] = [], [], []
        for task, rows, at in zip(self.tasks, self.rows, self.places, strict=True):
            target, rate, second, w, (k,) = (numbers[x] for x in at)
            model, (x, xd) = self.seen(task), (q, v) if task.of_coordinates else joints
            J, e, drifts = task.jacobian(model, x), task.error(model, x, target), task.drift(model, x, xd)
            if task.of_rate:
                a = [y - d - k * (dot(row, xd) + z) for row, d, y, z in zip(J, drifts, rate, e, strict=True)]
            else:
                a = wanted(J, drifts, xd, e, k)
                a = [x + y + 2 * k * z for x, y, z in zip(a, second, rate, strict=True)]
            J = J if task.of_coordinates else [self.dynamics.row(row) for row in J]
            own = Rowed([J[i] for i in rows], [a[i] for i in rows], [w[i] for i in rows])
            found[2 if task.called() in self.hard else not self._is_near(task)].append(own)
        return found

    def _loops(self, q: Scalars, v: Scalars, k: Scalar) -> Rowed:
        """Rows that close the loops, from positions and velocities of the tree's joints; redundant ones are zero."""
        model, loops = self.dynamics.model, Loops(self.closures)
        J = jacobian_of_loops(model, loops, q)
        a = wanted(J, drift_of_loops(model, loops, q, v), v, error_of_loops(model, loops, q), k)
        J = [self.dynamics.row(row) for row in J]
        kept = independent(J)
        return Rowed([_scaled(*x) for x in zip(J, kept, strict=True)], [x * y for x, y in zip(a, kept, strict=True)])

    def _motion(self, q: Scalars, v: Scalars) -> tuple[list[list[Scalar]], list[Scalar]]:
        """The mass matrix M, and the bias forces h."""
        tree, drives = self.dynamics.tree, self.dynamics.drives
        if drives is None:
            return mass_matrix(tree, q), bias_forces(tree, q, v)
        return driven_mass_matrix(tree, drives, q), driven_bias_forces(tree, drives, q, v)

    def _positions(self, q: Scalars) -> list[Scalar]:
        """The position of each coordinate; 0 for joints with several coordinates."""
        space = self.dynamics.space
        places = zip(space.bodies, space.q_index, strict=True)
        single = ((body.joint.nv, q[at.start] if body.joint.nq == body.joint.nv == 1 else 0) for body, at in places)
        return [x for nv, x in single for _ in range(nv)]


def _slices(sizes: list[int]) -> list[slice]:
    return [slice(a, b) for a, b in pairwise([0, *accumulate(sizes)])]


def _scaled(row: Scalars, share: Scalar) -> list[Scalar]:
    return [0 if is_zero(x) else x * share for x in row]


def _kernel(form: ProgramForm) -> Kernel:
    return form.kernel
