"""The index of the search box: words alone."""

import json
import runpy
from pathlib import Path
from types import SimpleNamespace

hook = SimpleNamespace(**runpy.run_path(str(Path(__file__).parents[2] / "docs" / "search_hook.py")))


def test_markup_code_and_formulas_are_left_out() -> None:
    text = "<p>Mass of <code>a &lt; b</code></p>\n<pre><code>x = 1</code></pre><math><mi>q</mi></math><b>end</b>"
    assert hook.plain(text) == "Mass of a &lt; b end"


def test_the_reference_keeps_whole_words_of_its_beginning(tmp_path: Path) -> None:
    words = "<p>" + "word " * 200 + "</p>"
    index = {"config": {}, "docs": [{"location": x, "title": "", "text": words} for x in ("drives/", "reference/a/")]}
    (tmp_path / "search").mkdir()
    path = tmp_path / "search" / "search_index.json"
    path.write_text(json.dumps(index), encoding="utf-8")
    hook.on_post_build({"site_dir": str(tmp_path)})
    page, reference = json.loads(path.read_text(encoding="utf-8"))["docs"]
    assert page["text"] == ("word " * 200).strip()
    assert len(reference["text"]) <= hook.REFERENCE and set(reference["text"].split()) == {"word"}
