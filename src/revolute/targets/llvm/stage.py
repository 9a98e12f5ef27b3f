"""Results larger than the cache: blocks are put together in a stage that stays in the cache, and copied past it.

An ordinary store to memory that is not in the cache reads a line first, and writes it back later. A nontemporal store
of a whole line only writes. The stage is a block of adjacent rows. Its constants are stored once a call; then only
the tiles with other numbers are moved from the lanes, block by block.
"""

from __future__ import annotations

from revolute.graph.graph import Input, Output
from revolute.targets.llvm.lanes import Lanes
from revolute.targets.llvm.layout import move_listed_tiles, tile_side, tiles
from revolute.targets.llvm.writer import IRWriter

__all__ = ["BYPASS", "LINE", "copier", "has_stage", "refresher"]

BYPASS = 1 << 22
"""Bytes of results in one call, from which on they bypass the cache.

With fewer, both ways take as long, and the results are at hand for what comes next."""

LINE = 64
"""Bytes of a cache line."""

SMALLEST, LARGEST = 1 << 10, 1 << 20
"""Bytes of blocks that gain: smaller ones share too many lines with the next block, where results do not begin with a
line; larger ones do not stay in the cache with their stage."""


def has_stage(output: Input | Output, lanes: Lanes) -> bool:
    """Whether blocks of a result are made of tiles, and neither too small nor too large to gain."""
    return tile_side(output.size, lanes) > 0 and SMALLEST < output.size * lanes.bytes <= LARGEST


def refresher(name: str, output: Output, lanes: Lanes) -> str:
    """A function `name(ptr rows, ptr lanes)`: moves what is not constant from the lanes to adjacent rows."""
    w = IRWriter()
    tile = tile_side(output.size, lanes)
    constants = frozenset(k for k, node in enumerate(output.nodes) if node.op == "const")
    w.do(f"%step = add i64 0, {output.size * lanes.element_bytes}")
    table = move_listed_tiles(w, lanes, tile, tiles(output.size, tile, constants), f"@{name}.tiles")
    w.do("ret void")
    head = f"define internal void @{name}(ptr noalias %rows, ptr noalias %lanes) nounwind {{"
    return "\n".join([table, head, "entry:", *w.lines, "}"])


def copier() -> str:
    """The function `past(ptr target, ptr source, i64 bytes)`: copies, whole lines past the cache."""
    return f"""\
define internal void @past(ptr noalias %target, ptr noalias %source, i64 %bytes) nounwind {{
entry: ; up to the first whole line
  %address = ptrtoint ptr %target to i64
  %negative = sub i64 0, %address
  %unaligned = and i64 %negative, {LINE - 1}
  %short = icmp ult i64 %bytes, %unaligned
  %before = select i1 %short, i64 %bytes, i64 %unaligned
  call void @llvm.memcpy.p0.p0.i64(ptr %target, ptr %source, i64 %before, i1 false)
  %left = sub i64 %bytes, %before
  %whole = and i64 %left, {-LINE}
  %end = add i64 %before, %whole
  br label %test
test: ; for each whole line
  %at = phi i64 [ %before, %entry ], [ %next, %line ]
  %more = icmp ult i64 %at, %end
  br i1 %more, label %line, label %rest
line:
  %from = getelementptr i8, ptr %source, i64 %at
  %to = getelementptr i8, ptr %target, i64 %at
  %content = load <8 x i64>, ptr %from, align 4
  store <8 x i64> %content, ptr %to, align {LINE}, !nontemporal !1
  %next = add i64 %at, {LINE}
  br label %test
rest: ; what is left of the last line
  %source.end = getelementptr i8, ptr %source, i64 %end
  %target.end = getelementptr i8, ptr %target, i64 %end
  %after = sub i64 %left, %whole
  call void @llvm.memcpy.p0.p0.i64(ptr %target.end, ptr %source.end, i64 %after, i1 false)
  ret void
}}"""
