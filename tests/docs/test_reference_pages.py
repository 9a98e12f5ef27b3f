"""The pages of the reference on machines: one page for each group of methods."""

import inspect
import re
from contextlib import suppress
from pydoc import locate

import pytest

import revolute
from revolute.machine.lagrangian import System
from tools.pages import DOCS, MARK, completed, formulations, reference

WRITTEN = [page.read_text(encoding="utf-8") for page in (DOCS / "reference").rglob("*.md")]
GENERATED = reference.pages()
TEXTS = [*WRITTEN, *map(str, GENERATED.values()), *map(str, formulations.pages().values())]
"""Pages of the reference: those of docs/, and those that are generated."""


def test_pages_of_classes_list_their_groups() -> None:
    for folder in reference.FOLDERS.values():
        text = str(GENERATED[f"reference/{folder}.md"])
        assert MARK not in text and text.count("\n| [") > 1 and "\n::: " in text
        linked = re.findall(r"^\| \[[^]]+\]\(([^)]+)\)", text, re.MULTILINE)
        assert all(f"reference/{page}" in GENERATED for page in linked)


def test_the_navigation_has_the_generated_pages_and_no_others() -> None:
    navigation = (DOCS.parent / "mkdocs.yml").read_text(encoding="utf-8").partition("\nnav:\n")[2]
    named = set(re.findall(r"reference/[\w/-]+\.md", navigation))
    written = {page.relative_to(DOCS).as_posix() for page in (DOCS / "reference").rglob("*.md")}
    assert named == written | GENERATED.keys() | formulations.pages().keys()


def test_links_to_generated_pages_lead_to_their_methods() -> None:
    groups = [(kind, x) for kind in reference.FOLDERS for x in kind.__mro__ if x in reference.groups()]
    places = {reference.place(kind, name) for kind, group in groups for name in vars(group)}
    texts = [file.read_text(encoding="utf-8") for file in DOCS.glob("*.md")]
    linked = {link for text in texts for link in re.findall(r"\]\((reference/[\w-]+/[\w-]+\.md#[\w.]+)\)", text)}
    assert len(linked) > 10 and linked - places == set()


def test_a_page_without_its_mark_is_named() -> None:
    with pytest.raises(ValueError, match=r"docs/reference/errors\.md needs one line '\*`make docs` writes"):
        completed("reference/errors.md", [])


def test_each_method_stands_on_one_page() -> None:
    texts = [str(text) for page, text in GENERATED.items() if page.startswith("reference/robot/")]
    for name in ("inverse_dynamics", "from_links", "lower_limits", "to_c", "kernel", "nq"):
        assert sum(f"::: revolute.Robot.{name}\n" in text for text in texts) == 1
    assert not any("::: revolute.Robot.fkine" in text for text in texts)  # a name of others, that only helps


def test_docstrings_on_pages_have_angle_brackets_in_code_alone() -> None:
    named = {name for text in TEXTS for name in re.findall(r"^::: (\S+)", text, re.MULTILINE)}
    texts: dict[str, str] = {}
    for name in sorted(named):
        with suppress(ModuleNotFoundError):  # of an extra, such as PyTorch, that is not installed
            texts[name] = inspect.getdoc(locate(name)) or ""
    assert len(texts) > 500
    code = re.compile(r"```.*?```|`[^`]*`|^ *(?:>>>|\.\.\.).*?$|<BLANKLINE>", re.DOTALL | re.MULTILINE)
    assert {name: x for name, text in texts.items() if (x := re.findall(r"<[a-z][^>\s]*>", code.sub("", text)))} == {}


def test_places_of_methods() -> None:
    drives = reference.place(revolute.DrivenRobot, "spring_forces")
    assert drives == "reference/driven-robot/drive-forces.md#revolute.DrivenRobot.spring_forces"
    shared = reference.place(revolute.DrivenRobot, "jacobian")
    assert shared == "reference/robot/kinematics.md#revolute.Robot.jacobian"
    system = reference.place(System, "simulate")
    assert system == "reference/lagrangian-system/system.md#revolute.machine.lagrangian.System.simulate"


def test_functions_that_share_the_name_of_their_module_are_shown_themselves() -> None:
    """`revolute.trajectory.time_optimal` is the function for Python, but the module, with all its parts, for Griffe."""
    shown = {name for page in TEXTS for name in re.findall(r"^::: (\S+)$", page, re.MULTILINE)}
    sources = DOCS.parent / "src"
    modules = {name for name in shown if (sources / f"{name.replace('.', '/')}.py").is_file()}
    assert len(shown) > 300
    assert {name for name in modules if not inspect.ismodule(locate(name))} == set()


def test_classes_without_members_have_no_inherited_ones() -> None:
    """`members: false` leaves those of the base class, which the options of the site ask for."""
    bare = re.compile(r"^::: (\S+)\n    options: \{members: false(.*)\}$", re.MULTILINE)
    found = {name: rest for page in TEXTS for name, rest in bare.findall(page) if not inspect.ismodule(locate(name))}
    assert len(found) > 10
    assert {name for name, rest in found.items() if rest != ", inherited_members: false"} == set()
