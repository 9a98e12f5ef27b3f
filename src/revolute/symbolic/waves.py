"""Sums of sines and cosines of angle sums, as short sums of products.

A function of joint angles can be written with sums of angles, or with products of sines and cosines of single joints or
of the angles of links that rotate in one plane, and with squares of cosines or sines for double angles. `shortest`
tries all of these.
"""

import functools
import itertools
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from revolute.symbolic.fourier import Number, Ring, add_term

Plane = tuple[tuple[int, int], ...]
"""Consecutive joints with parallel axes: their angles in the ring, and signs of +1 or -1."""

Wave = tuple[int, bool]  # an angle sum, and whether the wave is its sine rather than its cosine
Waves = tuple[tuple[Wave, int], ...]  # a sorted product of powers of waves
Function = dict[Waves, Number]  # a sum of products of waves, each with a coefficient
_Cut = Callable[[int], list[tuple[int, int]]]  # from an angle sum to angles with their multiples
_Partial = dict[tuple[Waves, tuple[Wave, ...]], Number]  # {(products so far, a wave for each block): coefficient}
_ONE: Wave = (0, False)
_PLAIN, _COSINES, _SINES, _BOTH = range(4)
# forms of cos 2x: unchanged, 2 cos^2 x - 1, 1 - 2 sin^2 x, or cos^2 x - sin^2 x with 1 = cos^2 x + sin^2 x
_LONG = 200  # maximum number of waves of a function whose blocks are expanded singly, which takes long
_MANY = 3  # maximum number of angles with 1 = cos^2 x + sin^2 x; each angle doubles the number of products


def shortest(ring: Ring, function: Mapping[Wave, Number], planes: Sequence[Plane]) -> Function:
    """The shortest of several forms: the one with the fewest products, then the fewest factors.

    Forms are tried for the whole function, for each plane in turn, and for one plane apart from all others.
    """
    size = functools.partial(_size, ring)
    whole: _Partial = {((), (wave,)): c for wave, c in function.items()}
    forms = [_in_block(ring, whole, 0, _halves(ring), mode) for mode in range(4)]
    if len(function) > 1:
        blocks = _blocks(ring, function, planes)
        split = _split(ring, function, blocks)
        for k, plane in enumerate(blocks):
            cuts = [_halves(ring), _joints(ring), *([_links(ring, plane)] if len(plane) > 1 else [])]
            split = min((_in_block(ring, split, k, cut, mode) for cut in cuts for mode in range(4)), key=size)
        forms.append(split)
        if len(blocks) > 2 and len(function) <= _LONG:
            apart = min((_apart(ring, function, blocks, block) for block in blocks), key=size)
            forms += [_in_block(ring, apart, 0, _halves(ring), mode) for mode in range(4)]
    return {waves: c for (waves, _), c in min(forms, key=size).items()}


def _apart(ring: Ring, function: Mapping[Wave, Number], blocks: Sequence[Plane], block: Plane) -> _Partial:
    """The function as products of a wave of one block and an expanded wave of all other blocks, such as cos(b + q)."""
    rest = tuple(angle for other in blocks if other != block for angle in other)
    return _in_block(ring, _split(ring, function, [block, rest]), 1, _halves(ring), _PLAIN)


def _size(ring: Ring, partial: _Partial) -> tuple[int, int, int]:
    """Numbers of products, of factors (a double angle counts two, as a square), and of distinct waves."""
    products = [waves for waves, _ in partial]
    length = {wave: 2 if all(n % 2 == 0 for _, n in ring.powers(wave[0])) else 1 for p in products for wave, _ in p}
    return len(products), sum(power * length[wave] for waves in products for wave, power in waves), len(length)


def _blocks(ring: Ring, function: Iterable[Wave], planes: Sequence[Plane]) -> list[Plane]:
    """The planes with angles of a function; every other angle is a separate plane."""
    angles = {angle for A, _ in function for angle, _ in ring.powers(A)}
    blocks = [plane for plane in planes if angles & {angle for angle, _ in plane}]
    covered = {angle for plane in blocks for angle, _ in plane}
    return blocks + [((angle, 1),) for angle in sorted(angles - covered)]


def _split(ring: Ring, function: Mapping[Wave, Number], blocks: Sequence[Plane]) -> _Partial:
    """The function as a sum of products, with one wave for each block."""
    block_of = {angle: k for k, plane in enumerate(blocks) for angle, _ in plane}
    split: _Partial = {}
    for (A, sine), c in function.items():
        ring.check_time()
        parts = [0] * len(blocks)
        for angle, n in ring.powers(A):
            parts[block_of[angle]] += n * angle
        for waves, d in _expanded([(part, 1) for part in parts], sine).items():
            add_term(split, ((), tuple((angle, odd) for angle, _, odd in waves)), c * d)
    return _without_rounding(split)


