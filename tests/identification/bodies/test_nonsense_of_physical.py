"""Nonsense in place of each argument gives errors of ours, and no others."""

from __future__ import annotations

import inspect
import warnings
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import revolute
from revolute.errors import RevoluteError
from revolute.identification import ForceModel, Region, Samples, collision_thresholds, payload
from revolute.identification.bodies.physical import physical
from revolute.model.pseudo_inertia import from_pseudo_inertia, pseudo_inertia

NONSENSE = [
    None, "abc", b"x", "", 3.5, -1, True, float("nan"), object(), {"a": 1}, {}, (), (1, 2), [None], ["a", "b", "c"],
    [[1, 2], [3]], np.zeros((2, 2, 2)), len, int,
]  # fmt: skip

ARM = revolute.robots.planar(2)
MODEL = ForceModel(ARM, drives=["damping"])
STATES = np.random.default_rng(0).standard_normal((4, 300, 2))
LOG = Samples(np.arange(300) / 100, *STATES)
ROWS = np.random.default_rng(0).standard_normal((60, len(MODEL.names) + 1))
GOOD: dict[Callable[..., Any], dict[str, Any]] = {
    physical: {"source": ROWS, "model": MODEL},
    Region.of_shapes: {"model": ARM},
    Region.box: {"lower": (0, 0, 0), "upper": (1, 1, 1)},
    Region.ellipsoid: {"centre": (0, 0, 0), "half_axes": (1, 1, 1)},
    payload: {"robot": ARM, "log": replace(LOG), "link": "tip"},
    collision_thresholds: {"robot": ARM, "log": LOG, "time_constant": 0.02},
    pseudo_inertia: {"parameters": np.ones(10)},
    from_pseudo_inertia: {"J": np.eye(4)},
}


@pytest.mark.parametrize("function", GOOD, ids=lambda f: f.__qualname__)
def test_nonsense_is_refused_by_errors_of_ours(function: Callable[..., Any]) -> None:
    for name in inspect.signature(function).parameters:
        for nonsense in NONSENSE:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                try:
                    function(**{**GOOD[function], name: nonsense})
                except RevoluteError as error:
                    assert str(error)
