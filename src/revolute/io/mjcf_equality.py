"""Equality constraints of MJCF as closures and couplings of joints.

https://mujoco.readthedocs.io/en/stable/XMLreference.html#equality
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

from numpy.polynomial import Polynomial

from revolute.dynamics.closures import Closure, FrameClosure, JointClosure, PointClosure
from revolute.io.mjcf_drives import MjModel, disabled, mujoco
from revolute.io.mjcf_numbers import rotation, vector
from revolute.model.body import Mimic
from revolute.spatial import Rotation, Transform


@dataclass(frozen=True)
class Equalities:
    """The equality constraints of a model as closures and couplings."""

    # constraints between bodies; also couplings of joints that `Mimic` cannot represent
    closures: list[Closure] = field(default_factory=list)
    couplings: dict[int, Mimic] = field(default_factory=dict)  # couplings of joints, by the index of the follower
    left_out: list[str] = field(default_factory=list)  # each omitted constraint and the reason


def read_equalities(model: MjModel, bodies: Sequence[str], joints: Sequence[str], names: Sequence[str]) -> Equalities:
    """The equality constraints of a compiled model; `names` are the names of the constraints."""
    equalities = Equalities()
    off = disabled(model, "equality constraint")
    for k, name in enumerate(names):
        kind = mujoco().mjtEq(int(model.eq_type[k])).name.removeprefix("mjEQ_")
        reason = None
        if off or not model.eq_active0[k]:
            reason = "it is not active"
        elif kind == "JOINT":
            _couple(equalities, model, k, joints)
        elif kind in ("CONNECT", "WELD"):
            equalities.closures.append(_closure(model, k, bodies, kind == "WELD"))
        else:
            reason = f"constraints of type {kind.lower()} are not supported"
        if reason:
            equalities.left_out.append(f"the equality constraint '{name}': {reason}")
    return equalities


def _closure(model: MjModel, k: int, bodies: Sequence[str], weld: bool) -> Closure:
    """A closure, as in mj_instantiateEqual. Between sites, no data are stored. Between bodies, "connect" stores the
    anchors in bodies 1 and 2; "weld" stores the anchor in body 2, then position and orientation of body 2 in body 1."""
    links, places = [], []
    for side, id in enumerate((model.eq_obj1id[k], model.eq_obj2id[k])):
        if model.eq_objtype[k] == mujoco().mjtObj.mjOBJ_SITE:
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


def _couple(equalities: Equalities, model: MjModel, k: int, joints: Sequence[str]) -> None:
    """Couple two joints: q1 - q1_0 = a0 + a1 (q2 - q2_0) + ... + a4 (q2 - q2_0)^4, with q_0 from qpos0."""
    follower, leader = int(model.eq_obj1id[k]), int(model.eq_obj2id[k])
    start = float(model.qpos0[model.jnt_qposadr[follower]])
    if leader < 0:
        constant = (start + float(model.eq_data[k, 0]),)
        equalities.closures.append(JointClosure(joints[follower], None, constant))
        return
    leader_offset = Polynomial([-float(model.qpos0[model.jnt_qposadr[leader]]), 1.0])
    polynomial = (Polynomial(model.eq_data[k, :5])(leader_offset) + start).trim()
    coefficients = tuple(float(x) for x in polynomial.coef) + (0.0,) * (2 - len(polynomial.coef))
    if len(coefficients) == 2 and follower not in equalities.couplings:
        equalities.couplings[follower] = Mimic(joints[leader], coefficients[1], coefficients[0])
    else:
        equalities.closures.append(JointClosure(joints[follower], joints[leader], coefficients))
