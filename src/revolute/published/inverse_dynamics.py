"""The table of the inverse-dynamics formulations."""

from __future__ import annotations

from revolute.published.augmented_links import augmented_links
from revolute.published.closed_coefficients import closed_coefficients
from revolute.published.featherstone import featherstone
from revolute.published.formulation import Formulation, Printed
from revolute.published.garofalo import garofalo
from revolute.published.hollerbach_3x3 import hollerbach_3x3
from revolute.published.hollerbach_4x4 import hollerbach_4x4
from revolute.published.kane_angeles import kane_angeles
from revolute.published.luh_walker_paul import luh_walker_paul
from revolute.published.lynch_park import lynch_park
from revolute.published.lynch_park_stacked import lynch_park_stacked
from revolute.published.rodriguez import rodriguez
from revolute.published.spong import spong
from revolute.published.tensor_newton_euler import tensor_newton_euler
from revolute.published.uicker_kahn import uicker_kahn
from revolute.published.waters import waters

__all__ = ["INVERSE_DYNAMICS"]

_REVOLUTE = ("revolute",)

INVERSE_DYNAMICS = (
    Formulation(
        "uicker_kahn",
        "inverse_dynamics",
        uicker_kahn,
        "Uicker 1965, Kahn 1969; BP 5.2.7",
        published=(Printed((66271,), (51548,), "BP section 5.2.1", only=6),),
    ),
    Formulation(
        "waters",
        "inverse_dynamics",
        waters,
        "Waters 1979; BP 5.2.9-5.2.10",
        published=(Printed((7051,), (5652,), "BP section 5.2.1", only=6),),
    ),
    Formulation(
        "hollerbach_4x4",
        "inverse_dynamics",
        hollerbach_4x4,
        "Hollerbach 1980; BP Alg. 5.1",
        published=(Printed((-592, 830), (-464, 675), "BP Table 5.3"),),
    ),
    Formulation(
        "hollerbach_3x3",
        "inverse_dynamics",
        hollerbach_3x3,
        "Hollerbach 1980; BP Alg. 5.2",
        _REVOLUTE,
        (Printed((-277, 412), (-201, 320), "BP Table 5.3"),),
        "BP's text prints 675n - 201 additions; Table 5.3 has 320n - 201, which gives the 1719 of both for n = 6.",
    ),
    Formulation(
        "closed_coefficients",
        "inverse_dynamics",
        closed_coefficients,
        "Renaud 1975, Vukobratovic et al. 1985; BP 5.2.17-5.2.20",
        _REVOLUTE,
        (Printed((-36, 9, 17.5, 1.5), (-28, 64 / 3, 11.5, 7 / 6), "BP section 5.2.1"),),
        "BP prints 64/2 n additions, which makes the sum fractional unless 3 divides n; 64/3 n makes it whole. "
        "Then n = 6 takes 972 and 766; BP prints 992 and 776.",
    ),
    Formulation(
        "luh_walker_paul",
        "inverse_dynamics",
        luh_walker_paul,
        "Luh, Walker & Paul 1980; BP Alg. 5.3",
        published=(Printed((-48, 150), (-48, 131), "BP Table 5.3"),),
    ),
    Formulation(
        "featherstone",
        "inverse_dynamics",
        featherstone,
        "Featherstone 1984; BP Alg. 5.4",
        published=(Printed((-68, 130), (-56, 101), "BP section 5.2.2"),),
    ),
    Formulation("rodriguez", "inverse_dynamics", rodriguez, "Rodriguez 1987; BP Alg. 5.5"),
    Formulation(
        "kane_angeles",
        "inverse_dynamics",
        kane_angeles,
        "Angeles, Ma & Rojas 1989; BP 5.2.36-5.2.37",
        published=(Printed((-109, 105), (-105, 90), "BP Table 5.3"),),
    ),
    Formulation(
        "tensor_newton_euler",
        "inverse_dynamics",
        tensor_newton_euler,
        "Balafoutis & Patel; BP Alg. 5.6",
        published=(Printed((-77, 96), (-70, 84), "BP Table 5.3"),),
    ),
    Formulation(
        "augmented_links",
        "inverse_dynamics",
        augmented_links,
        "Balafoutis & Patel; BP Alg. 5.7",
        published=(
            Printed((-108, 93), (-100, 81), "BP Table 5.2"),
            Printed((-84, 73), (-75, 71), "BP Table 5.2", "right"),
        ),
        remark=(
            "Counted: 93n - 111 and 81n - 103, 73n - 85 and 71n - 90. No single way of rotating vectors gives all "
            "printed constants, and the 11n - 3 additions printed for 5.3.46a should be 11n - 14."
        ),
    ),
    Formulation("spong", "inverse_dynamics", spong, "SHV section 6.6", _REVOLUTE),
    Formulation("lynch_park", "inverse_dynamics", lynch_park, "LP 9.49-9.57"),
    Formulation("lynch_park_stacked", "inverse_dynamics", lynch_park_stacked, "LP 9.62-9.84"),
    Formulation("garofalo", "inverse_dynamics", garofalo, "GOA 5-6, 26-28"),
)
