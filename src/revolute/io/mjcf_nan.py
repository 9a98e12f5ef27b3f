"""Find NaN in MJCF files: MuJoCo reports that there is one, this module reports where."""

from __future__ import annotations

from collections.abc import Sequence

from revolute.io.xml import Tag, line_numbers

__all__ = ["refuse_nan"]

NAMES = ("name", "class", "childclass")
"""Attributes that may be "nan"."""


def refuse_nan(root: Tag, warnings: Sequence[str]) -> None:
    """Name the first attribute with a nan, if MuJoCo has warned of one. Included files are not searched.

    Raises:
        ModelError: an attribute is nan; the error names line, body, element and attribute.
    """
    if not any("nan" in warning.lower() for warning in warnings):
        return
    above = {child: parent for parent in root.element.iter() for child in parent}
    for number, element in enumerate(root.element.iter()):
        for attribute, value in element.attrib.items():
            if attribute in NAMES or "nan" not in value.lower().split():
                continue
            named = element
            while not named.get("name") and named in above:
                named = above[named]
            lines = line_numbers(root)
            line = f"line {lines[number]}: " if lines else ""
            owner = f"{named.tag} '{named.get('name')}': " if named.get("name") else ""
            root.fail(f"{owner}{line}<{element.tag}> has {attribute}='{value}': give finite numbers")
