"""Events: found where closed forms say, by every method and machine; kept instants; Ctrl-C; the bar."""

import math
import os
import signal
import sys
from typing import Any

import numpy as np
import pytest
import scipy.special
import sympy
from comparing import assert_raises
from motions import assert_same, peak_memory, shown_bars, step_by_step
from robots import one_joint

import revolute
from revolute import Contact, Event, Inertia, InputError, Plane, Robot, SimulationError
from revolute.compiler import recurrence
from revolute.simulate import ADAPTIVE, FIXED

G = 9.81


def lift(lower: float = -math.inf, upper: float = math.inf) -> Robot:
    """A mass on a vertical slide: z = z0 + v0 t - G t^2 / 2, which every method of order 2 meets exactly."""
    return one_joint(revolute.Prismatic((0, 0, 1)), Inertia(m=2.0), limits=revolute.Limits(lower, upper))


def fall_time(height: float, speed: float = 0.0) -> float:
    return (speed + math.sqrt(speed**2 + 2 * G * height)) / G


INSTANTS = {method: np.linspace(0, 2, 2001) for method in FIXED} | {method: np.array([0.0, 2.0]) for method in ADAPTIVE}


@pytest.mark.parametrize("method", ["runge_kutta_4", *ADAPTIVE])
def test_a_falling_mass_reaches_the_floor(method: str) -> None:
    """Located to 1e-10 s; adaptive solvers go from 0 to 2 s in one span. The error of BDF's own steps is larger."""
    floor = Contact("body", point=(0.3, 0.1, -0.15), radius=0.1, surface=Plane(offset=-1.0))
    motion = lift().simulate([1.0], [2.0], None, INSTANTS[method], method, events=[floor])
    time = fall_time(1.75, 2.0)
    assert motion.event is not None and motion.event.event is floor and motion.event.name == "contact of 'body'"
    assert motion.event.t == motion.t[-1] == pytest.approx(time, abs=1e-8 if method == "BDF" else 1e-10)
    assert motion.q[-1, 0] == pytest.approx(-0.75, abs=1e-9) and motion.q[-1, 0] >= -0.75
    assert motion.qd[-1, 0] == pytest.approx(2.0 - G * time, abs=1e-6) and motion.qdd[-1, 0] == pytest.approx(-G)
    assert np.all(np.diff(motion.t) > 0) and np.ptp(motion.energy) < 1e-7


@pytest.mark.parametrize("method", ["runge_kutta_4", "DOP853"])
def test_limits_stop_on_request(method: str) -> None:
    robot, t = lift(-0.5, 0.3), INSTANTS[method]
    assert robot.simulate([0.0], [0.0], None, t, method).event is None
    down = robot.simulate([0.0], [0.0], None, t, method, stop_at_limits=True)
    assert down.event is not None and (down.event.name, down.event.event) == ("lower limit of 'j'", None)
    assert down.t[-1] == pytest.approx(fall_time(0.5), abs=1e-10) and -0.5 <= down.q[-1, 0] < -0.5 + 1e-9
    up = robot.simulate([0.0], [3.0], None, t, method, stop_at_limits=True)
    assert up.event is not None and up.event.name == "upper limit of 'j'"
    assert up.t[-1] == pytest.approx((3 - math.sqrt(9 - 2 * G * 0.3)) / G, abs=1e-10)
    assert "stopped by upper limit of 'j'" in repr(up) and up[:-1].event is None and up[1:].event is up.event


def test_a_pendulum_passes_its_lowest_point_after_a_quarter_of_its_period() -> None:
    """An elliptic integral: T = 4 K(sin^2(a / 2)) / w."""
    rod, amplitude, lowest = revolute.robots.planar(1), 2.0, -math.pi / 2
    w = math.sqrt(float(rod.gravity_forces([0.0])[0] / rod.mass_matrix([0.0])[0, 0]))
    quarter = scipy.special.ellipk(math.sin(amplitude / 2) ** 2) / w
    start = [lowest + amplitude], [0.0], None
    for direction, periods in ((0, 1), (-1, 1), (1, 3)):
        events = [Event(lambda t, q, qd: q[0] - lowest, "lowest", direction)]
        motion = rod.simulate(*start, [0.0, 10.0], "DOP853", rtol=1e-13, atol=1e-14, events=events)
        steps = rod.simulate(*start, np.linspace(0, 10, 20_001), events=events)
        assert motion.t[-1] == pytest.approx(periods * quarter, abs=1e-10) == steps.t[-1]


