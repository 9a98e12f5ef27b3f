"""Robots with elastic joints: motors drive the links through springs."""

from revolute.machine.elastic.elastic_robot import ElasticRobot
from revolute.machine.elastic.results import Feedforward

__all__ = ["ElasticRobot", "Feedforward"]
