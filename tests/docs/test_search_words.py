"""Words that people look for are tags of the page that must come first: the search box weighs tags most.

Which page does come first is seen in a browser: test_site_in_chromium.py. Here are the causes of it, without a build.
"""

import re
from pathlib import Path

import pytest

from tools.pages import reference
from tools.site_check.search import FIRST

DOCS = Path(__file__).parents[2] / "docs"
FRONT = re.compile(r"\A---\n(.*?)^---\n", re.DOTALL | re.MULTILINE)
TAGS = re.compile(r"^tags: \[(.*)\]$", re.MULTILINE)
BOOST = re.compile(r"^search: \{boost: ([\d.]+)\}$", re.MULTILINE)


def source(address: str) -> Path:
    """The file of a page of the site."""
    file = DOCS / f"{address.rstrip('/')}.md"
    return file if file in TEXTS else DOCS / address / "index.md"


def weight(text: str, words: str) -> float:
    """The boost of a page with all words among those of its tags; else zero."""
    front = FRONT.match(text)
    if front is None or (tags := TAGS.search(front[1])) is None:
        return 0.0
    if not set(words.lower().split()) <= set(re.findall(r"[^\s,\"]+", tags[1].lower())):
        return 0.0
    boost = BOOST.search(front[1])
    return float(boost[1]) if boost else 1.0


TEXTS = {page: page.read_text(encoding="utf-8") for page in DOCS.rglob("*.md")}
TEXTS |= {DOCS / page: str(text) for page, text in reference.pages().items()}


@pytest.mark.parametrize("words", FIRST)
def test_no_page_has_words_as_tags_but_the_one_that_must_come_first(words: str) -> None:
    weights = {page.relative_to(DOCS): weight(text, words) for page, text in TEXTS.items()}
    most = max(weights.values())
    assert most > 0, f"no page has the tag {words!r}"
    assert [page for page, x in weights.items() if x == most] == [source(FIRST[words]).relative_to(DOCS)]


@pytest.mark.parametrize("words", ["MPC", "CUDA", "ROS 2", "Simulink", "licence", "Jupyter", "degrees"])
def test_words_stand_in_the_text_too(words: str) -> None:
    """Where a search leads people read on: a word that is a tag alone would lead them to nothing."""
    assert words.lower() in FRONT.sub("", TEXTS[source(FIRST[words])]).lower()


def test_who_looks_for_collisions_reads_what_keeps_spheres_apart() -> None:
    assert "SphereCost(tool, ball" in TEXTS[source(FIRST["collision"])]
