"""Contacts of links with surfaces, as data: `Contact` and `Plane`."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from itertools import product
from typing import Any

import numpy as np

from revolute.arguments import instance, instances, number, scalars
from revolute.errors import InputError
from revolute.model.model import Model
from revolute.plain_numbers import is_moderate, plain_text
from revolute.records import dataclass
from revolute.spatial.dual import gradient
from revolute.spatial.vectors import Vector

Distance = Callable[[Any], Any]
"""Signed distance of a point p, three scalars in the base frame, from a surface; its gradient is the normal."""

Links = str | tuple[str, str | Distance]
"""The link of a contact; or its two links; or the link and the surface that it touches."""

RING = 8  # points of a contact at each end of a cylinder
NUMBERS = 12  # numbers of a contact, inputs of kernels: see `Contact.numbers`

STOP_NUMBERS = 5
"""Parameters of a joint's stops, inputs of kernels: lower, upper, restitution, compliance and damping of `Limits`."""

PLACES = ([0.31, 0.17, 0.23], [-1.3, 0.7, 2.9], [5.1, -4.3, -0.6])  # points at which the function of a surface is tried


def _moderate(what: str, x: object) -> float:
    value = number(what, x)
    if not is_moderate(value):
        raise InputError(f"{what} must be finite, not {value!r}")
    return value


def _three(what: str, x: Any) -> tuple[float, ...]:
    return tuple(_moderate(what, value) for value in scalars(what, x, 3))


@dataclass(frozen=True)
class Plane:
    """The surface normal . x = offset; the side opposite to the normal is solid.

    Attributes:
        normal: (3,) normal, towards the free side, expressed in the base frame; any length.
        offset: distance of the plane from the origin of the base frame, along the normal [m].

    Example:
        >>> revolute.Plane(normal=(0, 3, 4)).normal
        (0.0, 0.6, 0.8)
    """

    normal: tuple[float, ...] = (0.0, 0.0, 1.0)
    offset: float = 0.0

    def __post_init__(self) -> None:
        normal = _three("Plane: normal", self.normal)
        length = math.hypot(*normal)
        if not length > 0:
            raise InputError("Plane: normal must not be zero")
        object.__setattr__(self, "normal", tuple(x / length for x in normal))
        object.__setattr__(self, "offset", _moderate("Plane: offset", self.offset))


@dataclass(frozen=True)
class Contact:
    """A point or sphere of a link that may touch a surface, for `impact`, `contact_forces` and `contact_step`.

    The surface pushes along its normal, never pulls, and resists sliding by Coulomb's friction.

    Attributes:
        link: name of the link.
        point: (3,) the point, or the centre of the sphere, in the link's frame [m].
        radius: radius of the sphere [m]; 0 for a point.
        friction: Coulomb's coefficient mu.
        restitution: from 0, which ends the normal velocity, to 1, which reverses it.
        compliance: penetration per force [m/N]; 0 for a rigid contact.
        damping: damping of a compliant contact [N s/m].
        surface: the `Plane`; by default the ground, z = 0 of the base frame. Or a `Contact`: a sphere of another link,
            whose link, point and radius are used. Or a function of a point p, three scalars in the base frame, that
            returns its distance from the surface, negative inside, by the operations of
            `revolute.spatial.scalar`, such as `sqrt` and `select`. Its gradient is the normal. Any other function that
            vanishes on the surface is allowed too: it is divided by the norm of its gradient. The function is compiled
            once: for other data create a new function.

    Example:
        >>> floor = revolute.Plane(normal=(0, 1, 0), offset=-0.02)
        >>> contact = revolute.Contact("tip", radius=0.02, friction=0.5, surface=floor)
        >>> elbow, still = revolute.robots.planar(2), [0.0, 0.0]
        >>> elbow.contact_forces(still, still, still, [contact]).forces.round(3) + 0.0
        array([[-1.242,  2.484,  0.   ]])
    """

    link: str
    point: tuple[float, ...] = (0.0, 0.0, 0.0)
    radius: float = 0.0
    friction: float = 0.8
    restitution: float = 0.0
    compliance: float = 0.0
    damping: float = 0.0
    surface: Plane | Contact | Distance = Plane()

    def __post_init__(self) -> None:
        object.__setattr__(self, "link", plain_text(instance("Contact: link", self.link, str)))
        object.__setattr__(self, "point", _three("Contact: point", self.point))
        for name in ("radius", "friction", "restitution", "compliance", "damping"):
            value = _moderate(f"Contact: {name}", getattr(self, name))
            if value < 0 or (name == "restitution" and value > 1):
                expected = "from 0 to 1" if name == "restitution" else "zero or positive"
                raise InputError(f"Contact: {name} of '{self.link}' must be {expected}, not {value!r}")
            object.__setattr__(self, name, value)
        if not isinstance(self.surface, (Plane, Contact)):
            _check_surface(self.link, self.surface)
        if isinstance(self.surface, Contact) and not self.radius + self.surface.radius > 0:
            pair = f"'{self.link}' and '{self.surface.link}'"
            raise InputError(f"Contact: points of {pair} never touch; give one a radius")

    @property
    def links(self) -> Links:
        """The kernel option for this contact: its link, or a tuple of its link and the surface's link or function."""
        if isinstance(self.surface, Plane):
            return self.link
        return self.link, self.surface.link if isinstance(self.surface, Contact) else self.surface

    @property
    def numbers(self) -> tuple[float, ...]:
        """12 inputs of kernels: point, radius, friction, restitution, compliance, damping; four for the surface.

        The last four are the normal and offset of a plane, the centre and radius of a sphere, or zeros for a function.
        """
        law, other = (self.radius, self.friction, self.restitution, self.compliance, self.damping), self.surface
        four: tuple[float, ...] = (0.0, 0.0, 0.0, 0.0)
        if isinstance(other, (Plane, Contact)):
            four = (*other.normal, other.offset) if isinstance(other, Plane) else (*other.point, other.radius)
        return (*self.point, *law, *four)


