"""The registry of the published formulations, with their sources and printed counts."""

from functools import partial

from revolute.published.augmented_links import augmented_links, generalized_links
from revolute.published.closed_coefficients import closed_coefficients
from revolute.published.featherstone import featherstone
from revolute.published.formulation import Formulation, Printed
from revolute.published.garofalo import closed_form_mass_matrix, garofalo
from revolute.published.hollerbach_3x3 import hollerbach_3x3
from revolute.published.innovations import innovations, innovations_accelerations
from revolute.published.kane import kane_angeles, kane_recursive
from revolute.published.lagrangian_4x4 import hollerbach_4x4, uicker_kahn, waters
from revolute.published.lynch_park import lynch_park
from revolute.published.lynch_park_stacked import lynch_park_stacked, stacked_mass_matrix
from revolute.published.natural_orthogonal_complement import (
    natural_orthogonal_complement,
    orthogonal_complement_accelerations,
)
from revolute.published.newton_euler import khalil, luh_walker_paul, tensor_newton_euler
from revolute.published.recursive_coefficients import recursive_coefficients
from revolute.published.rodriguez import rodriguez
from revolute.published.sensitivity import sensitivity
from revolute.published.solved_accelerations import (
    generalized_links_accelerations,
    natural_complement_accelerations,
    spatial_composite_accelerations,
    walker_orin_accelerations,
)
from revolute.published.spatial_notation import articulated_bodies, spatial_composite_bodies
from revolute.published.spong import spong
from revolute.published.walker_orin import (
    conjugate_gradient,
    unit_accelerations,
    unit_accelerations_by_symmetry,
    walker_orin,
)

__all__ = [
    "FORMULATIONS", "articulated_bodies", "augmented_links", "closed_coefficients", "closed_form_mass_matrix",
    "conjugate_gradient", "featherstone", "garofalo", "generalized_links", "generalized_links_accelerations",
    "hollerbach_3x3", "hollerbach_4x4", "innovations", "innovations_accelerations", "kane_angeles", "kane_recursive",
    "khalil", "luh_walker_paul", "lynch_park", "lynch_park_stacked", "natural_complement_accelerations",
    "natural_orthogonal_complement", "orthogonal_complement_accelerations", "recursive_coefficients", "rodriguez",
    "sensitivity", "spatial_composite_accelerations", "spatial_composite_bodies", "spong", "stacked_mass_matrix",
    "tensor_newton_euler", "uicker_kahn", "unit_accelerations", "unit_accelerations_by_symmetry", "walker_orin",
    "walker_orin_accelerations", "waters",
]  # fmt: skip

_inverse_dynamics = partial(Formulation.of, "inverse_dynamics")
_mass_matrix = partial(Formulation.of, "mass_matrix")
_forward_dynamics = partial(Formulation.of, "forward_dynamics")
_REVOLUTE = ("revolute",)

_MATRICES = (
    "The print counts products of matrices in full. Here zeros and ones in them cost nothing, and a term that occurs "
    "twice is computed once."
)