@pytest.mark.parametrize("method", FIXED)
def test_events_in_machine_code_have_the_bits_of_single_steps(method: str) -> None:
    robot, t, still = revolute.robots.planar(3), np.linspace(0, 3, 3001), np.zeros(3)
    events = [Contact("tip", surface=Plane((0, 2, 0), -0.3)), lambda t, q, qd: q[1] - 10.0]
    forces = np.random.default_rng(0).standard_normal((3001, 3))
    for every in (1, 7):
        options: dict[str, Any] = {"method": method, "events": events, "every": every}
        fast = robot.simulate(still, still, forces, t, **options)
        slow = step_by_step(lambda: robot.simulate(still, still, forces, t, **options))  # noqa: B023
        assert fast.event is not None and slow.event is not None and fast.event.name == slow.event.name
        assert_same(fast, slow, "t q qd qdd tau kinetic_energy potential_energy")
        whole = robot.simulate(still, still, forces, t, method)
        assert np.array_equal(fast.q[:-1], whole.q[::every][: len(fast) - 1])


def test_the_first_of_several_events_stops() -> None:
    events = [Contact("body", surface=Plane(offset=height)) for height in (-0.5, -0.4999, -0.3, -0.9)]
    for method in ("runge_kutta_4", "DOP853"):
        motion = lift().simulate([0.0], [0.0], None, INSTANTS[method], method, events=events)
        assert motion.event is not None and motion.event.event is events[2]
    coarse = lift().simulate([0.0], [0.0], None, [0.0, 0.5], events=events)  # all of them in one step
    assert coarse.event is not None and coarse.event.event is events[2]
    assert coarse.t[-1] == pytest.approx(fall_time(0.3), abs=1e-10)


def test_a_ball_bounces_by_motions_one_after_the_other() -> None:
    """Each starts where the one before ended, with its speed turned round: no event at once."""
    floor, robot, state, times = Contact("body"), lift(), ([0.5], [0.0]), []
    for _ in range(4):
        motion = robot.simulate(*state, None, np.linspace(0, 2, 2001), events=[floor])
        times.append(motion.t[-1])
        state = motion.q[-1], -0.8 * motion.qd[-1]
    assert np.allclose(times, fall_time(0.5) * np.array([1, 1.6, 1.28, 1.024]), atol=1e-9)


def test_a_motion_goes_on_after_a_section() -> None:
    """The state at an event of a user is beyond it."""
    rod, t = revolute.robots.planar(1), np.linspace(0, 20, 20_001)
    section = Event(lambda t, q, qd: q[0] + math.pi / 2)
    state, times = ([0.5], [0.0]), []
    for _ in range(3):
        motion = rod.simulate(*state, None, t, events=[section])
        state = motion.q[-1], motion.qd[-1]
        times.append(motion.t[-1])
    assert times[1:] == pytest.approx([2 * times[0]] * 2, abs=1e-8)


def test_a_first_state_on_or_beyond_a_bound() -> None:
    robot, t = lift(-0.5, 0.3), np.linspace(0, 1, 101)
    resting = robot.simulate([-0.5], [0.0], None, t, stop_at_limits=True)
    assert resting.t.tolist() == [0.0] and resting.event is not None and resting.event.t == 0.0
    leaving = robot.simulate([-0.5], [2.0], None, t, stop_at_limits=True)
    assert leaving.t[-1] == pytest.approx(4 / G, abs=1e-10)
    for q0, options, what in (
        (0.4, {"stop_at_limits": True}, r"upper limit of 'j', by 0\.1"),
        (-1.0, {"events": [Contact("body")]}, "contact of 'body', by 1"),
    ):
        assert_raises(InputError, f"q0 is beyond the {what}", robot.simulate, [q0], [0.0], None, t, **options)


