"""Index of the equations of the five texts: `revolute.texts.find("LP 9.45")`."""

from revolute.texts.passage import TEXTS, Passage, find

__all__ = ["TEXTS", "Passage", "find"]
