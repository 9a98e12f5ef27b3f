"""Formulas of docstrings become MathML in the reference; code does not."""

from pathlib import Path

import pytest

griffe = pytest.importorskip("griffe")
pytest.importorskip("latex2mathml")
ROOT = Path(__file__).parents[2]
TEXT = '''def mass():
    r"""It has $M = M^T$.

    `$HOME` and `$PATH` are code.

    Example:
        >>> "$M$"
        '$M$'
    """
'''


def shown(source: str, name: str, folder: Path) -> str:
    """A docstring as the reference gets it."""
    (folder / "robot.py").write_text(source, encoding="utf-8")
    extensions = griffe.load_extensions(str(ROOT / "docs/formulas_extension.py"))
    text: str = griffe.load("robot", search_paths=[folder], extensions=extensions)[name].docstring.value
    return text


def test_formulas_of_docstrings_become_mathml(tmp_path: Path) -> None:
    text = shown(TEXT, "mass", tmp_path)
    assert "<math" in text and "<msup><mi>M</mi><mi>T</mi></msup>" in text
    assert "`$HOME` and `$PATH` are code." in text
    assert text.endswith("""Example:\n    >>> "$M$"\n    '$M$'""")


def test_places_of_texts_are_links(tmp_path: Path) -> None:
    text = 'def f():\n    """As LP 9.53 and BP 5.3.44b, `GOA 5`, SHV 12.1, GOA Prop. 5 say."""\n'
    assert shown(text, "f", tmp_path) == (
        'As <autoref optional identifier="lp-9-53">LP 9.53</autoref> and '
        '<autoref optional identifier="bp-5-3-44">BP 5.3.44b</autoref>, `GOA 5`, SHV 12.1, '
        '<autoref optional identifier="goa-prop-5">GOA Prop. 5</autoref> say.'
    )
