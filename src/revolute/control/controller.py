"""What every controller is: an object with a method `torque(t, q, qd)`."""

from revolute.simulate import Controller

__all__ = ["Controller"]
