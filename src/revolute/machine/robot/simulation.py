"""Methods of `Robot`: motions under given forces."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from numpy.typing import ArrayLike

from revolute.dynamics.steps import METHODS
from revolute.machine.declare import internal
from revolute.machine.functions.simulation import state_rate, step
from revolute.machine.robot.energy import Energy

if TYPE_CHECKING:
    from revolute.simulate import Simulation

__all__ = ["Simulations"]

_OPTIONS = ("damping", "wrenches")


class Simulations(Energy):
    """Motions under given forces."""

    _parts = (
        internal("state_rate", state_rate, "q qd tau -> dq/dt: nq; qdd: nv", options=_OPTIONS, inverts=True),
        *(
            internal(f"{name}_step", step(method), "q qd tau h[] -> q: nq; qd: nv", options=_OPTIONS, inverts=True)
            for name, method in METHODS.items()
        ),
    )

    def simulate(
        self,
        q0: ArrayLike,
        qd0: ArrayLike,
        torque: Any,
        t: ArrayLike,
        method: str = "runge_kutta_4",
        *,
        damping: bool = False,
        wrenches: Mapping[str, Any] | None = None,
        rtol: float = 1e-9,
        atol: float = 1e-11,
    ) -> Simulation:
        """The motion from a state under joint forces: forward dynamics, integrated. LP 9.5; BP 6.1.

        Without contacts and limits; simulate `with_drives` for Coulomb friction, springs, rotors and
        couplings.

        Args:
            q0: (..., nq) joint positions at t[0] [rad, m].
            qd0: (..., nv) joint velocities at t[0] [rad/s, m/s].
            torque: joint forces [N m, N]: None for none; (nv,) constant; (..., T, nv) a row
                for every instant, held until the next; or a function of (t, q, qd) that
                returns (..., nv).
            t: (T,) increasing times [s]. Methods of fixed step take one step from each time
                to the next; the adaptive ones as many as they need.
            method: "explicit_euler" (LP 9.5), "semi_implicit_euler" or "runge_kutta_4", whose
                steps are compiled and hold the forces at their start; or one of SciPy's:
                "RK45", "DOP853", "Radau", "BDF", "LSODA", which ask a function for forces at
                every stage.
            damping: apply the viscous friction of `robot.damping` too.
            wrenches: {link name: wrench (m, f) [N m, N]} that the environment applies, in the link's
                frame: each (6,), (..., T, 6) or a function of (t, q, qd), as `torque`.
            rtol, atol: tolerances of the adaptive methods.

        Returns:
            times, states, accelerations, forces and energies: a `revolute.simulate.Simulation`.

        Raises:
            InputError, ShapeError: arguments that do not fit.
            SimulationError: the torque function raises or does not return finite forces, or the
                motion diverges. It names the time and the joint, and its `partial` is the motion
                up to there.

        Example:
            >>> import numpy as np, revolute
            >>> pendulum = revolute.robots.planar(1)
            >>> motion = pendulum.simulate([0.0], [0.0], None, np.linspace(0, 1, 101))
            >>> bool(np.ptp(motion.energy) < 1e-6)
            True
        """
        from revolute.simulate import simulate

        return simulate(
            self, self, q0, qd0, torque, t, method, damping=damping, wrenches=wrenches, rtol=rtol, atol=atol
        )
