"""Object files for other processors."""

import difflib
from functools import cache
from typing import NamedTuple

import llvmlite.binding as llvm

from revolute.errors import CompileError, InputError
from revolute.targets.llvm.host import host


class Processor(NamedTuple):
    """A target processor in LLVM's terms; `size` is the number of bits of a pointer and of C's size_t."""

    triple: str
    cpu: str = ""
    features: str = ""
    abi: str = ""
    size: int = 64

    @property
    def is_wasm(self) -> bool:
        """Whether this is WebAssembly for browsers, without a C library."""
        return self.triple.startswith("wasm")


PROCESSORS = {
    "cortex-m4": Processor("thumbv7em-none-unknown-eabihf", "cortex-m4", size=32),
    "cortex-m7": Processor("thumbv7em-none-unknown-eabihf", "cortex-m7", size=32),
    "cortex-m33": Processor("thumbv8m.main-none-unknown-eabihf", "cortex-m33", size=32),
    "aarch64": Processor("aarch64-unknown-linux-gnu", "generic"),
    "armv7": Processor("armv7a-unknown-linux-gnueabihf", "cortex-a7", size=32),
    "riscv32": Processor("riscv32-unknown-elf", "generic-rv32", "+m,+f,+c", "ilp32f", 32),
    "riscv64": Processor("riscv64-unknown-elf", "generic-rv64", "+m,+f,+d,+c", "lp64d"),
    "wasm32": Processor("wasm32-unknown-unknown", size=32),
    "x86-64": Processor("x86_64-unknown-linux-gnu", "x86-64"),
    "x86-64-v3": Processor("x86_64-unknown-linux-gnu", "x86-64-v3"),
}
"""Target processors by their short names."""


def processor(name: str) -> Processor:
    """A processor by its name; "native" is this machine's. Raise `InputError` if the name is unknown."""
    if name == "native":
        here = host()
        return Processor(here.triple, here.cpu, here.features)
    if name not in PROCESSORS:
        near = "".join(f"near: {x}; " for x in difflib.get_close_matches(name.lower(), PROCESSORS, n=1))
        raise InputError(f"unknown processor '{name}'; {near}available: native, {', '.join(PROCESSORS)}")
    return PROCESSORS[name]


@cache
def _initialize() -> None:
    llvm.initialize_all_targets()
    llvm.initialize_all_asmprinters()


def object_for(text: str, target: Processor) -> bytes:
    """The object file of a module; `CompileError` if LLVM rejects it, or was built without this processor."""
    _initialize()
    try:
        module = llvm.parse_assembly(text)
        module.triple = target.triple
        kind = llvm.Target.from_triple(target.triple)
        options = {"abiname": target.abi} if target.abi else {}
        machine = kind.create_target_machine(
            cpu=target.cpu, features=target.features, opt=3, reloc="pic" if "linux" in target.triple else "default",
            codemodel="default" if target.triple.startswith("x86_64") else "jitdefault",  # see `near.py`
            **options,
        )
        # without the data layout, LLVM's passes use sizes and alignments of another processor
        module.data_layout = str(machine.target_data)
        passes = llvm.PipelineTuningOptions(speed_level=2)
        passes.slp_vectorization = False
        builder = llvm.create_pass_builder(machine, passes)
        builder.getModulePassManager().run(module, builder)
        return bytes(machine.emit_object(module))
    except RuntimeError as error:
        raise CompileError(f"no object file for {target.triple}: {error}") from error
