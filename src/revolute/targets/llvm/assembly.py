"""Straight-line code of long kernels as x86 assembly, inside a module of LLVM IR.

LLVM takes 20 to 30 us for an operation of straight-line code: most of it to select instructions, to order them and to
find registers. Code without branches needs little of that. Here operations stay in the order of the graph, and the
register whose value is used last is taken for the next one, which needs fewest loads (Belady 1966). LLVM assembles it
in 2 us an operation; such code takes as long as LLVM's own, and has the same bits.

Arguments of instructions are in the order of AT&T: the result comes last, and the memory operand first.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from revolute.graph.loop import Place
from revolute.graph.node import Node
from revolute.targets.llvm.host import host
from revolute.targets.llvm.lanes import Lanes
from revolute.targets.llvm.near import close_together
from revolute.targets.llvm.writer import LINE, whole_lines

ARGUMENTS = ("rdi", "rsi", "rdx", "rcx", "r8", "r9")
MORE = ("rax", "r10", "r11")  # for further arguments, which are on the stack
SAVED = ("rbx", "r12", "r13", "r14", "r15")  # for still more: the caller's values are kept
NEVER = 1 << 30

BINARY = {"add": "vadd", "sub": "vsub", "mul": "vmul", "div": "vdiv"}
FUSED = {"fma": "vfmadd", "fms": "vfmsub", "fnma": "vfnmadd"}
OPERATIONS = frozenset({*BINARY, *FUSED, "neg", "abs", "sqrt", "select"})


def assembled(lanes: Lanes, arrays: int) -> bool:
    """Whether straight-line code for these lanes, of so many arrays, is assembly: on Linux for x86-64 with AVX2."""
    here, bits = host(), lanes.width * lanes.bits
    known = close_together(here.triple) and here.vector_bits >= max(256, bits) and lanes.fma
    return known and bits in (lanes.bits, 128, 256, 512) and arrays <= len((*ARGUMENTS, *MORE, *SAVED))


def operands(step: Any) -> Sequence[Node]:
    """The values that a step reads: of a choice those that are compared, then both that it chooses from."""
    if not isinstance(step, Node):
        return (step.node,)
    return (*step.args[0].args, *step.args[1:]) if step.op == "select" else step.args


class StraightLine:
    """A function `name` of pointers to arrays, while it is written."""

    def __init__(
        self, name: str, arrays: Sequence[str], lanes: Lanes, place: Callable[[Node], Place | None],
        slots: Mapping[Node, int],
    ) -> None:
        """`arrays` are the parameters in turn, `place` is where a value is that the code reads or, of `slots`, keeps."""
        bits = lanes.width * lanes.bits
        self.name, self.arrays, self.lanes, self.place, self.slots = name, arrays, lanes, place, slots
        self.kind = ("p" if lanes.width > 1 else "s") + ("d" if lanes.bits == 64 else "s")
        self.move = f"vmova{self.kind}" if lanes.width > 1 else f"vmov{self.kind}"
        self.copy = f"vmovap{self.kind[1]}"
        self.wide = bits == 512
        letter = "z" if self.wide else "y" if bits == 256 else "x"
        self.free = [f"%{letter}mm{k}" for k in reversed(range(32 if self.wide else 16))]
        self.register: dict[Node, str] = {}
        self.following: dict[Node, int] = {}  # the next step that reads a value in a register
        self.home: dict[Node, str] = {}  # where values are in memory
        self.pointers: dict[str, str] = {}  # registers with the addresses of arrays
        self.constants: dict[int, str] = {}  # by their bits
        self.spilled: list[str] = []
        self.lines: list[str] = []
        self.now = 0

    def text(self, steps: Sequence[Any]) -> str:
        """The function's code and its constants, as a part of a module in LLVM IR."""
        upcoming: dict[Node, int] = {}
        plan = []
        for k in range(len(steps) - 1, -1, -1):
            step = steps[k]
            needed = operands(step)
            plan.append((step, needed, [upcoming.get(x, NEVER) for x in needed], upcoming.get(step, NEVER)))
            for x in needed:
                upcoming[x] = k
        for self.now, (step, needed, later, first) in enumerate(reversed(plan)):
            if isinstance(step, Node):
                self.compute(step, needed, later, first)
            else:
                self.lines.append(f"{self.move} {self.held(step.node)}, {self.at(f'out{step.output}', step.place)}")
                self.done(needed, later)
        lines = "\\0A".join([*self._head(), *self.lines, *self._tail()])
        return f'module asm "{lines}"'

    # --- values ------------------------------------------------------------------------

    def new(self, node: Node, following: int) -> str:
        """A register for a value that a step reads next."""
        if not self.free:
            self.evict()
        register = self.register[node] = self.free.pop()
        self.following[node] = following
        return register

    def evict(self) -> None:
        """Free the register of the value that is needed last."""
        out = max(self.register, key=self.following.__getitem__)
        register = self.register.pop(out)
        self.free.append(register)
        if out not in self.home:
            place = self.home[out] = f"{len(self.spilled) * self.lanes.bytes}(%rsp)"
            self.spilled.append(place)
            self.lines.append(f"{self.move} {register}, {place}")

    def memory(self, node: Node) -> str:
        """The memory operand of a value that is not in a register."""
        found = self.home.get(node)
        if found is None:
            where = self.place(node)
            found = self.home[node] = self.constant(node.value) if where is None else self.at(*where)
        return found

    def held(self, node: Node) -> str:
        """The register of a value, which is loaded if it has none."""
        register = self.register.get(node)
        if register is None:
            register = self.new(node, self.now)
            self.lines.append(f"{self.move} {self.memory(node)}, {register}")
        return register

    def operand(self, node: Node, following: int) -> str:
        """The register of a value, or its memory if it is read here alone."""
        return self.register.get(node) or (self.memory(node) if following == NEVER else self.held(node))

    def done(self, needed: Sequence[Node], later: Sequence[int]) -> None:
        """Free the registers of values that no later step reads."""
        for x, following in zip(needed, later, strict=True):
            if x in self.register:
                if following == NEVER:
                    self.free.append(self.register.pop(x))
                else:
                    self.following[x] = following

    # --- operations --------------------------------------------------------------------

    def compute(self, node: Node, needed: Sequence[Node], later: Sequence[int], following: int) -> None:
        """Write an operation; its value is kept in memory if other functions read it."""
        op = node.op
        if op in FUSED:
            register = self.fuse(node, needed, later, following)
        else:
            write = self.unary if len(needed) == 1 else self.choose if op == "select" else self.combine
            register = write(node, needed, later, following)
        if node in self.slots:
            home = self.home[node] = self.at('work', self.slots[node])
            self.lines.append(f"{self.move} {register}, {home}")
            if following == NEVER:
                self.free.append(self.register.pop(node))

    def combine(self, node: Node, needed: Sequence[Node], later: Sequence[int], following: int) -> str:
        """A sum, difference, product or quotient."""
        (a, b), (after_a, after_b) = needed, later
        if node.op in ("add", "mul") and a not in self.register and (b in self.register or after_a == NEVER):
            a, b, after_a, after_b = b, a, after_b, after_a
        left, right = self.held(a), self.operand(b, after_b)
        self.done(needed, later)
        register = self.new(node, following)
        self.lines.append(f"{BINARY[node.op]}{self.kind} {right}, {left}, {register}")
        return register

    def fuse(self, node: Node, needed: Sequence[Node], later: Sequence[int], following: int) -> str:
        """x y + z, x y - z or z - x y: it takes the register of a value that no later step reads."""
        last = [k for k in (2, 0, 1) if later[k] == NEVER]
        taken = next((k for k in last if needed[k] in self.register), last[0] if last else None)
        if taken is None:  # all values are read again: copy one of them
            taken = next((k for k in (2, 0, 1) if needed[k] in self.register), 2)
        x, y, z = needed
        if taken == 2:
            others, form = (x, y), "231"
        else:
            others, form = (y if taken == 0 else x, z), "213"
        target = self.held(needed[taken])
        # one of the others may be in memory
        texts = []
        for other in others:
            k = next(k for k in range(3) if needed[k] is other)
            texts.append(self.operand(other, later[k]))
        first, second = texts
        if first[0] != "%":
            if second[0] != "%":
                second = self.held(others[1])
            first, second = second, first
            form = "132" if form == "213" else form
        if later[taken] != NEVER:
            source, target = target, self.new(node, self.now)
            self.lines.append(f"{self.copy} {source}, {target}")
        self.done(needed, later)
        if node not in self.register:
            self.free.remove(target)
            self.register[node] = target
        self.following[node] = following
        self.lines.append(f"{FUSED[node.op]}{form}{self.kind} {second}, {first}, {target}")
        return target

    def unary(self, node: Node, needed: Sequence[Node], later: Sequence[int], following: int) -> str:
        """A square root, or a change of the sign bit."""
        source = self.held(needed[0])
        self.done(needed, later)
        register, number = self.new(node, following), self.kind[1]
        if node.op == "sqrt":
            both = f"{source}, {source}" if self.kind[0] == "s" else source
            self.lines.append(f"vsqrt{self.kind} {both}, {register}")
            return register
        sign = 1 << (self.lanes.bits - 1)
        mask, bitwise = (sign, "xor") if node.op == "neg" else (sign - 1, "and")
        instruction = f"vp{bitwise}q" if self.wide else f"v{bitwise}p{number}"
        self.lines.append(f"{instruction} {self.bits(mask)}, {source}, {register}")
        return register

    def choose(self, node: Node, needed: Sequence[Node], later: Sequence[int], following: int) -> str:
        """One of two values, by a comparison."""
        a, b, yes, no = needed
        compare = f"vcmp{node.args[0].op}{self.kind}"
        left, right = self.held(a), self.operand(b, later[1])
        mask = "%k1" if self.wide else self.new(node, self.now)
        self.lines.append(f"{compare} {right}, {left}, {mask}")
        otherwise, then = self.held(no), self.operand(yes, later[2])
        self.done(needed, later)
        if self.wide:
            register = self.new(node, following)
            self.lines.append(f"vblendmp{self.kind[1]} {then}, {otherwise}, {register} {{%k1}}")
            return register
        self.following[node] = following
        self.lines.append(f"vblendvp{self.kind[1]} {mask}, {then}, {otherwise}, {mask}")
        return mask

    # --- memory ------------------------------------------------------------------------

    def at(self, array: str, place: int) -> str:
        """The memory operand of a place in an array."""
        pointer = self.pointers.get(array)
        if pointer is None:
            k, more = self.arrays.index(array), len([x for x in self.pointers.values() if x not in ARGUMENTS])
            pointer = self.pointers[array] = ARGUMENTS[k] if k < len(ARGUMENTS) else (*MORE, *SAVED)[more]
        return f"{place * self.lanes.bytes}(%{pointer})"

    def constant(self, number: float) -> str:
        """The memory operand of a constant."""
        return self.bits(int.from_bytes(struct.pack(f"<{'d' if self.lanes.bits == 64 else 'f'}", number), "little"))

    def bits(self, pattern: int) -> str:
        """The memory operand of a constant that has these bits in each lane."""
        label = self.constants.setdefault(pattern, f".L{self.name}.{len(self.constants)}")
        return f"{label}(%rip)"

    def _head(self) -> list[str]:
        """Address of the function, and its frame."""
        lines = [f".globl {self.name}", f".type {self.name},@function", ".p2align 6", f"{self.name}:"]
        saved = self._saved()
        if self.spilled or len(self.pointers) > 0:
            lines += ["pushq %rbp", "movq %rsp, %rbp", *(f"pushq %{x}" for x in saved)]
        for array, pointer in self.pointers.items():
            if pointer not in ARGUMENTS:
                place = self.arrays.index(array) - len(ARGUMENTS)
                lines.append(f"movq {16 + 8 * place}(%rbp), %{pointer}")
        if self.spilled:
            size = whole_lines(len(self.spilled) * self.lanes.bytes)
            lines += [f"subq ${size}, %rsp", f"andq ${-LINE}, %rsp"]
        return lines

    def _tail(self) -> list[str]:
        """Return, and constants."""
        saved = self._saved()
        lines = [f"movq {-8 * k}(%rbp), %{x}" for k, x in enumerate(saved, 1)]
        if self.spilled or len(self.pointers) > 0:
            lines.append("leave")
        if self.lanes.width * self.lanes.bits > 128:
            lines.append("vzeroupper")
        lines.append("retq")
        size, count = self.lanes.element_bytes, max(16 // self.lanes.element_bytes, self.lanes.width)
        if self.constants:
            lines.append(".p2align 6")
        for pattern, label in self.constants.items():
            lines.append(f"{label}: {'.quad' if size == 8 else '.long'} {', '.join([hex(pattern)] * count)}")
        return lines

    def _saved(self) -> list[str]:
        return [x for x in self.pointers.values() if x in SAVED]