def test_events_of_all_machines() -> None:
    t = np.linspace(0, 3, 3001)
    arm, still = revolute.robots.planar(2), np.zeros(2)
    floor = Contact("tip", surface=Plane((0, 1, 0), -1.2))
    geared = arm.with_drives({"joint1": revolute.Drive(armature=(0.3,))})
    springs, rest = arm.with_elastic_joints(300.0, rotor_inertia=0.1), (still, still, still, still, None, t)
    soft = springs.simulate(*rest, method="runge_kutta_4", events=[floor])
    for motion in (*(x.simulate(still, still, None, t, events=[floor]) for x in (arm, geared)), soft):
        height = arm.forward_kinematics(motion.q[-1], "tip")[1, 3]
        assert motion.event is not None and height == pytest.approx(-1.2, abs=1e-9)
    wound = springs.simulate(*rest, events=[lambda t, q, theta, qd, thetad: theta[0] - q[0] - 0.002])
    assert wound.theta is not None and wound.theta[-1, 0] - wound.q[-1, 0] == pytest.approx(0.002, abs=1e-9)
    pinned = revolute.robots.planar(3).with_closures(revolute.PointClosure("tip", at_b=(1.5, 0.5, 0.0)))
    q, _ = pinned.project(np.array([0.3, 1.0, -1.5]), np.zeros(3))
    swing = pinned.simulate(q, np.zeros(3), None, t[::100], "DOP853", events=[lambda t, q, qd: q[0] - 0.2])
    assert swing.event is not None and swing.q[-1, 0] == pytest.approx(0.2, abs=1e-10)
    k, x, dx = sympy.symbols("k x dx")
    spring = revolute.lagrange([x], dx**2 / 2, k * x**2 / 2)
    for method in ("runge_kutta_4", "DOP853"):
        half = spring.simulate([1.0], [0.0], None, INSTANTS[method], method, {"k": 4}, events=[lambda t, q, qd: q[0]])
        assert half.t[-1] == pytest.approx(math.pi / 4, abs=1e-10)
    assert_raises(InputError, "no links", spring.simulate, [1.0], [0.0], None, t, values={"k": 4}, events=[floor])


def test_options_that_are_none() -> None:
    robot, t = lift(), np.linspace(0, 1, 11)
    floor = Contact("body", surface=Plane(offset=-1))
    for options, words in (
        ({"events": [3]}, "events must be Event, Contact or functions, not 3"),
        ({"events": floor}, "must be a sequence"),
        ({"events": np.array([1, 2])}, "events must be Event, Contact or functions, not "),
        ({"every": 0}, "every must be a whole number"),
        ({"every": 2.0}, "every must be a whole number"),
        ({"stop_at_limits": 1}, "stop_at_limits must be"),
        ({"progress": "yes"}, "progress must be"),
    ):
        assert_raises(InputError, words, robot.simulate, [0.0], [0.0], None, t, **options)
    hand = [Contact("hand")]
    assert_raises(revolute.UnknownNameError, "hand", robot.simulate, [0.0], [0.0], None, t, events=hand)
    assert_raises(InputError, r"a batch \(3,\)", robot.simulate, np.zeros((3, 1)), [0.0], None, t, events=[floor])
    for wrong in ({"direction": 2}, {"function": 3}, {"name": 3}):
        assert_raises(InputError, "Event", Event, **{"function": math.sin, **wrong})


@pytest.mark.parametrize("method", ["runge_kutta_4", "DOP853"])
def test_an_event_function_that_fails_is_named(method: str) -> None:
    def bad(t: float, q: np.ndarray, qd: np.ndarray) -> float:
        if t > 0.5:
            raise ValueError("gone")
        return 1.0

    def write(t: float, q: np.ndarray, qd: np.ndarray) -> float:
        q[0] = 0.0
        return 1.0

    start = [0.0], [0.0], None, np.linspace(0, 1, 11), method
    with pytest.raises(SimulationError, match=r"event 'bad' at t=.* raised ValueError: gone") as caught:
        lift().simulate(*start, events=[bad])
    assert len(caught.value.partial.t) == 6
    nothing = Event(lambda t, q, qd: math.nan, "nothing")
    assert_raises(SimulationError, "event 'nothing' at t=0 s is nan", lift().simulate, *start, events=[nothing])
    assert_raises(SimulationError, r"event 'write' .*read-only", lift().simulate, *start, events=[write])


@pytest.mark.parametrize("method", ["semi_implicit_euler", "DOP853"])
def test_every_so_many_instants_are_kept(method: str) -> None:
    robot, t = revolute.robots.planar(2), np.cumsum(np.random.default_rng(0).uniform(0.5, 1.5, 41)) * 1e-2
    starts = np.linspace(-1, 1, 12).reshape(2, 3, 2)
    table = np.random.default_rng(1).standard_normal((41, 2))
    for start in (starts, starts[0, 0]):
        whole = robot.simulate(start, np.zeros(2), table, t, method)
        for every in (1, 2, 3, 10, 41, 1000):
            part = robot.simulate(start, np.zeros(2), table, t, method, every=every)
            assert_same(part, whole[::every], "t q qd qdd tau kinetic_energy")


