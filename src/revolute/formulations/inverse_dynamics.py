"""The table of the inverse-dynamics formulations."""

from __future__ import annotations

from revolute.formulations.augmented_links import augmented_links
from revolute.formulations.formulation import Formulation, Printed

__all__ = ["INVERSE_DYNAMICS"]

INVERSE_DYNAMICS = (
    Formulation(
        "augmented_links",
        "inverse_dynamics",
        augmented_links,
        "Balafoutis & Patel; BP Alg. 5.7",
        published=(
            Printed((-108, 93), (-100, 81), "BP Table 5.2"),
            Printed((-84, 73), (-75, 71), "BP Table 5.2", "right"),
        ),
    ),
)
