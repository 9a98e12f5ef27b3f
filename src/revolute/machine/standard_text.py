"""Complete docstrings of compiled functions: add omitted arguments and standard errors."""

import inspect
import re
from collections.abc import Sequence

_SEE = "see `Robot.inverse_dynamics`."
_BASE = f"(..., 6) of a moving base: {_SEE}"
_ARGUMENTS = {
    "q": "(..., nq) joint positions [rad, m].",
    "qd": "(..., nv) joint velocities [rad/s, m/s].",
    "qdd": "(..., nv) joint accelerations [rad/s^2, m/s^2], the rates of the components of `qd`.",
    "qddd": "(..., nv) rates of the components of `qdd`.",
    "qdddd": "(..., nv) rates of the components of `qddd`.",
    "theta": "(..., motors) positions of motors, behind the gears [rad, m].",
    "thetad": "(..., motors) velocities of motors [rad/s, m/s].",
    "tau": "(..., nv) joint forces [N m, N].",
    "frame": "name of a link: see `link_names`.",
    "reference": '"body", "aligned" or "world": see `Robot.jacobian`.',
    "point": '(..., 3) of the link [m], or "com": see `Robot.forward_kinematics`.',
    "rows": "numbers 0 ... 5 of the selected rows among wx, wy, wz, vx, vy, vz; all if None.",
    "singularity_damping": "(...) lambda >= 0: see `Robot.task_space_dynamics`.",
    "kind": 'of Coriolis matrix, "christoffel" or "goa": see `Robot.coriolis_matrix`.',
    "wrenches": f"{{link name: (..., 6)}} from the environment, which turn with their links: {_SEE}",
    "base_twist": _BASE,
    "base_acceleration": _BASE,
    "out": _SEE,
    "threads": _SEE,
}
_TOGETHER = (("base_twist", "base_acceleration"), ("out", "threads"))
"""Groups of arguments that share one entry of a docstring."""

_CHOICES = {"reference": "reference", "point": "point", "kind": "kind", "rows": "row"}
"""Names, in error messages about invalid values, of the arguments whose values are checked."""

_ELSEWHERE = re.compile(r"Arguments[^.`]*: see\s")
"""Pattern of a docstring that refers to another docstring for its arguments, and therefore is not changed."""

_HEADING = re.compile(r"^(Args|Returns|Raises|Warns|Example):\n", re.MULTILINE)
_ENTRY = re.compile(r"^ {4}(?=\S)", re.MULTILINE)


def completed(text: str, parameters: Sequence[str], *, inverts: bool = False, smooth: bool = False) -> str:
    """Return a docstring with omitted errors and arguments added, arguments in the order of the signature.

    `inverts`: the function needs the inverse of the mass matrix; `smooth`: with drives, it needs smooth friction.
    """
    text = inspect.cleandoc(text)
    if _ELSEWHERE.search(text):
        return text
    start, *rest = _HEADING.split(text)
    sections = dict(zip(rest[::2], rest[1::2], strict=True))
    entries = _ENTRY.split(sections.pop("Args", ""))[1:]
    own = {tuple(re.findall(r"\w+", entry.partition(":")[0])): entry for entry in entries}
    said = {name for names in own for name in names}
    missing = [name for name in parameters if name in _ARGUMENTS and name not in said]
    for names in _TOGETHER:
        if {*names} <= {*missing}:
            own[names] = f"{', '.join(names)}: {_ARGUMENTS[names[0]]}"
            missing = [name for name in missing if name not in names]
    own |= {(name,): f"{name}: {_ARGUMENTS[name]}" for name in missing}
    arguments = [own[names] for names in sorted(own, key=lambda names: parameters.index(names[0]))]
    errors = _errors(sections.pop("Raises", ""), parameters, inverts, smooth)
    example = {"Example": sections.pop("Example")} if "Example" in sections else {}
    if arguments:
        sections = {"Args": "".join(f"    {entry.rstrip()}\n" for entry in arguments), **sections}
    parts = (f"{name}:\n{part.rstrip()}" for name, part in {**sections, "Raises": errors, **example}.items())
    return "\n\n".join(part for part in (start.rstrip(), *parts) if part)


def _errors(own: str, parameters: Sequence[str], inverts: bool, smooth: bool) -> str:
    """The entries of "Raises": first the standard errors that the docstring omits, then the docstring's own."""
    choices = [word for name, word in _CHOICES.items() if name in parameters]
    damped = "singularity_damping" in parameters
    standard = {
        "ShapeError": "ShapeError, DtypeError: an array does not fit, or is not real numbers.",
        "UnknownNameError": "UnknownNameError: no link has that name." if {"frame", "wrenches"} & {*parameters} else "",
        "no such": f"InputError: no such {' or '.join(choices)}." if choices else "",
        "combined with": "InputError: the step is not positive, or is combined with `out`." * ("step" in parameters),
        "damping is": "InputError: the damping is negative." * damped,
        "SingularityError": "SingularityError: a single state is singular, and there is no damping." * damped,
        "smoothing": "InputError: Coulomb or Stribeck friction of drives without `smoothing`." if smooth else "",
        "ModelError": "ModelError: the mass matrix has no inverse in any state." if inverts else "",
    }
    return "".join(f"    {entry}\n" for known, entry in standard.items() if entry and known not in own) + own
