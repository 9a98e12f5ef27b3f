"""Equality constraints of MJCF as closures and couplings of joints.

https://mujoco.readthedocs.io/en/stable/XMLreference.html#equality
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from numpy.polynomial import Polynomial

from revolute.dynamics.closures import Closure, FrameClosure, JointClosure, PointClosure
from revolute.io.mjcf_numbers import rotation, vector
from revolute.model.body import Mimic
from revolute.spatial import Rotation, Transform

__all__ = ["Equalities", "read_equalities"]


@dataclass(frozen=True)
class Equalities:
    """What the equality constraints of a model become.

    Attributes:
        closures: of bodies; and of joints where `Mimic` has no room for it.
        couplings: of joints, by the number of the one that follows.
        left_out: a sentence for each of the others.
    """

    closures: list[Closure] = field(default_factory=list)
    couplings: dict[int, Mimic] = field(default_factory=dict)
    left_out: list[str] = field(default_factory=list)


def read_equalities(model: Any, bodies: Sequence[str], joints: Sequence[str], names: Sequence[str]) -> Equalities:
    """The equality constraints of a compiled model, whose bodies, joints and constraints have these names."""
    import mujoco

    found = Equalities()
    off = model.opt.disableflags & mujoco.mjtDisableBit.mjDSBL_EQUALITY
    for k, name in enumerate(names):
        kind = mujoco.mjtEq(int(model.eq_type[k])).name.removeprefix("mjEQ_")
        reason = None
        if off or not model.eq_active0[k]:
            reason = "it is not active"
        elif kind == "JOINT":
            _couple(found, model, k, joints)
        elif kind in ("CONNECT", "WELD"):
            found.closures.append(_closure(model, k, bodies, kind == "WELD"))
        else:
            reason = f"a {kind.lower()} constraint is about what is no part of the robot"
        if reason:
            found.left_out.append(f"the equality constraint '{name}': {reason}")
    return found


def _closure(model: Any, k: int, bodies: Sequence[str], weld: bool) -> Closure:
    """mj_instantiateEqual: of sites it has nothing more; of bodies, "connect" has the anchors in
    body 1 and in body 2, "weld" that in body 2, and the position and orientation of 2 in 1."""
    import mujoco

    links, places = [], []
    for side, id in enumerate((model.eq_obj1id[k], model.eq_obj2id[k])):
        if model.eq_objtype[k] == mujoco.mjtObj.mjOBJ_SITE:
            place = Transform(rotation(model.site_quat[id]), vector(model.site_pos[id]))
            id = model.site_bodyid[id]
        else:
            at = 3 * (1 - side if weld else side)
            turn = rotation(model.eq_data[k, 6:10]) if weld and side == 0 else Rotation()
            place = Transform(turn, vector(model.eq_data[k, at : at + 3]))
        links.append(bodies[id])
        places.append(place)
    (a, b), (at_a, at_b) = links, places
    return FrameClosure(a, b, at_a, at_b) if weld else PointClosure(a, b, tuple(at_a.p), tuple(at_b.p))


def _couple(found: Equalities, model: Any, k: int, joints: Sequence[str]) -> None:
    """q1 - q1_0 = a0 + a1 (q2 - q2_0) + ... + a4 (q2 - q2_0)^4, with qpos0 as q_0."""
    follower, leader = int(model.eq_obj1id[k]), int(model.eq_obj2id[k])
    start = float(model.qpos0[model.jnt_qposadr[follower]])
    if leader < 0:
        held = (start + float(model.eq_data[k, 0]),)
        found.closures.append(JointClosure(joints[follower], None, held))
        return
    before = Polynomial([-float(model.qpos0[model.jnt_qposadr[leader]]), 1.0])
    given = Polynomial(model.eq_data[k, :5])(before) + start
    coefficients = tuple(float(x) for x in given.trim().coef) + (0.0,) * (2 - len(given.trim().coef))
    if len(coefficients) == 2 and follower not in found.couplings:
        found.couplings[follower] = Mimic(joints[leader], coefficients[1], coefficients[0])
    else:
        found.closures.append(JointClosure(joints[follower], joints[leader], coefficients))