def _in_block(ring: Ring, partial: _Partial, k: int, cut: _Cut, mode: int) -> _Partial:
    """Expand the wave of block k into waves of the angles that `cut` returns; `mode` is the form of double angles."""
    waves = {rest[k] for _, rest in partial}
    multiples: dict[int, set[int]] = {}
    for A, _ in waves:
        for angle, n in cut(A):
            multiples.setdefault(abs(angle), set()).add(abs(n))
    even = [angle for angle, ns in multiples.items() if mode == _BOTH and ns == {2}]
    if len(even) > _MANY:
        even = []
    table: dict[Wave, Function] = {}
    for A, sine in waves:
        ring.check_time()
        table[A, sine] = _products(cut(A), sine, mode, even)
    expanded: _Partial = {}
    for (done, rest), c in partial.items():
        ring.check_time()
        for product, d in table[rest[k]].items():
            merged = tuple(sorted((*done, *product)))
            add_term(expanded, (merged, (*rest[:k], _ONE, *rest[k + 1 :])), c * d)
    return _without_rounding(expanded)


def _without_rounding(partial: _Partial) -> _Partial:
    """Drop floats below 1e-14 of the largest, some tens of rounding errors, which remain when terms cancel."""
    least = 1e-14 * max(map(abs, partial.values()), default=0)
    return {key: c for key, c in partial.items() if not isinstance(c, float) or abs(c) > least}


def _products(factors: list[tuple[int, int]], sine: bool, mode: int, even: Sequence[int]) -> Function:
    """A wave of the angle sum of `factors`, as products of powers."""
    missing = [angle for angle in even if angle not in {abs(angle) for angle, _ in factors}]
    products: Function = {}
    for waves, c in _expanded(factors, sine).items():
        choices = [_power(*wave, mode, even) for wave in waves]
        choices += [{(((angle, False), 2),): 1, (((angle, True), 2),): 1} for angle in missing]
        for combination in itertools.product(*(choice.items() for choice in choices)):
            d = c
            for _, share in combination:
                d = d * share
            add_term(products, tuple(sorted(wave for product, _ in combination for wave in product)), d)
    return products


def _power(angle: int, n: int, sine: bool, mode: int, even: Sequence[int]) -> Function:
    """cos or sin of n times an angle as products of powers."""
    if n == 0:
        return {(): 1}
    if n != 2 or mode == _PLAIN or (mode == _BOTH and angle not in even):
        return {(((n * angle, sine), 1),): 1}
    c, s = (angle, False), (angle, True)
    if sine:
        return {((c, 1), (s, 1)): 2}
    if mode == _BOTH:
        return {((c, 2),): 1, ((s, 2),): -1}
    return {((c, 2),): 2, (): -1} if mode == _COSINES else {(): 1, ((s, 2),): -2}


def _expanded(factors: Sequence[tuple[int, int]], sine: bool) -> dict[tuple[tuple[int, int, bool], ...], Number]:
    """cos or sin of a sum of multiples of angles, as products: e^i(x + y) = e^ix e^iy."""
    real: dict[Any, Number] = {(): 1}
    imaginary: dict[Any, Number] = {}
    for signed_angle, multiple in factors:
        angle, n = abs(signed_angle), abs(multiple)
        sign = 1 if (signed_angle > 0) == (multiple > 0) else -1
        c, s = (angle, n, False), (angle, n, True)
        turned = {(*key, s): -sign * x for key, x in imaginary.items()} if angle else {}
        imaginary = {(*key, c): x for key, x in imaginary.items()}
        if angle:
            imaginary |= {(*key, s): sign * x for key, x in real.items()}
        real = {(*key, c): x for key, x in real.items()} | turned
    return imaginary if sine else real


def _halves(ring: Ring) -> _Cut:
    """A cut into the angle sum itself or, if all multiples are even, into half of it with the factor two."""

    def cut(A: int) -> list[tuple[int, int]]:
        even = all(n % 2 == 0 for _, n in ring.powers(A))
        return [] if A == 0 else [(A // 2, 2)] if even else [(A, 1)]

    return cut


def _joints(ring: Ring) -> _Cut:
    return lambda A: list(ring.powers(A))


def _links(ring: Ring, plane: Plane) -> _Cut:
    """A cut into link angles, sums of joint angles up to a link: sum a_k q_k = sum (s_k a_k - s_k+1 a_k+1) phi_k."""
    sums = list(itertools.accumulate(sign * angle for angle, sign in plane))

    def cut(A: int) -> list[tuple[int, int]]:
        multiples = dict(ring.powers(A))
        a = [sign * multiples.get(angle, 0) for angle, sign in plane] + [0]
        return [(phi, a[k] - a[k + 1]) for k, phi in enumerate(sums) if a[k] != a[k + 1]]

    return cut
