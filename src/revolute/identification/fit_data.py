"""A fit as data that JSON can hold."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from revolute.identification.fit import Fit

__all__ = ["fit_data"]


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
