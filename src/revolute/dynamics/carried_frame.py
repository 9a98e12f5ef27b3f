"""Motion of a frame relative to a link that carries it, for any scalar type."""

from __future__ import annotations

from collections.abc import Sequence

from revolute.model.model import Model
from revolute.records import dataclass
from revolute.spatial import ZERO, Scalars, Transform, Twist, Vector, cross, tilde


@dataclass(frozen=True)
class CarriedFrame:
    """The motion of a frame that is fixed to a link, relative to a link that carries it."""

    pose: Transform  # of the frame
    columns: dict[int, Twist]  # {k: angular velocity, and velocity of the origin, for a unit velocity qd_k}
    # w, wd, a: angular velocity and acceleration, and acceleration of the origin, at qdd = 0. If the base carries the
    # frame, it accelerates upward, so that a graph has the terms of `newton_euler` only once.
    w: Vector
    wd: Vector
    a: Vector

    @classmethod
    def of(
        cls, model: Model, q: Scalars, qd: Scalars, carrier: int, path: Sequence[int], place: Transform
    ) -> CarriedFrame:
        """The frame at `place` in the last body of `path`, the indices of the bodies beyond the carrier."""
        T = model.frame(model.bodies[carrier].name).placement.inverse() if carrier else Transform()
        w, wd, a, poses = ZERO, ZERO, ZERO if carrier else -model.gravity, []
        for i in path:
            joint, rates = model.bodies[i].joint, qd[model.v_index[i]]
            X = model.bodies[i].placement @ joint.transform(q[model.q_index[i]])
            V, A = joint.velocity(rates), joint.acceleration(rates, [0] * joint.nv)
            before, last = X.parts()
            RT, T = X.R.T, (T @ X).merged()
            w_parent = RT @ w
            a = RT @ (a + _turned(w, wd, before.p)) + cross(w_parent * 2 + V.ang, V.lin) + A.lin
            w, wd = w_parent + V.ang, RT @ wd + cross(w_parent, V.ang) + A.ang
            a += ZERO if last.p is ZERO else _turned(w, wd, last.p)
            poses += [(k, T, S) for k, S in enumerate(joint.columns(), model.v_index[i].start)]
        pose, columns = (T @ place).merged(), dict[int, Twist]()
        for k, X, S in poses:
            turn = X.R @ S.ang
            columns[k] = Twist(turn, X.R @ S.lin + cross(turn, pose.p - X.p))
        return cls(pose, columns, T.R @ w, T.R @ wd, T.R @ (a + _turned(w, wd, place.p)))


def _turned(w: Vector, wd: Vector, x: Vector) -> Vector:
    """The acceleration wd x x + w x (w x x) of a point x."""
    acceleration: Vector = (tilde(wd) + tilde(w) @ tilde(w)) @ x
    return acceleration
