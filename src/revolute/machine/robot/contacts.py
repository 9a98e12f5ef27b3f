"""Methods of `Robot`: impacts, forces and time steps with contacts and joint stops."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from types import MappingProxyType
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from revolute.arguments import instance, instances, wrenches_by_link
from revolute.compiler.batch import plain_array
from revolute.compiler.kernel import type_for
from revolute.compiler.patterns import Pattern
from revolute.dynamics import contact_steps as recursions
from revolute.machine.declare import has_kernel, internal
from revolute.machine.function import Arrays, Function, WithDrives
from revolute.machine.functions import contacts as functions
from revolute.machine.machine import Array, LinkWrenches, Threads
from revolute.machine.touched import Stops, Touched
from revolute.model.contact import Contact, check_contacts, contact_arrays, contacts_of
from revolute.model.contact_inputs import ContactInputs

_NUMBERS = float, int, np.floating
_NOTHING: tuple[Any, Any, Any] = None, None, None


class Impact(NamedTuple):
    """Velocities (..., nv) after an impact; impulses on links (..., contacts, 3) in the base frame [N s], and of stops
    (..., stops) [N m s, N s]; residual (...), their relative change in the last iteration, at most 1e-12 if solved."""

    qd: Array
    impulses: Array
    stop_impulses: Array
    residual: Array


class ContactForces(NamedTuple):
    """Accelerations (..., nv); forces on links (..., contacts, 3) [N] and of stops [N m, N]; residual: see `Impact`."""

    qdd: Array
    forces: Array
    stop_forces: Array
    residual: Array


class ContactStep(NamedTuple):
    """The state (..., nq), (..., nv) after a step; impulses of contacts and stops, and residual: see `Impact`."""

    q: Array
    qd: Array
    impulses: Array
    stop_impulses: Array
    residual: Array


def _of_one_type(arrays: Sequence[ArrayLike]) -> Sequence[ArrayLike]:
    """The arguments, with numbers converted to float32 if all arrays are float32."""
    if type_for(arrays[:1]) is np.float64:
        return arrays
    dtype = type_for([x for x in arrays if not isinstance(x, _NUMBERS)])
    return [np.array(x, dtype) if isinstance(x, _NUMBERS) else x for x in arrays]


def _on_all(recursion: Callable[..., Any], smooth: bool = True, options: tuple[str, ...] = ()) -> dict[str, Any]:
    """Declarations of a recursion of linkages for all machines, with drives and without."""
    found = functions.of_machines(recursion)
    driven = WithDrives(found, smooth=smooth, options=options)
    return {"recursion": found, "driven": driven, "inverts": True, "smooth": smooth}


def touching_step(optional: Mapping[str, Arrays] = MappingProxyType({})) -> Function:
    """The declaration of a step of a motion with contacts, with optional arrays."""
    return internal(
        "touching_step", arrays=functions.of_motions(), **_on_all(functions.touching_step, options=("sticking",)),
        options=("contacts", "stops", "bounces", "damping", "sticking", "wrenches", "parameters", *optional),
        optional=optional, check=functions.check_motion,
    )


class Contacts(Touched):
    """Impacts, forces and time steps with contacts and joint stops."""

    _parts: ClassVar[tuple[Function, ...]] = (
        internal(
            "contact_gaps", functions.contact_gaps, functions.of_gaps, options=("contacts",),
            needed=frozenset({"contacts"}), check=functions.check, of_links=True,
        ),
        touching_step(),
    )

    def contacts(self, *links: str, **law: Any) -> tuple[Contact, ...]:
        """Contacts at the collision shapes of links.

        A sphere becomes one contact, a box one at each corner, a capsule one at each end, a cylinder eight points at
        each end. Meshes, ellipsoids and planes are not supported.

        Args:
            links: names of links.
            law: friction and other attributes of `Contact`, the same for all.

        Raises:
            InputError: a link has no collision shape, or one that is not supported.

        Example:
            >>> from revolute import Inertia, Link, Robot, Shape
            >>> cube, inertia = Shape("box", (2, 2, 2)), Inertia.box(1.0, (2, 2, 2))
            >>> link = Link("box", inertia, collisions=(cube,))
            >>> box = Robot.from_links("box", [link], [], base="free")
            >>> corners = box.contacts("box", friction=0.5)
            >>> len(corners), corners[-1].point
            (8, (1.0, 1.0, 1.0))
        """
        names = instances("contacts: links", links, str)
        return tuple(x for link in names for x in contacts_of(self._open_tree, link, law))

    @has_kernel(
        arrays=functions.arrays("q qd within[]", "qd: nv", "impulse"), options=("contacts", "stops"),
        check=functions.check, **_on_all(recursions.impact, smooth=False),
    )
    def impact(
        self, q: ArrayLike, qd: ArrayLike, contacts: Sequence[Contact], *, stops: Stops = False,
        within: ArrayLike = 1e-4, out: tuple[Array, ...] | None = None, threads: Threads = None,
    ) -> Impact:
        """Velocities after an impact of contacts and joint stops, and impulses. Moreau 1988.

            M (qd+ - qd) = J^T p,    p = (1 + e) p_plastic

        p_plastic stops the normal velocities of approaching contacts, with Coulomb friction: see
        `revolute.dynamics.cones`. e is the restitution. Kinetic energy never increases: if different restitutions would
        increase it, all are reduced by one factor. Contacts and stops are treated as rigid.

        Args:
            contacts: contacts of links. Those within the distance `within` of their surface take part.
            stops: True for stops at the limits of all joints with one coordinate; or names of joints; or {name of a
                joint: `Limits`}, whose ends, restitution, compliance and damping, where given, replace the joint's.
                Stops within the distance `within` of the position take part.
            within: (...) maximum distance of contacts and stops that take part [m, rad].
            out: arrays for qd, impulses, stop_impulses (only with stops) and residual.

        Raises:
            InputError: no contact is given, or its link is fixed to the base; a stop's joint has several coordinates.
            UnknownNameError: a link or joint does not exist.

        Example:
            >>> from revolute import Contact, Inertia, Link, Robot
            >>> body = Link("ball", Inertia.sphere(2.0, 0.1))
            >>> ball = Robot.from_links("ball", [body], [], base="free")
            >>> contact = Contact("ball", radius=0.1, friction=0.0, restitution=0.5)
            >>> state = [0, 0, 0.1, 0, 0, 0, 1], [0, 0, 0, 1, 0, -4]
            >>> hit = ball.impact(*state, [contact])
            >>> hit.qd.round(9) + 0.0
            array([0., 0., 0., 1., 0., 2.])
            >>> hit.impulses.round(9) + 0.0
            array([[ 0.,  0., 12.]])
        """
        return Impact(*self._touched("impact", (q, qd, within), contacts, stops, out, threads))

    @has_kernel(
        arrays=functions.arrays("q qd tau within[]", "qdd: nv", "force"), options=("contacts", "stops", "wrenches"),
        check=functions.check, **_on_all(recursions.contact_forces),
    )
    def contact_forces(
        self, q: ArrayLike, qd: ArrayLike, tau: ArrayLike, contacts: Sequence[Contact], *, stops: Stops = False,
        within: ArrayLike = 1e-4, wrenches: LinkWrenches = None, out: tuple[Array, ...] | None = None,
        threads: Threads = None,
    ) -> ContactForces:
        """Accelerations under joint forces and contacts, and the forces of contacts and joint stops. Moreau 1988.

        Contacts and stops act if they are within the distance `within` and do not separate. Speeds up to 1e-6 m/s count
        as zero. A faster contact slides, and friction opposes its velocity. For contacts that approach, see `impact`.

        Args:
            contacts, stops, within: as in `impact`.
            wrenches: {link name: (..., 6)} from the environment: see `inverse_dynamics`.
            out: arrays for the results, as in `impact`.

        Example:
            >>> arm = revolute.robots.planar(1)  # a rod of 1 kg and 1 m, with gravity along -y
            >>> tip = revolute.Contact("tip", surface=revolute.Plane(normal=(0, 1, 0)))
            >>> arm.contact_forces([0.0], [0.0], [0.0], [tip]).forces.round(3) + 0.0
            array([[0.   , 4.905, 0.   ]])
        """
        found = self._touched("contact_forces", (q, qd, tau, within), contacts, stops, out, threads, wrenches)
        return ContactForces(*found)

    @has_kernel(
        arrays=functions.arrays("q qd tau h[]", "q: nq; qd: nv", "impulse"),
        options=("contacts", "stops", "bounces", "wrenches"), check=functions.check,
        **_on_all(recursions.contact_step),
    )
    def contact_step(
        self, q: ArrayLike, qd: ArrayLike, tau: ArrayLike, h: ArrayLike, contacts: Sequence[Contact], *,
        stops: Stops = False, bounces: bool | None = None, wrenches: LinkWrenches = None,
        out: tuple[Array, ...] | None = None, threads: Threads = None,
    ) -> ContactStep:
        """A time step with contacts and joint stops: semi-implicit Euler, impulses at velocity level. Moreau 1988.

            M (qd+ - qd) = h (tau - bias) + J^T p
            0 <= p_n,  0 <= u_n + gap / h,  p_n (u_n + gap / h) = 0

        with Coulomb's friction, along the axes at the start of the step: a free base's v changes by h (dv/dt + w x v),
        and `qd` is then expressed along the axes at its end. Impulses of rigid contacts without restitution do no
        positive work. Positions inside a surface or beyond a limit are moved back, without adding velocity. Forces of
        compliant contacts and stops follow from the penetration at the end of the step.

        Args:
            h: (...) length of the step [s].
            contacts, stops: as in `impact`; all contacts and stops that the step reaches act.
            bounces: whether rigid contacts and stops that strike rebound by the law of `impact`. None: they do if a
                restitution is not zero.
            wrenches: {link name: (..., 6)} from the environment: see `inverse_dynamics`.
            out: arrays for the results, as in `impact`.

        Example:
            >>> arm = revolute.robots.planar(1)
            >>> floor = revolute.Plane(normal=(0, 1, 0), offset=-0.5)
            >>> contact, q, qd = revolute.Contact("tip", surface=floor), [0.0], [0.0]
            >>> for _ in range(1000):
            ...     q, qd, *_ = arm.contact_step(q, qd, [0.0], 1e-3, [contact])
            >>> q.round(6), qd.round(6) + 0.0  # the tip rests at y = -0.5
            (array([-0.523599]), array([0.]))
        """
        found = self._touched("contact_step", (q, qd, tau, h), contacts, stops, out, threads, wrenches, bounces)
        return ContactStep(*found)

    @has_kernel(
        arrays=functions.arrays("q qd tau h[] dq dqd dtau[nv]", "dq: nq; dqd: nv", "impulse"),
        options=("contacts", "stops", "bounces", "wrenches"), check=functions.check,
        **_on_all(functions.contact_step_differential, options=("contacts", "stops", "bounces", "wrenches")),
    )
    def contact_step_differential(
        self, q: ArrayLike, qd: ArrayLike, tau: ArrayLike, h: ArrayLike, dq: ArrayLike, dqd: ArrayLike,
        dtau: ArrayLike, contacts: Sequence[Contact], *, stops: Stops = False, bounces: bool | None = None,
        wrenches: LinkWrenches = None, out: tuple[Array, ...] | None = None, threads: Threads = None,
    ) -> ContactStep:
        """The changes of `contact_step`'s results for small changes of q, qd and tau, with the same active set.

        The derivative exists if, for small changes, each contact stays open, sticking or sliding, and on its side of
        its surface. It does not exist at a gap of 0, at the border of a friction cone, or if the residual is large. If
        more points touch than the robot has degrees of freedom, impulses have no derivative, and the result is not
        finite.

        Args:
            h: (...) length of the step [s].
            dq: (..., nv) change of positions along joint velocities: see `inverse_dynamics_partials`.
            dqd, dtau: (..., nv) changes of the components of qd and tau.
            contacts, stops, bounces, wrenches: as in `contact_step`.
            out: arrays for the results, as in `impact`.

        Returns:
            changes of q (..., nq), qd (..., nv) and impulses; and the residual of the step.

        Example:
            >>> arm, still = revolute.robots.planar(1), [0.0]
            >>> floor = revolute.Plane(normal=(0, 1, 0), offset=-0.01)
            >>> step = still, still, still, 1e-3  # the tip is above the floor
            >>> changes = [0.0], [0.0], [1.0]
            >>> tip = revolute.Contact("tip", surface=floor)
            >>> arm.contact_step_differential(*step, *changes, [tip]).qd.round(6)
            array([0.003])
        """
        arrays = q, qd, tau, h, dq, dqd, dtau
        name = "contact_step_differential"
        return ContactStep(*self._touched(name, arrays, contacts, stops, out, threads, wrenches, bounces))

    def _touched(
        self, name: str, arrays: tuple[ArrayLike, ...], contacts: Sequence[Contact], stops: Stops, out: Any,
        threads: Threads, wrenches: LinkWrenches = None, bounces: bool | None = False,
    ) -> Any:
        """Call the kernel of a function of contacts and stops; fast if contacts are those of the previous call."""
        instance(f"{name}: bounces", bounces, (bool, type(None)))
        plain, (links, loads) = wrenches is None and isinstance(stops, bool), wrenches_by_link(wrenches)
        known, touching, call = self._latest.get((name, stops, bounces), _NOTHING) if plain else _NOTHING
        if type(contacts) is not type(known) or contacts != known:
            touching = self._touching(name, contacts, stops, bounces)
            check_contacts(self._open_tree, touching.options.get("contacts", ()))
            call = self._prepared(name, arrays, touching, links)
            if plain and isinstance(contacts, (list, tuple)):
                self._latest[name, stops, bounces] = contacts[:], touching, call
        found = call(*arrays, *loads, out=out, threads=threads)
        if touching.stops:
            return found
        *before, residual = found
        return *before, before[-1][..., :0, 0], residual

    @cached_property
    def _latest(self) -> dict[Any, tuple[Any, Any, Any]]:
        """For each function: the contacts of its last call, and the call of its kernel with their parameters."""
        return {}

    def _prepared(
        self, name: str, arrays: tuple[ArrayLike, ...], touching: ContactInputs, links: Sequence[str]
    ) -> Callable[..., Any]:
        """A function that calls a kernel with arrays of these types; parameters of contacts and stops are constants."""
        function, n, own = self._function(name), len(arrays), tuple(touching.arrays.values())
        chosen = {**touching.options, **({"wrenches": links} if links else {})}

        def any_arrays(*given: Any, out: Any = None, threads: Threads = None) -> Any:
            plain = [plain_array(x) for x in _of_one_type(given)]
            changed = any([x is not y for x, y in zip(plain, given, strict=True)])
            if changed and all([type(x) is np.ndarray for x in plain]):
                return call(*plain, out=out, threads=threads)
            constants = dict(enumerate(own, n))
            return self._run(function, (*given[:n], *own, *given[n:]), out, threads, chosen, constants)

        kernel = self._kernel(function, type_for(_of_one_type(arrays)), chosen)
        codes = *range(n), *range(n + len(own), n + len(own) + len(links))
        template = *(None,) * n, *(x.astype(kernel.dtype) for x in own), *(None,) * len(links)
        call = kernel.fast_call(any_arrays, Pattern((), codes, (), (), template, (None,) * len(codes)))
        return call

    def _gaps(self, q: ArrayLike, contacts: Sequence[Contact]) -> Array:
        """Distances (..., contacts) of contacts from their surfaces, negative inside."""
        links, numbers = contact_arrays(tuple(contacts))
        gaps: Array = self.kernel("contact_gaps", contacts=links)(q, numbers)
        return gaps
