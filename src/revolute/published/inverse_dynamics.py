"""The table of the inverse-dynamics formulations."""

from __future__ import annotations

from functools import partial

from revolute.published.augmented_links import augmented_links
from revolute.published.closed_coefficients import closed_coefficients
from revolute.published.featherstone import featherstone
from revolute.published.formulation import Formulation, Printed
from revolute.published.garofalo import garofalo
from revolute.published.hollerbach_3x3 import hollerbach_3x3
from revolute.published.kane import kane_angeles, kane_recursive
from revolute.published.lagrangian_4x4 import hollerbach_4x4, uicker_kahn, waters
from revolute.published.lynch_park import lynch_park
from revolute.published.lynch_park_stacked import lynch_park_stacked
from revolute.published.newton_euler import khalil, luh_walker_paul, tensor_newton_euler
from revolute.published.recursive_coefficients import recursive_coefficients
from revolute.published.rodriguez import rodriguez
from revolute.published.spong import spong

__all__ = ["INVERSE_DYNAMICS"]

_formulation = partial(Formulation.of, "inverse_dynamics")
_REVOLUTE = ("revolute",)

_MATRICES = (
    "The print counts products of matrices in full. Here zeros and ones in them cost nothing, and a term that occurs "
    "twice is computed once."
)

INVERSE_DYNAMICS = (
    _formulation(
        uicker_kahn,
        "Uicker 1965, Kahn 1969; BP 5.2.7",
        published=(Printed((66271,), (51548,), "BP section 5.2.1", only=6),),
        remark=f"{_MATRICES} BP prints q_i in both derivatives of the first trace; one is q_k.",
    ),
    _formulation(
        waters,
        "Waters 1979; BP 5.2.9-5.2.10",
        published=(Printed((7051,), (5652,), "BP section 5.2.1", only=6),),
        remark=_MATRICES,
    ),
    _formulation(
        hollerbach_4x4,
        "Hollerbach 1980; BP Alg. 5.1",
        published=(Printed((-592, 830), (-464, 675), "BP Table 5.3"),),
        remark=f"{_MATRICES} BP 5.2.13b prints r_ij for r_ii.",
    ),
    _formulation(
        hollerbach_3x3,
        "Hollerbach 1980; BP Alg. 5.2",
        published=(Printed((-277, 412), (-201, 320), "BP Table 5.3"),),
        remark=f"{_MATRICES} BP's text prints 675n - 201 additions; Table 5.3 has 320n - 201, which gives the 1719 of "
        "both for n = 6. Prismatic joints, for which BP's equations lack terms, are added.",
    ),
    _formulation(
        closed_coefficients,
        "Renaud 1975, Vukobratovic et al. 1985; BP 5.2.17-5.2.20",
        joints=_REVOLUTE,
        remark="The triple sum of 5.2.17 term by term, along the base's axes; `recursive_coefficients` is what the "
        "printed count belongs to. BP 5.2.19c prints the centre of one link for that of the generalised link, "
        "and the opposite sign.",
    ),
    _formulation(
        recursive_coefficients,
        "Vukobratovic, Li & Kircanski 1985; BP 5.2.17-5.2.20",
        joints=_REVOLUTE,
        published=(
            Printed((992,), (776,), "BP section 5.2.1", only=6),
            Printed((-36, 9, 17.5, 1.5), (-28, 64 / 3, 11.5, 7 / 6), "BP section 5.2.1"),
        ),
        remark="Counted from n = 3 on: 2n^3 + 21n^2 + 9n - 54 and 5/3 n^3 + 13n^2 + 91/3 n - 76. BP has the "
        "coefficients and the count, not the order of operations. Its leading terms, 3/2 n^3 and 7/6 n^3, leave 7 + 5 "
        "operations for the two coefficients of three joints, which take 10 + 8 here. BP prints 64/2 n additions, "
        "which makes the sum fractional unless 3 divides n; 64/3 n makes it whole. For n = 6 the polynomials then give "
        "972 and 766, 20 and 10 less than the 992 and 776 that BP prints.",
    ),
    _formulation(
        luh_walker_paul,
        "Luh, Walker & Paul 1980; BP Alg. 5.3",
        published=(Printed((-48, 150), (-48, 131), "BP Table 5.3"),),
        remark="Counted: 117n - 136 and 90n - 115, of the modified version that BP prints as Alg. 5.3, with 8 and 4 "
        "for A v. The printed count is that of the original.",
    ),
    _formulation(
        featherstone,
        "Featherstone 1984; BP Alg. 5.4",
        published=(Printed((-68, 130), (-56, 101), "BP section 5.2.2"),),
        remark="Counted: 136n - 161 and 108n - 138. The print counts a special spatial arithmetic. BP 5.2.30 leaves "
        "out the shift of the origin, and 5.2.25 has lost a sign.",
    ),
    _formulation(
        rodriguez,
        "Rodriguez 1987; BP Alg. 5.5",
        remark="BP does not define the biases; they are derived here.",
    ),
    _formulation(
        kane_angeles,
        "Angeles, Ma & Rojas 1989; BP 5.2.36-5.2.37",
        remark="The sums term by term, along the base's axes. `kane_recursive` has the order that the printed count "
        "belongs to.",
    ),
    _formulation(
        kane_recursive,
        "Angeles, Ma & Rojas 1989; BP 5.2.36-5.2.37",
        published=(Printed((-109, 105), (-105, 90), "BP Table 5.3"),),
        remark="Counted: 105n - 118 and 87n - 106. BP gives the sums and the count, not the recursion. The printed "
        "additions are 3n more: adding whole matrices for Omega, zeros too, would take these.",
    ),
    _formulation(
        khalil,
        "Khalil, Kleinfinger & Gautier 1986; BP Table 5.3",
        published=(Printed((-92, 105), (-86, 94), "BP Table 5.3"),),
        remark="Counted: 105n - 124 and 87n - 110. BP has the count alone; the equations are the authors'. The printed "
        "additions are 7n more, which BP does not explain.",
    ),
    _formulation(
        tensor_newton_euler,
        "Balafoutis & Patel; BP Alg. 5.6",
        published=(Printed((-77, 96), (-70, 84), "BP Table 5.3"),),
        remark="Counted: 96n - 108 and 84n - 102. The print is n - 1 full cycles, and 19 and 14 for the first one.",
    ),
    _formulation(
        augmented_links,
        "Balafoutis & Patel; BP Alg. 5.7",
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
        ),
    ),
    _formulation(spong, "SHV section 6.6", remark="Prismatic joints, which SHV leaves out, are added."),
    _formulation(lynch_park, "LP 9.49-9.57"),
    _formulation(lynch_park_stacked, "LP 9.62-9.84"),
    _formulation(garofalo, "GOA 5-6, 26-28"),
)
