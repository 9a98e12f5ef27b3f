"""The pages of the reference on machines are those of the groups of their methods."""

from __future__ import annotations

import inspect
import re
from pydoc import locate

import revolute
from revolute.machine.lagrangian import System
from tools import reference_pages


def test_pages_are_those_of_the_declarations() -> None:
    written = reference_pages.pages()
    for page, text in written.items():
        assert page.read_text(encoding="utf-8") == text, f"run `python -m tools.reference_pages`: {page.name}"
    folders = {reference_pages.DOCS / "reference" / folder for folder in reference_pages.FOLDERS.values()}
    assert {page for folder in folders for page in folder.glob("*.md")} == {p for p in written if p.parent in folders}


def test_each_method_stands_on_one_page() -> None:
    texts = [text for page, text in reference_pages.pages().items() if page.parent.name == "robot"]
    for name in ("inverse_dynamics", "from_links", "lower_limits", "to_c", "kernel", "nq"):
        assert sum(f"::: revolute.Robot.{name}\n" in text for text in texts) == 1
    assert not any("::: revolute.Robot.fkine" in text for text in texts)  # a name of others, that only helps


def test_places_of_methods() -> None:
    drives = reference_pages.place(revolute.DrivenRobot, "spring_forces")
    assert drives == "reference/driven-robot/drive-forces.md#revolute.DrivenRobot.spring_forces"
    shared = reference_pages.place(revolute.DrivenRobot, "jacobian")
    assert shared == "reference/robot/kinematics.md#revolute.Robot.jacobian"
    system = reference_pages.place(System, "simulate")
    assert system == "reference/lagrangian-system/system.md#revolute.machine.lagrangian.System.simulate"


def test_functions_that_share_the_name_of_their_module_are_shown_themselves() -> None:
    """`revolute.trajectory.time_optimal` is the function for Python, but the module, with all its parts, for Griffe."""
    pages = (page.read_text(encoding="utf-8") for page in (reference_pages.DOCS / "reference").rglob("*.md"))
    shown = {name for page in pages for name in re.findall(r"^::: (\S+)$", page, re.MULTILINE)}
    sources = reference_pages.DOCS.parent / "src"
    modules = {name for name in shown if (sources / f"{name.replace('.', '/')}.py").is_file()}
    assert len(shown) > 300
    assert {name for name in modules if not inspect.ismodule(locate(name))} == set()


def test_classes_without_members_have_no_inherited_ones() -> None:
    """`members: false` leaves those of the base class, which the options of the site ask for."""
    pages = (page.read_text(encoding="utf-8") for page in (reference_pages.DOCS / "reference").rglob("*.md"))
    bare = re.compile(r"^::: (\S+)\n    options: \{members: false(.*)\}$", re.MULTILINE)
    found = {name: rest for page in pages for name, rest in bare.findall(page) if not inspect.ismodule(locate(name))}
    assert len(found) > 10
    assert {name for name, rest in found.items() if rest != ", inherited_members: false"} == set()
