"""Forces that are linear in parameters: links, drives, offsets, and further terms."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from copy import copy
from typing import Any

import numpy as np

from revolute.arguments import instance, instances, nearest, positive
from revolute.errors import InputError, UnknownNameError
from revolute.identification.forces.floating_bases import floating, require_joints
from revolute.identification.forces.friction import stribeck_searches, with_friction
from revolute.identification.forces.terms import Constant, Search, Term
from revolute.identification.samples import Array, Samples
from revolute.machine.driven import DrivenRobot
from revolute.machine.driven.parameters import MEANINGS
from revolute.machine.robot import Robot

DRIVES = tuple(MEANINGS)  # kinds of drive parameters that a log can identify: see `DrivenRobot.parameter_names`
Columns = slice | Array | Sequence[int]
PIECE = 128  # number of instants per regressor: it remains in the processor's cache until its columns have been copied


class ForceModel:
    """Linear model tau = Y(q, qd, qdd) pi of links, drives, offsets and terms; with gains if currents were measured.

    Args:
        robot: a robot with or without drives.
        drives: kinds of drive parameters to fit: see `DRIVES`; the others keep the robot's values.
        offsets: whether each coordinate has a constant force.
        terms: further forces that are linear in a parameter, such as `counterbalance` and `coupled_drive`; and numbers
            on which such forces depend nonlinearly: see `Search`.
        only: names of parameters, links or joints to fit; by default all.
        gains: names of coordinates whose measured forces are currents with unknown gains. The scale of all parameters
            then requires a known one, such as the mass of a payload: see `only`. Gautier & Briot 2014.
        momentum: length of windows [s] over which changes of momentum replace the forces of a floating base. This needs
            no accelerations, but all wrenches must be known (see `with_wrenches`). None: forces at each sample.
        asymmetric: whether Coulomb friction differs by direction.
        stribeck: speeds of Stribeck friction [rad/s, m/s], for all joints or by joint; or "search", which finds those
            with the smallest residual. None: no such friction, except where the robot's drives have it.

    Attributes:
        robot: the robot with its drives.
        names: (p,) names of parameters: ten for each moving link, then those of drives, offsets, terms and gains.
        values: (p,) their values in the robot's description.
        links: number of parameters of links, 10 n.
        terms: offsets and further terms.
        searches: numbers on which further terms depend nonlinearly; `at` returns the model with terms for their values.
        fitted: (p,) whether a parameter is unknown; the others are fixed at their values.
        gains: indices of the coordinates whose gains are unknown.
        floating: (nv,) whether a coordinate belongs to a floating base: it has no drive and no offset.
        momentum: length of windows, or None.

    Example:
        >>> from revolute.identification import ForceModel
        >>> model = ForceModel(revolute.robots.planar(1), drives=["friction"])
        >>> model.names[10:]
        ('joint1.friction', 'joint1.offset')
    """

    def __init__(
        self, robot: Robot | DrivenRobot, *, drives: Sequence[str] = DRIVES, offsets: bool = True,
        terms: Sequence[Term | Search] = (), only: Sequence[str] | None = None, gains: Sequence[str] = (),
        momentum: float | None = None, asymmetric: bool = False,
        stribeck: float | Mapping[str, float] | str | None = None,
    ) -> None:
        if not isinstance(robot, (Robot, DrivenRobot)):
            raise InputError(f"ForceModel: robot must be a Robot or a DrivenRobot, not {robot!r}")
        for name, flag in {"offsets": offsets, "asymmetric": asymmetric}.items():
            instance(f"ForceModel: {name}", flag, (bool, np.bool_))
        further = instances("terms", terms, (Term, Search))
        drives, gains = instances("drives", drives, str), instances("gains", gains, str)
        if isinstance(stribeck, str) and stribeck != "search":
            raise InputError(f"stribeck must be speeds, 'search' or None, not {stribeck!r}")
        self._given: dict[str, Any] = {
            "robot": robot, "drives": drives, "offsets": offsets, "only": only, "gains": gains, "momentum": momentum,
            "asymmetric": asymmetric, "terms": [x for x in further if isinstance(x, Term)], "stribeck": stribeck,
        }  # fmt: skip
        speeds = None if isinstance(stribeck, str) else stribeck
        self.robot = with_friction(robot, asymmetric=asymmetric, stribeck=speeds)
        self._speeds = stribeck_searches(self.robot) if stribeck == "search" else []
        self.searches = (*self._speeds, *(x for x in further if isinstance(x, Search)))
        drives = [*drives, *["friction_backward"] * asymmetric, *["stribeck"] * (stribeck is not None)]
        require_joints(self.robot.robot)
        self.links = 10 * self.robot.robot.n_joints
        names = [name.partition(":")[0] for name in self.robot.parameter_names]
        if unknown := set(drives) - {*DRIVES}:
            raise InputError(f"unknown drive parameters {', '.join(sorted(unknown))}; available: {', '.join(DRIVES)}")
        self.floating, places = floating(self.robot.space), self.robot.coordinate_names
        free = {name for name, x in zip(places, self.floating, strict=True) if x}
        kinds = [name.rpartition(".")[::2] for name in names]
        chosen = [k < self.links or (kind in drives and owner not in free) for k, (owner, kind) in enumerate(kinds)]
        keep = [k for k, value in enumerate(self.robot.parameters) if chosen[k] or value != 0]
        self._columns, self._width = np.array(keep), len(names)
        joints = [k for k in range(len(places)) if offsets and not self.floating[k]]
        self.terms = (*(Term(f"{places[k]}.offset", Constant(k)) for k in joints), *self._given["terms"])
        if missing := [name for name in gains if name not in places]:
            raise UnknownNameError(f"gains: there is no coordinate '{missing[0]}'; available: {', '.join(places)}")
        self.gains = tuple(places.index(name) for name in gains)
        self.names = (*(names[k] for k in keep), *(term.name for term in self.terms), *(f"{x}.gain" for x in gains))
        known = [self.robot.parameters[self._columns], [term.value for term in self.terms], [1.0] * len(self.gains)]
        self.values: Array = np.concatenate(known).astype(float)
        self._check_names()
        self.fitted = np.ones(len(self.names), dtype=bool)
        self.fitted[: len(keep)] = [chosen[k] for k in keep]
        self.momentum = None if momentum is None else positive("momentum", momentum, "length of windows [s]")
        if momentum is not None and not self.floating.any():
            raise InputError(
                f"momentum requires a floating base, but the base of '{self.robot.robot.name}' is fixed: load it with "
                "base='free'"
            )
        if only is not None:
            self.fitted = self._among(instances("only", only, str))

    def at(self, numbers: Mapping[str, float]) -> ForceModel:
        """Return the model with the terms of its searches at these values."""
        more = [term for each in self.searches if each not in self._speeds for term in each.terms(numbers[each.name])]
        speeds = {each.name.rpartition(".")[0]: numbers[each.name] for each in self._speeds}
        found = {"terms": [*self._given["terms"], *more], "stribeck": speeds or self._given["stribeck"]}
        return ForceModel(**{**self._given, **found})

    def _check_names(self) -> None:
        if len(set(self.names)) < len(self.names):
            raise InputError(f"two parameters have the same name, among {', '.join(self.names[self.links :])}")

    def _among(self, only: Sequence[str]) -> Array:
        """(p,) whether a parameter has one of these names, or belongs to a link or joint with one."""
        owners = [name.rpartition(".")[0] for name in self.names]
        for name in only:
            if name not in {*self.names, *owners}:
                known = nearest(name, [*owners, *self.names])
                raise UnknownNameError(f"only: there is no parameter, link or joint '{name}'; {known}")
        return np.array([n in only or o in only for n, o in zip(self.names, owners, strict=True)])

    def regressor(self, samples: Samples, columns: Columns = slice(None)) -> Array:
        """(T, nv, p) Y with tau = Y pi, or some of its columns. The columns of gains are zero."""
        return self._whole(samples, columns, self._entries)

    def left_side(self, samples: Samples, columns: Columns = slice(None)) -> Array:
        """(T, nv, p) regressor, with minus the measured current in the column of each unknown gain."""
        return self._whole(samples, columns, self._left_entries)

    def _whole(self, samples: Samples, columns: Columns, entries: Callable[[Samples, Array, Array], Array]) -> Array:
        at = np.arange(len(self.names))[columns]
        nv = samples.tau.shape[1]
        return entries(samples, at, np.arange(nv * len(at))).reshape(len(samples), nv, len(at))

    def _entries(self, samples: Samples, at: Array, places: Array) -> Array:
        """(T, e) entries of the regressor at `places`, which are flat indices of a matrix (nv, columns `at`)."""
        row, column = np.divmod(places, max(len(at), 1))
        column, first = at[column], len(self._columns)
        own = column < first
        result = np.zeros((len(samples), len(places)))
        if own.any():
            source = np.where(own, row * self._width + self._columns[np.where(own, column, 0)], 0)
            whole = np.empty((min(PIECE, len(result)), samples.tau.shape[1], self._width))
            for start in range(0, len(result), PIECE):
                piece = result[start : start + PIECE]
                state = (x[start : start + PIECE] for x in (samples.q, samples.qd, samples.qdd))
                Y = self.robot.regressor(*state, out=whole[: len(piece)])
                np.take(Y.reshape(len(piece), -1), source, axis=1, out=piece, mode="clip")
            result[:, ~own] = 0
        for k, term in enumerate(self.terms, first):
            mine = np.flatnonzero(column == k)
            if len(mine):
                result[:, mine] = term.column(samples)[:, row[mine]]
        return result

    def _left_entries(self, samples: Samples, at: Array, places: Array) -> Array:
        result = self._entries(samples, at, places)
        row, column = np.divmod(places, max(len(at), 1))
        for k, gain in enumerate(self.gains, len(self.names) - len(self.gains)):
            for place in np.flatnonzero((at[column] == k) & (row == gain)):
                result[:, place] = -np.nan_to_num(samples.tau[:, gain])
        return result

    def entries(self, samples: Samples, columns: Array, places: Array) -> tuple[Array, Array]:
        """(T, e) entries of the left side, and (T, nv) measured forces minus those of parameters that are not fitted.

        `places` are flat indices of the entries in a matrix (nv, columns). Where a gain is unknown, the measured force
        is a current: Y pi - gain current = 0.
        """
        left = self._left_entries(samples, columns, places)
        if not np.isfinite(left.sum()):
            self._require_finite(samples, columns)
        right = samples.tau
        if self.gains:
            right = right.copy()
            right[:, list(self.gains)] *= 0.0
        held = np.flatnonzero(~self.fitted)
        return left, right - self.left_side(samples, held) @ self.values[held] if len(held) else right

    def momenta(self, samples: Samples, columns: Columns) -> tuple[Array, Array, Array]:
        """Momenta and forces (T, nv, p) per parameter, and known forces (T, nv): d/dt momenta = right - forces.

        Used for floating bases; forces include gravity, terms and drives.
        """
        at, first = np.arange(len(self.names))[columns], len(self._columns)
        still = np.zeros_like(samples.qd)
        forces = self.regressor(Samples(samples.t, samples.q, still, still, samples.tau), at)
        for place in np.flatnonzero((at >= first) & (at < first + len(self.terms))):
            forces[..., place] = self.terms[at[place] - first].column(samples)  # forces may depend on velocities
        momenta, own = np.zeros_like(forces), at < first
        if own.any():
            momenta[..., own] = self.robot.momentum_regressor(samples.q, samples.qd)[..., self._columns[at[own]]]
        return momenta, forces, samples.tau

    def _require_finite(self, samples: Samples, columns: Columns) -> None:
        """Raise `InputError` if the left side is not finite where a force was measured."""
        Y = self.left_side(samples, columns)
        undefined = np.argwhere(~np.isfinite(Y) & np.isfinite(samples.tau)[..., None])
        if len(undefined):
            row, _, k = undefined[0]
            raise InputError(
                f"the forces of '{np.array(self.names)[columns][k]}' are not finite at t = {samples.t[row]:.6g} s: "
                "does the motion leave the domain of the term?"
            )

    @property
    def coordinates(self) -> tuple[str, ...]:
        """(nv,) a name for each coordinate, as in `Robot.coordinate_names`."""
        return self.robot.coordinate_names

    def with_terms(self, terms: Sequence[Term]) -> ForceModel:
        """Return the model with further terms, whose parameters are fitted."""
        wider = copy(self)
        at = len(self._columns) + len(self.terms)
        wider.terms = (*self.terms, *terms)
        wider.names = (*self.names[:at], *(term.name for term in terms), *self.names[at:])
        wider.values = np.insert(self.values, at, [term.value for term in terms])
        wider.fitted = np.insert(self.fitted, at, np.ones(len(terms), dtype=bool))
        wider._check_names()
        return wider
