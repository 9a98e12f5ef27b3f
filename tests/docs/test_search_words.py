"""Words that people look for stand where the search box of the site weighs most: in tags, titles and headings.

Which page comes first is seen in a browser: see test_site_in_chromium.py. Here are the causes of it, without a build.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tools.site_check.search import FIRST

DOCS = Path(__file__).parents[2] / "docs"
FRONT = re.compile(r"\A---\n(.*?)^---\n", re.DOTALL | re.MULTILINE)
TAGS = re.compile(r"^tags: \[(.*)\]$", re.MULTILINE)


def source(address: str) -> Path:
    """The file of a page of the site."""
    file = DOCS / f"{address.rstrip('/')}.md"
    return file if file.exists() else DOCS / address / "index.md"


def tags(text: str) -> set[str]:
    """The tags of a page in small letters; none if it does not begin with any."""
    front = FRONT.match(text)
    found = TAGS.search(front[1]) if front else None
    return {tag.strip(' "').lower() for tag in found[1].split(",")} if found else set()


TEXTS = {page: page.read_text(encoding="utf-8") for page in DOCS.rglob("*.md")}


@pytest.mark.parametrize("words", FIRST)
def test_words_are_a_tag_of_the_page_that_must_come_first(words: str) -> None:
    having = [page.relative_to(DOCS) for page, text in TEXTS.items() if words.lower() in tags(text)]
    assert having == [source(FIRST[words]).relative_to(DOCS)]


@pytest.mark.parametrize("words", ["MPC", "CUDA", "ROS 2", "Simulink"])
def test_words_of_a_tag_stand_in_the_text_too(words: str) -> None:
    """Where the search leads, people read on; a word in tags alone would lead them to nothing."""
    text = FRONT.sub("", TEXTS[source(FIRST[words])])
    assert words.lower() in text.lower()


def test_tags_are_read() -> None:
    assert tags("---\ntags: [units, \"1 kHz\"]\n---\n\n# A page\n") == {"units", "1 khz"}
    assert tags("---\nsearch: {boost: 2}\n---\n") == tags("# A page\n\n---\ntags: [x]\n---\n") == set()
