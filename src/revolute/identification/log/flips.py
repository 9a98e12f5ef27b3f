"""Columns of a log with reversed signs, by names of coordinates."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from revolute.arguments import instances
from revolute.errors import InputError, UnknownNameError, advice
from revolute.identification.log.rows import Rows
from revolute.identification.samples import Array
from revolute.io.plain import listed
from revolute.model.model import Model

__all__ = ["Signs", "signs_of"]


@dataclass(frozen=True, eq=False)
class Signs:
    """1 or -1 for each column.

    Attributes:
        q: (nq,) of positions; qd: (nv,) of velocities and accelerations; tau: (nv,) of forces.
    """

    q: Array
    qd: Array
    tau: Array

    def applied(self, rows: Rows) -> Rows:
        """The rows times the signs; wrenches are unchanged."""
        qd, qdd = (None if x is None else self.qd * x for x in (rows.qd, rows.qdd))
        return replace(rows, q=self.q * rows.q, tau=self.tau * rows.tau, qd=qd, qdd=qdd)


def signs_of(model: Model, flip: Sequence[str]) -> Signs | None:
    """The signs of `read_log(flip=...)`; None for no names."""
    names = (flip,) if isinstance(flip, str) else instances("flip", flip, str)
    signs = Signs(np.ones(model.nq), np.ones(model.nv), np.ones(model.nv))
    for text in names:
        known = text in model.coordinate_names
        quantity, _, name = ("tau", "", text) if known else text.rpartition(".")
        if quantity not in ("", "q", "tau") or (name != "all" and name not in model.coordinate_names):
            raise UnknownNameError(
                f"{advice('read_log: flip', '--flip')}: there is no '{text}'; available: all, and "
                f"{listed(model.coordinate_names, 12)} for the signs of forces, and q.all, "
                f"q.{model.coordinate_names[0]} ... for those of positions"
            )
        for body, at, to in zip(model.bodies, model.q_index, model.v_index, strict=True):
            chosen = [k for k in range(to.start, to.stop) if name in ("all", model.coordinate_names[k])]
            if quantity != "q":
                signs.tau[chosen] *= -1
            elif chosen and body.joint.nq != 1:
                raise InputError(
                    f"{advice('read_log: flip', '--flip')}: positions of '{body.joint_name}' cannot be reversed, as it "
                    "has several"
                )
            elif chosen:
                signs.q[at] *= -1
                signs.qd[to] *= -1
    return signs if names else None
