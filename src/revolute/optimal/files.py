"""Files of plans: all their arrays, with the names of coordinates and costs, as .npz."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from revolute.arguments import Array
from revolute.errors import ShapeError, TrajectoryError
from revolute.model.contact import NUMBERS, Contact, Plane
from revolute.optimal.costs.joints import TorqueCost
from revolute.optimal.fddp import REASONS
from revolute.optimal.plan import OptimalPlan
from revolute.optimal.problem import OptimalControl
from revolute.simulate.files import read_arrays, write_arrays
from revolute.simulate.owner import MotionOwner, owner_of
from revolute.whole_file import check_target

WRITER = "`OptimalPlan.save`"
PLAIN = ("t", "q", "qd", "qdd", "tau", "gains", "cost", "gap", "iterations", "state")
TABLES = ("costs", "errors")
NAMES = ("positions", "velocities", "motors", *TABLES)
CONTACTS, CLOSURES = ("links", "contacts", "contact_forces"), ("rows", "multipliers")


def write_plan(path: str | os.PathLike[str], plan: OptimalPlan) -> None:
    """Write a plan atomically; raise `TrajectoryError` if the suffix is not .npz, or the file cannot be written."""
    file, problem = check_target(path, "plans", (".npz",), TrajectoryError), plan.problem
    owner = owner_of(problem.robot)
    names = owner.positions, owner.velocities, problem.actuated, tuple(plan.costs), tuple(plan.errors)
    parts = {name: np.asarray(getattr(plan, name)) for name in PLAIN}
    parts |= {x: np.stack([*getattr(plan, x).values()], -1) for x in TABLES if getattr(plan, x)}
    if plan.multipliers is not None:
        parts |= dict(zip(CLOSURES, (np.array(problem.robot.row_names), plan.multipliers), strict=True))
    if plan.contact_forces is not None:
        links, numbers = zip(*((contact.link, contact.numbers) for contact in problem.contacts), strict=True)
        parts |= dict(zip(CONTACTS, (np.array(links), np.array(numbers), plan.contact_forces), strict=True))
    parts |= {f"names of {x}": np.array(listed, dtype=str) for x, listed in zip(NAMES, names, strict=True)}
    write_arrays(file, {"name": np.array(owner.name), "bounds": problem._bounds, **parts})


def read_plan(path: str | os.PathLike[str], problem: Any) -> OptimalPlan:
    """Read a file that `write_plan` wrote: see `OptimalPlan.load`."""
    file = Path(path)
    arrays = read_arrays(file, WRITER)
    names = {x: tuple(map(str, np.ravel(arrays.get(f"names of {x}", ())))) for x in NAMES}
    needed = *PLAIN, "bounds", *(x for x in TABLES if names[x])
    missing = [x for x in needed if not isinstance(arrays.get(x), np.ndarray)]
    damaged = f"{file}: the file was not written by {WRITER}, or is damaged"
    if missing:
        raise TrajectoryError(f"{damaged}: it has no {', '.join(missing)}")
    _check(damaged, arrays, names)
    owner = owner_of(problem.robot if isinstance(problem, OptimalControl) else problem)
    rates, links = names["velocities"], tuple(map(str, arrays.get("links", ())))
    owner.require_same(MotionOwner(str(arrays.get("name")), names["positions"], rates, rates), os.fspath(file))
    if isinstance(problem, OptimalControl):
        parts = (arrays["tau"].shape[-2], *names["motors"]), (problem.steps, *problem.actuated)
        if parts[0] != parts[1]:
            raise ShapeError(f"{file}: the plan has the steps and motors {parts[0]}, but the problem has {parts[1]}")
    else:
        limits = np.outer([-np.inf, np.inf], np.ones(len(rates)))
        limits[:, [rates.index(x) for x in names["motors"]]] = arrays["bounds"]
        given = zip(links, arrays.get("contacts", ()), strict=True)
        contacts = [Contact(link, x[:3], friction=x[4], surface=Plane(x[8:11], x[11])) for link, x in given]
        steps = np.diff(arrays["t"]).reshape(-1, arrays["tau"].shape[-2])[0]
        problem = OptimalControl(
            problem, [TorqueCost()], steps=len(steps), dt=steps, actuated=names["motors"],
            effort_limits=(limits[0], limits[1]), contacts=contacts,
        )  # fmt: skip
    if links and links != (known := tuple(contact.link for contact in problem.contacts)):
        raise ShapeError(f"{file}: the plan has contacts of the links {links}, but those of the problem are {known}")
    rows, known = tuple(map(str, arrays.get("rows", ()))), getattr(problem.robot, "row_names", ())
    if rows != known:
        raise ShapeError(f"{file}: the plan has closures of the rows {rows}, but those of the robot are {known}")
    tables: dict[str, Any] = {x: {name: arrays[x][..., k] for k, name in enumerate(names[x])} for x in TABLES}
    tables |= {x: arrays.get(x) for x in ("contact_forces", "multipliers")}
    return OptimalPlan(**{x: arrays[x] for x in PLAIN}, **tables, problem=problem)  # type: ignore[arg-type]


def _check(damaged: str, arrays: Mapping[str, Array], names: Mapping[str, tuple[str, ...]]) -> None:
    """Raise `TrajectoryError` unless all arrays fit each other."""
    batch, (T, n) = arrays["cost"].shape, arrays["tau"].shape[-2:] if arrays["tau"].ndim > 1 else (0, 0)
    t = arrays["t"]
    shapes: dict[str, tuple[int, ...]] = {
        "t": (T + 1,) if t.ndim == 1 else (*batch, T + 1),
        "q": (*batch, T + 1, len(names["positions"])),
        "qd": (*batch, T + 1, len(names["velocities"])),
        **dict.fromkeys(("qdd", "tau"), (*batch, T, len(names["velocities"]))),
        "gains": (*batch, T, n, (3 if arrays["gains"].shape[-1:] == (3 * n,) else 2) * n),
        **dict.fromkeys(("gap", "iterations", "state"), batch),
        "costs": (*batch, T + 1, len(names["costs"])),
        "errors": (*batch, len(names["errors"])),
        "bounds": (2, len(names["motors"])),
        "contact_forces": (*batch, T, np.size(arrays.get("links", ())), 3),
        "contacts": (np.size(arrays.get("links", ())), NUMBERS),
        "multipliers": (*batch, T, np.size(arrays.get("rows", ()))),
    }
    for what, kind in (("contacts", CONTACTS), ("closures", CLOSURES)):
        if len(found := [x for x in kind if x in arrays]) not in (0, len(kind)):
            raise TrajectoryError(f"{damaged}: {what} need {', '.join(kind)}; it has only {', '.join(found)}")
    for x, shape in shapes.items():
        if x in arrays and (arrays[x].shape != shape or arrays[x].dtype.kind not in "fi"):
            raise TrajectoryError(f"{damaged}: {x} has shape {arrays[x].shape}, but {shape} is needed")
    if any(len(set(x)) < len(x) for x in names.values()) or not set(names["motors"]) <= set(names["velocities"]):
        raise TrajectoryError(f"{damaged}: names are duplicate, or a motor is not a coordinate")
    low, high = arrays["bounds"]
    if not (low < high).all() or not np.isin(arrays["state"], [*REASONS]).all():
        raise TrajectoryError(f"{damaged}: bounds cross, or a termination reason does not exist")
    if not T or not np.isfinite(t).all() or not (np.diff(t) > 0).all():
        raise TrajectoryError(f"{damaged}: the times must increase from each node to the next")
