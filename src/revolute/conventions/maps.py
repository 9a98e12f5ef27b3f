"""Maps between the coordinates of a robot and those of another library, for any scalar type.

Velocities there are S(q) qd, where S is orthogonal: a permutation, and rotations of vectors along other axes.
"""

from collections.abc import Sequence
from functools import cached_property
from typing import NamedTuple

from revolute.conventions.tables import CONTINUOUS, MISSING, TABLES
from revolute.dynamics.drivetrain import Drivetrain
from revolute.errors import ModelError
from revolute.model.joints import Free, JointType, Planar
from revolute.model.model import Model
from revolute.records import dataclass
from revolute.spatial import Rotation, Transform
from revolute.spatial.scalar import Scalar, Scalars, atan2, cos, sin
from revolute.spatial.vectors import Vector, cross


class PlacedJoint(NamedTuple):
    """A joint here and there: its indices in joint positions and velocities here, the names of its entries there."""

    name: str
    joint: JointType
    at: slice
    to: slice
    q: Sequence[str]
    qd: Sequence[str]
    turned: str

    def named(self, part: str) -> str:
        """The name of an entry, as of `Robot.position_names`."""
        return f"{self.name}.{part}" if part else self.name


@dataclass(frozen=True)
class Layout:
    """Joints in another library.

    Attributes:
        library: a key of `TABLES`.
        model: the joints.
        drives: how they follow the robot's coordinates, each of which is a joint.
        order: bodies of the model in the other library's order.
        continuous: names of joints that have a cosine and a sine there.
    """

    library: str
    model: Model
    drives: Drivetrain
    order: tuple[int, ...]
    continuous: tuple[str, ...]

    @cached_property
    def places(self) -> list[PlacedJoint]:
        """The joints in that order. Raise `ModelError` if one has no counterpart."""
        return [self._place(i) for i in self.order]

    @cached_property
    def names(self) -> tuple[tuple[str, ...], tuple[str, ...], tuple[str, ...]]:
        """Names of joints, positions and velocities, in that order."""
        q = tuple(place.named(part) for place in self.places for part in place.q)
        qd = tuple(place.named(part) for place in self.places for part in place.qd)
        return tuple(place.name for place in self.places), q, qd

    @cached_property
    def own(self) -> tuple[list[int], list[int]]:
        """Indices of the coordinates in joint positions and in joint velocities."""
        model, bodies = self.model, [self.model.joint_index(name) for name in self.drives.space.joint_names]
        q = [k for i in bodies for k in range(model.nq)[model.q_index[i]]]
        return q, [k for i in bodies for k in range(model.nv)[model.v_index[i]]]

    def _place(self, i: int) -> PlacedJoint:
        body, library = self.model.bodies[i], self.library
        joint, table = body.joint, TABLES[library].get(type(body.joint))
        missing = "" if table else MISSING.get((library, type(joint)), f"no {type(joint).__name__.lower()} joint")
        if library == "MuJoCo" and isinstance(joint, Free) and (body.parent or body.placement != Transform()):
            missing = "no free joint but from the world's origin"
        elif library != "MuJoCo" and isinstance(joint, Planar) and joint.normal != (0, 0, 1):
            missing = "no planar joint but across z, in which x and y are ours"
        if missing or table is None:
            raise ModelError(f"joint '{body.joint_name}': {library} has {missing}")
        table = CONTINUOUS if body.joint_name in self.continuous else table
        names = table.q.split() or joint.q_names, table.qd.split() or joint.qd_names
        return PlacedJoint(body.joint_name, joint, self.model.q_index[i], self.model.v_index[i], *names, table.turned)


def positions(s: Layout, q: Scalars) -> list[Scalar]:
    """Positions there; quaternions have length one."""
    there: list[Scalar] = []
    phi = s.drives.positions(s.model, q)
    for _, joint, at, _, names, *_ in s.places:
        x = dict(zip(joint.q_names, joint.normalized(phi[at]), strict=True))
        if "cos" in names:
            x |= {"cos": cos(phi[at][-1]), "sin": sin(phi[at][-1])}
        there += [x[name] for name in names]
    return there


def velocities(s: Layout, q: Scalars, qd: Scalars) -> list[Scalar]:
    """S A qd, where joints have the velocities A qd."""
    return _there(s, q, s.drives.rates(qd))


def accelerations(s: Layout, q: Scalars, qd: Scalars, qdd: Scalars) -> list[Scalar]:
    """S (A qdd + S^T dS/dt A qd)."""
    return _there(s, q, _sum(s.drives.rates(qdd), _drift(s, s.drives.rates(qd))))


def forces(s: Layout, q: Scalars, tau: Scalars) -> list[Scalar]:
    """S tau; zero at joints that follow others."""
    joint_forces: list[Scalar] = [0] * s.model.nv
    for k, force in zip(s.own[1], tau, strict=True):
        joint_forces[k] = force
    return _there(s, q, joint_forces)


