"""Renamed attributes, functions and arguments: until version 1.0, errors for old names report the new names.

`docs/renames.md` shows the table. New arguments may be "argument=Group(...)".
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import wraps
from inspect import signature
from types import ModuleType
from typing import Any, NoReturn, ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")

# each line is: old -> new | why. {a b} expands to one line per name; each name replaces {} in the new name
_TABLE = """\
control.Samples -> control.MotionTable | `Samples` are those of identification
io.dh.Row -> io.dh.DHRow | beside `DHTable`
Kernel.to_c -> Robot.to_c | it takes kernels too, beside names of functions
Robot.{armature damping friction friction_backward gear_ratio rest rotor_inertia stiffness stribeck stribeck_speed} -> \
Robot.drives.{} | data of drives, which have the same names there
Robot.scalars -> Robot.symbols | the part of it that people need
Robot.{centrifugal_and_coriolis_forces cholesky coriolis_matrix_partials coriolis_matrix_rate \
coriolis_matrix_regressor energy_regressor equations_of_motion_rates equations_of_motion_second_rates \
forward_dynamics_parameter_partials gravity_forces_partials gravity_forces_rate gravity_regressor \
inverse_dynamics_differential inverse_dynamics_placement_partials inverse_dynamics_second_partials \
jacobian_rate_partials mass_matrix_regressor placement_jacobian quadratic_velocity_coefficients} -> Robot.kernel("{}") \
| seldom called
Robot.sensitivity_matrices -> Robot.inverse_dynamics_partials | one result, in the order of q, qd, qdd
Robot.jacobian_acceleration -> Robot.jacobian_second_rate | after `jacobian_rate`
Robot.jacobian_jerk -> Robot.kernel("jacobian_third_rate") | after `jacobian_rate`; seldom called
acceleration(kind) -> acceleration(linear) | the linear part; `kind` is that of a Coriolis matrix
base_parameters(seed) -> base_parameters(rng) | a seed or a generator, as everywhere
count(convention) -> count(counting) | `convention` is that of a Denavit-Hartenberg table
forward_dynamics(method) -> forward_dynamics(algorithm) | `method` is that of an integration
{arc line screw}(kind) -> {}(profile) | the profile of speed; `kind` is that of a Coriolis matrix
random_tree(seed) -> random_tree(rng) | a seed or a generator, as everywhere
{bias_forces dynamically_consistent_inverse dynamics equations_of_motion gravity_forces inverse_dynamics mass_matrix \
task_space_dynamics task_space_forces}(damping) -> {}(singularity_damping) | as of control laws; `damping` is that of \
joints
{MomentumObserver simulate simulate_sensitivities stepper}(damping) -> {}(joint_damping) | a switch; `damping` is a \
coefficient
ElasticRobot.energy -> ElasticRobot.total_energy | as of all robots
DrivenRobot.drives -> DrivenRobot.drivetrain | `drives` are the columns of `Drive`
DrivenRobot.positions -> DrivenRobot.joint_positions | they lead from the coordinates to the tree's joints
DrivenRobot.velocities -> DrivenRobot.joint_velocities | they lead from the coordinates to the tree's joints
{hamiltonian hamiltons_equations}(p) -> {}(momentum) | p was the position of a robot with drives, too
*(p) -> *(q) | the coordinates of every machine are q
*(pd) -> *(qd) | the coordinates of every machine are q
*(pdd) -> *(qdd) | the coordinates of every machine are q
*(p0) -> *(q0) | the coordinates of every machine are q
*(pd0) -> *(qd0) | the coordinates of every machine are q
independent(q) -> independent(joint_positions) | q are the coordinates
stepper(wrenches) -> stepper(wrench_links) | names of links; `wrenches` are arrays by these
workspace(rows) -> workspace(manipulability_rows) | they choose no points
identify({drives offsets terms only gains momentum asymmetric stribeck}) -> identify(robot=ForceModel(robot, {}=...)) \
| what is fitted stands in the model
identify(searches) -> identify(robot=ForceModel(robot, terms=...)) | searches stand beside terms
identify({controller reference}) -> identify(loop=ClosedLoop({}=...)) | how the log was controlled
excite({position velocity acceleration torque box height}) -> excite(limits=ExcitationLimits({}=...)) | a group of \
limits
excite({noise prior rate}) -> excite(log=ExpectedLog({}=...)) | what is known of the log to come
excite(scaled) -> excite(criterion="unscaled_condition") | it was for the condition number alone
excite(iterations) -> excite(starts=...) | a search ends by itself; more of them find better motions
identification.identify_payload -> identification.payload | as the command
identification.doubts -> identification.check_log | the field's word
identification.warn_of_doubts -> identification.check_log(warn=True) | one door
identification.Doubt -> identification.LogFinding | the field's word
identification.regions_of -> identification.Region.of_shapes | it makes regions
identification.Excitation -> identification.Fit.verdicts | beside `rank` and `condition` of a fit
identification.excitation() -> identification.Fit.verdicts | beside `rank` and `condition` of a fit
identification.{essential f_test} -> identification.Fit.{} | it takes a fit
identification.torque_delay -> identification.read_log(delay="auto") | one door
identification.fit_model -> identification.identify | it takes a `ForceModel`, too
identification.with_friction -> identification.ForceModel | it has `asymmetric` and `stribeck`
identification.{from_pseudo_inertia pseudo_inertia} -> model.pseudo_inertia.{} | PyTorch's functions use it, too
identification.{decimated decimated_rows} -> identification.log.decimation.Decimation | its `add` takes all rows, or \
blocks
identification.{central_differences delayed} -> identification.Log.samples | samples have it done
identification.searched -> identification.identify | of a `ForceModel` with searches
identification.{instrumental direct_inverse output_error} -> identification.identify(estimator="{}") | one door
identification.{consistent physical} -> identification.identify(physical=True) | one door
identification.{BaseColumns base_columns} -> identification.forces.base_parameters.{} | a part of a room, not a door
identification.{advised_cutoff low_pass} -> identification.log.filters.{} | a part of a room, not a door
identification.Decimation -> identification.log.decimation.Decimation | a part of a room, not a door
identification.Delay -> identification.log.delay.Delay | a part of a room, not a door
identification.Periods -> identification.log.periods.Periods | a part of a room, not a door
identification.Triangle -> identification.fit.triangle.Triangle | a part of a room, not a door
identification.FTest -> identification.fit.essential_parameters.FTest | a part of a room, not a door
identification.ClosedLoopFit -> identification.closed_loop.iterations.ClosedLoopFit | a part of a room, not a door
identification.InstrumentalFit -> identification.closed_loop.instrumental_variables.InstrumentalFit | a part of a \
room, not a door
identification.OutputErrorFit -> identification.closed_loop.output_error.OutputErrorFit | a part of a room, not a door
identification.CollisionThresholds -> identification.validation.collision_thresholds.CollisionThresholds | a part of a \
room, not a door
revolute count --convention -> revolute count --counting | as `count(counting)`
revolute simulate --damping -> revolute simulate --joint-damping | as `simulate(joint_damping)`
"""


def _renamed(line: str) -> Iterator[tuple[str, tuple[str, str]]]:
    """Parse a line of the table: each old name with its new name and the reason."""
    old, _, rest = line.partition(" -> ")
    new, _, why = rest.partition(" | ")
    before, _, group = old.partition("{")
    names, _, after = group.partition("}")
    for name in names.split() or [""]:
        yield before + name + after, (new.replace("{}", name), why)


RENAMED: dict[str, tuple[str, str]] = dict(pair for line in _TABLE.splitlines() for pair in _renamed(line))
"""{old name: (new name, why)}: attributes "Class.name" and "module.name", arguments "function(name)" and "*(name)",
functions "module.name()" whose name is now that of a module, options "revolute command --name".

