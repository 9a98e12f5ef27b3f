"""Options of commands that read logs, and the TOML files of --columns."""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

from revolute.cli.commands import completion
from revolute.cli.commands.options import flag, numbers, option
from revolute.errors import InputError

KNOWN = ("columns", "units", "rate", "cutoff", "times", "joints", "flip", "delay", "motor_side", "coupled_drives")
"""Valid keys in a --columns file."""
JOINTS = completion.in_list(completion.joints)


@dataclass(frozen=True)
class LogOptions:
    """Options of all commands that read logs."""

    columns: Annotated[list[str] | None, option(
        "Columns of the log: q=position_{n} (from 1; {n0} from 0), tau={name}_effort, t=stamp, qd=none, or a list "
        "such as tau=a,b,none; or a TOML file with these and more (see: revolute identify --help). Repeatable.",
        metavar="FILE.toml|QUANTITY=COLUMNS"
    )] = None
    degrees: Annotated[bool, flag("--degrees", "Angles in the log are in degrees.")] = False
    rate: Annotated[float | None, option("Rows per second of a log without times.", metavar="HZ")] = None
    cutoff: Annotated[
        float | None, option("Cutoff of the low-pass; by default from the spectrum of the motion.", metavar="HZ")
    ] = None
    times: Annotated[str | None, option("Use only samples between these times [s].", metavar="FIRST,LAST")] = None
    gains: Annotated[str | None, numbers(
        "The log has currents [A]: torque of each joint for one ampere [N m/A]; unknown to fit them.", "NUMBERS|unknown"
    )] = None
    joints: Annotated[
        str | None, option("Comma-separated joints that moved; others are locked.", metavar="NAMES", offers=JOINTS)
    ] = None
    flip: Annotated[str | None, option(
        "Reverse the signs of these joints' forces; q.all or q.JOINT: of positions.", metavar="all|NAMES", offers=JOINTS
    )] = None
    delay: Annotated[
        str | None, option("Delay of the forces behind the positions; auto finds it.", metavar="auto|SECONDS")
    ] = None
    in_flight: bool = False

    def settings(self) -> dict[str, Any]:
        """All settings by their keys in a --columns file, see `KNOWN`."""
        import numpy as np

        from revolute.cli.commands.numbers import joint_numbers

        found: dict[str, Any] = {"columns": {}}
        for text in self.columns or ():
            if Path(text).suffix.lower() == ".toml":
                found |= _file(Path(text), found["columns"])
            else:
                found["columns"] = _with(found["columns"], _column(text))
        if self.in_flight:
            if found["columns"].get("wrench"):
                raise InputError("--in-flight is for robots without contact, but the log has columns of wrenches")
            found["columns"]["wrench"] = {}
        options = {
            "units": "deg" if self.degrees else None, "rate": self.rate, "cutoff": self.cutoff,
            "times": self.times and joint_numbers("--times", self.times, ["first", "last"], np.zeros(2)).tolist(),
            "joints": [name.strip() for name in self.joints.split(",")] if self.joints else None,
            "flip": [name.strip() for name in self.flip.split(",")] if self.flip else None,
            "delay": self.delay,
        }  # fmt: skip
        return found | {key: value for key, value in options.items() if value is not None}


def _file(path: Path, columns: Mapping[str, Any]) -> dict[str, Any]:
    try:
        data = tomllib.loads(path.read_text(encoding="utf-8-sig"))
    except OSError as error:
        raise InputError(f"{path}: cannot be read: {error.strerror}") from None
    except ValueError as error:  # the file is not valid TOML or not UTF-8
        raise InputError(f"{path}: not TOML: {error}") from None
    if unknown := [key for key in data if key not in KNOWN]:
        raise InputError(f"{path}: unknown key '{unknown[0]}'; available: {', '.join(KNOWN)}")
    for key in ("columns", "motor_side"):
        if not isinstance(data.get(key, {}), dict):
            raise InputError(f"{path}: {key} must be a table, [{key}]")
    return data | {"columns": {**columns, **{k: _unread(v) for k, v in data.get("columns", {}).items()}}}


def _unread(value: Any) -> Any:
    """The value, with None instead of "none", since TOML has no null."""
    if isinstance(value, list):
        return [_unread(each) for each in value]
    return None if value == "none" else value


def _with(columns: dict[str, Any], more: dict[str, Any]) -> dict[str, Any]:
    """Merge two settings of columns; wrenches on several links are combined."""
    if "wrench" in more and isinstance(columns.get("wrench"), dict):
        more = {"wrench": {**columns["wrench"], **more["wrench"]}}
    return columns | more


def _column(text: str) -> dict[str, Any]:
    from revolute.identification.log.sources import QUANTITIES

    quantity, equals, names = text.partition("=")
    for word in names.split(","):
        if (other := word.partition("=")[0].strip()) in QUANTITIES and "=" in word:
            both = f"{quantity} and {other}"
            raise InputError(f"--columns: '{text}' names columns of {both}: repeat --columns for {other}")
    if equals and quantity.startswith("wrench."):
        return {"wrench": {quantity.removeprefix("wrench."): names.split(",") if "," in names else names}}
    if not equals or quantity not in QUANTITIES:
        raise InputError(
            f"--columns: '{text}' is not a .toml file, QUANTITY=COLUMNS with one of {', '.join(QUANTITIES)}, such as "
            "q=position_{n}, or wrench.LINK=COLUMNS, such as wrench.foot=foot_{axis}"
        )
    return {quantity: _unread([name.strip() for name in names.split(",")] if "," in names else names)}
