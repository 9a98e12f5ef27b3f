"""Functions of the C library as plain arithmetic, for processors without a library: sines, logarithm, arctangent.

The sine and cosine are those that `revolute.targets.c` writes, step by step: the same constants, the same limits. The
logarithm is that of fdlibm (e_log.c), the arctangent that of Cephes (Moshier, atan.c); both are computed in double.
"""

import math
from collections.abc import Mapping, Sequence

from revolute.targets.coefficients import COSINE, PARTS_OF_HALF_PI, PARTS_OF_HALF_PI_IN_FLOAT, SINE, TO_INTEGER
from revolute.targets.llvm.exponential import LN_2, exp, tanh
from revolute.targets.llvm.lanes import Lanes
from revolute.targets.llvm.operations import Emit
from revolute.targets.llvm.trigonometry import bits_of, extended, horner, truncated
from revolute.targets.llvm.writer import IRWriter

_LOG = (
    1.479819860511658591e-01, 1.531383769920937332e-01, 1.818357216161805012e-01, 2.222219843214978396e-01,
    2.857142874366239149e-01, 3.999999999940941908e-01, 6.666666666666735130e-01,
)  # fmt: skip
"""Coefficients of R in log((1 + s)/(1 - s)) = 2 s + s R(s^2), highest power first."""

_ATAN_P = (
    -8.750608600031904122785e-1, -1.615753718733365076637e1, -7.500855792314704667340e1, -1.228866684490136173410e2,
    -6.485021904942025371773e1,
)  # fmt: skip
_ATAN_Q = (
    1.0, 2.485846490142306297962e1, 1.650270098316988542046e2, 4.328810604912902668951e2, 4.853903996359136964868e2,
    1.945506571482613964425e2,
)  # fmt: skip
"""Coefficients of P and Q in atan(t) = t + t z P(z)/Q(z) with z = t^2, for |t| <= 0.66."""
_REST_OF_HALF_PI = 6.123233995736765886e-17  # pi/2 minus its float64 value


def sine_and_cosine(w: IRWriter, lanes: Lanes, x: str) -> tuple[str, str]:
    """Emit the sine and cosine of x; returns their names. No sum here may be rearranged."""
    t, n_of = lanes.real, lanes.const
    integer = n_of(TO_INTEGER[lanes.bits])

    def whole(value: str) -> str:
        return w.let(f"fsub {t} {w.let(f'fadd {t} {value}, {integer}')}, {integer}")

    def product(a: str, b: str) -> str:
        return w.let(f"fmul {t} {a}, {b}")

    # reduce the angle: x = n pi/2 + r; q, from -2 to 2, is n modulo 4
    n = whole(product(x, n_of(2 / math.pi)))
    fours = product(n_of(4.0), whole(product(n, n_of(0.25))))
    q = w.let(f"fsub {t} {n}, {fours}")
    r = x
    for part in PARTS_OF_HALF_PI if lanes.bits == 64 else PARTS_OF_HALF_PI_IN_FLOAT:
        r = w.let(f"fsub {t} {r}, {product(n, n_of(part))}")
    # s = r + r z P(z), c = 1 - z/2 + z^2 Q(z), with z = r^2
    z = product(r, r)
    s = w.let(f"fadd {t} {r}, {product(product(r, z), horner(w, lanes, SINE[lanes.bits], z))}")
    head = w.let(f"fsub {t} {n_of(1.0)}, {product(n_of(0.5), z)}")
    c = w.let(f"fadd {t} {head}, {product(product(z, z), horner(w, lanes, COSINE[lanes.bits], z))}")
    # odd quadrants exchange sine and cosine; the sine is negative in quadrants 2 and 3, the cosine in 1 and 2
    square = product(q, q)
    above, below = w.let(f"fcmp ogt {t} {square}, {n_of(0.5)}"), w.let(f"fcmp olt {t} {square}, {n_of(2.0)}")
    odd = w.let(f"and i1 {above}, {below}")
    found = []
    for even_value, odd_value, low, high in ((s, c, -0.5, 1.5), (c, s, -1.5, 0.5)):
        value = w.let(f"select i1 {odd}, {t} {odd_value}, {t} {even_value}")
        below, above = w.let(f"fcmp olt {t} {q}, {n_of(low)}"), w.let(f"fcmp ogt {t} {q}, {n_of(high)}")
        negative = w.let(f"or i1 {below}, {above}")
        found.append(w.let(f"select i1 {negative}, {t} {w.let(f'fneg {t} {value}')}, {t} {value}"))
    return found[0], found[1]


def _tan(w: IRWriter, lanes: Lanes, x: Sequence[str]) -> str:
    s, c = sine_and_cosine(w, lanes, x[0])
    return w.let(f"fdiv {lanes.real} {s}, {c}")


