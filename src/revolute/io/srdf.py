"""SRDF, which MoveIt uses with URDF: elements `group_state` define named configurations."""

import os

from revolute.io.plain import of_file
from revolute.io.source import opened
from revolute.io.xml import parse

Positions = dict[str, float | list[float]]


def read_srdf(source: str | os.PathLike[str]) -> tuple[str, dict[str, Positions]]:
    """The name of an SRDF source in messages, and its named configurations: {name: {joint: position}}.

    States of several groups with the same name form one configuration, such as "home" of both arms.
"""
    root = parse(opened(source), "SRDF")
    if root.tag != "robot":
        root.fail(f"its root element is <{root.tag}>, but that of SRDF must be <robot>")
    states: dict[str, Positions] = {}
    with of_file(root.where):
        for state in root.named_children("group_state"):
            positions = states.setdefault(state.text("name"), {})
            for joint in state.named_children("joint"):
                if not (numbers := joint.numbers("value")):
                    joint.fail("its value is empty; give a number")
                value = numbers[0] if len(numbers) == 1 else list(numbers)
                if positions.setdefault(joint.text("name"), value) != value:
                    joint.fail("it has different positions in two groups; keep one")
        if not states:
            root.fail("it has no <group_state>, so no named configuration")
    return root.where, states
