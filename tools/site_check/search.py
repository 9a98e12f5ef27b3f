"""Words that people look for, and the page that the search box must show first."""

from collections.abc import Iterator
from urllib.parse import urlsplit

from tools.site_check.browser import Window
from tools.site_check.pages import DESKTOP

FIRST = {
    "payload": "how-to/recipes/",
    "inverse kinematics": "inverse-kinematics/",
    "fkine": "coming-from/robotics-toolbox/",
    "friction": "drives/",
    "floating base": "how-to/recipes/",
    "LaTeX": "equations/",
    "units": "conventions/",
    "degrees": "conventions/",
    "gravity compensation": "control/",
    "real time": "control/",
    "1 kHz": "control/",
    "time optimal": "trajectories/",
    "J dot": "reference/robot/kinematics/",
    "DDP": "optimal-control/",
    "MPC": "optimal-control/",
    "optimal control": "optimal-control/",
    "quaternion order": "conventions/",
    "wxyz": "other-libraries/",
    "convert from Pinocchio": "other-libraries/",
    "singularity": "operational-space/",
    "Lagrange": "reference/lagrange/",
    "mimic": "drives/",
    "xacro": "getting-started/",
    "QP": "whole-body/",
    "whole body": "whole-body/",
    "ROS 2": "coming-from/out-of-scope/",
    "collision": "optimal-control/",
    "Simulink": "coming-from/out-of-scope/",
    "CUDA": "jax-and-pytorch/",
    "GPU": "jax-and-pytorch/",
    "Jupyter": "learn/",
    "robot_descriptions": "robot-files/",
    "licence": "install/",
    "contact": "contacts/",
    "impact": "contacts/",
    "friction cone": "contacts/",
    "joint limit": "contacts/",
    "ground": "contacts/",
}
"""What is out of scope leads to the page that says so."""

LATEST = 60_000
"""Milliseconds within which a result shows on a busy machine."""

_FIRST = ".md-search-result__list > .md-search-result__item:first-child a"


def faults_of_search(window: Window) -> Iterator[str]:
    """Words for which the search box shows another page first."""
    for words, page in FIRST.items():
        if (found := first_result(window, words)) != page:
            yield f"search: {words!r} leads to {found}, not to {page}"


def first_result(window: Window, words: str) -> str | None:
    """The address of the page that the search box shows first; None if no page has the words."""
    from playwright.sync_api import TimeoutError

    window.open("", DESKTOP)
    window.page.fill(".md-search__input", words)
    try:
        window.page.wait_for_selector(_FIRST, state="attached", timeout=LATEST)
    except TimeoutError:
        return None
    return urlsplit(window.page.get_attribute(_FIRST, "href")).path.removeprefix("/")
