"""Robots with elastic joints: motors drive the links through springs."""

from revolute.machine.elastic.elastic_robot import ElasticRobot
from revolute.machine.elastic.forces import Feedforward

__all__ = ["ElasticRobot", "Feedforward"]
