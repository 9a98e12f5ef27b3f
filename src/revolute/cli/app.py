"""The command line: `revolute info`, `check`, `torque`, `simulate`, `ik`, `equations`, `count`, `compare`, and more.

Errors and warnings of this library are printed as lines on stderr; errors exit with status 1. Any other exception is a
bug and shows its traceback.
"""

from revolute.cli import looking, moving, measuring, making  # isort: skip  # the help lists groups in import order
from revolute.cli.root import app

__all__ = ["app", "looking", "making", "measuring", "moving"]
