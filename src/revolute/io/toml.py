"""A robot as a TOML file: the data of `to_dict`, readable and editable."""

from __future__ import annotations

import json
import tomllib
from typing import Any

from revolute.errors import ModelError
from revolute.io.data import from_dict, to_dict
from revolute.io.plain import of_file
from revolute.io.source import Source
from revolute.model.model import Model

__all__ = ["read_toml", "toml_text"]


def toml_text(model: Model) -> str:
    """The robot in TOML; numbers have full precision."""
    lines = []
    for key, value in to_dict(model).items():
        if key not in ("bodies", "frames", "closures", "configurations"):
            lines.append(f"{key} = {_value(value)}")
            continue
        for table in value:
            lines += ["", f"[[{key}]]", *(f"{name} = {_value(item)}" for name, item in table.items())]
        if not value:
            lines.append(f"{key} = []")
    return "\n".join(lines) + "\n"


def _value(x: Any) -> str:
    if isinstance(x, str):
        return json.dumps(x, ensure_ascii=False).replace("\x7f", "\\u007f")
    if isinstance(x, bool):
        return str(x).lower()
    if isinstance(x, dict):
        return "{" + ", ".join(f"{name} = {_value(item)}" for name, item in x.items()) + "}"
    if isinstance(x, list):
        return "[" + ", ".join(map(_value, x)) + "]"
    return repr(x)  # the fewest digits that read back exactly; TOML has inf and nan too


def read_toml(source: Source) -> Model:
    """The robot of a TOML file: see `revolute.load`."""
    where, content = source.where, source.content
    try:
        data = tomllib.loads(content if isinstance(content, str) else content.decode("utf-8-sig"))
    except (ValueError, RecursionError) as error:  # bad TOML or UTF-8; nested too deeply
        raise ModelError(f"{where}: it is no TOML: {error}") from None
    with of_file(where):
        return from_dict(data, where)