def test_pieces_of_a_long_loop_are_one_motion(monkeypatch: pytest.MonkeyPatch) -> None:
    robot, t = revolute.robots.planar(3), np.arange(5001) * 1e-3
    start = np.linspace(-1, 1, 12).reshape(4, 3), np.zeros(3)
    whole = robot.simulate(*start, [3.0, 1.0, 0.1], t, "semi_implicit_euler")
    monkeypatch.setattr("revolute.simulate.loop.SECONDS", 1e-9)
    for every in (1, 4):
        pieces = robot.simulate(*start, [3.0, 1.0, 0.1], t[:300], "semi_implicit_euler", every=every)
        assert_same(pieces, whole[:300:every], "q qd qdd tau kinetic_energy potential_energy")


def test_left_out_instants_take_no_memory() -> None:
    """2 million instants of 6 joints are 400 MB; the piece and what is kept are 6 MB."""
    robot, t = revolute.robots.ur5(), np.arange(200_001) * 1e-5
    start = np.zeros(6), np.zeros(6), None
    robot.simulate(*start, t[:3], "semi_implicit_euler", every=2)
    motion, peak = peak_memory(lambda: robot.simulate(*start, t, "semi_implicit_euler", every=2000))
    assert len(motion) == 101 and peak < 15e6


def test_a_motion_that_diverges_between_kept_instants() -> None:
    arm, t = revolute.robots.planar(2), np.arange(1001) * 0.05
    law = revolute.StateFeedback([0.0, 0.0], [-1000.0, -1000.0])
    with pytest.raises(SimulationError, match="diverges at t=") as caught:
        arm.simulate([0.0, 0.0], [0.1, 0.0], law, t, "explicit_euler", every=7)
    motion = caught.value.partial
    assert np.isfinite(motion.q).all() and np.array_equal(motion.t, t[::7][: len(motion)]) and len(motion) > 0


@pytest.mark.parametrize("torque", ["none", "function"])
def test_ctrl_c_gives_back_what_is_done(torque: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Here the signal's default handler is set: shells start background processes without it."""
    robot, t, calls = revolute.robots.planar(2), np.arange(10_001) * 1e-4, 0
    run_piece = recurrence.TimeLoop.run

    def interrupt() -> None:
        nonlocal calls
        calls += 1
        if calls == 30:
            os.kill(os.getpid(), signal.SIGINT)

    def run(*arguments: Any) -> int:
        interrupt()
        return run_piece(*arguments)

    def zero(t: float, q: np.ndarray, qd: np.ndarray) -> np.ndarray:
        interrupt()
        return np.zeros(2)

    monkeypatch.setattr("revolute.simulate.loop.SECONDS", 1e-6)
    monkeypatch.setattr(recurrence.TimeLoop, "run", run)
    handler = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        with pytest.raises(revolute.SimulationInterrupt, match="interrupted after t=") as caught:
            robot.simulate([0.3, 0.0], [0.0, 0.0], None if torque == "none" else zero, t, every=2)
    finally:
        signal.signal(signal.SIGINT, handler)
    motion = caught.value.partial
    whole = robot.simulate([0.3, 0.0], [0.0, 0.0], None, t, every=2)
    assert 10 < len(motion) < 5001  # type: ignore[arg-type]
    assert np.array_equal(motion.q, whole.q[: len(motion)])  # type: ignore[attr-defined, arg-type]


def test_a_bar_on_terminals_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    def shown(progress: bool | None, terminal: bool = True) -> str:
        stream = shown_bars(monkeypatch, terminal)
        lift().simulate([0.0], [0.0], lambda t, q, qd: [0.0], np.linspace(0, 2, 5), progress=progress)
        return stream.getvalue()

    monkeypatch.delenv("REVOLUTE_PROGRESS", raising=False)
    text = shown(True)
    assert "simulating 'one' [######                  ]  25%, t=0.5 of 2 s" in text and text.endswith(" \r")
    assert shown(None) == shown(True, terminal=False) == ""
    monkeypatch.setattr(sys, "ps1", ">>> ", raising=False)
    assert "50%" in shown(None) and shown(False) == ""
    monkeypatch.setenv("REVOLUTE_PROGRESS", "0")
    assert shown(True) == ""
