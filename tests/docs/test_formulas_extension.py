"""Formulas of docstrings become MathML in the reference; code does not."""

from __future__ import annotations

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


def test_formulas_of_docstrings_become_mathml(tmp_path: Path) -> None:
    (tmp_path / "robot.py").write_text(TEXT, encoding="utf-8")
    extensions = griffe.load_extensions(str(ROOT / "docs/formulas_extension.py"))
    text = griffe.load("robot", search_paths=[tmp_path], extensions=extensions)["mass"].docstring.value
    assert "<math" in text and "<msup><mi>M</mi><mi>T</mi></msup>" in text
    assert "`$HOME` and `$PATH` are code." in text
    assert text.endswith("""Example:\n    >>> "$M$"\n    '$M$'""")
