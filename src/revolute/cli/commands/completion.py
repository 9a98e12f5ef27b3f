"""What the shell offers when Tab is pressed: robots, bases, methods, algorithms."""

from __future__ import annotations

import os
from pathlib import Path

__all__ = ["algorithms", "bases", "controllers", "estimators", "methods", "robots", "trajectories"]

SUFFIXES = (".urdf", ".xml", ".sdf", ".toml")
"""Of robot files; folders are offered too."""


def robots(incomplete: str) -> list[str]:
    """Robots of the library, and files and folders beside what is typed."""
    from revolute import robots as library

    return [name for name in library.__all__ if name.startswith(incomplete)] + _files(incomplete)


def bases(incomplete: str) -> list[str]:
    """The bases of a robot."""
    return [name for name in ("fixed", "free") if name.startswith(incomplete)]


def methods(incomplete: str) -> list[str]:
    """The methods of simulation."""
    from revolute.simulate import ADAPTIVE, FIXED

    return [name for name in (*FIXED, *ADAPTIVE) if name.startswith(incomplete)]


def trajectories(incomplete: str) -> list[str]:
    """The kinds of trajectories."""
    from revolute.cli.commands.trajectory import KINDS

    return [name for name in KINDS if name.startswith(incomplete)]


def estimators(incomplete: str) -> list[str]:
    """The estimators of identification."""
    from revolute.identification.fitting import CLOSED_LOOP, ESTIMATORS

    return [name for name in (*ESTIMATORS, *CLOSED_LOOP) if name.startswith(incomplete)]


def controllers(incomplete: str) -> list[str]:
    """Controllers that logs may come from."""
    from revolute.cli.commands.closed_loops import CONTROLLERS

    return [name for name in CONTROLLERS if name.startswith(incomplete)]


def algorithms(incomplete: str) -> list[str]:
    """What can be counted: functions of this library and published formulations."""
    from revolute.machine.counting import OURS
    from revolute.published import FORMULATIONS

    return [name for name in dict.fromkeys((*OURS.values(), *FORMULATIONS)) if name.startswith(incomplete)]


def _files(incomplete: str) -> list[str]:
    folder, start = os.path.split(incomplete)
    try:
        entries = sorted(Path(folder or ".").iterdir())
    except OSError:
        return []
    found = []
    for entry in entries:
        if entry.name.startswith(start) and (start or not entry.name.startswith(".")):
            place = os.path.join(folder, entry.name)
            if entry.is_dir():
                found.append(place + os.sep)
            elif entry.suffix.lower() in SUFFIXES:
                found.append(place)
    return found
