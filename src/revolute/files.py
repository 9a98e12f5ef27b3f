"""Load robots from files, and save them."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal, overload

from revolute.arguments import instances
from revolute.errors import InputError, ModelError
from revolute.io import read, read_contacts, write
from revolute.machine.robot import Robot
from revolute.model import Contact, Model

if TYPE_CHECKING:
    from revolute.machine.driven import DrivenRobot


@overload
def load(
    source: Any, base: str = "fixed", strict: bool = False, *, drives: Literal[False] = False,
    arguments: Mapping[str, Any] | None = None, model: str | None = None, trusted: bool = False,
) -> Robot: ...


@overload
def load(
    source: Any, base: str = "fixed", strict: bool = False, *, drives: bool,
    arguments: Mapping[str, Any] | None = None, model: str | None = None, trusted: bool = False,
) -> Robot | DrivenRobot: ...


def load(
    source: Any, base: str = "fixed", strict: bool = False, *, drives: bool = False,
    arguments: Mapping[str, Any] | None = None, model: str | None = None, trusted: bool = False,
) -> Robot | DrivenRobot:
    """Load a robot from a URDF, MJCF or SDF file or text, from a TOML file written by `save`, or by name.

    The outermost element determines the format: URDF (`<robot>`), MJCF (`<mujoco>`) or SDF (`<sdf>`). A `.toml` file
    restores exactly the saved robot; a `.xacro` file is expanded first. Joints are in depth-first order, siblings in
    the order of the file. Links connected by fixed joints become one body, but keep their named frames. Limits,
    damping, friction, mimics, loop closures and shapes are stored as data: docs/robot-files.md describes where, and
    how other parts of each format are treated.

    Args:
        source: path of a URDF, MJCF, SDF or TOML file, with "~" for the home folder; XML itself, as text or bytes,
            which begins with '<'; an open file; an `MjModel` or `MjSpec` of MuJoCo; or a name, which `revolute robots`
            lists. A name is looked up first in `revolute.robots`, with arguments after colons: "ur5", "planar:3"; then
            in the package example-robot-data (extra `robots`): "talos", "g1", "go2"; then in robot_descriptions (extra
            `descriptions`; git fetches the files on first use, and a line on stderr says so): "spot". A name that ends
            in "_description" is not looked up in `revolute.robots`: "panda_description" has meshes. A name of
            `revolute.robots` takes precedence over a file with the same name; "./ur5" is always a file.
        base: for a URDF or SDF robot, or one of the library: "fixed" fixes the root link; "free" adds a floating joint
            "root_joint", whose q is (position [m], quaternion x y z w) and qd the body twist (w, v) [rad/s, m/s].
        strict: reject faults that other readers accept and that cause a warning by default: elements and attributes
            that are not read; invalid shapes and colours, which are omitted by default; a duplicate `<inertial>`, or
            one without `<mass>` or `<inertia>`; undeclared prefixes; comments with "--" in them. Known extensions and
            other namespaces are accepted.
        drives: return the robot with friction, rotors, springs and mimics of the file: `load(source).with_drives()`,
            which has more options.
        arguments: arguments of a xacro file, by name: `load("ur.urdf.xacro", arguments={"ur_type": "ur5e"})`.
            `$(env X)` is the argument X.
        model: name of the model to read, for an SDF file with several models.
        trusted: let a xacro file do whatever its author wants: run code, and read any file or environment variable.

    Returns:
        the robot; with `drives` a `DrivenRobot`. Gravity of a URDF robot is (0, 0, -9.81) m/s^2 in the root
        link's frame; an SDF robot has the same gravity in the world frame, unless the file defines another one.

    Raises:
        ModelError: the file cannot be read, has another format, is unexpanded or invalid xacro, or does not describe a
            tree of rigid bodies; or, with `strict`, it has faults that otherwise cause a warning. The message names the
            file and the link or joint.
        InputError: `source` is not supported, `base` is unknown, or the file or library robot defines its own base.
        MissingExtraError: MJCF requires the package mujoco; names of other robots require the packages above.

    Warns:
        UnknownNameWarning: elements and attributes that are not read, with file, line and the nearest name.
        ModelWarning: physically inconsistent inertias, axes that are not unit vectors, contradictory limits or zero
            limits in URDF, joints that mimic others; parts of an MJCF model that are not modelled: some equality
            constraints, armature, springs, fluids, gravity compensation; omitted shapes; all faults that `strict`
            rejects.

    Example:
        >>> robot = revolute.load('<robot name="box"> <link name="base"/> </robot>')
        >>> print(robot)
        box: 0 joints, nq 0, nv 0, 0 kg
        base (base), 0 kg
    """
    robot = _found(source, base, strict, arguments, model, trusted)
    return robot.with_drives() if drives else robot


def _found(
    source: Any, base: str, strict: bool, arguments: Mapping[str, Any] | None, model: str | None, trusted: bool
) -> Robot:
    if not isinstance(source, str) or any(mark in source for mark in ("<", "/", os.sep)):
        return Robot.from_model(read(source, base, strict, arguments, model, trusted))
    from revolute.library.named import is_named, is_of_package, named_robot, no_such_robot, robot_file

    if is_named(source):
        if arguments:
            raise InputError(f"only xacro files take arguments; '{source}' is a robot of the library")
        if model is not None:
            raise InputError(f"model={model!r}: only SDF files take a model; '{source}' is a robot of the library")
        robot = named_robot(source)
        return robot if base == "fixed" else robot.to_base(base)
    if is_of_package(source):
        path, own = robot_file(source)
        return Robot.from_model(read(path, base, strict, {**own, **(arguments or {})} or None, model, trusted))
    if source.isidentifier() and len(source) < 40 and not os.path.exists(source):
        raise ModelError(f"'{source}': {no_such_robot(source)}")
    return Robot.from_model(read(source, base, strict, arguments, model, trusted))


def load_contacts(path: str | os.PathLike[str]) -> tuple[Contact, ...]:
    """The contacts in a TOML file written by `save`; an empty tuple if the file contains none.

    Raises:
        ModelError: the file cannot be read, or does not describe a robot.
        InputError: the file's name does not end in .toml.
        UnknownNameError: a link of a contact does not exist.

    Example:
        >>> import pathlib, tempfile
        >>> arm, tip = revolute.robots.planar(2), revolute.Contact("tip", friction=0.3)
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     path = pathlib.Path(folder, "arm.toml")
        ...     revolute.save(arm, path, [tip])
        ...     revolute.load_contacts(path) == (tip,)
        True
    """
    return read_contacts(path)


def save(robot: Model | DrivenRobot, path: str | os.PathLike[str], contacts: Sequence[Contact] = ()) -> None:
    """Write a robot to a file: lossless TOML, URDF or MJCF.

    Args:
        robot: the robot, with or without drives; data of drives are written as far as the format can represent them.
        path: path of the file, which is replaced. The suffix determines the format: `.toml` is lossless, and `load`
            returns exactly the same robot; `.urdf` calls `Robot.to_urdf`, `.xml` `Robot.to_mjcf`.
        contacts: contacts of links, written only to MJCF and to TOML, from which `load_contacts` reads them.

    Raises:
        InputError: the suffix is unknown, the format cannot store contacts, or the object is not a robot.
        ModelError: the format cannot represent the robot; the message names the part.
        OSError: the file cannot be written. The error names it; an existing file is unchanged.

    Warns:
        ModelWarning: data of drives, or shapes, that the format cannot represent are omitted.

    Example:
        >>> import pathlib, tempfile
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     path = pathlib.Path(folder, "ur5.toml")
        ...     revolute.save(revolute.robots.ur5(), path)
        ...     revolute.load(path) == revolute.robots.ur5()
        True
    """
    from revolute.machine.driven import DrivenRobot

    found = instances("save: contacts", contacts, Contact)
    write(robot.described() if isinstance(robot, DrivenRobot) else robot, path, found)
