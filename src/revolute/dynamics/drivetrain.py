"""Independent coordinates of a tree with coupled joints, for any scalar type."""

from collections.abc import Callable, Sequence
from functools import cached_property

from revolute.dynamics.sparse_factorization import is_zero
from revolute.model import Body, Frame, Model, Turning, continuous
from revolute.model.joints import Fixed
from revolute.records import dataclass
from revolute.spatial.scalar import Rows, Scalar, Scalars, mirrored, transposed

Row = tuple[tuple[int, Scalar], ...]  # pairs (column, factor) of the nonzero entries in one row of A


@dataclass(frozen=True)
class Drivetrain:
    """phi = A q + b and phid = A qd: how the joints of a tree follow independent coordinates q.

    Joints with several coordinates are never coupled. The last bodies of the tree may be rotors:
    they are symmetric, so their angles have no effect and are set to 0.
    """

    coordinates: tuple[Body, ...]  # bodies whose joints have the coordinates q, one each
    A: tuple[Row, ...]  # nv sparse rows
    b: tuple[Scalar, ...]  # nv offsets of the joint positions [rad, m]
    # for each rotor at the end of the tree, whether the inertia of the link that carries it includes the rotor at rest
    rotors: tuple[bool, ...] = ()
    smoothing: float = 0.0  # see `friction_forces`

    @cached_property
    def uncoupled(self) -> bool:
        """Whether the coordinates equal the joint positions of the tree, up to offsets."""
        return not self.rotors and all(row == ((k, 1),) for k, row in enumerate(self.A))

    @cached_property
    def space(self) -> Model:
        """A massless robot whose joints are the independent coordinates."""
        base = Body("", -1, "", Fixed())
        frames = (Frame("", 0), *(Frame(body.name, k) for k, body in enumerate(self.coordinates, 1)))
        return Model("coordinates", (base, *self.coordinates), frames)

    def continuous(self, tree: Model) -> tuple[Turning, ...]:
        """Coordinates whose values are equivalent modulo 2 pi."""
        return self.turning(tree, continuous)

    def turning(self, tree: Model, of: Callable[[Model], tuple[Turning, ...]]) -> tuple[Turning, ...]:
        """Those coordinates in `of(space)` that drive only joints in `of(tree)`, with integer ratios."""
        joints = {at.qd for at in of(tree)}
        rows = enumerate(self.A[: len(self.A) - len(self.rotors)])
        held = {k for joint, row in rows for k, ratio in row if joint not in joints or ratio != round(ratio)}
        return tuple(at for at in of(self.space) if at.qd not in held)

    def positions(self, model: Model, q: Scalars) -> list[Scalar]:
        """Joint positions phi = A q + b."""
        space = self.space  # model of q; `places` maps indices in qd to indices in q
        places = {rates.start: at for at, rates in zip(space.q_index, space.v_index, strict=True)}
        phi: list[Scalar] = []
        for body, at in zip(model.bodies, model.v_index, strict=True):
            if body.joint.nv == 1:
                terms = [_times(f, q[places[k].start]) for k, f in self.A[at.start]]
                phi.append(sum(terms, start=self.b[at.start]) if self.b[at.start] != 0 else sum(terms))
            elif body.joint.nv:
                phi.extend(q[places[self.A[at.start][0][0]]])
        return [*phi[: len(phi) - len(self.rotors)], *(0 for _ in self.rotors)]

    def rates(self, qd: Scalars) -> list[Scalar]:
        """Joint velocities A qd."""
        return [sum(_times(f, qd[k]) for k, f in row) for row in self.A]

    def projected(self, tau: Scalars) -> list[Scalar]:
        """Forces A^T tau of the coordinates."""
        projected: list[Scalar] = [0] * self.space.nv
        for row, force in zip(self.A, tau, strict=True):
            if not is_zero(force):
                for k, f in row:
                    projected[k] = _plus(projected[k], _times(f, force))
        return projected

    def projected_matrix(self, M: Sequence[Scalars]) -> Rows:
        """The matrix A^T M A of the coordinates."""
        return transposed([self.projected(column) for column in zip(*map(self.projected, M), strict=True)])

    def projected_symmetric(self, M: Sequence[Scalars]) -> Rows:
        """A^T M A of a symmetric M; the result is exactly symmetric."""
        return mirrored(self.projected_matrix(M))

    def still_rotors(self, rows: Sequence[Scalars]) -> Rows:
        """The rows with their last columns, the derivatives with respect to rotor angles, set to zero."""
        return [[*row[: len(row) - len(self.rotors)], *(0 for _ in self.rotors)] for row in rows]


def _times(factor: Scalar, x: Scalar) -> Scalar:
    return x if factor == 1 else -x if factor == -1 else factor * x


def _plus(x: Scalar, y: Scalar) -> Scalar:
    return y if is_zero(x) else x + y
