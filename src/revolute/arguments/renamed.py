"""Old names: their errors report the new ones until version 1.0.

`docs/renames.md` shows the table. New arguments may be "argument=Group(...)".
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import wraps
from inspect import signature
from types import ModuleType
from typing import Any, NoReturn, ParamSpec, TypeVar

__all__ = [
    "OLD_ARGUMENTS", "OLD_ATTRIBUTES", "RENAMED", "OldFunction", "OldName", "old_arguments", "old_names", "renamed"
]  # fmt: skip

P = ParamSpec("P")
T = TypeVar("T")

RENAMED: dict[str, tuple[str, str]] = {
    "control.Samples": ("control.MotionTable", "`Samples` are those of identification"),
    "io.dh.Row": ("io.dh.DHRow", "beside `DHTable`"),
    "Kernel.to_c": ("Robot.to_c", "it takes kernels too, beside names of functions"),
    **{
        f"Robot.{name}": (f"Robot.drives.{name}", "data of drives, which have the same names there")
        for name in (
            "armature", "damping", "friction", "friction_backward", "gear_ratio", "rest", "rotor_inertia", "stiffness",
            "stribeck", "stribeck_speed",
        )
    },
    "Robot.scalars": ("Robot.symbols", "the part of it that people need"),
    **{
        f"Robot.{name}": (f'Robot.kernel("{name}")', "seldom called")
        for name in (
            "centrifugal_and_coriolis_forces", "cholesky", "coriolis_matrix_partials", "coriolis_matrix_rate",
            "coriolis_matrix_regressor", "energy_regressor", "equations_of_motion_rates",
            "equations_of_motion_second_rates", "forward_dynamics_parameter_partials", "gravity_forces_partials",
            "gravity_forces_rate", "gravity_regressor", "inverse_dynamics_differential",
            "inverse_dynamics_placement_partials", "inverse_dynamics_second_partials", "jacobian_rate_partials",
            "mass_matrix_regressor", "placement_jacobian", "quadratic_velocity_coefficients",
        )
    },
    "Robot.sensitivity_matrices": ("Robot.inverse_dynamics_partials", "one result, in the order of q, qd, qdd"),
    "Robot.jacobian_acceleration": ("Robot.jacobian_second_rate", "after `jacobian_rate`"),
    "Robot.jacobian_jerk": ('Robot.kernel("jacobian_third_rate")', "after `jacobian_rate`; seldom called"),
    "acceleration(kind)": ("acceleration(linear)", "the linear part; `kind` is that of a Coriolis matrix"),
    "base_parameters(seed)": ("base_parameters(rng)", "a seed or a generator, as everywhere"),
    "count(convention)": ("count(counting)", "`convention` is that of a Denavit-Hartenberg table"),
    "forward_dynamics(method)": ("forward_dynamics(algorithm)", "`method` is that of an integration"),
    **{
        f"{name}(kind)": (f"{name}(profile)", "the profile of speed; `kind` is that of a Coriolis matrix")
        for name in ("arc", "line", "screw")
    },
    "random_tree(seed)": ("random_tree(rng)", "a seed or a generator, as everywhere"),
    **{
        f"{name}(damping)": (f"{name}(singularity_damping)", "as of control laws; `damping` is that of joints")
        for name in (
            "bias_forces", "dynamically_consistent_inverse", "dynamics", "equations_of_motion", "gravity_forces",
            "inverse_dynamics", "mass_matrix", "task_space_dynamics", "task_space_forces",
        )
    },
    **{
        f"{name}(damping)": (f"{name}(joint_damping)", "a switch; `damping` is a coefficient")
        for name in ("MomentumObserver", "simulate", "simulate_sensitivities", "stepper")
    },
    "ElasticRobot.energy": ("ElasticRobot.total_energy", "as of all robots"),
    "DrivenRobot.drives": ("DrivenRobot.drivetrain", "`drives` are the columns of `Drive`"),
    "DrivenRobot.positions": ("DrivenRobot.joint_positions", "they lead from the coordinates to the tree's joints"),
    "DrivenRobot.velocities": ("DrivenRobot.joint_velocities", "they lead from the coordinates to the tree's joints"),
    **{
        f"{name}(p)": (f"{name}(momentum)", "p was the position of a robot with drives, too")
        for name in ("hamiltonian", "hamiltons_equations")
    },
    **{
        f"*({old})": (f"*({new})", "the coordinates of every machine are q")
        for old, new in {"p": "q", "pd": "qd", "pdd": "qdd", "p0": "q0", "pd0": "qd0"}.items()
    },
    "independent(q)": ("independent(joint_positions)", "q are the coordinates"),
    "stepper(wrenches)": ("stepper(wrench_links)", "names of links; `wrenches` are arrays by these"),
    "workspace(rows)": ("workspace(manipulability_rows)", "they choose no points"),
    **{
        f"identify({name})": (f"identify(robot=ForceModel(robot, {name}=...))", "what is fitted stands in the model")
        for name in ("drives", "offsets", "terms", "only", "gains", "momentum", "asymmetric", "stribeck")
    },
    "identify(searches)": ("identify(robot=ForceModel(robot, terms=...))", "searches stand beside terms"),
    **{
        f"identify({name})": (f"identify(loop=ClosedLoop({name}=...))", "how the log was controlled")
        for name in ("controller", "reference")
    },
    **{
        f"excite({name})": (f"excite(limits=ExcitationLimits({name}=...))", "a group of limits")
        for name in ("position", "velocity", "acceleration", "torque", "box", "height")
    },
    **{
        f"excite({name})": (f"excite(log=ExpectedLog({name}=...))", "what is known of the log to come")
        for name in ("noise", "prior", "rate")
    },
    "excite(scaled)": ('excite(criterion="unscaled_condition")', "it was for the condition number alone"),
    "excite(iterations)": ("excite(starts=...)", "a search ends by itself; more of them find better motions"),
    "identification.identify_payload": ("identification.payload", "as the command"),
    "identification.doubts": ("identification.check_log", "the field's word"),
    "identification.warn_of_doubts": ("identification.check_log(warn=True)", "one door"),
    "identification.Doubt": ("identification.LogFinding", "the field's word"),
    "identification.regions_of": ("identification.Region.of_shapes", "it makes regions"),
    **{
        f"identification.{name}": ("identification.Fit.verdicts", "beside `rank` and `condition` of a fit")
        for name in ("Excitation", "excitation()")
    },
    "identification.essential": ("identification.Fit.essential", "it takes a fit"),
    "identification.f_test": ("identification.Fit.f_test", "it takes a fit"),
    "identification.torque_delay": ('identification.read_log(delay="auto")', "one door"),
    "identification.fit_model": ("identification.identify", "it takes a `ForceModel`, too"),
    "identification.with_friction": ("identification.ForceModel", "it has `asymmetric` and `stribeck`"),
    **{
        f"identification.{name}": (f"model.pseudo_inertia.{name}", "PyTorch's functions use it, too")
        for name in ("from_pseudo_inertia", "pseudo_inertia")
    },
    **{
        f"identification.{name}": ("identification.log.decimation.Decimation", "its `add` takes all rows, or blocks")
        for name in ("decimated", "decimated_rows")
    },
    **{
        f"identification.{name}": ("identification.Log.samples", "samples have it done")
        for name in ("central_differences", "delayed")
    },
    "identification.searched": ("identification.identify", "of a `ForceModel` with searches"),
    **{
        f"identification.{name}": (f'identification.identify(estimator="{name}")', "one door")
        for name in ("instrumental", "direct_inverse", "output_error")
    },
    **{
        f"identification.{name}": ("identification.identify(physical=True)", "one door")
        for name in ("consistent", "physical")
    },
    **{
        f"identification.{name}": (f"identification.{room}.{name}", "a part of a room, not a door")
        for room, names in {
            "forces.base_parameters": ("BaseColumns", "base_columns"),
            "log.filters": ("advised_cutoff", "low_pass"),
            "log.decimation": ("Decimation",),
            "log.delay": ("Delay",),
            "log.periods": ("Periods",),
            "fit.triangle": ("Triangle",),
            "fit.essential_parameters": ("FTest",),
            "closed_loop.iterations": ("ClosedLoopFit",),
            "closed_loop.instrumental_variables": ("InstrumentalFit",),
            "closed_loop.output_error": ("OutputErrorFit",),
            "validation.collision_thresholds": ("CollisionThresholds",),
        }.items()
        for name in names
    },
    "revolute count --convention": ("revolute count --counting", "as `count(counting)`"),
    "revolute simulate --damping": ("revolute simulate --joint-damping", "as `simulate(joint_damping)`"),
}
"""{old name: (new name, why)}: attributes "Class.name" and "module.name", arguments "function(name)" and "*(name)",
functions "module.name()" whose name is now that of a module, options "revolute command --name".

