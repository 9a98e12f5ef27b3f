"""Print a fit as a short table."""

from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from revolute.errors import printable

WIDEST = 44
"""Maximum width of a name [characters]; longer sums are truncated."""


def table(
    parameters: Sequence[tuple[str, float, float, float, str]], searched: Mapping[str, tuple[float, float]],
    coordinates: Sequence[tuple[str, float, float]],
) -> Iterator[str]:
    """The lines of a table.

    `parameters` have a name, value, standard error, relative error and verdict; `searched` a value and standard error;
    `coordinates` a name, residual and signal.
    """
    width = min(max((len(name) for name, *_ in parameters), default=0), WIDEST)
    yield f"{'base parameter':{width}}  {'value':>12}  {'error':>9}  {'error %':>7}"
    for name, value, error, relative, verdict in parameters:
        short = printable(name if len(name) <= width else name[: width - 4] + " ...")
        if verdict != "good":
            yield f"{short:{width}}  {verdict:>14} (+- {error:.2g})"
        else:
            yield f"{short:{width}}  {value:12.6g}  {error:9.2g}  {100 * relative:7.2g}"
    for name, (value, error) in searched.items():
        yield f"{printable(name):{width}}  {value:12.6g}  {error:9.2g}  {100 * error / abs(value):7.2g}"
    yield ""
    width = max(8, *(len(name) for name, *_ in coordinates))
    yield f"{'force of':{width}}  {'residual rms':>12}  {'signal rms':>10}"
    for name, residual, signal in coordinates:
        yield f"{printable(name):{width}}  {residual:12.4g}  {signal:10.4g}"


def plain(x: float) -> float | None:
    """A number for JSON; None if it is not finite."""
    return float(x) if np.isfinite(x) else None
