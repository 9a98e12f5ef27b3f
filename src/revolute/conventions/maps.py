"""Maps between the coordinates of a robot and those of another library, for any scalar type.

"There" is the other library, "here" is Revolute. Velocities there are S(q) qd with orthogonal S: rotations of vectors,
then a permutation.
"""

from collections.abc import Callable, Sequence
from functools import cached_property
from typing import NamedTuple

from revolute.conventions.tables import CONTINUOUS, MISSING, TABLES
from revolute.dynamics.drivetrain import Drivetrain
from revolute.errors import ModelError
from revolute.model.joints import Free, JointType, Planar
from revolute.model.model import Model
from revolute.records import dataclass
from revolute.spatial import Transform, Vector
from revolute.spatial.scalar import Rows, Scalar, Scalars, atan2, cos, mirrored, sin, transposed

Momentum = Callable[[Scalars, Scalars], Scalars]
"""M(q) qd of the robot."""


class PlacedJoint(NamedTuple):
    """A joint in both libraries: its slices of positions and velocities here, and the names of its entries there."""

    name: str
    joint: JointType
    at: slice
    to: slice
    q: Sequence[str]
    qd: Sequence[str]
    turned: str

    def named(self, parts: Sequence[str]) -> list[str]:
        """Names of entries, in the form of `Robot.position_names`."""
        return [f"{self.name}.{part}" if part else self.name for part in parts]


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
        """The joints in the order there. Raise `ModelError` if one has no counterpart."""
        return [self._place(i) for i in self.order]

    @cached_property
    def names(self) -> tuple[tuple[str, ...], ...]:
        """Names of joints, of positions and of velocities, in the order there."""
        q = tuple(name for place in self.places for name in place.named(place.q))
        qd = tuple(name for place in self.places for name in place.named(place.qd))
        return tuple(place.name for place in self.places), q, qd

    @cached_property
    def columns(self) -> list[int]:
        """For each velocity there, its index in the joint velocities here."""
        return [place.to.start + place.joint.qd_names.index(name) for place in self.places for name in place.qd]

    @cached_property
    def own(self) -> tuple[list[int], list[int]]:
        """Indices of the coordinates in joint positions and in joint velocities."""
        model, bodies = self.model, [self.model.joint_index(name) for name in self.drives.space.joint_names]
        q, qd = ([k for i in bodies for k in range(at[i].start, at[i].stop)] for at in (model.q_index, model.v_index))
        return q, qd

    @property
    def has_coordinates(self) -> bool:
        """Whether each coordinate is itself a joint."""
        A, b, names = self.drives.A, self.drives.b, self.drives.space.joint_names
        return {*names} <= {*self.model.joint_names} and all(
            A[k] == ((i, 1),) and b[k] == 0 for i, k in enumerate(self.own[1])
        )

    def _place(self, i: int) -> PlacedJoint:
        body, library = self.model.bodies[i], self.library
        name, joint, table = body.joint_name, body.joint, TABLES[library].get(type(body.joint))
        missing = "" if table else MISSING.get((library, type(joint)), f"no {type(joint).__name__.lower()} joint")
        if library != "Pinocchio" and isinstance(joint, Free) and (body.parent or body.placement != Transform()):
            missing = "no free joint except from the world's origin"
        elif library != "MuJoCo" and isinstance(joint, Planar) and joint.normal != (0, 0, 1):
            missing = "no planar joint but across z, in which x and y are ours"
        if missing or table is None:
            raise ModelError(f"joint '{name}': {library} has {missing}")
        table = CONTINUOUS if name in self.continuous else table
        joint = Planar() if isinstance(joint, Planar) else joint  # coordinates do not depend on the normal
        names = table.q.split() or joint.q_names, table.qd.split() or joint.qd_names
        return PlacedJoint(name, joint, self.model.q_index[i], self.model.v_index[i], *names, table.turned)


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


def mass_matrix(s: Layout, q: Scalars, M: Scalars) -> Rows:
    """S M S^T, from the entries of M, row by row."""
    return _both_sides(lambda row: forces(s, q, row), M)


