"""Complete docstrings of compiled functions in the reference, as `declared` does: Griffe only reads the source."""

from __future__ import annotations

from typing import Any

import griffe

from revolute.machine.standard_text import completed


class StandardText(griffe.Extension):
    """Complete a docstring once it is read."""

    def on_object(self, *, obj: griffe.Object, **_: Any) -> None:
        """Change a docstring's text."""
        if isinstance(obj, griffe.Function) and obj.docstring:
            decorators = map(str, (decorator.value for decorator in obj.decorators))
            declaration = next((x for x in decorators if x.startswith(("declared(", "has_kernel("))), None)
            if declaration:
                names = [x.name for x in obj.parameters if x.name != "self"]
                flags = {flag: f"{flag}=True" in declaration.replace(" ", "") for flag in ("inverts", "smooth")}
                obj.docstring.value = completed(obj.docstring.value, names, **flags)
