"""A robot with a free joint before every joint, for derivatives with respect to the geometry."""

from collections.abc import Sequence
from dataclasses import replace

from revolute.model.body import Body, Frame
from revolute.model.joints import Free
from revolute.model.model import Model, derived
from revolute.records import dataclass
from revolute.spatial import Scalar, Transform

_STILL = (0, 0, 0, 0, 0, 0, 1)  # position of a free joint at zero displacement


@dataclass(frozen=True)
class Displaced:
    """A model with a free joint between each joint and its parent, and optionally one before a link frame."""

    model: Model  # body 2 i is body i of the original; body 2 i - 1, without mass, displaces its joint
    # joints, displacements: indices in qd of the original velocities, and of the displacements
    joints: tuple[int, ...]
    displacements: tuple[int, ...]

    def positions(self, q: Sequence[Scalar]) -> list[Scalar]:
        """Positions of this model from positions of the original; all displacements are zero."""
        given = iter(q)
        return [
            x
            for k, body in enumerate(self.model.bodies)
            for x in (_STILL if k % 2 else [next(given) for _ in range(body.joint.nq)])
        ]

    def rates(self, qd: Sequence[Scalar]) -> list[Scalar]:
        """Velocities or accelerations of this model from those of the original; the displacements are at rest."""
        rates: list[Scalar] = [0] * self.model.nv
        for k, x in zip(self.joints, qd, strict=True):
            rates[k] = x
        return rates


def displaced(model: Model, frame: str | None = None) -> Displaced:
    """The model with a free joint before each joint, and then one before the link frame `frame`, if it is given."""
    base, *moving = model.bodies
    bodies = [base]
    for i, body in enumerate(moving, 1):
        names = (f"{body.name}, placed", f"{body.joint_name}, placed")
        bodies.append(Body(names[0], 2 * body.parent, names[1], Free(), body.placement))
        bodies.append(replace(body, parent=2 * i - 1, placement=Transform()))
    frames = [replace(x, body=2 * x.body) for x in model.frames]
    if frame is not None:
        link = model.frame(frame)
        bodies.append(Body(f"{frame}, placed", 2 * link.body, f"{frame}, placed", Free(), link.placement))
        frames = [Frame(x.name, len(bodies) - 1) if x.name == frame else x for x in frames]
    extended = derived(model, bodies=tuple(bodies), frames=tuple(frames), closures=())
    places = [range(at.start, at.stop) for at in extended.v_index]
    return Displaced(extended, *(tuple(k for at in places[first::2] for k in at) for first in (0, 1)))