def _check_surface(link: str, surface: Any) -> None:
    """Raise unless a surface is a function that can be compiled, with a nonzero gradient at some of `PLACES`."""
    if not callable(surface):
        raise InputError(
            f"Contact: surface of '{link}' must be a revolute.Plane, a revolute.Contact of another link, or a function "
            f"of a point, not {surface!r}; for meshes use MuJoCo: robot.to_mjcf()"
        )
    try:
        hash(surface)
    except TypeError as error:
        raise InputError(f"Contact: surface of '{link}': {error}; make its class frozen, or give a function") from error
    normals = 0
    for p in PLACES:
        try:
            value, slopes = gradient(surface, p)
            normals += all(map(math.isfinite, (value, *slopes))) and any(slopes)
        except Exception as error:
            raise InputError(
                f"Contact: surface of '{link}' failed at p = {p}: {error}; it must return a scalar, by operations of "
                "revolute.spatial.scalar"
            ) from error
    if not normals:
        raise InputError(
            f"Contact: the gradient of the surface of '{link}' vanishes, so it has no normal; return a distance [m]"
        )
    try:
        with np.errstate(all="ignore"):
            gradient(surface, [np.array(x) for x in zip(*PLACES, strict=True)])
    except ValueError as error:  # comparisons of arrays have no truth value, as when compiled
        raise InputError(
            f"Contact: surface of '{link}' branches on the point p, as 'if', 'and', min and max do; use "
            "revolute.spatial.scalar.select"
        ) from error


@lru_cache(maxsize=256)
def contact_arrays(contacts: tuple[Contact, ...]) -> tuple[tuple[Links, ...], np.ndarray[Any, Any]]:
    """The links of the contacts, as kernel options, and their numbers: (contacts, 12), read-only."""
    numbers = np.array([contact.numbers for contact in contacts])
    numbers.flags.writeable = False
    return tuple(contact.links for contact in contacts), numbers


def contacts_of(model: Model, link: str, law: Mapping[str, Any]) -> tuple[Contact, ...]:
    """Contacts at the collision shapes of a link: see `Robot.contacts`."""
    found: list[Contact] = []
    for shape in model.frame(link).collisions:
        size, radius = shape.size, 0.0
        centers: list[tuple[float, ...]]
        if shape.kind == "sphere":
            centers, radius = [(0.0, 0.0, 0.0)], size[0]
        elif shape.kind == "box":
            centers = [*product(*((-x / 2, x / 2) for x in size))]
        elif shape.kind == "capsule":
            centers, radius = [(0.0, 0.0, z * size[1] / 2) for z in (-1, 1)], size[0]
        elif shape.kind == "cylinder":
            ring = [(size[0] * math.cos(a), size[0] * math.sin(a)) for a in (k * math.tau / RING for k in range(RING))]
            centers = [(x, y, z * size[1] / 2) for z in (-1, 1) for x, y in ring]
        else:
            raise InputError(
                f"contacts: the {shape.kind} of link '{link}' of '{model.name}' cannot be converted; give "
                "revolute.Contact at points or spheres, or use MuJoCo: robot.to_mjcf()"
            )
        points = [shape.placement.R @ Vector(p) + shape.placement.p for p in centers]
        found += [Contact(link, tuple(p), radius, **law) for p in points]
    if not found:
        raise InputError(f"contacts: link '{link}' of '{model.name}' has no collision shape; give a revolute.Contact")
    return tuple(found)


def check_contacts(model: Model, contacts: Sequence[Links]) -> None:
    """Raise unless there are contacts, whose links exist, can move and are not fixed to each other."""
    if not instances("contacts", contacts, (str, tuple)):
        raise InputError(f"contacts: name at least one, such as revolute.Contact('{model.frames[-1].name}')")
    for links in contacts:
        names = [x for x in ((links,) if isinstance(links, str) else links) if isinstance(x, str)]
        bodies = [model.frame(link).body for link in names]
        if bodies == [0]:
            raise InputError(
                f"contacts: link '{names[0]}' of '{model.name}' is fixed to the base, so a contact has no effect "
                "on it; remove the contact, or load the robot with base='free'"
            )
        if len(bodies) == 2 and bodies[0] == bodies[1]:
            raise InputError(f"contacts: '{names[0]}' and '{names[1]}' are fixed to each other; remove the contact")


def check_stops(model: Model, joints: Sequence[str]) -> list[int]:
    """Indices of the bodies on joints with stops; raise unless the joints exist, have one coordinate and differ."""
    at = [model.joint_index(name) for name in instances("stops", joints, str)]
    for i, name in zip(at, joints, strict=True):
        if model.bodies[i].joint.nq != 1 or model.bodies[i].joint.nv != 1:
            raise InputError(f"stops are only for joints with one coordinate, but '{name}' has more")
    if len(set(at)) < len(at):
        raise InputError(f"a joint is named more than once in stops: {', '.join(joints)}")
    return at
