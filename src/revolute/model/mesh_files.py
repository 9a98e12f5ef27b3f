"""Find the files that descriptions refer to: by path, or by name in a ROS package or Gazebo model.

A package is looked up by the name in its package.xml first, then by its folder name.
"""

import os
import re
from collections.abc import Iterator
from contextlib import suppress
from functools import lru_cache
from pathlib import Path

PACKAGE, MODEL, FILE = "package://", "model://", "file://"

VARIABLES = {
    PACKAGE: ("ROS_PACKAGE_PATH", "AMENT_PREFIX_PATH"),
    MODEL: ("GZ_SIM_RESOURCE_PATH", "IGN_GAZEBO_RESOURCE_PATH", "GAZEBO_MODEL_PATH", "SDF_PATH"),
}
"""Environment variables with lists of folders to search, by kind of file name."""


def absolute(name: str, folder: str) -> str:
    """A name independent of the current folder: a package name is unchanged; any other becomes an absolute path.

    Relative paths are relative to `folder`; they are unchanged if it is "".
"""
    if name.startswith((PACKAGE, MODEL)):
        return name
    path = name.removeprefix(FILE)
    if path != name and os.path.splitdrive(path[1:])[0]:  # a Windows path, as in file:///C:/arm.stl
        path = path[1:]
    return os.path.normpath(os.path.join(folder, path)) if folder and path else path


def found(name: str, folder: str) -> Path | None:
    """The absolute path of a file that a description in a folder refers to; None if the file does not exist."""
    return next((Path(place) for place in places(name, folder) if os.path.isfile(place)), None)


def package_folder(package: str, folder: str) -> Path | None:
    """The folder of a ROS package, searched from the given folder upwards; None if it is not found."""
    homes = _homes(package, os.path.abspath(folder), VARIABLES[PACKAGE]) if package.strip("./") else ()
    return next((Path(home) for home in homes if os.path.isdir(home)), None)


def places(name: str, folder: str) -> Iterator[str]:
    """Absolute paths to which a name in a description may refer, likeliest first; `folder` "" is the current folder."""
    folder = os.path.abspath(folder)
    for scheme, variables in VARIABLES.items():
        if name.startswith(scheme):
            package, _, inside = name.removeprefix(scheme).partition("/")
            if package not in ("", ".", ".."):
                yield from (os.path.join(place, inside) for place in _homes(package, folder, variables))
            return
    yield absolute(name, folder)


def _homes(package: str, folder: str, variables: tuple[str, ...]) -> Iterator[str]:
    """Folders to search for a package or a model: those in environment variables, then those around the description."""
    listed = [place for name in variables for place in os.environ.get(name, "").split(os.pathsep) if place]
    around = [str(above) for above in (Path(folder), *Path(folder).parents)]
    homes = [os.path.join(place, inside) for place in listed for inside in (f"share/{package}", package, "")]
    homes += [os.path.join(place, inside) for place in around for inside in (package, "")]
    homes = [home for home in homes if os.path.basename(os.path.normpath(home)) == package]
    if variables is VARIABLES[PACKAGE]:
        yield from (place for place in (*listed, *around) if package_name(place) == package)
        yield from (home for home in homes if package_name(home) in (None, package))
        for place in (*listed, *around):  # a cloned or unzipped folder may have another name
            with suppress(OSError):
                yield from _packages(place, os.stat(place).st_mtime_ns).get(package, ())
    yield from homes


@lru_cache(maxsize=64)
def _packages(place: str, changed: int) -> dict[str, list[str]]:
    """Packages in a folder by name, cached while the folder does not change."""
    found: dict[str, list[str]] = {}
    with os.scandir(place) as folders:
        for home in sorted(folder.path for folder in folders):
            if name := package_name(home):
                found.setdefault(name, []).append(home)
    return found


def package_name(folder: str) -> str | None:
    """The name in the package.xml of a folder; None if there is none."""
    try:
        with open(os.path.join(folder, "package.xml"), "rb") as file:
            name = re.search(rb"<name>\s*([\w.-]+)\s*</name>", re.sub(rb"(?s)<!--.*?(-->|\Z)", b"", file.read(1 << 16)))
    except OSError:
        return None
    return name[1].decode() if name else None
