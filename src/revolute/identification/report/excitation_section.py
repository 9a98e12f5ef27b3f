"""The report's section on excitation: which combinations of parameters the log hardly moves."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from revolute.identification.report.markup import cell, section, table, text

if TYPE_CHECKING:
    from revolute.identification.fit.fit import Fit

__all__ = ["excitation"]

SHOWN = 5
"""Directions that are shown, the weakest first."""


def excitation(fit: Fit) -> str:
    """Condition number, rank, and the weakest directions by the names of their parameters."""
    S = fit.triangle[:, :-1]
    scale = np.linalg.norm(S, axis=0)
    _, sizes, Vt = np.linalg.svd(S / np.where(scale > 0, scale, 1), full_matrices=False)
    weakest = range(len(sizes))[: -SHOWN - 1 : -1]
    rows = ([cell(_direction(fit, Vt[k]), "words"), cell(f"{sizes[k] / sizes[0]:.2g}")] for k in weakest)
    words = (
        f"<p>The log excites {fit.rank} of {len(fit.names)} directions of base parameters; the condition number of the "
        f"scaled columns is {text(f'{fit.condition:.4g}')}. Below 100 is good; above 1000, forces hardly tell some "
        "parameters apart. The weakest directions, with their share of the strongest:</p>"
    )
    return section("Excitation", "excitation", [words, table(("direction", "size"), rows)])


def _direction(fit: Fit, v: np.ndarray) -> str:
    largest = np.argsort(-abs(v))[:4]
    first = [fit.names[k].split(" ")[0] for k in largest]
    return ", ".join(f"{v[k]:+.2f} {name}" for k, name in zip(largest, first, strict=True) if abs(v[k]) > 0.1)
