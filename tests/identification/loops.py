"""An arm in a closed loop, and estimators that simulate it, by controller and reference."""

from functools import partial
from typing import Any

import numpy as np

import revolute
from revolute import Drive, control
from revolute.identification import ClosedLoop, ForceModel, identify

ARM = revolute.robots.planar(2)
DRIVES = {name: Drive(armature=0.2, damping=0.8, friction=1.5) for name in ("joint1", "joint2")}
GAINS = np.array([600.0, 300.0]), np.array([60.0, 20.0])


def law(reference: Any) -> control.PDWithGravity:
    return control.PDWithGravity(ARM, reference, *GAINS)


MODEL = ForceModel(ARM.with_drives(DRIVES, smoothing=0.05), drives=["armature", "damping", "friction"])


RNG = np.random.default_rng(3)
FACTORS = np.append(np.repeat(RNG.uniform(0.7, 1.3, 2), 10), RNG.uniform(0.7, 1.3, 6))
TRUTH = np.append(MODEL.values[:26] * FACTORS, [0.7, -0.4])
"""Each link, each parameter of a drive up to 30 % off; offsets."""


def _fit(name: str, model: ForceModel, log: Any, controller: Any, reference: Any = None, **options: Any) -> Any:
    decimate = options.pop("decimate", None)
    loop = controller if isinstance(controller, ClosedLoop) else ClosedLoop(controller, reference, **options)
    return identify(model, log, estimator=name, loop=loop, decimate=decimate, check=False)


instrumental, direct_inverse, output_error = (
    partial(_fit, name) for name in ("instrumental", "direct_inverse", "output_error")
)
