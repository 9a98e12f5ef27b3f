"""An arm in a closed loop, and estimators that simulate it, by controller and reference."""

from __future__ import annotations

from typing import Any

import numpy as np

import revolute
from revolute import Drive, control
from revolute.identification import ClosedLoop, ForceModel, identify
from revolute.identification.closed_loop.instrumental_variables import InstrumentalFit
from revolute.identification.closed_loop.iterations import ClosedLoopFit
from revolute.identification.closed_loop.output_error import OutputErrorFit

__all__ = ["ARM", "DRIVES", "GAINS", "MODEL", "TRUTH", "direct_inverse", "instrumental", "law", "output_error"]

ARM = revolute.robots.planar(2)
DRIVES = {name: Drive(armature=0.2, damping=0.8, friction=1.5) for name in ("joint1", "joint2")}
GAINS = np.array([600.0, 300.0]), np.array([60.0, 20.0])


def law(reference: Any) -> control.PDWithGravity:
    return control.PDWithGravity(ARM, reference, *GAINS)


MODEL = ForceModel(ARM.with_drives(DRIVES, smoothing=0.05), drives=["armature", "damping", "friction"])


def _truth() -> np.ndarray:
    """Each link, each parameter of a drive up to 30 % off; offsets."""
    rng = np.random.default_rng(3)
    factors = np.append(np.repeat(rng.uniform(0.7, 1.3, 2), 10), rng.uniform(0.7, 1.3, 6))
    return np.append(MODEL.values[:26] * factors, [0.7, -0.4])


TRUTH = _truth()


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
