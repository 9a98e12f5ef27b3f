"""Graphs as C99: no allocation, no global variables, no recursion, one exit per function."""

from revolute.targets.c.files import Described, files
from revolute.targets.c.function import Style
from revolute.targets.c.names import identifier, identifiers
from revolute.targets.c.numbers import numbers_of

__all__ = ["Described", "Style", "files", "identifier", "identifiers", "numbers_of"]
