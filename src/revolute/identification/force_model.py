"""Forces that are linear in parameters: links, drives, offsets, and terms of the user's."""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy
from typing import Any

import numpy as np
from numpy.typing import NDArray

from revolute.errors import InputError, ShapeError, UnknownNameError
from revolute.identification.samples import Samples
from revolute.identification.terms import Term, offset
from revolute.machine.driven import DrivenRobot
from revolute.machine.robot import Robot

__all__ = ["DRIVES", "ForceModel", "Term", "coordinate_names"]

Array = NDArray[Any]

DRIVES = ("armature", "damping", "friction", "friction_backward", "stribeck", "stiffness", "rotor_inertia")
"""Kinds of parameters of drives: see `DrivenRobot.parameter_names`."""


class ForceModel:
    """tau = Y(q, qd, qdd) pi: links, drives, offsets, terms.

    Attributes:
        robot: the robot with its drives.
        names: (p,) of the parameters: ten for each moving link, then those of drives, offsets and terms.
        values: (p,) what the robot's description says.
        links: number of parameters of links, 10 n.
        terms: offsets and terms.
        fitted: (p,) whether a parameter is unknown; the others are held at their values.

    Example:
        >>> import revolute
        >>> from revolute.identification import ForceModel
        >>> model = ForceModel(revolute.robots.planar(1), drives=["friction"])
        >>> model.names[10:]
        ('joint1.friction', 'joint1.offset')
    """

    def __init__(
        self,
        robot: Robot | DrivenRobot,
        *,
        drives: Sequence[str] = DRIVES,
        offsets: bool = True,
        terms: Sequence[Term] = (),
        only: Sequence[str] | None = None,
    ) -> None:
        self.robot = robot if isinstance(robot, DrivenRobot) else robot.with_drives()
        self.links = 10 * self.robot.robot.n_joints
        names = [name.partition(":")[0] for name in self.robot.parameter_names]
        if unknown := set(drives) - {*DRIVES}:
            raise InputError(f"no parameters of drives are {', '.join(sorted(unknown))}: they are {', '.join(DRIVES)}")
        keep = [k for k, name in enumerate(names) if k < self.links or name.rpartition(".")[2] in drives]
        self._columns = np.array(keep)
        own = [offset(name, k) for k, name in enumerate(coordinate_names(self.robot))] if offsets else []
        self.terms = (*own, *terms)
        self.names = (*(names[k] for k in keep), *(term.name for term in self.terms))
        known = [self.robot.parameters[self._columns], [term.value for term in self.terms]]
        self.values: Array = np.concatenate(known).astype(float)
        self._check_names()
        self.fitted = np.ones(len(self.names), dtype=bool) if only is None else self._among(only)

    def _check_names(self) -> None:
        if len(set(self.names)) < len(self.names):
            raise InputError(f"two parameters have the same name, among {', '.join(self.names[self.links :])}")

    def _among(self, only: Sequence[str]) -> Array:
        """Which parameters have one of these names, or belong to a link or joint of that name."""
        owners = [name.rpartition(".")[0] for name in self.names]
        for name in only:
            if name not in {*self.names, *owners}:
                raise UnknownNameError(
                    f"only: no parameter, link or joint is called '{name}'; they are {', '.join(self.names)}"
                )
        return np.array([n in only or o in only for n, o in zip(self.names, owners, strict=True)])

    def regressor(self, samples: Samples) -> Array:
        """(T, nv, p): Y with tau = Y pi."""
        Y = self.robot.regressor(samples.q, samples.qd, samples.qdd)[..., self._columns]
        return np.concatenate([Y, *(self.column(term, samples)[..., None] for term in self.terms)], axis=-1)

    @property
    def coordinates(self) -> tuple[str, ...]:
        """(nv,) a name for each coordinate: that of its joint, with a number where the joint has several."""
        return tuple(coordinate_names(self.robot))

    def equations(self, samples: Samples) -> tuple[Array, Array]:
        """Y (T, nv, p) and the forces (T, nv) that the fitted parameters must give: without those of held ones."""
        Y = self.regressor(samples)
        if not np.isfinite(Y).all():
            row, _, k = np.argwhere(~np.isfinite(Y))[0]
            raise InputError(
                f"the forces of '{self.names[k]}' are not finite at t = {samples.t[row]:.6g} s: is the motion within "
                "what the term is made for?"
            )
        held = ~self.fitted
        return Y, samples.tau - Y[..., held] @ self.values[held] if held.any() else samples.tau

    def with_terms(self, terms: Sequence[Term]) -> ForceModel:
        """The same model and further terms, whose parameters are fitted."""
        wider = copy(self)
        wider.terms = (*self.terms, *terms)
        wider.names = (*self.names, *(term.name for term in terms))
        wider.values = np.append(self.values, [term.value for term in terms])
        wider.fitted = np.append(self.fitted, np.ones(len(terms), dtype=bool))
        wider._check_names()
        return wider

    def column(self, term: Term, samples: Samples) -> Array:
        """(T, nv) forces of a term for the parameter 1."""
        column = np.asarray(term.factor(samples.q, samples.qd, samples.qdd), dtype=float)
        if column.shape != samples.tau.shape:
            raise ShapeError(f"term '{term.name}': its factor gives shape {column.shape}, not {samples.tau.shape}")
        return column


def coordinate_names(robot: DrivenRobot) -> list[str]:
    """A name for each coordinate: that of its joint, with a number where the joint has several."""
    moving = [body for body in robot.space.bodies if body.joint.nv]
    return [
        body.joint_name if body.joint.nv == 1 else f"{body.joint_name}[{k}]"
        for body in moving
        for k in range(body.joint.nv)
    ]
