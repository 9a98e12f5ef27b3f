"""The tables of the formulations of the inertia matrix, forward dynamics and sensitivity."""

from __future__ import annotations

from functools import partial

from revolute.published.augmented_links import generalized_links
from revolute.published.formulation import Formulation, Printed
from revolute.published.garofalo import closed_form_mass_matrix
from revolute.published.innovations import innovations, innovations_accelerations
from revolute.published.lynch_park_stacked import stacked_mass_matrix
from revolute.published.natural_orthogonal_complement import (
    natural_orthogonal_complement,
    orthogonal_complement_accelerations,
)
from revolute.published.sensitivity import sensitivity
from revolute.published.solved_accelerations import (
    generalized_links_accelerations,
    natural_complement_accelerations,
    spatial_composite_accelerations,
    walker_orin_accelerations,
)
from revolute.published.spatial_notation import articulated_bodies, spatial_composite_bodies
from revolute.published.walker_orin import (
    conjugate_gradient,
    unit_accelerations,
    unit_accelerations_by_symmetry,
    walker_orin,
)

__all__ = ["FORWARD_DYNAMICS", "MASS_MATRIX", "SENSITIVITY"]

_mass_matrix = partial(Formulation.of, "mass_matrix")
_forward_dynamics = partial(Formulation.of, "forward_dynamics")

MASS_MATRIX = (
    _mass_matrix(unit_accelerations, "Walker & Orin 1982, method 1; BP 6.2.4"),
    _mass_matrix(unit_accelerations_by_symmetry, "Walker & Orin 1982, method 2; BP 6.2.4"),
    _mass_matrix(
        walker_orin,
        "Walker & Orin 1982, method 3; BP Alg. 6.1",
        published=(
            Printed((741,), (601,), "BP Table 6.2", only=6),
            Printed((-27, 56, 12), (-56, 67, 7), "BP Table 6.2"),
        ),
        remark="BP's polynomial gives 598 additions for n = 6, 3 less than the 601 beside it; with - 53 for - 56 they "
        "agree. BP's text has 12n^2 + 26n + 27 multiplications, which do not give its 741. Counted for n = 6: 549 and "
        "464, with inertias turned by the double angle, and without what zeros and constants save. BP 6.2.8c and "
        "6.2.9b-c are corrected.",
    ),
    _mass_matrix(
        spatial_composite_bodies,
        "Featherstone 1987; BP 6.2",
        published=(Printed((-41, 31, 10), (-46, 40, 6), "BP Table 6.2"),),
        remark="Counted for n = 6: 1,430 and 1,146. The print counts a special spatial arithmetic; here the matrices "
        "are plain 6x6, with their zeros left out.",
    ),
    _mass_matrix(
        natural_orthogonal_complement,
        "Angeles & Ma 1988; BP 6.2.10-6.2.15",
        published=(Printed((8, -15, 17, 1), (5, -16, 14, 1), "BP Table 6.2"),),
        remark="Counted for n = 6: 709 and 555, with the columns along the links' own axes. BP does not say along "
        "which axes the print has them.",
    ),
    _mass_matrix(
        generalized_links,
        "Balafoutis & Patel 1989; BP Alg. 6.2",
        published=(
            Printed((-42, 11, 11), (-54, 32.5, 5.5), "BP Table 6.1"),
            Printed((-23, 7, 7), (-47, 28.5, 3.5), "BP Table 6.1", "right"),
        ),
        remark="Counted, of `dh_arm`: 11n^2 + 2n - 27 and 7n^2 + 27n - 52, 7n^2 - 4n and 5n^2 + 17n - 34; see above. "
        "BP 6.3.29e leaves out the moment of a prismatic joint's force.",
    ),
    _mass_matrix(stacked_mass_matrix, "LP 9.82"),
    _mass_matrix(
        closed_form_mass_matrix,
        "Garofalo, Ott & Albu-Schaeffer; GOA 6a, 27",
        joints=("revolute", "prismatic", "free"),
    ),
    _mass_matrix(innovations, "Rodriguez & Kreutz 1988; BP 6.2.18"),
)

FORWARD_DYNAMICS = (
    _forward_dynamics(
        walker_orin_accelerations,
        "Walker & Orin 1982, method 3; BP 6.2.2, Alg. 6.1",
        published=(Printed((1627,), (1261,), "BP Table 6.3", only=6),),
        remark="The bias forces are those of BP Alg. 5.7 here, which is younger.",
    ),
    _forward_dynamics(
        spatial_composite_accelerations,
        "Featherstone 1987; BP 6.2",
        published=(Printed((1303,), (1019,), "BP Table 6.3", only=6),),
        remark="The bias forces are those of BP Alg. 5.7 here, which is younger.",
    ),
    _forward_dynamics(
        conjugate_gradient,
        "Walker & Orin 1982, method 4; BP 6.2",
        remark="Counted with 3n iterations; in exact arithmetic n are enough.",
    ),
    _forward_dynamics(
        generalized_links_accelerations,
        "Balafoutis & Patel 1989; BP Alg. 6.2, Alg. 5.7",
        published=(Printed((956,), (790,), "BP Table 6.3", only=6),),
        remark="Counted for n = 6: 900 and 797. The printed additions leave out sums of 6.3.30b, as those of "
        "`generalized_links` do.",
    ),
    _forward_dynamics(
        natural_complement_accelerations,
        "Angeles & Ma 1988, first method; BP 6.2.10-6.2.15",
        published=(Printed((1353,), (1165,), "BP Table 6.3", only=6),),
        remark="Counted for n = 6: 1,228 and 990. The bias forces are those of BP Alg. 5.7 here, which is younger.",
    ),
    _forward_dynamics(
        orthogonal_complement_accelerations,
        "Angeles & Ma 1988, second method; BP 6.2.16-6.2.17",
        remark="BP prints no count of it, and says that it is comparable to the 1353 + 1165 of the first method.",
    ),
    _forward_dynamics(
        articulated_bodies,
        "Featherstone 1983; BP 6.2",
        published=(Printed((1533,), (1415,), "BP Table 6.3", only=6),),
        remark="Counted for n = 6: 2,163 and 1,785. The print counts a special spatial arithmetic; here the matrices "
        "are plain 6x6, with their zeros left out.",
    ),
    _forward_dynamics(innovations_accelerations, "Rodriguez & Kreutz 1988; BP 6.2.19"),
)

SENSITIVITY = (
    Formulation.of(
        "sensitivity",
        sensitivity,
        "Balafoutis & Patel 1989; BP Alg. 7.1",
        published=(
            Printed((-104, 96, 44), (-140, 131, 31), "BP Tables 7.1-7.2, Alg. 5.7 not included"),
            Printed((-80, 86, 30), (-124, 122, 24), "BP Tables 7.1-7.2, Alg. 5.7 not included", "right"),
        ),
        remark="Counted, of `dh_arm` with Alg. 5.7: 46n^2 + 143n - 295 and 30n^2 + 169n - 322; see above. Many dots "
        "are lost in BP 7.3.18-7.3.19; they follow from 7.3.3-7.3.4. Prismatic joints, which BP leaves out, are added.",
    ),
)
