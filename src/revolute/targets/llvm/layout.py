"""Pack and unpack functions: they move data between NumPy's strided rows and the lanes of a kernel.

A block contains `width` rows of one array: rows are `step` bytes apart, and components have the
core strides. In lanes, component c of all rows is stored together, at c * width. Row-major
blocks are transposed in registers, a square tile at a time; batch-contiguous ones are
copied vector by vector; all other blocks number by number.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from contextlib import ExitStack

from revolute.targets.llvm.lanes import Lanes
from revolute.targets.llvm.writer import IRWriter

UNROLLED = 8  # number of tiles above which a loop moves the tiles
SPARSE = 0.75  # fraction of zero tiles above which whole rows are cleared first; for lower fractions this is slower


def mover(name: str, shape: tuple[int, ...], lanes: Lanes, *, unpack: bool, zeros: frozenset[int] = frozenset()) -> str:
    """A function `name(ptr rows, i64 step, i64 stride ..., ptr lanes)` that moves a block of an array.

    It moves the block to the lanes, or with `unpack` back to the rows. `zeros` are components that are always zero.
    """
    w, size, tables = IRWriter(), math.prod(shape), list[str]()
    strides = [f"%stride{k}" for k in range(len(shape))]
    tile = tile_side(size, lanes)
    nonzero = tiles(size, tile, zeros) if tile else []

    def all_tiles() -> None:
        _for_tiles(w, size, tile, lambda at: _move_tile(w, lanes, tile, at, unpack))

    def other_tiles() -> None:
        w.clear("%rows", size * lanes.bytes)
        tables.append(move_listed_tiles(w, lanes, tile, nonzero, f"@{name}.tiles"))

    def adjacent_components() -> None:
        if lanes.width == 1:
            source, target = ("%lanes", "%rows") if unpack else ("%rows", "%lanes")
            number = f"align {lanes.element_bytes}"
            w.copy(f"{number} {target}", f"{number} {source}", size * lanes.element_bytes)
        elif len(nonzero) <= (1 - SPARSE) * -(-size // tile):
            # if there are no gaps between rows, clear all rows and move only the nonzero tiles
            w.choose(w.test("eq", "%step", size * lanes.element_bytes), other_tiles, all_tiles)
        else:
            all_tiles()

    def columns() -> None:
        _for_components(w, shape, strides, lanes, lambda rows, lane: _move(w, lanes, lanes.real, rows, lane, unpack))

    def scattered() -> None:
        _for_components(w, shape, strides, lanes, lambda p, place: _move_scattered(w, lanes, p, place, unpack))

    def strided() -> None:
        # move whole vectors if rows are adjacent (batch-contiguous), otherwise single numbers
        if lanes.width > 1:
            w.choose(w.test("eq", "%step", lanes.element_bytes), columns, scattered)
        else:
            scattered()

    if tile or (size and lanes.width == 1):
        w.choose(is_contiguous(w, shape, strides, lanes.element_bytes), adjacent_components, strided)
    elif size:
        strided()
    w.do("ret void")
    parameters = ", ".join(["ptr noalias %rows", "i64 %step", *(f"i64 {x}" for x in strides), "ptr noalias %lanes"])
    return "\n".join([*tables, w.define(f"internal void @{name}({parameters})")])


def tile_side(size: int, lanes: Lanes) -> int:
    """Number of columns of a tile: a power of two, at most 4; 0 if rows have at most one number."""
    if lanes.width == 1 or size <= 1:
        return 0
    return int(2 ** math.floor(math.log2(min(4, size, lanes.width))))


def is_contiguous(w: IRWriter, shape: tuple[int, ...], strides: list[str], element: int) -> str:
    """Emit a test of whether the components of a row follow each other in C order."""
    expected, verdict = element, "true"
    for extent, stride in zip(reversed(shape), reversed(strides), strict=True):
        fits = w.test("eq", stride, expected)
        verdict = w.let(f"and i1 {verdict}, {fits}")
        expected *= extent
    return verdict


def _for_tiles(w: IRWriter, size: int, tile: int, body: Callable[[str], None]) -> None:
    """Call `body(first component)` for each tile; the last one may overlap its neighbour, so that all are whole."""
    # if the size is not a multiple of the tile, the last tile begins earlier: it moves some components again
    count = -(-size // tile)
    if count <= UNROLLED:
        for k in range(count):
            body(str(min(k * tile, size - tile)))
        return
    # for k in 0 .. count: body(min(k * tile, size - tile))
    with w.counted(str(count)) as which:
        wish = w.mul(which, tile)
        over = w.test("ugt", wish, size - tile)
        body(w.let(f"select i1 {over}, i64 {size - tile}, i64 {wish}"))


def tiles(size: int, tile: int, known: frozenset[int]) -> list[int]:
    """First components of the tiles that contain components that are not `known`."""
    starts = (min(k, size - tile) for k in range(0, size, tile))
    return [at for at in starts if not known.issuperset(range(at, at + tile))]


def move_listed_tiles(w: IRWriter, lanes: Lanes, tile: int, starts: list[int], table: str) -> str:
    """Move the tiles with these first components from the lanes to the rows.

    Returns:
        the definition of their table.
    """
    # for k in 0 .. number of tiles: move the tile table[k]
    if starts:
        with w.counted(str(len(starts))) as k:
            at = w.let(f"load i64, ptr {w.let(f'getelementptr i64, ptr {table}, i64 {k}')}")
            _move_tile(w, lanes, tile, at, unpack=True)
    return f"{table} = private constant [{len(starts)} x i64] [{', '.join(f'i64 {at}' for at in starts)}]"


def _move_tile(w: IRWriter, lanes: Lanes, tile: int, at: str, unpack: bool) -> None:
    """Move `tile` components of all rows, from component `at` on."""
    row_type, width = f"<{tile} x {lanes.scalar}>", lanes.width
    # pointers to the tile in every row and to the tile's components in the lanes
    offset = w.mul(at, lanes.element_bytes)
    first = w.at("%rows", offset)
    pointers = [first]
    for _ in range(width - 1):
        pointers.append(w.at(pointers[-1], "%step"))
    lane_offset = w.mul(at, lanes.bytes)
    lane_base = w.at("%lanes", lane_offset)
    lane_pointers = [w.at(lane_base, k * lanes.bytes) for k in range(tile)]
    # load, transpose and store the tile
    if unpack:
        vectors = [w.let(f"load {lanes.real}, ptr {p}, align {lanes.bytes}") for p in lane_pointers]
        vectors = transposed(w, lanes, vectors)
        for row, pointer in enumerate(pointers):
            group, k = divmod(row, tile)
            piece = _slice(w, lanes, vectors[k], group * tile, tile)
            w.do(f"store {row_type} {piece}, ptr {pointer}, align {lanes.element_bytes}")
        return
    # a vector contains rows k, k + tile, ..., so that several square tiles are transposed at once
    rows = [w.let(f"load {row_type}, ptr {p}, align {lanes.element_bytes}") for p in pointers]
    vectors = [_concatenated(w, lanes.scalar, tile, rows[k::tile]) for k in range(tile)]
    for vector, pointer in zip(transposed(w, lanes, vectors), lane_pointers, strict=True):
        w.do(f"store {lanes.real} {vector}, ptr {pointer}, align {lanes.bytes}")


def transposed(w: IRWriter, lanes: Lanes, vectors: list[str]) -> list[str]:
    """Transpose the square tiles that lie side by side in the vectors, by exchanging halves."""
    # Eklundh 1972: log2(n) passes exchange blocks of size 1, 2, 4, ... across the diagonal by shuffling two vectors
    rows, distance = list(vectors), 1
    while distance < len(rows):
        for k in range(len(rows)):
            if not k & distance:
                a, b = rows[k], rows[k + distance]
                low = [j if not j & distance else lanes.width + j - distance for j in range(lanes.width)]
                high = [j + distance if not j & distance else lanes.width + j for j in range(lanes.width)]
                rows[k], rows[k + distance] = _shuffle(w, lanes.real, a, b, low), _shuffle(w, lanes.real, a, b, high)
        distance *= 2
    return rows


def _shuffle(w: IRWriter, kind: str, a: str, b: str, mask: list[int]) -> str:
    indices = ", ".join(f"i32 {j}" for j in mask)
    return w.let(f"shufflevector {kind} {a}, {kind} {b}, <{len(mask)} x i32> <{indices}>")


def _concatenated(w: IRWriter, scalar: str, length: int, parts: list[str]) -> str:
    while len(parts) > 1:
        kind = f"<{length} x {scalar}>"
        parts = [_shuffle(w, kind, a, b, list(range(2 * length))) for a, b in zip(parts[::2], parts[1::2], strict=True)]
        length *= 2
    return parts[0]


def _slice(w: IRWriter, lanes: Lanes, vector: str, start: int, length: int) -> str:
    if length == lanes.width:
        return vector
    return _shuffle(w, lanes.real, vector, "poison", list(range(start, start + length)))


def _for_components(
    w: IRWriter, shape: tuple[int, ...], strides: list[str], lanes: Lanes, body: Callable[[str, str], None]
) -> None:
    """Nested loops over the core axes: `body(pointer into row 0, pointer into the lanes)`."""
    base, place = "%rows", "0"  # `place` is the flat index of the component in the array
    with ExitStack() as loops:
        for extent, stride in zip(shape, strides, strict=True):
            index = loops.enter_context(w.counted(str(extent)))
            base = w.at(base, w.mul(index, stride))
            place = w.add(w.mul(place, extent), index)
        lane = w.at("%lanes", w.mul(place, lanes.bytes))
        body(base, lane)


def _move(w: IRWriter, lanes: Lanes, kind: str, rows: str, lane: str, unpack: bool) -> None:
    """Move one component: a number of a row, or a vector of adjacent rows."""
    source, target = (lane, rows) if unpack else (rows, lane)
    value = w.let(f"load {kind}, ptr {source}, align {lanes.element_bytes}")
    w.do(f"store {kind} {value}, ptr {target}, align {lanes.element_bytes}")


def _move_scattered(w: IRWriter, lanes: Lanes, rows: str, lanes_start: str, unpack: bool) -> None:
    """Move one component of rows `step` bytes apart, number by number."""
    for k in range(lanes.width):
        if k:
            rows = w.at(rows, "%step")
        _move(w, lanes, lanes.scalar, rows, w.at(lanes_start, k * lanes.element_bytes), unpack)
