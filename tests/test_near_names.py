"""Unknown names: the message gives the three nearest ones, and never a long list."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import revolute
from revolute.arguments import nearest

UR5 = revolute.robots.ur5()
Q = np.zeros(6)

CALLS: dict[str, tuple[Callable[[], Any], type[Exception], str]] = {
    "a function": (
        lambda: UR5.kernel("mas_matrix"),
        revolute.UnknownNameError,
        "no function 'mas_matrix' of a robot; near: mass_matrix, mass_matrix_rate, mass_matrix_inverse; form",
    ),
    "a function that is like none": (
        lambda: UR5.kernel("xyz"),
        revolute.UnknownNameError,
        "no function 'xyz' of a robot; available: ",
    ),
    "a joint": (lambda: UR5.lock({"elbow": 0.0}), revolute.UnknownNameError, "no joint 'elbow'; near: elbow_joint"),
    "a keyword": (
        lambda: UR5.jacobian(Q, frames="tool0"),  # type: ignore[call-arg]
        TypeError,
        r"jacobian\(\) got an unexpected keyword argument 'frames'; near: frame$",
    ),
    "a keyword that is like none": (
        lambda: UR5.jacobian(Q, "tool0", xyz=1),  # type: ignore[call-arg]
        TypeError,
        "unexpected keyword argument 'xyz'; available: q, frame, reference, point, out, threads$",
    ),
    "an option": (
        lambda: UR5.kernel("jacobian", farme="tool0"),
        revolute.InputError,
        "jacobian has no option 'farme'; near: frame$",
    ),
    "a letter": (lambda: UR5.M, AttributeError, r"'M'; M is robot.mass_matrix\(q\)$"),  # type: ignore[attr-defined]
    "a word": (
        lambda: UR5.gravity_compensation,  # type: ignore[attr-defined]
        AttributeError,
        r"gravity_compensation is robot.gravity_forces\(q\)$",
    ),
}


@pytest.mark.parametrize("name", CALLS)
def test_unknown_names_give_the_nearest(name: str) -> None:
    call, kind, message = CALLS[name]
    with pytest.raises(kind, match=message) as caught:
        call()
    assert len(str(caught.value)) < 400


def test_nearest_names() -> None:
    names = [f"joint{k}" for k in range(20)]
    assert nearest("Joint1", names).startswith("near: joint1, ") and nearest("Joint1", names).count(",") == 2
    assert nearest("x", names) == f"available: {', '.join(names[:8])} and 12 more"
    assert nearest("x", []) == "available: none" and nearest(3, ["a"]) == "available: a"
    assert nearest("ARM", ["arm", "Arm"]) in ("near: arm", "near: Arm")
