"""The gallery of guides, docs/how-to/index.md, has a card for each guide: title, picture and a sentence."""

import re
from pathlib import Path

import pytest

from tools.gallery.pictures import PICTURES, SMALLER

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "how-to" / "index.md"
CARD = re.compile(
    r"^-   \[!\[[^]]+\]\(images/(?P<picture>[\w-]+)\.png\)\{ width=320 height=180 \}\]\((?P<shown>[^)]+)\)\n\n"
    r"    \*\*\[(?P<title>[^]]+)\]\((?P<guide>[^)]+)\)\*\*\n\n    (?P<text>\S.+)$",
    re.MULTILINE,
)


def guides() -> dict[str, str]:
    """Titles of the guides by their files, from the section "How-to" of mkdocs.yml."""
    nav = (ROOT / "mkdocs.yml").read_text(encoding="utf-8")
    (section,) = re.findall(r"^  - How-to:\n((?:      .*\n)+)", nav, re.MULTILINE)
    return {file: title for title, file in re.findall(r"- (.+): (\S+\.md)$", section, re.MULTILINE)}


@pytest.fixture(scope="module")
def cards() -> list[dict[str, str]]:
    return [card.groupdict() for card in CARD.finditer(PAGE.read_text(encoding="utf-8"))]


def test_each_guide_has_a_card_with_its_title(cards: list[dict[str, str]]) -> None:
    shown = [((PAGE.parent / card["guide"]).resolve(), card["title"]) for card in cards]
    wanted = [((ROOT / "docs" / file).resolve(), title) for file, title in guides().items()]
    assert len(wanted) > 15
    assert sorted(shown) == sorted(wanted)


def test_each_card_has_a_picture_that_the_tool_draws(cards: list[dict[str, str]]) -> None:
    assert PAGE.read_text(encoding="utf-8").count("](images/") == len(cards)
    assert sorted(card["picture"] for card in cards) == sorted([*PICTURES, *SMALLER])
    for card in cards:
        assert card["shown"] == card["guide"]
