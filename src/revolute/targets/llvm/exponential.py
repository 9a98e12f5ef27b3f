"""exp and tanh of every row at once, within 2 ulp.

With x = n ln 2 + r and |r| <= ln(2)/2, exp(x) = 2^n (1 + p), where p = exp(r) - 1 is the sum
of Taylor's series to r^13: the remainder is below 1e-17 p. ln 2 comes in two parts
(fdlibm, e_exp.c), the first with 32 bits, so that its products with n are exact. tanh follows from
exp(2|x|) - 1 = 2^n p + (2^n - 1), in which nothing cancels. Rows of float are computed in double.
"""

import math

from revolute.targets.llvm.lanes import Lanes
from revolute.targets.llvm.trigonometry import MAGIC, bits_of, extended, fused, horner, truncated
from revolute.targets.llvm.writer import IRWriter

LN_2 = (6.93147180369123816490e-01, 1.90821492927058770002e-10)
_SERIES = tuple(1 / math.factorial(k) for k in range(13, 1, -1))
_LARGEST = 750.0  # limits of exp's argument: exp overflows above 709.8 and is zero below -745.2
_ONE = 20.0  # limit of tanh's argument: tanh is rounded to one above 19.1
_BIAS, _SIGN = 1023, -(1 << 63)


def exp(w: IRWriter, lanes: Lanes, x: str) -> str:
    """Emit exp(x)."""
    wide = lanes.doubles()
    # exp is (1 + p) 2^(n/2) 2^(n - n/2), because 2^n may overflow or underflow
    n, p = _reduced(w, wide, _clamped(w, wide, extended(w, lanes, x), _LARGEST)[0])
    # for n = 1024 the result may be finite: 2^1024 is not representable, but 2^512 is
    half = w.let(f"ashr {wide.integer} {n}, {wide.int_const(1)}")
    other_half = w.let(f"sub {wide.integer} {n}, {half}")
    value = w.let(f"fadd {wide.real} {p}, {wide.const(1.0)}")
    for exponent in (half, other_half):
        value = w.let(f"fmul {wide.real} {value}, {_power_of_two(w, wide, exponent)}")
    return truncated(w, lanes, value)


def tanh(w: IRWriter, lanes: Lanes, x: str) -> str:
    """Emit tanh(x)."""
    wide = lanes.doubles()
    # e = exp(2|x|) - 1
    clamped, sign = _clamped(w, wide, extended(w, lanes, x), _ONE)
    magnitude = w.call(wide.real, f"llvm.fabs.{wide.suffix}", [(wide.real, clamped)])
    n, p = _reduced(w, wide, w.let(f"fadd {wide.real} {magnitude}, {magnitude}"))
    scale = _power_of_two(w, wide, n)
    # e = 2^n p + (2^n - 1): for small x the second term is zero, so p loses no digits
    e = fused(w, wide, scale, p, w.let(f"fsub {wide.real} {scale}, {wide.const(1.0)}"))
    # tanh(|x|) = e / (e + 2); the result has the sign of x
    ratio = w.let(f"fdiv {wide.real} {e}, {w.let(f'fadd {wide.real} {e}, {wide.const(2.0)}')}")
    bits = w.let(f"bitcast {wide.real} {ratio} to {wide.integer}")
    signed = w.let(f"or {wide.integer} {bits}, {sign}")
    return truncated(w, lanes, w.let(f"bitcast {wide.integer} {signed} to {wide.real}"))


def _clamped(w: IRWriter, wide: Lanes, x: str, limit: float) -> tuple[str, str]:
    """x limited to +-limit (NaN for NaN), and its sign bit. Comparisons of integers raise no floating-point flags."""
    t, i = wide.real, wide.integer
    # split x into sign bit and magnitude
    bits = w.let(f"bitcast {t} {x} to {i}")
    sign = w.let(f"and {i} {bits}, {wide.int_const(_SIGN)}")
    magnitude = w.let(f"xor {i} {bits}, {sign}")
    # where |x| > limit, replace x by the limit with the sign of x; NaN remains NaN
    above = w.let(f"icmp sgt {i} {magnitude}, {wide.int_const(bits_of(limit, 64))}")
    not_nan = w.let(f"icmp sle {i} {magnitude}, {wide.int_const(bits_of(math.inf, 64))}")
    beyond = w.let(f"and {wide.truth} {above}, {not_nan}")
    bound = w.let(f"or {i} {sign}, {wide.int_const(bits_of(limit, 64))}")
    inside = w.let(f"select {wide.truth} {beyond}, {i} {bound}, {i} {bits}")
    return w.let(f"bitcast {i} {inside} to {t}"), sign


def _reduced(w: IRWriter, wide: Lanes, x: str) -> tuple[str, str]:
    """n, an integer, and p = exp(x - n ln 2) - 1."""
    # n = x / ln 2, rounded to an integer by adding MAGIC
    shifted = fused(w, wide, x, wide.const(1 / math.log(2)), wide.const(MAGIC))
    n = w.let(f"fsub {wide.real} {shifted}, {wide.const(MAGIC)}")
    minus_n = w.let(f"fneg {wide.real} {n}")
    # r = x - n ln 2
    r = x
    for part in LN_2:
        r = fused(w, wide, minus_n, wide.const(part), r)
    # p = r + r^2 / 2! + r^3 / 3! + ...
    square = w.let(f"fmul {wide.real} {r}, {r}")
    p = fused(w, wide, horner(w, wide, _SERIES, r), square, r)
    # the low bits of x / ln 2 + MAGIC contain n
    bits = w.let(f"bitcast {wide.real} {shifted} to {wide.integer}")
    return w.let(f"sub {wide.integer} {bits}, {wide.int_const(bits_of(MAGIC, 64))}"), p


def _power_of_two(w: IRWriter, wide: Lanes, n: str) -> str:
    """2^n, composed from the bits of its exponent."""
    biased = w.let(f"add {wide.integer} {n}, {wide.int_const(_BIAS)}")
    bits = w.let(f"shl {wide.integer} {biased}, {wide.int_const(52)}")
    return w.let(f"bitcast {wide.integer} {bits} to {wide.real}")
