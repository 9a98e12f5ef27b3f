"""The worked examples of the texts: `from revolute.library import examples`."""

from revolute.library.examples.five_bar import balanced, five_bar
from revolute.library.examples.geared_link import elastic_joint, geared_link
from revolute.library.examples.particle import cartesian, particle
from revolute.library.examples.planar_elbow import planar_elbow, point_mass_2r, remotely_driven_elbow
from revolute.library.examples.planar_elbow_steps import LinkStep, planar_elbow_steps
from revolute.library.examples.uniform_box import uniform_box

__all__ = [
    "LinkStep", "balanced", "cartesian", "elastic_joint", "five_bar", "geared_link", "particle", "planar_elbow",
    "planar_elbow_steps", "point_mass_2r", "remotely_driven_elbow", "uniform_box",
]  # fmt: skip
