"""The hooks of the site: faults of built pages, marks of examples, breaks of long names, words of the search."""

import json
import runpy
from pathlib import Path

import pytest

DOCS = Path(__file__).parents[2] / "docs"
faults = runpy.run_path(str(DOCS / "strict_hook.py"))["faults"]
examples = runpy.run_path(str(DOCS / "examples_hook.py"))
shown, copied = examples["on_page_markdown"], examples["on_page_content"]
linked = runpy.run_path(str(DOCS / "links_hook.py"))["on_page_content"]
search = runpy.run_path(str(DOCS / "search_hook.py"))
broken = runpy.run_path(str(DOCS / "test_names_hook.py"))["on_page_content"]


def site(folder: Path, content: str, path: str = "index.html", title: str = "") -> list[str]:
    page = folder / path
    page.parent.mkdir(parents=True, exist_ok=True)
    head = f'<html><head><title>{title}</title><link rel="stylesheet" href="style.css"></head><body><form></form>'
    page.write_text(f"{head}<article>{content}</article></body></html>", encoding="utf-8")
    (page.parent / "style.css").touch()
    return list(faults(folder))


@pytest.mark.parametrize(("content", "fault"), [
    ("<p>the outermost element is <robot></p>", "an element <robot>"),
    ("<p>each <link> has a name</p>", "an element <link>"),
    ("<p>all of <output></p>", "an element <output>"),
    ("<math><mi>x</mi></math> <mi>y</mi>", "an element <mi>"),
    ("<pre>1\n&lt;BLANKLINE&gt;\n2</pre>", "<BLANKLINE>"),
    ('<img src="https://example.org/badge.svg" alt="">', "<img> loads https://example.org/badge.svg"),
    ('<script src="//example.org/x.js"></script>', "<script> loads //example.org/x.js"),
    ('<img srcset="https://example.org/a.png 2x" alt="">', "<img> loads https://example.org/a.png"),
    ('<img src="missing.png" alt="">', "missing.png leads nowhere"),
    ('<a href="other/">other</a>', "other/ leads nowhere"),
    ('<a href="#there">there</a>', "no such place"),
])  # fmt: skip
def test_faults_are_seen(content: str, fault: str, tmp_path: Path) -> None:
    (found,) = site(tmp_path, content)
    assert found.startswith("index.html: ") and fault in found


def test_two_pages_of_one_title_are_seen(tmp_path: Path) -> None:
    assert site(tmp_path, "<svg><title>a curve</title></svg>", "a/index.html", "Speed") == []
    assert site(tmp_path, "", "b/index.html", "Speed") == ["2 pages have the title 'Speed'"]


def test_prompts_outside_of_code_are_seen_in_the_reference(tmp_path: Path) -> None:
    content = "<blockquote><p>1 + 1</p></blockquote>"
    assert site(tmp_path, content) == []
    (found,) = site(tmp_path, content, "reference/robots/index.html")
    assert "block quotation" in found


def test_good_pages_have_no_faults(tmp_path: Path) -> None:
    site(tmp_path, '<h2 id="b">b</h2><a href="../#a">back</a>', "b/index.html")
    content = """<h1 id="a">a</h1><a href="#a">a</a> <a href="b/#b">b</a> <a href="https://example.org">elsewhere</a>
    <code>&lt;robot&gt;</code> <svg><g/><path/></svg> <math><mi>x</mi></math> <img src="data:image/png;base64,">
    <input type="range"><pre><span>1</span></pre>"""
    assert site(tmp_path, content) == []


def test_examples_show_without_marks() -> None:
    page = ">>> # doctest: +SKIP\n```pycon\n>>> f()  # doctest: +ELLIPSIS\n1\n<BLANKLINE>\n2\n```\n<BLANKLINE>\n"
    assert shown(page) == ">>> # doctest: +SKIP\n```pycon\n>>> f()\n1\n\n2\n```\n<BLANKLINE>\n"


@pytest.mark.parametrize(("code", "commands"), [
    ("&gt;&gt;&gt; x = 1\n&gt;&gt;&gt; x\n1\n", "x = 1\nx"),
    ("&gt;&gt;&gt; if <i>x</i>:\n...     x &lt; 2\n...\nTrue\n", "if x:\n    x &lt; 2\n"),
    ("&gt;&gt;&gt; x()\nTraceback (most recent call last):\n    ...\nInputError: &quot;x&quot;\n", "x()"),
    ("$ revolute a \\\n    b &quot;c&quot;\nd: 3\n  ...\n$ e\n", "revolute a \\\n    b &quot;c&quot;\ne"),
])  # fmt: skip
def test_buttons_copy_commands_alone(code: str, commands: str) -> None:
    page = copied(f'<div class="highlight"><pre><code>{code}</code></pre></div>')
    assert page == f'<div class="highlight" data-copy="{commands}"><pre><code>{code}</code></pre></div>'


def test_buttons_copy_blocks_without_prompts_whole() -> None:
    page = '<div class="highlight"><pre><code>x = "$ 3"\n# &gt;&gt;&gt; 1\n</code></pre></div>'
    assert copied(page) == page


def test_names_of_tests_may_break_and_other_names_not() -> None:
    names = "<td><code>spatial/test_a.py::test_b</code> <code>joint_names</code></td> a/b_c.py::d"
    assert broken(names) == names.replace("spatial/test_a.py::test_b", "spatial/<wbr>test_<wbr>a.py::<wbr>test_<wbr>b")


def test_names_below_equations_are_links() -> None:
    html = "<p><strong>In Revolute:</strong> <code>Robot.count</code>, <code>published.spong</code></p><code>x</code>"
    assert linked(html) == (
        '<p><strong>In Revolute:</strong> <autoref optional identifier="revolute.Robot.count"><code>Robot.count</code>'
        '</autoref>, <autoref optional identifier="revolute.published.spong.spong"><code>published.spong</code>'
        "</autoref></p><code>x</code>"
    )


def test_the_search_has_no_markup_code_and_formulas() -> None:
    text = "<p>Mass of <code>a &lt; b</code></p>\n<pre><code>x = 1</code></pre><math><mi>q</mi></math><b>end</b>"
    assert search["plain"](text) == "Mass of a &lt; b end"


def test_the_search_has_whole_words_of_the_beginning_of_the_reference(tmp_path: Path) -> None:
    words = "<p>" + "word " * 200 + "</p>"
    index = {"config": {}, "docs": [{"location": x, "title": "", "text": words} for x in ("drives/", "reference/a/")]}
    path = tmp_path / "search" / "search_index.json"
    path.parent.mkdir()
    path.write_text(json.dumps(index), encoding="utf-8")
    search["on_post_build"]({"site_dir": str(tmp_path)})
    page, reference = json.loads(path.read_text(encoding="utf-8"))["docs"]
    assert page["text"] == ("word " * 200).strip()
    assert len(reference["text"]) <= search["REFERENCE"] and set(reference["text"].split()) == {"word"}