Attributes that `Robot` shares with robots with drives, springs or loops are listed as those of `Robot`.
"""

OLD_ATTRIBUTES = frozenset(old.partition(".")[2] for old in RENAMED if old[0].isupper() and "(" not in old)
"""Old names of attributes, of any class."""

OLD_ARGUMENTS = frozenset(old.partition("(")[0] for old in RENAMED if "(" in old)
"""Names of functions whose arguments were renamed."""


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
    """The end of a message about an unknown argument of a function; None without an old name."""
    new, _ = RENAMED.get(f"{function}({name})") or RENAMED.get(f"*({name})") or ("", "")
    new = new.partition("(")[2].removesuffix(")")
    return f"{name} is {new} now" if new.partition("=")[0] in taken else None


def renamed_option(command: str, name: str) -> str | None:
    """The end of a message about an unknown option of a command; None without an old name."""
    new, _ = RENAMED.get(f"revolute {command} {name}", ("", ""))
    return f"{name} is {new.rpartition(' ')[2]} now" if new else None


def old_arguments(function: Callable[P, T]) -> Callable[P, T]:
    """The function with a TypeError for old arguments that names the new one."""
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
    """A module with the name of an old function. A call raises an error with the new name."""

    def __call__(self, *args: Any, **named: Any) -> NoReturn:
        owner, _, name = self.__name__.removeprefix("revolute.").rpartition(".")
        new, _ = RENAMED[f"{owner}.{name}()"]
        raise TypeError(f"'module' object is not callable; {name} is revolute.{new} now")


def _answer(name: str, kind: type) -> str:
    return f"{name} is {renamed(kind, name)} now"


class OldName:
    """A renamed attribute, or one of other libraries. The error reports the name in this library.

    Unlike `__getattr__`, this does not slow down other attributes.
    """

    def __init__(self, name: str, answer: Callable[[str, Any], str | None] | None = None) -> None:
        self.name, self.answer = name, answer or _answer

    def __get__(self, thing: Any, kind: type) -> Any:
        what = getattr(kind, "_kind", kind.__name__)
        message = f"a {what} has no attribute '{self.name}'; {self.answer(self.name, kind)}"
        raise AttributeError(message, name=self.name, obj=None)  # Python would guess another attribute of `obj`
