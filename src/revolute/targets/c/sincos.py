"""Sine and cosine in C without a library: argument reduction by parts of pi/2, polynomials of Cephes.

In x - n pi/2, pi/2 is a sum of parts with few bits, so that their products with n are exact: for double if n < 2^17,
hence |x| <= 1e5, and for float if |x| <= 8192 (Moshier, Cephes, sin.c and sinf.c). For larger |x| the error grows.
"""

import math

from revolute.targets.c.numbers import Numbers
from revolute.targets.coefficients import COSINE, PARTS_OF_HALF_PI, PARTS_OF_HALF_PI_IN_FLOAT, SINE, TO_INTEGER


def sine_and_cosine(numbers: Numbers) -> str:
    """Definition of a C function that computes the sine and the cosine."""
    bits = 32 if numbers.suffix else 64
    n = numbers.constant
    # the product of n and a part is exact and is subtracted before the next product: cancellation adds no error
    parts = PARTS_OF_HALF_PI_IN_FLOAT if bits == 32 else PARTS_OF_HALF_PI
    reduced = "".join(f"    r -= n * {n(part)};\n" for part in parts)
    return f"""/* Sine and cosine of x, within 2 units in the last place for |x| <= {8192 if bits == 32 else 100000}. */
static void sine_and_cosine({numbers.type} x, {numbers.type} *sine, {numbers.type} *cosine)
{{
    /* x = n pi/2 + r; q is n modulo 4, from -2 to 2; no sum here may be rearranged */
    const {numbers.type} integer = {n(TO_INTEGER[bits])};
    const {numbers.type} n = (x * {n(2 / math.pi)} + integer) - integer;
    const {numbers.type} q = n - {n(4)} * ((n * {n(0.25)} + integer) - integer);
    const int odd = q * q > {n(0.5)} && q * q < {n(2)};
    {numbers.type} r = x, z, s, c;
{reduced}    z = r * r;
    s = r + r * z * ({_horner(SINE[bits], numbers)});
    c = {n(1)} - {n(0.5)} * z + z * z * ({_horner(COSINE[bits], numbers)});
    *sine = odd ? c : s;
    *cosine = odd ? s : c;
    if (q < {n(-0.5)} || q > {n(1.5)}) *sine = -*sine;
    if (q > {n(0.5)} || q < {n(-1.5)}) *cosine = -*cosine;
}}"""


def _horner(coefficients: tuple[float, ...], numbers: Numbers) -> str:
    """C expression of a polynomial in z; the coefficient of the highest power comes first."""
    text = numbers.constant(coefficients[0])
    for coefficient in coefficients[1:]:
        text = f"({text}) * z + {numbers.constant(coefficient)}"
    return text
