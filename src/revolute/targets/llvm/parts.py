"""The code of graphs, distributed over LLVM modules for parallel compilation."""

from collections.abc import Callable, Iterator, Sequence

from revolute.targets.llvm.compile import CompiledPart
from revolute.targets.llvm.host import cores
from revolute.targets.llvm.kernel import RARELY, GraphFunction, PrintedCode
from revolute.targets.llvm.object_files import pointer_to
from revolute.targets.llvm.writer import USUAL

# minimum number of steps for a separate module: LLVM compiles it in 50 ms; loading takes 1 ms
PART = 1500

# number of steps above which one core, too, compiles the entry points apart, so that other code can be replaced
LONG = 6000
MOST = 8  # maximum number of modules. LLVM compiles the first modules while the last modules are still being generated


def modules(
    functions: Sequence[GraphFunction], first: Callable[[Sequence[PrintedCode]], str], most: int | None = None,
    passes: int = 0,
) -> Iterator[CompiledPart]:
    """Modules that together evaluate graphs, printed on demand; `first` prints the first one from the functions' texts.

    Every other module contains some calls of the functions, and all code that these need. The first module calls them
    through pointers, which the loader sets. Each object file has its own engine: LLVM's in-memory linker (RuntimeDyld,
    as llvmlite sets it up) does not link several files that call each other. There are about `most` further modules; by
    default as many as suit the cores of this process.
    """
    shares = list(_shares(functions, most))
    text = first([_called(x) if shares else x.printed([x.prepare, *x.calls], passes=passes > 0) for x in functions])
    yield CompiledPart(text, passes=passes)
    for function, names in shares:
        code = function.printed(names, exported=True, passes=passes > 0)
        text = "\n".join([*sorted(USUAL | code.declarations), code.definitions, RARELY, ""])
        yield CompiledPart(text, tuple(names), passes)
    for function in functions:
        function.forget()


def _shares(functions: Sequence[GraphFunction], most: int | None) -> Iterator[tuple[GraphFunction, list[str]]]:
    """All calls, in parts of similar length, each with calls of one graph; none if a single module is best."""
    steps = sum(sum(function.lengths) for function in functions)
    if most is None:
        most = min(MOST, steps // PART) if cores() > 1 else int(steps > LONG)
    if most == 0:
        return
    for function in functions:
        names, length = [], 0
        for name, steps_of_call in zip(function.calls, function.lengths, strict=True):
            names.append(name)
            length += steps_of_call
            # a module has about 1/`most` of all steps and never contains calls of two functions
            if length * most >= steps or name == function.calls[-1]:
                yield function, names
                names, length = [], 0


def _called(function: GraphFunction) -> PrintedCode:
    """The code of a function in the first module: its calls jump to other modules."""
    # constants remain in the first module, because `prepare` is short
    own = function.printed([function.prepare])
    jumps = [_jump(name, function.parameters) for name in function.calls]
    return PrintedCode("\n".join([own.definitions, *jumps]), own.declarations, function.calls)


def _jump(name: str, parameters: str) -> str:
    """LLVM IR of a function that calls the function of this name in another module."""
    arguments = ", ".join([f"ptr {x.split()[-1]}" for x in parameters.split(", ")])
    return "\n".join([
        f"@{pointer_to(name)} = global ptr null",
        f"define internal void @{name}({parameters}) nounwind {{",
        f"  %there = load ptr, ptr @{pointer_to(name)}",
        f"  tail call void %there({arguments})",
        "  ret void",
        "}",
    ])
