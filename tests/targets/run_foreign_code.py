"""Run machine code for another system with x86-64 in this process, and compare its results with those of code for here.

    python run_foreign_code.py x86_64-pc-windows-msvc win64cc ""

The arguments: the system, its calling convention, and what names of functions begin with in its object files. Functions
of the C library are passed on from that convention to the one of this system.
"""

import ctypes
import mmap
import os
import sys
from dataclasses import replace

import llvmlite.binding as llvm
import numpy as np

import revolute
from revolute.targets.llvm import assembles, compile_object, host, kernel, load_object, module_text

FUNCTIONS = {
    "malloc": "ptr (i64)", "free": "void (ptr)", "memcpy": "ptr (ptr, ptr, i64)", "memset": "ptr (ptr, i32, i64)",
    "sin": "double (double)", "cos": "double (double)",
}  # fmt: skip

RETURN = 0xC3


def passed_on(convention: str, name: str, kind: str) -> str:
    """A function that is called by that convention, and calls the C library's."""
    result, _, types = kind.partition(" ")
    parameters = ", ".join(f"{t} %x{k}" for k, t in enumerate(types.strip("()").split(", ")))
    call = f"call {result} inttoptr (i64 {llvm.address_of_symbol(name)} to ptr)({parameters})"
    body = f"{call}\nret void" if result == "void" else f"%r = {call}\nret {result} %r"
    return f"define {convention} {result} @{name}.passed.on({parameters}) {{\n{body}\n}}\n"


def main(triple: str, convention: str, prefix: str) -> None:
    """Inverse dynamics and the mass matrix of a UR5, some angles beyond the range of our own sine."""
    robot, rng = revolute.robots.ur5(), np.random.default_rng(1)
    cases = []
    for name in "inverse_dynamics", "mass_matrix":
        graph = robot._signature(name, {}).graph()
        inputs = [rng.standard_normal((50, *x.shape)) for x in graph.inputs]
        inputs[0][7] *= 1e6
        cases.append((graph, inputs, robot.kernel(name).ufunc(*inputs)))
    here, there = host(), replace(host(), triple=triple)
    kernel.assembles = lambda _, lanes: assembles(there, lanes)
    between = load_object(
        compile_object("".join(passed_on(convention, *each) for each in FUNCTIONS.items()), here), here
    )
    for name in FUNCTIONS:
        llvm.add_symbol(prefix + name, between.function(f"{name}.passed.on"))
    stub = mmap.mmap(-1, mmap.PAGESIZE, prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC)
    stub[0] = RETURN  # the pages of a stack need no preparation here
    llvm.add_symbol("__chkstk", ctypes.addressof(ctypes.c_char.from_buffer(stub)))
    for graph, inputs, expected in cases:
        code = load_object(compile_object(module_text(graph, there.lanes(), 1000), there), there)
        parameters = "ptr %a, ptr %b, ptr %c, ptr %d"
        call = f"call {convention} void inttoptr (i64 {code.function('loop')} to ptr)({parameters})"
        caller = load_object(compile_object(f"define void @loop({parameters}) {{\n{call}\nret void\n}}", here), here)
        result = np.empty_like(expected)
        arrays = [*inputs, result]
        addresses = np.array([x.ctypes.data for x in arrays])
        sizes = np.array([len(result), *(robot.nv,) * 4])
        strides = np.array([*(x.strides[0] for x in arrays), *(s for x in arrays for s in x.strides[1:])])
        loop = ctypes.CFUNCTYPE(None, *[ctypes.c_void_p] * 4)(caller.function("loop"))
        loop(addresses.ctypes.data, sizes.ctypes.data, strides.ctypes.data, None)
        assert np.array_equal(result, expected), graph.name
    print("the same", flush=True)
    os._exit(0)  # names of the C library mean other functions here: code that runs at the end must not find them


if __name__ == "__main__":
    main(*sys.argv[1:])