Attributes that `Robot` shares with robots with drives, springs or loops are listed as those of `Robot`.
"""

OLD_ATTRIBUTES = frozenset(old.partition(".")[2] for old in RENAMED if old[0].isupper() and "(" not in old)
"""Old names of renamed attributes, of all classes."""

OLD_ARGUMENTS = frozenset(old.partition("(")[0] for old in RENAMED if "(" in old)
"""Names of the functions that have renamed arguments."""


def renamed(kind: type, name: str) -> str | None:
    """The new name of an old attribute of a class; None if the table does not contain it.

    Example:
        >>> import revolute
        >>> from revolute.arguments.renamed import renamed
        >>> renamed(revolute.Robot, "sensitivity_matrices")
        'inverse_dynamics_partials'
    """
    for owner in (*(base.__name__ for base in kind.__mro__), "Robot"):
        if f"{owner}.{name}" in RENAMED:
            new = RENAMED[f"{owner}.{name}"][0]
            return new.removeprefix(f"{owner}.")
    return None


def renamed_argument(function: str, name: str, taken: Iterable[str]) -> str | None:
    """A hint for an unknown argument of a function: its new name. None if the argument was not renamed."""
    new, _ = RENAMED.get(f"{function}({name})") or RENAMED.get(f"*({name})") or ("", "")
    new = new.partition("(")[2].removesuffix(")")
    return f"{name} is {new} now" if new.partition("=")[0] in taken else None


def renamed_option(command: str, name: str) -> str | None:
    """A hint for an unknown option of a command: its new name. None if the option was not renamed."""
    new, _ = RENAMED.get(f"revolute {command} {name}", ("", ""))
    return f"{name} is {new.rpartition(' ')[2]} now" if new else None


def old_arguments(function: Callable[P, T]) -> Callable[P, T]:
    """Wrap a function: the TypeError for an old argument reports the new name."""
    owner, _, name = function.__qualname__.rpartition(".")
    name, taken = owner if name == "__init__" else name, signature(function).parameters

    @wraps(function)
    def call(*args: P.args, **named: P.kwargs) -> T:
        for argument in named:
            if argument not in taken and (hint := renamed_argument(name, argument, taken)):
                raise TypeError(f"{name}() got an unexpected keyword argument '{argument}'; {hint}")
        return function(*args, **named)

    return call


def old_names(module: str) -> Callable[[str], Any]:
    """The `__getattr__` of a module with renamed attributes."""

    def missing(name: str) -> Any:
        new = RENAMED.get(f"{module.removeprefix('revolute.')}.{name}")
        hint = f"; {name} is revolute.{new[0]} now" if new else ""
        raise AttributeError(f"module {module!r} has no attribute {name!r}{hint}", name=name, obj=None)

    return missing


class OldFunction(ModuleType):
    """A module with the name of a former function. Calling the module raises an error that reports the new name."""

    def __call__(self, *args: Any, **named: Any) -> NoReturn:
        owner, _, name = self.__name__.removeprefix("revolute.").rpartition(".")
        new, _ = RENAMED[f"{owner}.{name}()"]
        raise TypeError(f"'module' object is not callable; {name} is revolute.{new} now")


def _answer(name: str, kind: type) -> str:
    return f"{name} is {renamed(kind, name)} now"


class OldName:
    """An old attribute name, or the name used by other libraries. Access raises an error that reports the current name.

    Unlike `__getattr__`, this does not slow down other attributes.
    """

    def __init__(self, name: str, answer: Callable[[str, Any], str | None] | None = None) -> None:
        self.name, self.answer = name, answer or _answer

    def __get__(self, thing: Any, kind: type) -> Any:
        what = getattr(kind, "_kind", kind.__name__)
        message = f"a {what} has no attribute '{self.name}'; {self.answer(self.name, kind)}"
        raise AttributeError(message, name=self.name, obj=None)  # Python would guess another attribute of `obj`
