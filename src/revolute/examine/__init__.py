"""Find physically impossible or suspicious data in robot descriptions: `revolute check`."""

from revolute.examine.examine import Examination, examine
from revolute.examine.part import Finding

__all__ = ["Examination", "Finding", "examine"]
