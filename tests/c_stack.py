"""How much stack generated C code takes, read from the code itself."""

import re


def stack_of(code: str, function: str) -> int:
    """The largest sum of sizes of local arrays along a chain of calls from a function [numbers]."""
    pattern = r"^(?:static )?void (\w+)\([^)]*\)\n\{\n(.*?)^\}"
    bodies = dict(re.findall(pattern, code, re.MULTILINE | re.DOTALL))

    def stack(name: str) -> int:
        own = sum(map(int, re.findall(r"^    (?:float|double) \w+\[(\d+)\];$", bodies[name], re.MULTILINE)))
        called = set(re.findall(r"\b(\w+)\(", bodies[name])) & set(bodies)
        return own + max(map(stack, called), default=0)

    return stack(function)