def bias(s: Layout, momentum: Momentum, q: Scalars, qd: Scalars, h: Scalars) -> list[Scalar]:
    """S (h - M S^T dS/dt qd)."""
    moved = momentum(q, _own(s, _drift(s, s.drives.rates(qd))))
    return forces(s, q, [x - y for x, y in zip(h, moved, strict=True)])


def from_positions(s: Layout, q: Scalars) -> list[Scalar]:
    """Positions here, from positions there; angles from cosine and sine are in -pi ... pi."""
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


def from_mass_matrix(s: Layout, q: Scalars, M: Scalars) -> Rows:
    """A^T S^T M S A, from the entries of M, row by row."""
    return _both_sides(lambda row: from_forces(s, q, row), M)


def from_bias(s: Layout, momentum: Momentum, q: Scalars, v: Scalars, h: Scalars) -> list[Scalar]:
    """A^T S^T h + M S^T dS/dt qd."""
    drift = _own(s, _drift(s, _here(s, q, v)))
    return _sum(from_forces(s, q, h), momentum(from_positions(s, q), drift))


def _both_sides(convert: Callable[[Scalars], list[Scalar]], M: Scalars) -> Rows:
    """X M X^T of a symmetric M, exactly symmetric; `convert` maps x to X x."""
    n = round(len(M) ** 0.5)
    rows = transposed([convert(M[k : k + n]) for k in range(0, n * n, n)])
    return mirrored([convert(row) for row in rows])


def _joint_positions(s: Layout, q: Scalars) -> list[Scalar]:
    """Joint positions here, from positions there."""
    phi: list[Scalar] = [0] * s.model.nq
    rest = iter(q)
    for _, joint, at, _, names, *_ in s.places:
        x = {name: next(rest) for name in names}
        if "cos" in x:
            x[joint.q_names[-1]] = atan2(x["sin"], x["cos"])
        phi[at] = [x[name] for name in joint.q_names]
    return phi


def _there(s: Layout, q: Scalars, x: Scalars) -> list[Scalar]:
    """S x, for joint velocities or forces x."""
    y = _turned(s, s.drives.positions(s.model, q), x)
    return [y[k] for k in s.columns]


def _here(s: Layout, q: Scalars, y: Scalars) -> list[Scalar]:
    """S^T y; q are positions there."""
    x = dict(zip(s.columns, y, strict=True))
    return _turned(s, _joint_positions(s, q), [x[k] for k in range(s.model.nv)], back=True)


def _turned(s: Layout, phi: Scalars, x: Scalars, back: bool = False) -> list[Scalar]:
    """x with its `turned` vectors expressed in the parent's axes; with `back`, in the child's axes again."""
    y = [*x]
    for _, joint, at, to, *_, turned in s.places:
        for letter in turned:
            places = [k for k, name in enumerate(joint.qd_names, to.start) if name[0] == letter]
            R = joint.transform(phi[at]).R
            vector = (R.T if back else R) @ Vector([*(x[k] for k in places), 0][:3])  # in a plane, z is 0
            for k, component in zip(places, vector, strict=False):
                y[k] = component
    return y


def _drift(s: Layout, v: Scalars) -> list[Scalar]:
    """w x v for `turned` vectors v: d(R v)/dt = R (dv/dt + w x v). For w itself it is zero."""
    drifts: list[Scalar] = [0] * s.model.nv
    for _, joint, _, to, *_, turned in s.places:
        if "v" in turned:
            linear = [x if is_linear else 0 for x, is_linear in zip(v[to], joint.linear, strict=True)]
            drifts[to] = [sum(a * b for a, b in zip(row, linear, strict=True)) for row in joint.bracket(v[to])]
    return drifts


def _sum(x: Scalars, y: Scalars) -> list[Scalar]:
    return [a + b for a, b in zip(x, y, strict=True)]


def _own(s: Layout, x: Scalars) -> list[Scalar]:
    return [x[k] for k in s.own[1]]
