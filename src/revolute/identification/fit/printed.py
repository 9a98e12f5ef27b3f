"""A fit as a short table, and as data that JSON can hold."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from revolute.errors import printable

if TYPE_CHECKING:
    from revolute.identification.fit.fit import Fit

__all__ = ["fit_data", "table"]

WIDEST = 44
"""Characters of a name; longer sums are cut."""


def table(fit: Fit) -> str:
    """Name, value, standard error and relative error of each base parameter; then residuals of each coordinate."""
    return "\n".join([repr(fit), "", *_parameters(fit), "", *_coordinates(fit)])


def _parameters(fit: Fit) -> Iterator[str]:
    width = min(max(map(len, fit.names), default=0), WIDEST)
    yield f"{'base parameter':{width}}  {'value':>12}  {'error':>9}  {'error %':>7}"
    rows = zip(fit.names, fit.values, fit.standard_errors, fit.relative_errors, fit.verdicts, strict=True)
    for name, value, error, relative, verdict in rows:
        short = printable(name if len(name) <= width else name[: width - 4] + " ...")
        if verdict != "good":
            yield f"{short:{width}}  {verdict:>14} (+- {error:.2g})"
        else:
            yield f"{short:{width}}  {value:12.6g}  {error:9.2g}  {100 * relative:7.2g}"
    for name, (value, error) in fit.searched.items():
        yield f"{printable(name):{width}}  {value:12.6g}  {error:9.2g}  {100 * error / abs(value):7.2g}"


def _coordinates(fit: Fit) -> Iterator[str]:
    width = max(map(len, fit.coordinates), default=0)
    yield f"{'force of':{max(width, 8)}}  {'residual rms':>12}  {'signal rms':>10}"
    for name, residual, signal in zip(fit.coordinates, fit.residual_rms, fit.signal_rms, strict=True):
        yield f"{printable(name):{max(width, 8)}}  {residual:12.4g}  {signal:10.4g}"


def fit_data(fit: Fit) -> dict[str, Any]:
    """See `Fit.to_dict`."""
    entries = zip(fit.names, fit.values, fit.standard_errors, fit.verdicts, strict=True)
    return {
        "robot": fit.model.robot.robot.name,
        "estimator": fit.estimator,
        "rows": fit.rows,
        "rank": fit.rank,
        "condition": _plain(fit.condition),
        "degrees_of_freedom": _plain(fit.freedom),
        "base_parameters": [
            {"name": name, "value": _plain(x), "standard_error": _plain(s), "verdict": verdict}
            for name, x, s, verdict in entries
        ],
        "parameters": {name: _plain(x) for name, x in zip(fit.model.names, fit.parameters, strict=True)},
        "searched": {name: {"value": _plain(x), "standard_error": _plain(s)} for name, (x, s) in fit.searched.items()},
        "coordinates": {
            name: {"residual_rms": _plain(r), "signal_rms": _plain(s)}
            for name, r, s in zip(fit.coordinates, fit.residual_rms, fit.signal_rms, strict=True)
        },
    }


def _plain(x: Any) -> float | None:
    """A number that JSON knows; None for what is not finite."""
    return float(x) if np.isfinite(x) else None
