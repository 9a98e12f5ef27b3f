"""sin and cos of every row at once, within 2 ulp for |x| <= 1e5 rad; the C library is used beyond.

The argument is reduced by n pi/2 with pi/2 in parts, as fdlibm does (e_rem_pio2). Unless the result r is
small, only one step rounds. The first difference, x - n pi_1, is a multiple of 2^-53 below 1, and exact; the
next rounds to within half an ulp; the rest to subtract is less than that. An ulp of r near 0.5 is two ulp of
sin(r), so the error of the sine is 0.9 ulp from r, 0.5 from its last rounding and little from its polynomial.

With a fused multiply-add the parts have 53 bits, as its products are exact. Without it, products with n < 2^17
must fit in 53 bits: the parts have 33, 19 (down to 2^-52), 33 and 53 bits. The reduced sine and cosine are the
polynomials of Cephes (Moshier, sin.c and sinf.c). Rows that are beyond the limit, infinite or NaN are
computed one by one by the C library. Rows of float are reduced in double, so that they lose no precision.
"""

import math
import struct

from revolute.targets.coefficients import COSINE, PARTS_OF_HALF_PI, SINE
from revolute.targets.llvm.lanes import Lanes
from revolute.targets.llvm.writer import IRWriter

LIMIT = 1e5

_PI_2 = {True: (1.5707963267948966, 6.123233995736766e-17, -1.4973849048591698e-33), False: PARTS_OF_HALF_PI}
"""Parts of pi/2 for argument reduction with and without a fused multiply-add."""
MAGIC = 6755399441055744.0  # 1.5 * 2^52: adding this number rounds to an integer in the low bits


def fused(w: IRWriter, lanes: Lanes, a: str, b: str, c: str) -> str:
    """a * b + c: with one rounding if the host has a fused multiply-add, else with two. LLVM cannot change this."""
    t = lanes.real
    if lanes.fma:
        w.declared.add(lanes.multiply_add)  # does what `call` does in half the time
        return w.let(f"call {t} @llvm.fma.{lanes.suffix}({t} {a}, {t} {b}, {t} {c})")
    product = w.let(f"fmul {t} {a}, {b}")
    return w.let(f"fadd {t} {product}, {c}")


def extended(w: IRWriter, lanes: Lanes, x: str) -> str:
    """x in double."""
    return x if lanes.bits == 64 else w.let(f"fpext {lanes.real} {x} to {lanes.doubles().real}")


def truncated(w: IRWriter, lanes: Lanes, x: str) -> str:
    """x, given in double, converted to the format of the lanes."""
    return x if lanes.bits == 64 else w.let(f"fptrunc {lanes.doubles().real} {x} to {lanes.real}")


def sincos(w: IRWriter, lanes: Lanes, x: str) -> tuple[str, str]:
    """Emit the sine and cosine of x; returns their names."""
    t, i = lanes.real, lanes.integer
    wide = lanes.doubles()
    # n = x / (pi/2), rounded to an integer by adding MAGIC
    xw = extended(w, lanes, x)
    shifted = fused(w, wide, xw, wide.const(2 / math.pi), wide.const(MAGIC))
    n = w.let(f"fsub {wide.real} {shifted}, {wide.const(MAGIC)}")
    minus_n = w.let(f"fneg {wide.real} {n}")
    # r = x - n pi/2, and the quadrant from the low bits of x / (pi/2) + MAGIC
    r = xw
    for part in _PI_2[wide.fma]:
        r = fused(w, wide, minus_n, wide.const(part), r)
    quadrant = w.let(f"bitcast {wide.real} {shifted} to {wide.integer}")
    r = truncated(w, lanes, r)
    if lanes.bits == 32:
        quadrant = w.let(f"trunc {wide.integer} {quadrant} to {i}")

    # s = r + r z P(z), c = 1 - z/2 + z^2 Q(z), with z = r^2
    z = w.let(f"fmul {t} {r}, {r}")
    rz = w.let(f"fmul {t} {r}, {z}")
    s = fused(w, lanes, horner(w, lanes, SINE[lanes.bits], z), rz, r)
    zz = w.let(f"fmul {t} {z}, {z}")
    head = fused(w, lanes, z, lanes.const(-0.5), lanes.const(1.0))
    c = fused(w, lanes, horner(w, lanes, COSINE[lanes.bits], z), zz, head)

    # odd quadrants exchange sine and cosine
    odd_bit = w.let(f"and {i} {quadrant}, {lanes.int_const(1)}")
    odd = w.let(f"icmp ne {i} {odd_bit}, {lanes.int_const(0)}")
    s0 = w.let(f"select {lanes.truth} {odd}, {t} {c}, {t} {s}")
    c0 = w.let(f"select {lanes.truth} {odd}, {t} {s}, {t} {c}")
    # the sine is negative in quadrants 2 and 3, the cosine in 1 and 2
    following = w.let(f"add {i} {quadrant}, {lanes.int_const(1)}")
    return _large_arguments(w, lanes, x, _signed(w, lanes, s0, quadrant), _signed(w, lanes, c0, following))