def drift(s: Layout, qd: Scalars) -> list[Scalar]:
    """S^T dS/dt qd."""
    return _own(s, _drift(s, s.drives.rates(qd)))


def bias(s: Layout, q: Scalars, h: Scalars, momentum: Scalars) -> list[Scalar]:
    """S (h - M drift), with M drift as momentum."""
    return forces(s, q, [x - y for x, y in zip(h, momentum, strict=True)])


def from_positions(s: Layout, q: Scalars) -> list[Scalar]:
    """Positions of positions there; angles of cosine and sine are in -pi ... pi."""
    phi = _joint_positions(s, q)
    return [phi[k] for k in s.own[0]]


def from_velocities(s: Layout, q: Scalars, v: Scalars) -> list[Scalar]:
    """S^T v."""
    return _own(s, _here(s, q, v))


def from_accelerations(s: Layout, q: Scalars, v: Scalars, a: Scalars) -> list[Scalar]:
    """S^T a - S^T dS/dt qd."""
    drifts = _drift(s, _here(s, q, v))
    return _own(s, [x - y for x, y in zip(_here(s, q, a), drifts, strict=True)])


def from_forces(s: Layout, q: Scalars, tau: Scalars) -> list[Scalar]:
    """A^T S^T tau."""
    return s.drives.projected(_here(s, q, tau))


def from_bias(s: Layout, q: Scalars, h: Scalars, momentum: Scalars) -> list[Scalar]:
    """A^T S^T h + M drift, with M drift as momentum."""
    return _sum(from_forces(s, q, h), momentum)


def _joint_positions(s: Layout, q: Scalars) -> list[Scalar]:
    """Joint positions of positions there."""
    phi: list[Scalar] = [0] * s.model.nq
    rest = iter(q)
    for _, joint, at, _, names, *_ in s.places:
        x = {name: next(rest) for name in names}
        if "cos" in x:
            x[joint.q_names[-1]] = atan2(x["sin"], x["cos"])
        phi[at] = [x[name] for name in joint.q_names]
    return phi


def _there(s: Layout, q: Scalars, x: Scalars) -> list[Scalar]:
    """S x, of joint velocities or forces x."""
    y: list[Scalar] = []
    phi = s.drives.positions(s.model, q)
    for _, joint, at, to, _, names, turned in s.places:
        parts = dict(zip(joint.qd_names, x[to], strict=True))
        for letter in turned:
            _put(parts, letter, _rotation(joint, phi[at]) @ _vector(parts, letter))
        y += [parts[name] for name in names]
    return y


def _here(s: Layout, q: Scalars, y: Scalars) -> list[Scalar]:
    """S^T y; q are positions there."""
    x: list[Scalar] = [0] * s.model.nv
    phi, rest = _joint_positions(s, q), iter(y)
    for _, joint, at, to, _, names, turned in s.places:
        parts = {name: next(rest) for name in names}
        for letter in turned:
            _put(parts, letter, _rotation(joint, phi[at]).T @ _vector(parts, letter))
        x[to] = [parts[name] for name in joint.qd_names]
    return x


def _drift(s: Layout, v: Scalars) -> list[Scalar]:
    """w x v of vectors v that turn: d(R v)/dt = R (dv/dt + w x v). That of w itself is zero."""
    drifts: list[Scalar] = [0] * s.model.nv
    for _, joint, _, to, *_, turned in s.places:
        if "v" in turned:
            parts, rates = dict(zip(joint.qd_names, v[to], strict=True)), dict.fromkeys(joint.qd_names, 0)
            _put(rates, "v", cross(_vector(parts, "w"), _vector(parts, "v")))
            drifts[to] = rates.values()
    return drifts


def _rotation(joint: JointType, q: Scalars) -> Rotation:
    """From the child's axes to the parent's; in a plane, of the components in it."""
    if joint.quaternion_at is None:
        return Rotation.about(Vector((0, 0, 1)), cos(q[-1]), sin(q[-1]))
    return joint.transform(q).R


def _vector(parts: dict[str, Scalar], letter: str) -> Vector:
    """The vector v or w; in a plane w has one component, and v has two."""
    x, y, z = (parts.get(letter + axis, 0) for axis in "xyz")
    return Vector((x, y, parts.get(letter, z)))


def _put(parts: dict[str, Scalar], letter: str, vector: Vector) -> None:
    parts.update({name: x for name, x in zip((letter + axis for axis in "xyz"), vector, strict=True) if name in parts})


def _own(s: Layout, x: Scalars) -> list[Scalar]:
    return [x[k] for k in s.own[1]]


def _sum(x: Scalars, y: Scalars) -> list[Scalar]:
    return [a + b for a, b in zip(x, y, strict=True)]
