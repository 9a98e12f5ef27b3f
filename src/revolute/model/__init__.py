"""A robot as data, the input of all recursions: bodies, joints, frames, gravity, closures."""

from revolute.model.assemble import Joint, Link, assemble
from revolute.model.body import Body, Drive, Frame, Limits, Mimic
from revolute.model.columns import limit_column
from revolute.model.configurations import Turning, continuous, neutral
from revolute.model.contact import Contact, Links, Plane, check_contacts, check_stops, contact_arrays
from revolute.model.contact_inputs import ContactInputs, contact_names
from revolute.model.coupled_limits import CoupledLimits
from revolute.model.identity import exact_text
from revolute.model.model import Closure, Model, derived
from revolute.model.parameters import from_vector, to_vector
from revolute.model.reduce import aligned, reduced, reduced_in_place
from revolute.model.shapes import Shape
from revolute.model.symbols import numeric, substituted
from revolute.model.units import force_units, number, short_names

__all__ = [
    "Body", "Closure", "Contact", "ContactInputs", "CoupledLimits", "Drive", "Frame", "Joint", "Limits", "Link",
    "Links", "Mimic", "Model", "Plane", "Shape", "Turning", "aligned", "assemble", "check_contacts", "check_stops",
    "contact_arrays", "contact_names", "continuous", "derived", "exact_text", "force_units", "from_vector",
    "limit_column", "neutral", "number", "numeric", "reduced", "reduced_in_place", "short_names", "substituted",
    "to_vector",
]
