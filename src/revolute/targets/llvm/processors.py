"""The processor named by `REVOLUTE_CPU`: its features, and whether this machine has all of them."""

import difflib
import inspect
import re
import subprocess
import sys
from collections.abc import Mapping

import llvmlite.binding as llvm

from revolute.errors import InputError

_V2 = ("crc32", "popcnt", "sse3", "sse4.1", "sse4.2", "ssse3")
_V3 = (*_V2, "avx", "avx2", "bmi", "bmi2", "f16c", "fma", "lzcnt", "movbe", "xsave")
LEVELS = {
    "x86-64": (),
    "x86-64-v2": _V2,
    "x86-64-v3": _V3,
    "x86-64-v4": (*_V3, "avx512bw", "avx512cd", "avx512dq", "avx512f", "avx512vl"),
}
"""Levels of the x86-64 psABI with the features that each adds to the first level; LLVM is not queried for them."""


def levels_of(available: Mapping[str, bool]) -> list[str]:
    """The levels of x86-64 supported by a machine with given features; none on other processors."""
    there = {name for name, present in available.items() if present}
    return [level for level, needed in LEVELS.items() if there.issuperset(("sse2", *needed))]


def features_of(name: str, available: Mapping[str, bool]) -> frozenset[str]:
    """The features of a processor known to LLVM by name; `InputError` if it is unknown, or this machine lacks one.

    `available` maps each feature that LLVM tests to whether this machine has it.
    """
    usual = ["native", *levels_of(available)]
    features = frozenset(LEVELS[name] if name in LEVELS and "x86-64" in usual else _asked(name, usual))
    if missing := sorted(x for x in features if not available.get(x)):
        raise InputError(
            f"REVOLUTE_CPU is '{name}', but this machine's processor lacks {', '.join(missing)}. "
            f"Use another processor: {', '.join(usual)}"
        )
    return features


def _asked(name: str, usual: list[str]) -> list[str]:
    """The features of a processor, from a child process that asks LLVM."""
    # a child process is used because LLVM prints the list to standard error and aborts for 32-bit processors; the child
    # may be unable to import this library, so it is given the source of the function
    program = f"import llvmlite.binding as llvm\n{inspect.getsource(features)}\nprint(*features({name!a}))"
    done = subprocess.run([sys.executable, "-P", "-c", program], capture_output=True, text=True, check=False)
    listed, _, _ = done.stderr.partition("Available features")
    # LLVM's help text lists processors, then features, one per line
    names = re.findall(r"^  (\S+) +- Select the", listed, re.MULTILINE)
    if name not in names:
        near = difflib.get_close_matches(name.lower(), names, n=4) or usual
        raise InputError(f"REVOLUTE_CPU is '{name}'; LLVM does not know this processor. Try one of: {', '.join(near)}")
    if done.returncode:
        reason = "\n".join(line for line in done.stderr.splitlines() if "error" in line.lower())
        raise InputError(f"REVOLUTE_CPU is '{name}'; LLVM cannot compile for that processor here: {reason}")
    return done.stdout.split()


def features(processor: str) -> list[str]:
    """The features of a processor, among those that LLVM tests for this machine; LLVM also prints all processors."""
    # LLVM moves a function into a caller only if the caller has all its features. So the function has a feature if it
    # stays outside of a caller for the same processor without that feature.
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    triple = llvm.get_default_triple()
    target = llvm.Target.from_triple(triple)
    target.create_target_machine(cpu="help")
    names = [name for name in llvm.get_host_cpu_features() if name != "64bit"]
    lines = [
        f'target triple = "{triple}"',
        "define internal i32 @function(ptr %p) #0 { %x = load volatile i32, ptr %p ret i32 %x }",
        f'attributes #0 = {{ "target-cpu"="{processor}" }}',
    ]
    for k, name in enumerate(names):
        lines += [
            f"define i32 @caller{k}(ptr %p) #{k + 1} {{ %x = call i32 @function(ptr %p) ret i32 %x }}",
            f'attributes #{k + 1} = {{ "target-cpu"="{processor}" "target-features"="-{name}" }}',
        ]
    module = llvm.parse_assembly("\n".join(lines))
    passes = llvm.create_pass_builder(target.create_target_machine(), llvm.create_pipeline_tuning_options())
    passes.getModulePassManager().run(module, passes)
    instructions = {f.name: [x.opcode for block in f.blocks for x in block.instructions] for f in module.functions}
    return [name for k, name in enumerate(names) if "call" in instructions[f"caller{k}"]]