_ALL = (
    _inverse_dynamics(uicker_kahn, "Uicker 1965, Kahn 1969; BP 5.2.7",
        published=(Printed((66271,), (51548,), "BP section 5.2.1", only=6),),
        remark=f"{_MATRICES} BP prints q_i in both derivatives of the first trace; one is q_k."),
    _inverse_dynamics(waters, "Waters 1979; BP 5.2.9-5.2.10",
        published=(Printed((7051,), (5652,), "BP section 5.2.1", only=6),), remark=_MATRICES),
    _inverse_dynamics(hollerbach_4x4, "Hollerbach 1980; BP Alg. 5.1",
        published=(Printed((-592, 830), (-464, 675), "BP Table 5.3"),),
        remark=f"{_MATRICES} BP 5.2.13b prints r_ij for r_ii."),
    _inverse_dynamics(hollerbach_3x3, "Hollerbach 1980; BP Alg. 5.2",
        published=(Printed((-277, 412), (-201, 320), "BP Table 5.3"),),
        remark=f"{_MATRICES} BP's text prints 675n - 201 additions; Table 5.3 has 320n - 201, which gives the 1719 of "
        "both for n = 6. Prismatic joints, for which BP's equations lack terms, are added."),
    _inverse_dynamics(closed_coefficients, "Renaud 1975, Vukobratovic et al. 1985; BP 5.2.17-5.2.20", joints=_REVOLUTE,
        remark="The triple sum of 5.2.17 term by term, along the base's axes; the printed count is that of "
        "`recursive_coefficients`. BP 5.2.19c prints the centre of one link for that of the generalised link, "
        "and the opposite sign."),
    _inverse_dynamics(recursive_coefficients, "Vukobratovic, Li & Kircanski 1985; BP 5.2.17-5.2.20", joints=_REVOLUTE,
        published=(
            Printed((992,), (776,), "BP section 5.2.1", only=6),
            Printed((-36, 9, 17.5, 1.5), (-28, 64 / 2, 11.5, 7 / 6), "BP section 5.2.1"),
        ),
        remark="Counted from n = 3 on: 2n^3 + 21n^2 + 9n - 54 and 5/3 n^3 + 13n^2 + 91/3 n - 76. BP has the "
        "coefficients and the count, not the order of operations. Its leading terms, 3/2 n^3 and 7/6 n^3, leave 7 + 5 "
        "operations for the two coefficients of three joints, which take 10 + 8 here. The printed 64/2 n additions "
        "make the sum fractional unless 3 divides n; 64/3 n would make it whole. For n = 6 the polynomials then give "
        "972 and 766, 20 and 10 less than the 992 and 776 that BP prints."),
    _inverse_dynamics(luh_walker_paul, "Luh, Walker & Paul 1980; BP Alg. 5.3",
        published=(Printed((-48, 150), (-48, 131), "BP Table 5.3"),),
        remark="Counted: 117n - 136 and 90n - 115, of the modified version that BP prints as Alg. 5.3, with 8 and 4 "
        "for A v. The printed count is for the original."),
    _inverse_dynamics(featherstone, "Featherstone 1984; BP Alg. 5.4",
        published=(Printed((-68, 130), (-56, 101), "BP section 5.2.2"),),
        remark="Counted: 136n - 161 and 108n - 138. The print counts a special spatial arithmetic. BP 5.2.30 leaves "
        "out the shift of the origin, and 5.2.25 has lost a sign."),
    _inverse_dynamics(rodriguez, "Rodriguez 1987; BP Alg. 5.5",
        remark="BP does not define the biases; they are derived here."),
    _inverse_dynamics(kane_angeles, "Angeles, Ma & Rojas 1989; BP 5.2.36-5.2.37",
        remark="The sums term by term, along the base's axes. The printed count is for the order of "
        "`kane_recursive`."),
    _inverse_dynamics(kane_recursive, "Angeles, Ma & Rojas 1989; BP 5.2.36-5.2.37",
        published=(Printed((-109, 105), (-105, 90), "BP Table 5.3"),),
        remark="Counted: 105n - 118 and 87n - 106. BP gives the sums and the count, not the recursion. The printed "
        "additions are 3n more: adding whole matrices for Omega, zeros too, would take these."),
    _inverse_dynamics(khalil, "Khalil, Kleinfinger & Gautier 1986; BP Table 5.3",
        published=(Printed((-92, 105), (-86, 94), "BP Table 5.3"),),
        remark="Counted: 105n - 124 and 87n - 110. BP prints only the count, the authors the equations. The printed "
        "additions are 7n more, which BP does not explain."),
    _inverse_dynamics(tensor_newton_euler, "Balafoutis & Patel; BP Alg. 5.6",
        published=(Printed((-77, 96), (-70, 84), "BP Table 5.3"),),
        remark="Counted: 96n - 108 and 84n - 102. Printed are n - 1 full cycles, plus 19 and 14 for the first one."),
    _inverse_dynamics(augmented_links, "Balafoutis & Patel; BP Alg. 5.7",
        published=(
            Printed((-108, 93), (-100, 81), "BP Table 5.2"),
            Printed((-84, 73), (-75, 71), "BP Table 5.2", "right"),
            Printed((-69, 93), (-66, 81), "BP Table 5.1"),
            Printed((-50, 73), (-56, 71), "BP Table 5.1", "right"),
        ),
        remark=(
            "Counted: 93n - 111 and 81n - 103, 73n - 85 and 71n - 90. No single way of rotating vectors gives all "
            "constants of Table 5.2, and its 11n - 3 additions for 5.3.46a should be 11n - 14. Table 5.1 is n - 1 full "
            "cycles, and 24 and 15 for the first ones. BP 5.3.44b, 5.3.45e and 5.3.46b are corrected."
        )),
    _inverse_dynamics(spong, "SHV section 6.6", remark="Prismatic joints, which SHV leaves out, are added."),
    _inverse_dynamics(lynch_park, "LP 9.49-9.57"),
    _inverse_dynamics(lynch_park_stacked, "LP 9.62-9.84"),
    _inverse_dynamics(garofalo, "GOA 5-6, 26-28"),
    _mass_matrix(unit_accelerations, "Walker & Orin 1982, method 1; BP 6.2.4"),
    _mass_matrix(unit_accelerations_by_symmetry, "Walker & Orin 1982, method 2; BP 6.2.4"),
    _mass_matrix(walker_orin, "Walker & Orin 1982, method 3; BP Alg. 6.1",
        published=(
            Printed((741,), (601,), "BP Table 6.2", only=6),
            Printed((-27, 56, 12), (-56, 67, 7), "BP Table 6.2"),
        ),
        remark="BP's polynomial gives 598 additions for n = 6, 3 less than the 601 beside it; with - 53 for - 56 they "
        "agree. BP's text has 12n^2 + 26n + 27 multiplications, which do not give its 741. Counted for n = 6: 549 and "
        "464, with inertias turned by the double angle, and without what zeros and constants save. BP 6.2.9b-c are "
        "corrected."),
    _mass_matrix(spatial_composite_bodies, "Featherstone 1987; BP section 6.2",
        published=(Printed((-41, 31, 10), (-46, 40, 6), "BP Table 6.2"),),
        remark="Counted for n = 6: 1,430 and 1,146. The print counts a special spatial arithmetic; here the matrices "
        "are plain 6x6, with their zeros left out."),
    _mass_matrix(natural_orthogonal_complement, "Angeles & Ma 1988; BP 6.2.10-6.2.15",
        published=(Printed((8, -15, 17, 1), (5, -16, 14, 1), "BP Table 6.2"),),
        remark="Counted for n = 6: 709 and 555, with the columns along the links' own axes. BP does not say along "
        "which axes its count has them."),
    _mass_matrix(generalized_links, "Balafoutis & Patel 1989; BP Alg. 6.2",
        published=(
            Printed((-42, 11, 11), (-54, 32.5, 5.5), "BP Table 6.1"),
            Printed((-23, 7, 7), (-47, 28.5, 3.5), "BP Table 6.1", "right"),
        ),
        remark="Counted, of `dh_arm`: 11n^2 + 2n - 27 and 7n^2 + 27n - 52, 7n^2 - 4n and 5n^2 + 17n - 34; see above. "
        "BP 6.3.29e leaves out the moment of a prismatic joint's force."),
    _mass_matrix(stacked_mass_matrix, "LP 9.82"),
    _mass_matrix(closed_form_mass_matrix, "Garofalo, Ott & Albu-Schaeffer; GOA 6a, 27",
        joints=("revolute", "prismatic", "free")),
    _mass_matrix(innovations, "Rodriguez & Kreutz 1988; BP 6.2.18"),
    _forward_dynamics(walker_orin_accelerations, "Walker & Orin 1982, method 3; BP 6.2.2, Alg. 6.1",
        published=(Printed((1627,), (1261,), "BP Table 6.3", only=6),),
        remark="Here the bias forces are those of BP Alg. 5.7, which is newer."),
    _forward_dynamics(spatial_composite_accelerations, "Featherstone 1987; BP section 6.2",
        published=(Printed((1303,), (1019,), "BP Table 6.3", only=6),),
        remark="Here the bias forces are those of BP Alg. 5.7, which is newer."),
    _forward_dynamics(conjugate_gradient, "Walker & Orin 1982, method 4; BP section 6.2",
        remark="Counted with 3n iterations; in exact arithmetic n are enough."),
    _forward_dynamics(generalized_links_accelerations, "Balafoutis & Patel 1989; BP Alg. 6.2, Alg. 5.7",
        published=(Printed((956,), (790,), "BP Table 6.3", only=6),),
        remark="Counted for n = 6: 900 and 797. The printed additions leave out sums of 6.3.30b, as those of "
        "`generalized_links` do."),
    _forward_dynamics(natural_complement_accelerations, "Angeles & Ma 1988, first method; BP 6.2.10-6.2.15",
        published=(Printed((1353,), (1165,), "BP Table 6.3", only=6),),
        remark="Counted for n = 6: 1,228 and 990. Here the bias forces are those of BP Alg. 5.7, which is newer."),
    _forward_dynamics(orthogonal_complement_accelerations, "Angeles & Ma 1988, second method; BP 6.2.16-6.2.17",
        remark="BP prints no count, and says that it is comparable to the 1353 + 1165 of the first method."),
    _forward_dynamics(articulated_bodies, "Featherstone 1983; BP section 6.2",
        published=(Printed((1533,), (1415,), "BP Table 6.3", only=6),),
        remark="Counted for n = 6: 2,163 and 1,785. The print counts a special spatial arithmetic; here the matrices "
        "are plain 6x6, with their zeros left out."),
    _forward_dynamics(innovations_accelerations, "Rodriguez & Kreutz 1988; BP 6.2.19"),
    Formulation.of("sensitivity", sensitivity, "Balafoutis & Patel 1989; BP Alg. 7.1",
        published=(
            Printed((-104, 96, 44), (-140, 131, 31), "BP Tables 7.1-7.2, Alg. 5.7 not included"),
            Printed((-80, 86, 30), (-124, 122, 24), "BP Tables 7.1-7.2, Alg. 5.7 not included", "right"),
        ),
        remark="Counted, of `dh_arm` with Alg. 5.7: 46n^2 + 143n - 295 and 30n^2 + 169n - 322; see above. Many dots "
        "are lost in BP 7.3.18-7.3.19; they follow from 7.3.3-7.3.4. Prismatic joints, which BP leaves out, are added."
    ),
)

FORMULATIONS: dict[str, Formulation] = {formulation.name: formulation for formulation in _ALL}
"""All published formulations, by name."""
