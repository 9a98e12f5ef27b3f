"""Ask LLVM which processors it knows, and which features one of them has.

Run in a process of its own: LLVM prints its list to standard error, and ends the process for processors of 32 bits.
"""

from __future__ import annotations

import llvmlite.binding as llvm

__all__ = ["features"]


def features(processor: str) -> list[str]:
    """The features of a processor, among those that LLVM tests of this machine; its list of processors is printed.

    LLVM moves a function into a caller only if the caller has all its features. So the function has a feature if it
    stays outside of a caller for the same processor without that feature.
    """
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
