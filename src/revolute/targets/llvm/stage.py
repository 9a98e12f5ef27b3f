"""Results larger than the cache: blocks are assembled in a cached stage, and copied to memory past the cache.

An ordinary store to memory that is not in the cache reads a line first, and writes it back later. A nontemporal store
of a whole line does not read it. The stage is a block of adjacent rows. Its constants are stored once per call; then
only the tiles with other numbers are moved from the lanes, block by block.
"""

from revolute.graph.graph import Input, Output
from revolute.targets.llvm.lanes import Lanes
from revolute.targets.llvm.layout import move_listed_tiles, tile_side, tiles
from revolute.targets.llvm.writer import LINE, IRWriter

BYPASS = 1 << 22
"""Minimum size of results per call that bypass the cache [bytes].

Smaller results are stored in the cache, which is as fast, and keeps the results for the next operation."""

# minimum and maximum size of a block that is stored by way of a stage [bytes]: small blocks share too many cache lines
# with the next block; large blocks and their stages do not fit the cache
SMALLEST, LARGEST = 1 << 10, 1 << 20


def has_stage(output: Input | Output, lanes: Lanes) -> bool:
    """Whether blocks of a result consist of tiles, and are neither too small nor too large to benefit."""
    return tile_side(output.size, lanes) > 0 and SMALLEST < output.size * lanes.bytes <= LARGEST


def refresher(k: int, output: Output, lanes: Lanes) -> str:
    """A function `refresh.k(ptr rows, ptr lanes)`: moves tiles that are not constant from lanes to adjacent rows."""
    w = IRWriter()
    tile = tile_side(output.size, lanes)
    constants = frozenset(c for c, node in enumerate(output.nodes) if node.op == "const")
    # stride of the rows of a stage, which have no gaps: `move_listed_tiles` reads the stride by this name
    w.do(f"%step = add i64 0, {output.size * lanes.element_bytes}")
    table = move_listed_tiles(w, lanes, tile, tiles(output.size, tile, constants), f"@refresh.{k}.tiles")
    w.do("ret void")
    return "\n".join([table, w.define(f"internal void @refresh.{k}(ptr noalias %rows, ptr noalias %lanes)")])


def copier() -> str:
    """The function `past(ptr target, ptr source, i64 bytes)`: copies bytes, whole cache lines past the cache."""
    w = IRWriter()
    # copy the numbers before the first whole cache line
    unaligned = w.let(f"and i64 {w.sub(0, w.let('ptrtoint ptr %target to i64'))}, {LINE - 1}")
    before = w.least("%bytes", unaligned)
    w.copy("%target", "%source", before)
    # copy whole cache lines
    left = w.sub("%bytes", before)
    whole = w.let(f"and i64 {left}, {-LINE}")
    with w.when(w.test("ne", whole, 0)), w.counted(whole, str(LINE)) as k:
        at = w.add(before, k)
        content = w.let(f"load <8 x i64>, ptr {w.at('%source', at)}, align 4")
        w.do(f"store <8 x i64> {content}, ptr {w.at('%target', at)}, align {LINE}, !nontemporal !1")
    # copy the rest of the last cache line
    end = w.add(before, whole)
    w.copy(w.at("%target", end), w.at("%source", end), w.sub(left, whole))
    w.do("ret void")
    return w.define("internal void @past(ptr noalias %target, ptr noalias %source, i64 %bytes)")
