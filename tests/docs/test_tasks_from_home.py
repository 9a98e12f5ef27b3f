"""What newcomers come for is found from the home page with two clicks, and stands there as code to copy.

The gallery of guides, docs/how-to/index.md, has a card for each guide: title, picture and a sentence.
"""

import posixpath
import re
from pathlib import Path

import pytest

from tools.gallery.pictures import PICTURES, SMALLER
from tools.tutorials.page import page as tutorial_page
from tools.tutorials.running import Outcome
from tools.tutorials.source import read

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"

TASKS = {
    "the torques of an arm at one state": (["Recipes"], "Torques at one state"),
    "what is wrong with my URDF": (["check a URDF"], "A URDF of your own"),
    "an arm under control, as a film": (["Recipes"], "A controlled motion, and a film"),
    "a model from a log": (["identify"], "A robot again"),
    "C for a microcontroller": (["export C"], "C"),
    "joint positions for a pose": (["reach poses"], "Inverse kinematics"),
    "equations in LaTeX": (["Recipes"], "LaTeX of equations"),
    "gradients in JAX": (["take gradients"], "JAX"),
    "gradients in PyTorch": (["take gradients"], "PyTorch"),
    "an optimum by CasADi": (["How-to", "C code, CasADi, other processors"], "CasADi"),
    "the mass of a payload": (["identify"], "A load on the tool"),
    "the momentum of a humanoid": (["Learn", "A humanoid's momentum"], "Momentum is a matrix times velocities"),
    "a script for Pinocchio, translated": (["Coming from"], "Call by call"),
    "the installation": (["Install"], "Install"),
}
"""Of each task the links to click, and the heading above the code."""

NAVIGATION = (ROOT / "mkdocs.yml").read_text(encoding="utf-8").partition("\nnav:\n")[2].partition("\n\n")[0]
SECTIONS = [
    (part.partition(":")[0], re.findall(r'^ *- (?:"?([^:\n]+?)"?: )?(\S+\.md)$', f"- {part}", re.MULTILINE))
    for part in re.split(r"^  - ", NAVIGATION, flags=re.MULTILINE)[1:]
]
"""Each tab with its pages, (label, path); the first is what the tab opens."""


def text_of(page: str) -> str:
    """A page of docs/, or of a tutorial."""
    path = DOCS / page
    if path.exists():
        return path.read_text(encoding="utf-8")
    tutorial = read(path.with_suffix(".py"))
    return tutorial_page(tutorial, [Outcome()] * len(tutorial.code))


def links(page: str) -> dict[str, str]:
    """What a page shows as links, {words: page}: tabs, the navigation of its tab, and links of its text."""
    shown = {tab: pages[0][1] for tab, pages in SECTIONS}
    for _, pages in SECTIONS:
        if page in (path for _, path in pages) and page != "index.md":  # which hides it
            shown |= {label: path for label, path in pages if label}
    for words, path in re.findall(r"\[([^]]+)\]\(([^)#\s]+\.md)[^)]*\)", text_of(page)):
        shown.setdefault(" ".join(words.split()), posixpath.normpath(posixpath.join(posixpath.dirname(page), path)))
    return shown


@pytest.mark.parametrize("task", TASKS)
def test_tasks_are_two_clicks_from_home(task: str) -> None:
    clicks, heading = TASKS[task]
    assert 1 <= len(clicks) <= 2
    page = "index.md"
    for words in clicks:
        page = links(page)[words]
    (section,) = re.findall(rf"^##? {re.escape(heading)}\n(.*?)(?=^##? |\Z)", text_of(page), re.MULTILINE | re.DOTALL)
    assert re.search(r"^```(?:python|console)$", section, re.MULTILINE)


CARD = re.compile(
    r"^-   \[!\[[^]]+\]\(images/(?P<picture>[\w-]+)\.png\)\{ width=320 height=180 \}\]\((?P<shown>[^)]+)\)\n\n"
    r"    \*\*\[(?P<title>[^]]+)\]\((?P<guide>[^)]+)\)\*\*\n\n    (?P<text>\S.+)$",
    re.MULTILINE,
)


def test_each_guide_has_a_card_with_its_title_and_a_picture_that_the_tool_draws() -> None:
    page = text_of("how-to/index.md")
    cards = [card.groupdict() for card in CARD.finditer(page)]
    shown = [(posixpath.normpath(f"how-to/{card['guide']}"), card["title"]) for card in cards]
    wanted = [(path, label) for label, path in dict(SECTIONS)["How-to"] if label]
    assert len(wanted) > 15 and sorted(shown) == sorted(wanted)
    assert page.count("](images/") == len(cards) and all(card["shown"] == card["guide"] for card in cards)
    assert sorted(card["picture"] for card in cards) == sorted([*PICTURES, *SMALLER])
