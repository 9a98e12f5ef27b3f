"""Estimators that simulate the closed loop, by controller and reference."""

from __future__ import annotations

from typing import Any

from revolute.identification import ClosedLoop, ForceModel, identify
from revolute.identification.closed_loop.instrumental_variables import InstrumentalFit
from revolute.identification.closed_loop.iterations import ClosedLoopFit
from revolute.identification.closed_loop.output_error import OutputErrorFit

__all__ = ["direct_inverse", "instrumental", "output_error"]


def instrumental(model: ForceModel, log: Any, controller: Any, reference: Any = None, **o: Any) -> InstrumentalFit:
    fit = _fit("instrumental", model, log, controller, reference, o)
    assert isinstance(fit, InstrumentalFit)
    return fit


def direct_inverse(model: ForceModel, log: Any, controller: Any, reference: Any = None, **o: Any) -> ClosedLoopFit:
    return _fit("direct_inverse", model, log, controller, reference, o)


def output_error(model: ForceModel, log: Any, controller: Any, reference: Any = None, **o: Any) -> OutputErrorFit:
    fit = _fit("output_error", model, log, controller, reference, o)
    assert isinstance(fit, OutputErrorFit)
    return fit


def _fit(
    name: str, model: ForceModel, log: Any, controller: Any, reference: Any, options: dict[str, Any]
) -> ClosedLoopFit:
    decimate = options.pop("decimate", None)
    loop = controller if isinstance(controller, ClosedLoop) else ClosedLoop(controller, reference, **options)
    fit = identify(model, log, estimator=name, loop=loop, decimate=decimate, check=False)
    assert isinstance(fit, ClosedLoopFit)
    return fit
