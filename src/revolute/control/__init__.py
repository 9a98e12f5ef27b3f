"""Control of robots: laws that `simulate` takes as joint forces."""

from revolute.control.controller import Controller

__all__ = ["Controller"]
