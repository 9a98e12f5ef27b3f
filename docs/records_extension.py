"""Frozen dataclasses in the reference: Griffe knows the parameters of those made by `dataclasses` alone."""

from __future__ import annotations

from typing import Any

import griffe


class Records(griffe.Extension):
    """Read `revolute.records.dataclass` as `dataclasses.dataclass`, whose place it takes."""

    def on_module_members(self, *, mod: griffe.Module, **_: Any) -> None:
        """Change where a module's `dataclass` comes from, before Griffe looks for dataclasses."""
        name = mod.members.get("dataclass")
        if isinstance(name, griffe.Alias) and name.target_path == "revolute.records.dataclass":
            name.target_path = "dataclasses.dataclass"