def horner(w: IRWriter, lanes: Lanes, coefficients: tuple[float, ...], z: str) -> str:
    """Emit a polynomial in z; the coefficient of the highest power comes first."""
    value = lanes.const(coefficients[0])
    for coefficient in coefficients[1:]:
        value = fused(w, lanes, value, z, lanes.const(coefficient))
    return value


def _signed(w: IRWriter, lanes: Lanes, x: str, quadrant: str) -> str:
    """-x where bit 1 of the quadrant is set: that bit is moved to the sign bit and flips the sign of x."""
    t, i = lanes.real, lanes.integer
    # set the sign by bit operations: unlike comparison and negation, they handle -0.0 and NaN correctly
    shifted = w.let(f"shl {i} {quadrant}, {lanes.int_const(lanes.bits - 2)}")
    sign = w.let(f"and {i} {shifted}, {lanes.int_const(-(1 << (lanes.bits - 1)))}")
    flipped = w.let(f"xor {i} {w.let(f'bitcast {t} {x} to {i}')}, {sign}")
    return w.let(f"bitcast {i} {flipped} to {t}")


def _large_arguments(w: IRWriter, lanes: Lanes, x: str, s: str, c: str) -> tuple[str, str]:
    """Branch to the C library if any row is beyond the limit."""
    t = lanes.real
    pair = f"{{ {t}, {t} }}"
    any_large = large = _large(w, lanes, x)
    if lanes.width > 1:
        any_large = w.call("i1", f"llvm.vector.reduce.or.v{lanes.width}i1", [(lanes.truth, large)])
    here, slow, done = w.name("here"), w.name("slow"), w.name("done")
    w.go(here)
    w.label(here)
    w.do(f"br i1 {any_large}, label %{slow}, label %{done}, !prof !0")
    # if an angle is large, replace the values of the rows with large angles
    w.label(slow)
    both = w.let(f"call {pair} @large_sincos.{lanes.suffix}({t} {x}, {t} {s}, {t} {c})")
    s1, c1 = w.let(f"extractvalue {pair} {both}, 0"), w.let(f"extractvalue {pair} {both}, 1")
    w.go(done)
    w.label(done)
    return (
        w.let(f"phi {t} [ {s}, %{here} ], [ {s1}, %{slow} ]"),
        w.let(f"phi {t} [ {c}, %{here} ], [ {c1}, %{slow} ]"),
    )


def _large(w: IRWriter, lanes: Lanes, x: str) -> str:
    """Whether |x| > LIMIT, by a comparison of integers, which raises no floating-point flags."""
    t, i = lanes.real, lanes.integer
    magnitude = w.let(f"and {i} {w.let(f'bitcast {t} {x} to {i}')}, {lanes.int_const((1 << (lanes.bits - 1)) - 1)}")
    return w.let(f"icmp sgt {i} {magnitude}, {lanes.int_const(bits_of(LIMIT, lanes.bits))}")


def large_argument_function(lanes: Lanes) -> str:
    """The function `large_sincos`, which recomputes the rows beyond the limit and keeps the others, one by one."""
    w, t = IRWriter(), lanes.real
    row, pair = Lanes(1, lanes.bits), f"{{ {t}, {t} }}"
    places = {"sin": w.variable(t, "%s"), "cos": w.variable(t, "%c")}
    with w.counted(str(lanes.width)) as k:
        x = "%x" if lanes.width == 1 else w.let(f"extractelement {t} %x, i64 {k}")
        with w.when(_large(w, row, x)):
            argument = extended(w, row, x)
            for function, place in places.items():
                value = truncated(w, row, w.call("double", function, [("double", argument)]))
                if lanes.width > 1:
                    value = w.let(f"insertelement {t} {w.get(t, place)}, {lanes.scalar} {value}, i64 {k}")
                w.put(t, value, place)
    s, c = (w.get(t, place) for place in places.values())
    first = w.let(f"insertvalue {pair} poison, {t} {s}, 0")
    w.do(f"ret {pair} {w.let(f'insertvalue {pair} {first}, {t} {c}, 1')}")
    head = f"internal {pair} @large_sincos.{lanes.suffix}({t} %x, {t} %s, {t} %c)"
    return "\n".join([*sorted(w.declared), w.define(head, "cold noinline nounwind")])


def bits_of(x: float, bits: int) -> int:
    """The integer with the same bits as x."""
    value: int
    (value,) = struct.unpack("<q", struct.pack("<d", x)) if bits == 64 else struct.unpack("<i", struct.pack("<f", x))
    return value
