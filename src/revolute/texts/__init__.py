"""Index of the equations of the five texts: `revolute.text("LP 9.45")`."""

from revolute.texts.passage import TEXTS, Passage, text

__all__ = ["TEXTS", "Passage", "text"]
