"""Motion files: tables (CSV, Parquet) with a column for each quantity, or arrays (.npz), also for batches."""

import os
import zipfile
import zlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from revolute.arguments import Array
from revolute.errors import TrajectoryError
from revolute.io.trajectory import open_table, write
from revolute.simulate.owner import MotionOwner
from revolute.whole_file import check_target, whole_file

Parts = dict[str, Array]
"""The times t, and quantities by name."""

ENERGIES = ("kinetic_energy", "potential_energy")
FORMATS = (".csv", ".parquet", ".pq", ".npz")
MOTORS = ("theta", "thetad", "thetadd")
FORCES = ("contact_forces", "stop_forces")
WRITER = "`Simulation.save`"


def check_motion_file(path: str | os.PathLike[str]) -> Path:
    """The path; raise `TrajectoryError` unless its suffix is a motion format and its folder exists."""
    return check_target(path, "motions", FORMATS, TrajectoryError)


def column_names(owner: MotionOwner) -> list[str]:
    """Names of the columns of a motion's table."""
    numbers = [f"{quantity}.{name}" for quantity, names in owner.columns().items() for name in names]
    return ["t", *numbers, *ENERGIES, "energy"]


def write_motion(path: str | os.PathLike[str], owner: MotionOwner, parts: Mapping[str, Array]) -> None:
    """Write a motion atomically; raise `TrajectoryError` for an unknown suffix, or if the file cannot be written."""
    file = check_motion_file(path)
    if file.suffix.lower() != ".npz":
        write(file, column_names(owner), *parts.values(), parts["kinetic_energy"] + parts["potential_energy"])
        return
    names = {f"names of {quantity}": np.array(names, dtype=str) for quantity, names in owner.columns().items()}
    write_arrays(file, {"name": np.array(owner.name), **parts, **names})


def write_arrays(file: Path, arrays: Mapping[str, Array]) -> None:
    """Write an .npz file atomically; raise `TrajectoryError` if it cannot be written."""
    try:
        with whole_file(file) as stream:
            np.savez(stream, allow_pickle=False, **arrays)
    except OSError as error:
        raise TrajectoryError(f"{file}: cannot be written: {error.strerror or error}") from None


def read_arrays(file: Path, writer: str) -> dict[str, Array]:
    """The arrays of an .npz file; raise `TrajectoryError`, which names `writer`, if it cannot be read."""
    try:
        with file.open("rb") as stream, np.load(stream, allow_pickle=False) as data:
            return {name: data[name] for name in data.files}
    except FileNotFoundError:
        raise TrajectoryError(f"{file}: no such file") from None
    except OSError as error:
        raise TrajectoryError(f"{file}: {error.strerror or 'not an .npz file'}") from None
    except (ValueError, TypeError, AttributeError, EOFError, zipfile.BadZipFile, zlib.error, NotImplementedError):
        raise TrajectoryError(f"{file}: the file was not written by {writer}, or is damaged") from None


def read_motion(path: str | os.PathLike[str]) -> tuple[MotionOwner, Parts]:
    """Read a file of `write_motion`; raise `TrajectoryError` if it cannot be read, or lacks a quantity."""
    file = Path(path)
    return _arrays(file) if file.suffix.lower() == ".npz" else _table(file)


def _table(file: Path) -> tuple[MotionOwner, Parts]:
    table = open_table(file)
    names: dict[str, list[str]] = {}
    for column in table.columns:
        quantity, dot, name = column.partition(".")
        if dot:
            names.setdefault(quantity, []).append(name)
    needed = ("q", "qd", "qdd", "tau", *_optional(names))
    missing = [f"{x}.*" for x in needed if x not in names]
    missing += [x for x in ("t", *ENERGIES) if x not in table.columns]
    if missing:
        raise TrajectoryError(
            f"{file}: no column {', '.join(missing)}: the file was not written by {WRITER}. "
            "`revolute.io.trajectory.read` reads only positions"
        )
    columns = {"t": ["t"], **{x: [f"{x}.{name}" for name in names[x]] for x in needed}, **{x: [x] for x in ENERGIES}}
    flat = [column for part in columns.values() for column in part]
    ends = np.cumsum([len(part) for part in columns.values()])
    parts = dict(zip(columns, np.split(table.rows(flat), ends[:-1], axis=1), strict=True))
    parts.update({x: parts[x][:, 0] for x in ("t", *ENERGIES)})
    return _owner(file, file.stem, names), _checked(file, parts)


def _arrays(file: Path) -> tuple[MotionOwner, Parts]:
    arrays, damaged = read_arrays(file, WRITER), f"{file}: the file was not written by {WRITER}, or is damaged"
    names = {x.removeprefix("names of "): arrays.pop(x).tolist() for x in [*arrays] if x.startswith("names of ")}
    name = str(arrays.pop("name", file.stem))
    needed = ("t", "q", "qd", "qdd", "tau", *ENERGIES, *_optional(names))
    if missing := [x for x in needed if x not in arrays]:
        raise TrajectoryError(f"{damaged}: it has no {', '.join(missing)}")
    owner, parts = _owner(file, name, names), {x: arrays[x] for x in needed}
    batch = parts["q"].shape[:-2]
    sizes: dict[str, tuple[Any, ...]] = {"t": (), **dict.fromkeys(ENERGIES, (*batch, ...))}
    for x, labels in owner.columns().items():
        sizes[x] = (*batch, ..., len(labels))
    for x, size in sizes.items():
        shape = tuple(len(parts["t"]) if n is ... else n for n in size) if size else parts["t"].shape[:1]
        if parts[x].dtype.kind != "f" or parts[x].shape != shape:
            raise TrajectoryError(f"{damaged}: {x} has shape {parts[x].shape}, and {shape} is needed")
    return owner, _checked(file, parts)


def _owner(file: Path, name: str, names: Mapping[str, list[str]]) -> MotionOwner:
    if names.get("qd") != names.get("qdd") or any(x not in names for x in ("q", "qd", "tau")):
        raise TrajectoryError(f"{file}: qd.* and qdd.* must have the same names, in the same order")
    q, qd, tau, theta, stops = (tuple(names.get(x, ())) for x in ("q", "qd", "tau", "theta", "stop_forces"))
    contacts = tuple(x.removesuffix(".x") for x in names.get("contact_forces", ())[::3])
    return MotionOwner(name, q, qd, tau, theta, contacts, stops)


def _optional(names: Mapping[str, list[str]]) -> tuple[str, ...]:
    """The quantities in a file that only some motions contain, from the file's column names."""
    return (*(MOTORS if "theta" in names else ()), *(x for x in FORCES if x in names))


def _checked(file: Path, parts: Parts) -> Parts:
    t = parts["t"]
    if not np.isfinite(t).all() or (np.diff(t) <= 0).any():
        raise TrajectoryError(f"{file}: the times must increase from each row to the next")
    return parts
