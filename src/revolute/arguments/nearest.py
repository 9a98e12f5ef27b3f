"""Names similar to an unknown one, for messages."""

from collections.abc import Iterable
from typing import Any

SHOWN = 8  # maximum number of names that an error message lists if no name is similar to the unknown one


def nearest(name: Any, names: Iterable[str]) -> str:
    """Text with up to three names that are similar to a name, ignoring case, or with the first names if none is.

    Example:
        >>> from revolute.arguments import nearest
        >>> nearest("mas_matrix", ["mass_matrix", "jacobian"])
        'near: mass_matrix'
        >>> nearest("x", ["mass_matrix", "jacobian"])
        'available: mass_matrix, jacobian'
    """
    import difflib  # imported here because the import takes a millisecond and only error messages need it

    known = list(dict.fromkeys(names))
    by_small = {x.lower(): x for x in known}
    if near := difflib.get_close_matches(str(name).lower(), by_small, n=3):
        return f"near: {', '.join(by_small[x] for x in near)}"
    more = f" and {len(known) - SHOWN} more" if len(known) > SHOWN else ""
    return f"available: {', '.join(known[:SHOWN]) or 'none'}{more}"
