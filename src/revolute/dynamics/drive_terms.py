"""A force of drives as a declared term, which is checked; its slopes and regressor columns follow from the term."""

from collections.abc import Callable, Iterable, Mapping
from functools import cached_property

from revolute.errors import GraphError
from revolute.model.body import DRIVE_FIELDS, column_of
from revolute.model.model import Model
from revolute.records import dataclass
from revolute.spatial.dual import Dual, slopes_of
from revolute.spatial.scalar import Scalar

Values = Mapping[str, Scalar]
"""{field of `Drive`: its value for a coordinate}; if `friction_backward` is not set, it has the value of `friction`."""

AT, ROUNDING = 0.7, 1e-12
"""Position and velocity at which terms are checked, and tolerance of the checks; fields have values from 1.5 to 4."""


@dataclass(frozen=True)
class DriveTerm:
    """A force that a drive needs at its joint. Arguments of `force` after the state are named like fields of `Drive`.

    The force is linear in the fields that are parameters: see `DriveField`.

    Raises:
        GraphError: the term is incomplete, or contradicts itself.
    """

    # of a spring `force(phi, ...)`, for joints with one coordinate; of friction `force(phid, ...)`. Dry friction is
    # `force(phid, sgn, ...)`: where phid = 0, sgn is any number from -1 to 1.
    force: Callable[..., Scalar]
    # of a spring `energy(phi, ...)`, whose derivative is the force; None of friction
    energy: Callable[..., Scalar] | None = None

    def __post_init__(self) -> None:
        check(self)

    @cached_property
    def arguments(self) -> tuple[str, ...]:
        """Names of the arguments of the force."""
        code = self.force.__code__
        return code.co_varnames[: code.co_argcount]

    @cached_property
    def is_spring(self) -> bool:
        """Whether the force depends on the position, not on the velocity."""
        return self.arguments[0] == "phi"

    @cached_property
    def is_dry(self) -> bool:
        """Whether the force jumps where the velocity changes sign."""
        return self.arguments[1:2] == ("sgn",)

    @cached_property
    def fields(self) -> tuple[str, ...]:
        """Fields of `Drive` that the force takes."""
        return self.arguments[1 + self.is_dry :]

    @cached_property
    def parameters(self) -> tuple[str, ...]:
        """Fields in which the force is linear."""
        return tuple(name for name in self.fields if DRIVE_FIELDS[name].parameter)

    def of(self, values: Values, phi: Scalar = 0, phid: Scalar = 0, sgn: Scalar = 0, energy: bool = False) -> Scalar:
        """The force or the energy of a coordinate; a structural zero if all parameters are zero."""
        function = self.energy if energy else self.force
        if function is None or all(values[name] == 0 for name in self.parameters):
            return 0
        state = (phi,) if self.is_spring else (phid, sgn) if self.is_dry else (phid,)
        return function(*state, *(values[name] for name in self.fields))

    def unit(self, name: str, values: Values, also: Iterable[str] = ()) -> Values:
        """The values with 1 for a parameter, and 0 for the others: the force is then this parameter's regressor column.

        `also` are parameters that are not given, and therefore have the same value.
        """
        return {**values, **dict.fromkeys(self.parameters, 0), name: 1, **dict.fromkeys(also, 1)}


def coordinates(model: Model) -> list[Values]:
    """The field values of each of the nv coordinates."""
    drives = [(body.drive, body.joint.nv) for body in model.bodies if body.joint.nv]
    columns = [({name: column_of(drive, name, nv) for name in DRIVE_FIELDS}, nv) for drive, nv in drives]
    return [{name: column[k] for name, column in each.items()} for each, nv in columns for k in range(nv)]


def check_all(terms: Iterable[DriveTerm], others: Iterable[str]) -> None:
    """Raise `GraphError` if a field of `Drive` is not an argument of a term and not one of `others`."""
    if forgotten := sorted(DRIVE_FIELDS.keys() - {*others, *(name for term in terms for name in term.fields)}):
        raise GraphError(f"no term of drives takes Drive.{', Drive.'.join(forgotten)}: add a row to TERMS")


def check(term: DriveTerm) -> None:
    """Raise `GraphError` if a term is incomplete or contradicts itself; it is evaluated at a few states."""
    what = f"the term of drives '{term.force.__name__}'"
    if term.arguments[0] not in ("phi", "phid") or term.is_spring != (term.energy is not None):
        raise GraphError(f"{what}: it must be force(phi, ...) with an energy, or force(phid, ...) without one")
    if unknown := {*term.fields} - DRIVE_FIELDS.keys():
        raise GraphError(f"{what}: Drive has no field {', '.join(sorted(unknown))}")
    if term.is_spring and not all(DRIVE_FIELDS[name].single for name in term.parameters):
        raise GraphError(f"{what}: its parameters must be for joints with one coordinate: single=True")
    values = {name: 1.5 + k / 8 for k, name in enumerate(DRIVE_FIELDS)}
    for at, sgn in ((AT, 1), (-AT, -1)):
        force = term.of(values, at, at, sgn)
        for energy in (False, True):
            columns = [values[name] * term.of(term.unit(name, values), at, at, sgn, energy) for name in term.parameters]
            if abs(term.of(values, at, at, sgn, energy) - sum(columns)) > ROUNDING:
                raise GraphError(f"{what}: it is not linear in its parameters {', '.join(term.parameters)}")
        slope = slopes_of(term.of(values, Dual(at, {0: 1}), energy=True)).get(0, 0)
        if term.is_spring and abs(slope - force) > ROUNDING:
            raise GraphError(f"{what}: it is not the derivative of its energy")
        if not term.is_spring and not force * at > 0:
            raise GraphError(f"{what}: friction must dissipate energy, so force * phid must be positive")
