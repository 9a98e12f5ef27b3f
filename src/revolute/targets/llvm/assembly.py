"""Straight-line code as x86 assembly, in place of LLVM IR, in a module that LLVM assembles.

LLVM takes 20 to 60 us per operation of straight-line code to select and order instructions and to assign registers.
Without branches, these tasks are simple. Operations stay in the order of the graph; if no register is free, the value
whose next use is furthest ahead is spilled, which needs the fewest loads (Belady 1966). LLVM assembles the result in
3 us per operation. The code is as fast as LLVM's, and its results have the same bits.

In AT&T syntax, the result comes last, and an operand in memory first. Code for blocks and for single rows
differs only in the characters that `StraightLine.text` replaces.
"""

from __future__ import annotations

import re
import struct
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from revolute.graph import Node, Place
from revolute.targets.llvm.host import Host
from revolute.targets.llvm.lanes import Lanes
from revolute.targets.llvm.near import close_together
from revolute.targets.llvm.writer import LINE, whole_lines

# registers of a function's pointers; those on the stack are loaded, to registers that belong to the caller at last
ARGUMENTS = ("rdi", "rsi", "rdx", "rcx", "r8", "r9")
OWN, SAVED = ("rax", "r10", "r11"), ("rbx", "r12", "r13", "r14", "r15")
NEVER = 1 << 30  # the step that reads a value which no step reads
BINARY = {"add": "vadd", "sub": "vsub", "mul": "vmul", "div": "vdiv"}
FUSED = {"fma": "vfmadd", "fms": "vfmsub", "fnma": "vfnmadd"}
OPERATIONS = frozenset({*BINARY, *FUSED, "neg", "abs", "sqrt", "select"})
OTHERS = (1, 2, "213"), (0, 2, "213"), (0, 1, "231")  # operands of x y + z beside the one that the sum replaces


class Store(NamedTuple):
    """A step that stores a value, or `numbers` results of a loop from `node` on, `stride` apart, in an output array.

    If `output` is None, the array is the workspace.
    """

    node: Node
    output: int | None
    place: int
    numbers: int = 1
    stride: int = 1


Step = Node | Store


def assembles(host: Host, lanes: Lanes) -> bool:
    """Whether straight-line code for these lanes is printed as assembly: on Linux for x86-64 with AVX2 and FMA."""
    bits = lanes.width * lanes.bits
    known = close_together(host.triple) and host.vector_bits >= max(256, bits)
    return known and host.fma and lanes.fma and (lanes.width == 1 or bits in (128, 256, 512))


def straight_steps(steps: Sequence[Step]) -> list[Step]:
    """All steps except copies of several numbers, if these steps need no branches or calls; otherwise an empty list."""
    straight = [x for x in steps if isinstance(x, Node) or x.numbers == 1]
    return straight if all(x.op in OPERATIONS for x in straight if isinstance(x, Node)) else []


class TooManyArraysError(Exception):
    """Code reads or writes more arrays than there are registers for their addresses."""


def operands_of(step: Step) -> Sequence[Node]:
    """The values that a step reads; for a selection, the compared values, then both alternatives."""
    if not isinstance(step, Node):
        return (step.node,)
    # a truth value is computed at each use, where both values that are compared must be available
    return (*step.args[0].args, *step.args[1:]) if step.op == "select" else step.args


