"""The machine of a motion, and the names of the motion's columns."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from revolute.arguments import Array
from revolute.errors import InputError, ShapeError, one_line
from revolute.model.model import Model
from revolute.records import dataclass
from revolute.simulate.events import EventMethods

if TYPE_CHECKING:
    from revolute.compiler.recurrence import TimeLoop


@dataclass(frozen=True, eq=False)
class MotionOwner:
    """The machine of a motion, and the names of the motion's columns."""

    name: str  # name of the machine
    positions: tuple[str, ...]  # (nq,) names of q
    velocities: tuple[str, ...]  # (nv,) names of qd and qdd
    forces: tuple[str, ...]  # names of tau
    motors: tuple[str, ...] = ()  # names of theta; empty without elastic joints
    # contacts, stops: names of contacts and of joints with stops
    contacts: tuple[str, ...] = ()
    stops: tuple[str, ...] = ()
    model: Model | None = None  # robot with the joints of q; None if q is a vector of arbitrary coordinates
    machine: Any = None  # the machine; None if unknown, as for a motion from a file

    @classmethod
    def of(
        cls, machine: object, model: Model, forces: Sequence[str] | None = None, motors: Sequence[str] = ()
    ) -> MotionOwner:
        """The owner of a motion, with column names from a model's joints."""
        rates = tuple(model.coordinate_names)
        driven = rates if forces is None else tuple(forces)
        return cls(model.name, tuple(model.position_names), rates, driven, tuple(motors), model=model, machine=machine)

    def columns(self) -> dict[str, tuple[str, ...]]:
        """Column names of each quantity, by the name of the quantity."""
        axes = tuple(f"{x}.{axis}" for x in self.contacts for axis in "xyz")
        return {
            "q": self.positions,
            "qd": self.velocities,
            "qdd": self.velocities,
            "tau": self.forces,
            **(dict.fromkeys(("theta", "thetad", "thetadd"), self.motors) if self.motors else {}),
            **({"contact_forces": axes} if axes else {}),
            **({"stop_forces": self.stops} if self.stops else {}),
        }

    def require_same(self, other: MotionOwner, where: str) -> None:
        """Raise `ShapeError` unless the columns of a file match this machine."""
        own, found = self.columns(), other.columns()
        for quantity in ("q", "qd", "tau", "theta"):
            mine, given = own.get(quantity, ()), found.get(quantity, ())
            if mine != given:
                at = next(k for k in range(len(mine) + 1) if mine[k : k + 1] != given[k : k + 1])
                words = [f"'{x[at]}'" if at < len(x) else "nothing" for x in (given, mine)]
                raise ShapeError(
                    f"{where}: {quantity} has {words[0]} at index {at}, but '{self.name}' has {words[1]} there"
                )


@dataclass(frozen=True, eq=False)
class Mechanism:
    """The parts of a machine that simulations use."""

    machine: Any  # it has kernels `state_rate` and `linearize`, of steps and of energies
    space: Any  # robot whose joints are its coordinates
    scene: Callable[[], EventMethods]  # returns its methods for events
    owner: MotionOwner  # names of the columns of a motion
    # (method, control law, options) -> the loop of fixed steps, and its inputs from the machine
    loop: Callable[..., tuple[TimeLoop, Mapping[str, Array]]]
    # (q, qd, *inputs of the machine) -> the allowed state at the end of an interval of an adaptive method; None: all
    # are allowed
    settled: Callable[..., tuple[Array, Array]] | None = None


def owner_of(machine: object) -> MotionOwner:
    """The `MotionOwner` of a machine that can be simulated; raise `InputError` for any other object."""
    owner: MotionOwner | None = getattr(machine, "_owner", None)
    if owner is None:
        raise InputError(f"a robot or a system is needed, not {one_line(repr(machine))}")
    return owner