def _log(w: IRWriter, lanes: Lanes, arguments: Sequence[str]) -> str:
    """With x = 2^k m and sqrt(1/2) <= m < sqrt(2), log x = k ln 2 + log m."""
    wide = lanes.doubles()
    t, const = wide.real, wide.const
    x = extended(w, lanes, arguments[0])
    # scale denormal numbers, because their exponent bits are zero
    small = w.let(f"fcmp olt {t} {x}, {const(2.0**-1022)}")
    large = w.let(f"fmul {t} {x}, {const(2.0**54)}")
    scaled = w.let(f"select i1 {small}, {t} {large}, {t} {x}")
    # k and f = m - 1
    # without the bits of sqrt(1/2), the exponent is 0 for all of sqrt(1/2) <= x < sqrt(2)
    bits = w.let(f"bitcast {t} {scaled} to i64")
    k = w.let(f"ashr i64 {w.sub(bits, bits_of(math.sqrt(0.5), 64))}, 52")
    exponent = w.let(f"shl i64 {k}, 52")
    m = w.let(f"bitcast i64 {w.sub(bits, exponent)} to {t}")
    true_k = w.let(f"select i1 {small}, i64 {w.sub(k, 54)}, i64 {k}")
    kf, f = w.let(f"sitofp i64 {true_k} to {t}"), w.let(f"fsub {t} {m}, {const(1.0)}")
    # log m = f - f^2/2 + s (f^2/2 + R), with s = f / (2 + f)
    s = w.let(f"fdiv {t} {f}, {w.let(f'fadd {t} {f}, {const(2.0)}')}")
    z = w.let(f"fmul {t} {s}, {s}")
    half_square = w.let(f"fmul {t} {w.let(f'fmul {t} {f}, {const(0.5)}')}, {f}")
    rest = w.let(f"fmul {t} {horner(w, wide, _LOG, z)}, {z}")
    tail = w.let(f"fmul {t} {s}, {w.let(f'fadd {t} {half_square}, {rest}')}")
    tail = w.let(f"fadd {t} {tail}, {w.let(f'fmul {t} {kf}, {const(LN_2[1])}')}")
    less = w.let(f"fsub {t} {w.let(f'fsub {t} {half_square}, {tail}')}, {f}")
    value = w.let(f"fsub {t} {w.let(f'fmul {t} {kf}, {const(LN_2[0])}')}, {less}")
    # handle zero, negative numbers and infinity
    zero = w.let(f"fcmp oeq {t} {x}, {const(0.0)}")
    none = w.let(f"select i1 {zero}, {t} {const(-math.inf)}, {t} {const(math.nan)}")
    some = w.let(f"select i1 {w.let(f'fcmp ogt {t} {x}, {const(0.0)}')}, {t} {value}, {t} {none}")
    infinite = w.let(f"fcmp oeq {t} {x}, {const(math.inf)}")
    return truncated(w, lanes, w.let(f"select i1 {infinite}, {t} {const(math.inf)}, {t} {some}"))


def _atan2(w: IRWriter, lanes: Lanes, arguments: Sequence[str]) -> str:
    """Emit atan2: the angle in the first octant, from which those in other octants follow by symmetry."""
    wide = lanes.doubles()
    t, const = wide.real, wide.const

    def chosen(condition: str, yes: str, no: str) -> str:
        return w.let(f"select i1 {condition}, {t} {yes}, {t} {no}")

    y, x = (extended(w, lanes, each) for each in arguments)
    ay, ax = (w.call(t, "llvm.fabs.f64", [(t, each)]) for each in (y, x))
    steep = w.let(f"fcmp ogt {t} {ay}, {ax}")
    low, high = chosen(steep, ax, ay), chosen(steep, ay, ax)
    # the tangent is 1 if both arguments are infinite and 0 if both arguments are zero
    same = w.let(f"fcmp oeq {t} {low}, {high}")
    quotient = chosen(same, const(1.0), w.let(f"fdiv {t} {low}, {high}"))
    sum_of_both = w.let(f"fadd {t} {low}, {high}")  # the result is NaN if an argument is NaN
    tangent = chosen(w.let(f"fcmp oeq {t} {sum_of_both}, {const(0.0)}"), const(0.0), quotient)
    # above 0.66, use atan(t) = pi/4 + atan((t - 1)/(t + 1))
    upper = w.let(f"fcmp ogt {t} {tangent}, {const(0.66)}")
    minus, plus = (w.let(f"fadd {t} {tangent}, {const(one)}") for one in (-1.0, 1.0))
    v = chosen(upper, w.let(f"fdiv {t} {minus}, {plus}"), tangent)
    z = w.let(f"fmul {t} {v}, {v}")
    fraction = w.let(f"fdiv {t} {horner(w, wide, _ATAN_P, z)}, {horner(w, wide, _ATAN_Q, z)}")
    correction = w.let(f"fmul {t} {w.let(f'fmul {t} {z}, {fraction}')}, {v}")
    correction = w.let(f"fadd {t} {correction}, {chosen(upper, const(_REST_OF_HALF_PI / 2), const(0.0))}")
    angle = w.let(f"fadd {t} {v}, {correction}")
    angle = chosen(upper, w.let(f"fadd {t} {angle}, {const(math.pi / 4)}"), angle)
    # correct the angle beyond pi/4, then beyond pi/2, then below the x axis
    for reflected, whole, rest in (
        (steep, math.pi / 2, _REST_OF_HALF_PI), (_is_negative(w, x), math.pi, 2 * _REST_OF_HALF_PI)
    ):  # fmt: skip
        less = w.let(f"fsub {t} {angle}, {const(rest)}")
        angle = chosen(reflected, w.let(f"fsub {t} {const(whole)}, {less}"), angle)
    return truncated(w, lanes, w.call(t, "llvm.copysign.f64", [(t, angle), (t, y)]))


def _is_negative(w: IRWriter, x: str) -> str:
    """Whether the sign bit of a double is set, as it is in -0.0."""
    return w.let(f"icmp slt i64 {w.let(f'bitcast double {x} to i64')}, 0")


OWN_FUNCTIONS: Mapping[str, Emit] = {
    "sin": lambda w, lanes, x: sine_and_cosine(w, lanes, x[0])[0],
    "cos": lambda w, lanes, x: sine_and_cosine(w, lanes, x[0])[1],
    "tan": _tan,
    "atan2": _atan2,
    "exp": lambda w, lanes, x: exp(w, lanes, x[0]),
    "log": _log,
    "tanh": lambda w, lanes, x: tanh(w, lanes, x[0]),
}
"""Functions for which other targets call a library."""