class StraightLine:
    """The code of some steps as a function of pointers to arrays.

    In its lines, `@` stands for the letter of packed or scalar numbers, `&` for that of the register size, `#` for the
    suffix of a move, and `~` for the function's name. `.LW` is the size of a number in all lanes.
    """

    def __init__(
        self, steps: Sequence[Step], arrays: Sequence[str], place: Callable[[Node], Place | None],
        slots: Mapping[Node, int], bits: int, masks: bool,
    ) -> None:
        """Write the code for numbers of `bits` bits, or raise `TooManyArraysError`; with `masks`, for AVX-512.

        `arrays` are names of parameters, `place` returns the location of a value that other code computes, and `slots`
        are indices of values in the array "work".
        """
        self._arrays, self._place, self._slots, self._bits, self._masks = arrays, place, slots, bits, masks
        self._number = "d" if bits == 64 else "s"
        self._free = [f"%&mm{k}" for k in reversed(range(32 if masks else 16))]
        self._register: dict[Node, str] = {}
        self._next: dict[Node, int] = {}  # the step that reads a value in a register next
        self._home: dict[Node, str] = {}  # memory operands of values
        self._pointers: dict[str, str] = {}  # registers of the arrays that are used
        self._constants: dict[int, str] = {}  # by their bits
        self._spilled: dict[Node, str] = {}  # places of values on the stack
        self._vacant: list[str] = []  # places there that hold none
        self._lines: list[str] = []
        upcoming: dict[Step, int] = {}
        plan = []
        for k in range(len(steps) - 1, -1, -1):
            step = steps[k]
            needed = operands_of(step)
            plan.append((step, needed, [upcoming.get(x, NEVER) for x in needed], upcoming.get(step, NEVER)))
            for x in needed:
                upcoming[x] = k
        for self._now, (step, needed, later, following) in enumerate(reversed(plan)):
            if isinstance(step, Node):
                self._compute(step, needed, later, following)
            else:
                array = "work" if step.output is None else f"out{step.output}"
                self._lines.append(f"vmov# {self._held(step.node)}, {self._at(array, step.place)}")
                self._done(needed, later)
            # not before the step is written, because it may read the place
            for x, following in zip(needed, later, strict=True) if self._spilled else ():
                if following == NEVER and x in self._spilled:
                    self._vacant.append(self._spilled.pop(x))

    def text(self, name: str, lanes: Lanes) -> str:
        """The function for these lanes, as inline assembly of an LLVM module."""
        kind, size = "ps"[lanes.width == 1], {256: "y", 512: "z"}.get(lanes.width * lanes.bits, "x")
        text = "\\0A".join([*self._begin(lanes), *self._lines, *self._end(lanes)])
        if lanes.width == 1:  # the other half of the register is taken from an operand
            text = re.sub(r"vsqrt@(.) (%\S+),", r"vsqrt@\1 \2, \2,", text)
        text = text.replace("#", f"{'a' * (lanes.width > 1)}@{self._number}").replace("@", kind)
        return f'module asm "{text.replace("&", size).replace("~", name)}"'

    # --- registers ---------------------------------------------------------------------

    def _new(self, node: Node, following: int) -> str:
        """A register for a value that step `following` reads next.

        If no register is free, spill the value whose next read is furthest ahead.
        """
        if not self._free:
            last = max(self._register, key=self._next.__getitem__)
            register = self._register.pop(last)
            self._free.append(register)
            if last not in self._home:
                home = self._vacant.pop() if self._vacant else f"{len(self._spilled)}*.LW(%rsp)"
                self._home[last] = self._spilled[last] = home
                self._lines.append(f"vmov# {register}, {home}")
        register = self._register[node] = self._free.pop()
        self._next[node] = following
        return register

    def _held(self, node: Node) -> str:
        """The register of a value, which is loaded if it is not in a register."""
        register = self._register.get(node)
        if register is None:
            register = self._new(node, self._now)
            self._lines.append(f"vmov# {self._memory(node)}, {register}")
        return register

    def _operand(self, node: Node, following: int) -> str:
        """The register of a value; if it has none, its memory operand, unless a later step reads the value, too."""
        return self._register.get(node) or (self._memory(node) if following == NEVER else self._held(node))

    def _done(self, needed: Sequence[Node], later: Sequence[int]) -> None:
        """Free the registers of values that no later step reads."""
        for x, following in zip(needed, later, strict=True):
            if x in self._register:
                if following == NEVER:
                    self._free.append(self._register.pop(x))
                else:
                    self._next[x] = following

    # --- operations --------------------------------------------------------------------

    def _compute(self, node: Node, needed: Sequence[Node], later: Sequence[int], following: int) -> None:
        """Write an operation, and store its value if other functions read it."""
        op = node.op
        write = self._fuse if op in FUSED else self._combine if op in BINARY else self._choose
        register = (self._change if len(needed) == 1 else write)(node, needed, later, following)
        if node in self._slots:
            home = self._home[node] = self._at("work", self._slots[node])
            self._lines.append(f"vmov# {register}, {home}")
        if following == NEVER:
            self._free.append(self._register.pop(node))

    def _combine(self, node: Node, needed: Sequence[Node], later: Sequence[int], following: int) -> str:
        """Emit a sum, difference, product or quotient."""
        (a, b), (after_a, after_b) = needed, later
        if node.op in ("add", "mul") and a not in self._register and (b in self._register or after_a == NEVER):
            a, b, after_b = b, a, after_a
        left, right = self._held(a), self._operand(b, after_b)
        self._done(needed, later)
        register = self._new(node, following)
        self._lines.append(f"{BINARY[node.op]}@{self._number} {right}, {left}, {register}")
        return register

    def _fuse(self, node: Node, needed: Sequence[Node], later: Sequence[int], following: int) -> str:
        """Emit x y + z, x y - z or z - x y. The result replaces an operand that is not read later, or a copy."""
        register = self._register
        ended = [k for k in (2, 0, 1) if later[k] == NEVER]
        k = next((k for k in ended if needed[k] in register), ended[0] if ended else 2)
        i, j, form = OTHERS[k]
        target = self._held(needed[k])
        # one of the others may be in memory: it comes last
        first, last = self._operand(needed[i], later[i]), self._operand(needed[j], later[j])
        if first[0] != "%":
            first, last = (last if last[0] == "%" else self._held(needed[j])), first
            form = "132" if form == "213" else form
        if later[k] != NEVER:
            source, target = target, self._new(node, self._now)
            self._lines.append(f"vmovap{self._number} {source}, {target}")
        self._done(needed, later)
        if node not in register:
            self._free.remove(target)
            register[node] = target
        self._next[node] = following
        self._lines.append(f"{FUSED[node.op]}{form}@{self._number} {last}, {first}, {target}")
        return target

    def _change(self, node: Node, needed: Sequence[Node], later: Sequence[int], following: int) -> str:
        """Emit a square root, a negation, or an absolute value."""
        source = self._held(needed[0])
        self._done(needed, later)
        register = self._new(node, following)
        if node.op == "sqrt":
            self._lines.append(f"vsqrt@{self._number} {source}, {register}")
            return register
        sign = 1 << (self._bits - 1)
        mask, change = (sign, "xor") if node.op == "neg" else (sign - 1, "and")
        change = f"vp{change}q" if self._masks else f"v{change}p{self._number}"
        self._lines.append(f"{change} {self._pattern(mask)}, {source}, {register}")
        return register

    def _choose(self, node: Node, needed: Sequence[Node], later: Sequence[int], following: int) -> str:
        """Emit the selection of one of two values by a comparison of two other values."""
        a, b, yes, no = needed
        left, right = self._held(a), self._operand(b, later[1])
        register = self._new(node, self._now)
        mask = "%k1" if self._masks else register
        self._lines.append(f"vcmp{node.args[0].op}@{self._number} {right}, {left}, {mask}")
        # not an operand in memory: for a single row, too, it is read as a whole register, beyond the end of an array
        otherwise, then = self._held(no), self._held(yes)
        self._done(needed, later)
        self._next[node] = following
        blend = f"vblendmp{self._number}" if self._masks else f"vblendvp{self._number} {mask},"
        self._lines.append(f"{blend} {then}, {otherwise}, {register}{'{%k1}' * self._masks}")
        return register

    # --- memory ------------------------------------------------------------------------

    def _memory(self, node: Node) -> str:
        """The memory operand of a value: its place in an array, on the stack, or among the constants."""
        home = self._home.get(node)
        if home is None:
            place = self._place(node)
            if place is None:
                number = struct.pack("<d" if self._bits == 64 else "<f", node.value)
                home = self._pattern(int.from_bytes(number, "little"))
            else:
                home = self._at(*place)
            self._home[node] = home
        return home

    def _at(self, array: str, place: int) -> str:
        """The memory operand of an entry of an array."""
        pointer = self._pointers.get(array)
        if pointer is None:
            k, more = self._arrays.index(array), sum(x not in ARGUMENTS for x in self._pointers.values())
            if k >= len(ARGUMENTS) and more == len(OWN + SAVED):
                raise TooManyArraysError
            pointer = self._pointers[array] = ARGUMENTS[k] if k < len(ARGUMENTS) else (OWN + SAVED)[more]
        return f"{place}*.LW(%{pointer})"

    def _pattern(self, bits: int) -> str:
        """The memory operand of a constant with these bits in each lane."""
        label = self._constants.setdefault(bits, f".L~.{len(self._constants)}")
        return f"{label}(%rip)"

    @property
    def _saved(self) -> list[str]:
        return [x for x in self._pointers.values() if x in SAVED]

    def _begin(self, lanes: Lanes) -> list[str]:
        """The first lines of the function: they save registers, load pointers, and reserve memory for values."""
        lines = [f".set .LW, {lanes.bytes}", ".globl ~", ".type ~,STT_FUNC", ".p2align 4", "~:"]
        lines += ["pushq %rbp", "movq %rsp, %rbp", *(f"pushq %{x}" for x in self._saved)]
        for array, pointer in self._pointers.items():
            if pointer not in ARGUMENTS:
                lines.append(f"movq {16 + 8 * (self._arrays.index(array) - len(ARGUMENTS))}(%rbp), %{pointer}")
        if places := len(self._spilled) + len(self._vacant):
            lines += [f"subq ${whole_lines(places * lanes.bytes)}, %rsp", f"andq ${-LINE}, %rsp"]
        return lines

    def _end(self, lanes: Lanes) -> list[str]:
        """The last lines of the function, and its constants."""
        lines = [f"movq {-8 * k}(%rbp), %{x}" for k, x in enumerate(self._saved, 1)]
        lines += ["leave", *["vzeroupper"] * (lanes.width > 1), "retq", f".p2align {LINE.bit_length() - 1}"]
        kind, count = ".quad" if self._bits == 64 else ".long", max(lanes.width, 128 // self._bits)
        lines += [f"{label}: {kind} {', '.join([hex(bits)] * count)}" for bits, label in self._constants.items()]
        return lines
