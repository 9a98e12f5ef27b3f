"""`call_of`: the call of a function, as written after `import revolute`."""

import inspect
from collections.abc import Mapping
from typing import Any

_OWNERS = {
    "Robot": "robot", "Inertia": "inertia", "Transform": "transform",
    "DrivenRobot": "robot.with_drives(drives)", "System": "system",
    "OperationalSpace": 'robot.operational_space("tool0")',
    "MotionPartials": "revolute.published.motion_partials.MotionPartials(robot, q, qd, qdd)",
}  # fmt: skip
"""{name of a class: expression for an object on which its methods are called}."""


def call_of(thing: Any, name: str, options: Mapping[str, str]) -> str:
    """The call of a function with its required arguments and these options: "robot.inverse_dynamics(q, qd, qdd)".

    Args:
        thing: function, class, module or value.
        name: qualified name within `revolute`.
        options: {argument: value as text}; arguments that the function does not have are ignored.
    """
    if not inspect.isroutine(thing):
        return f"revolute.{name}"
    parameters = inspect.signature(thing).parameters.values()
    needed = [x.name for x in parameters if x.default is x.empty and x.kind is x.POSITIONAL_OR_KEYWORD]
    chosen = [f"{x.name}={options[x.name]}" for x in parameters if x.name in options and x.name not in needed]
    if '.kernel("' in name:
        named = [f'"{thing.__name__}"', *["frame=frame"] * ("frame" in needed), *chosen]
        return f"robot.kernel({', '.join(named)})({', '.join(x for x in needed if x not in ('self', 'frame'))})"
    values = [options.get(x, "robot" if x == "model" else x) for x in needed] + chosen
    if needed[:1] == ["self"]:
        kind, last = name.split(".")[-2:]
        return f"{_OWNERS.get(kind, kind.lower())}.{last}({', '.join(values[1:])})"
    return f"revolute.{name}({', '.join(values)})"
