"""Groups of blocks: each function of a long graph's code runs for all blocks of a group before the next function.

Code that does not fit the instruction cache is fetched from a slower cache every time that it runs. A group shares this
cost: each call runs for one block after the other, and only the first block waits for the code. Each block has its own
memory, so the data cache limits the size of a group. The groups of a call have about the same size, as each of them
fetches the code once.

Code larger than the second-level cache is prefetched: while a call runs for the blocks of a group, each block fetches a
part of the next call's code.
"""

from revolute.targets.llvm.kernel import GraphFunction
from revolute.targets.llvm.writer import LINE, IRWriter

LONG = 4000  # number of steps above which the code of a function does not fit the instruction cache
STEP = 12  # approximate code size of a step [bytes]
FAR = 7 << 20  # maximum size of a group in the shared cache [bytes]: about one core's part of that cache

# maximum fraction of a core's private cache that a group uses: larger groups fetch code less often, but move values
# more slowly
NEAR = 1 / 4

# maximum fraction of a core's private cache for a block's code and data: pages do not fill a cache evenly
USED = 5 / 8

# ratio of a block's memory to its code above which blocks are not grouped: such memory contains mostly constants, which
# are stored for each block of a group in every call, which takes longer than fetching the code again
SPARSE = 3
MOST = 16  # maximum number of blocks per group: code is fetched once per group, so the time per block is a sixteenth


def blocks_in_group(function: GraphFunction, member: int, cache: int) -> int:
    """Number of blocks per group of a function; 1 if its code is short, or its memory much larger than its code.

    A group fits the core's own cache of `cache` bytes if the code and the `member` bytes of one block do; otherwise it
    fits the shared cache.
    """
    # code that fits the instruction cache is fetched once; large memory would be filled for each block of a group
    steps = sum(function.lengths)
    if steps < LONG or member > SPARSE * steps * STEP:
        return 1
    # each group fetches code larger than the core's cache from the shared cache: make groups as large as possible
    data = FAR if beyond_second_cache(function, member, cache) else int(NEAR * cache)
    return max(1, min(MOST, data // member))


def beyond_second_cache(function: GraphFunction, member: int, cache: int) -> bool:
    """Whether code and data of a block do not stay in a core's own cache; for arguments see `blocks_in_group`."""
    return sum(function.lengths) * STEP + member > USED * cache


def next_group(w: IRWriter, blocks: str, most: int) -> str:
    """Emit the size of the next group, for the fewest groups that hold all remaining blocks, in nearly equal sizes."""
    return w.div_up(blocks, w.most(w.div_up(blocks, most), 1))


def members_function(parameters: str, member: int, share: int) -> str:
    """A function `members(ptr code, ptr following, i64 count, ...)` that calls `code` for `count` blocks.

    Further parameters are those of `code` for the first block; the memory of each block begins `member` bytes
    after that of the previous one. Each block prefetches `share` bytes of the code at `following`.
    """
    names = [parameter.split()[-1] for parameter in parameters.split(", ")]
    w = IRWriter()
    with w.each("%count") as m:
        offset, following = w.mul(m, member), w.at("%following", w.mul(m, share))
        for k in range(0, share, LINE):
            w.do(f"call void @llvm.prefetch.p0(ptr {w.at(following, k)}, i32 0, i32 3, i32 1)")
        w.run("%code", "void", *[f"ptr {w.at(name, offset)}" for name in names])
    w.do("ret void")
    blocks = ", ".join(f"ptr {x}" for x in names)
    return w.define(f"internal void @members(ptr %code, ptr %following, i64 %count, {blocks})")
