"""Robots in coordinates x = h(q): Euler angles, quaternions, functions of the user. LP 9.90-9.99; BP section 7.4.

Independent code: poses of links by complex steps (`physics`), E of the angles by elementary rotations, NumPy's
algebra. Rates of the reference Jacobian come from central differences of sixth order: with steps of 2e-3 they are good
to 1e-11 of its size in states that are not near singular ones.
"""

import pickle
from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
import pytest
from comparing import assert_close, assert_raises
from physics import EULER_SEQUENCES, axes_of, by_positions, coordinate_rates, frame_jacobian, poses
from robots import one_joint, random_states

import revolute
from revolute import DtypeError, InputError, ModelError, Robot, ShapeError, SingularityError, UnknownNameError
from revolute.dynamics.center_of_mass import center_of_mass
from revolute.dynamics.kinematics import frame_pose
from revolute.machine.operational import OperationalSpace
from revolute.spatial.scalar import atan2, cos, sqrt

ORIENTATIONS = ["ZYX", "ZYZ", "quaternion", *(pytest.param(x, marks=pytest.mark.slow) for x in ("XZY", "YXY"))]


def sphere(model: Any, q: Any) -> list[Any]:
    """Distance, azimuth and height of the tool, and the height of the centre of mass."""
    x, y, z = frame_pose(model, q, "tool0").p
    return [sqrt(x * x + y * y + z * z), atan2(y, x), z, center_of_mass(model, q)[0][2]]


def smooth(model: Any, q: Any) -> tuple[Any, ...]:
    """Without functions that complex numbers do not have."""
    a, b = (frame_pose(model, q, name).p for name in ("tool0", "forearm_link"))
    return (a[0] * b[1], sum((x - y) * (x - y) for x, y in zip(a, b, strict=True)), cos(q[0] + q[5]), q[2], 2 * q[3])


@cache
def ur5() -> Robot:
    return revolute.robots.ur5()


@cache
def space(orientation: str) -> OperationalSpace:
    return ur5().operational_space("tool0", orientation)


@cache
def user() -> OperationalSpace:
    return ur5().operational_space(sphere)


@cache
def states(n: int = 4, seed: int = 1) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Of a UR5, far from all singular states of its wrist, elbow and angles."""
    q, qd, qdd = random_states(ur5(), 400, seed)
    q = np.random.default_rng([seed, 9]).uniform(-2.5, 2.5, q.shape)
    keep = np.ones(len(q), dtype=bool)
    for orientation in ("ZYX", "XZY", "ZYZ", "YXY"):
        keep &= np.linalg.cond(space(orientation).jacobian(q)) < 25
    assert keep.sum() >= n
    return q[keep][:n], qd[keep][:n], qdd[keep][:n]


def rate(f: Callable[[np.ndarray], np.ndarray], q: np.ndarray, qd: np.ndarray, h: float = 2e-3) -> np.ndarray:
    """df/dt along q + t qd, by central differences of sixth order."""
    return sum(w * (f(q + k * h * qd) - f(q - k * h * qd)) for k, w in ((1, 45), (2, -9), (3, 1))) / (60 * h)


def analytic(robot: Robot, q: np.ndarray, frame: str, orientation: str, x: np.ndarray) -> np.ndarray:
    """J_a from the geometric Jacobian of `physics` and the coordinates."""
    J = frame_jacobian(robot, q, frame)
    R = poses(robot, q)[robot.link_names.index(frame)][:3, :3].real
    w, v = R @ J[:3], R @ J[3:]
    if orientation == "quaternion":
        a, b, c, s = x[:4]
        return np.concatenate([(np.array([[s, c, -b], [-c, s, a], [b, -a, s], [-a, -b, -c]]) / 2) @ w, v])
    return np.concatenate([np.linalg.solve(axes_of(orientation, x[:3]), w), v])


@pytest.mark.parametrize("orientation", [*EULER_SEQUENCES, "quaternion"])
def test_the_analytic_jacobian_is_the_geometric_one_by_rates_of_angles(orientation: str) -> None:
    q, _, _ = states(2)
    made = ur5().operational_space("tool0", orientation)
    for k, x in enumerate(made.coordinates(q)):
        assert_close(made.jacobian(q)[k], analytic(ur5(), q[k], "tool0", orientation, x), 1e-11)


@pytest.mark.parametrize("orientation", ORIENTATIONS)
def test_jacobians_are_rates_of_coordinates(orientation: str) -> None:
    q, qd, _ = states()
    made = space(orientation)
    J, Jd = made.jacobian(q), made.jacobian_rate(q, qd)
    assert_close((J @ qd[..., None])[..., 0], rate(made.coordinates, q, qd), 1e-9)
    assert_close(Jd, rate(made.jacobian, q, qd), 1e-9)


def test_jacobians_of_the_users_function_are_exact() -> None:
    """By complex steps through the user's own function."""
    q, qd, _ = states()
    made = ur5().operational_space(smooth)
    for k, x in enumerate(q):
        assert_close(made.jacobian(x), by_positions(lambda y: np.array(smooth(ur5(), list(y))), ur5(), x), 1e-13)
        np.testing.assert_allclose(made.coordinates(x), np.array(smooth(ur5(), list(x)), dtype=float), rtol=1e-13)
        assert_close(made.jacobian_rate(x, qd[k]), rate(made.jacobian, x, qd[k]), 1e-9)
    assert_close(user().jacobian_rate(q, qd), rate(user().jacobian, q, qd), 1e-9)


def test_a_function_of_a_floating_robot_is_differentiated_along_its_twist() -> None:
    robot = revolute.robots.random_tree(3, rng=4, base="free")

    def h(model: Any, q: Any) -> list[Any]:
        pose = frame_pose(model, q, model.link_names[-1])
        return [*pose.p, pose.R.matrix()[0][1]]

    made = robot.operational_space(h)
    q, qd, _ = random_states(robot, 3, 4)
    for k, x in enumerate(q):
        assert_close(made.jacobian(x), by_positions(lambda y: np.array(h(robot, list(y))), robot, x), 1e-12)
        step = 1e-3
        ends = [made.jacobian(robot.integrate(x, s * step * qd[k])) for s in (1, -1, 2, -2)]
        expected = (8 * (ends[0] - ends[1]) - (ends[2] - ends[3])) / (12 * step)
        assert_close(made.jacobian_rate(x, qd[k]), expected, 1e-8)  # fourth order, h^4 = 1e-12 times fifth derivatives


@pytest.mark.parametrize("orientation", [*ORIENTATIONS, "user"])
def test_inertia_and_forces_are_those_of_the_definition(orientation: str) -> None:
    """Lambda = (J M^-1 J^T)^+, p = Lambda J M^-1 g, eta = Lambda (J M^-1 b - Jd qd), by NumPy."""
    made = user() if orientation == "user" else space(orientation)
    q, qd, _ = states()
    M, J, Jd = ur5().mass_matrix(q), made.jacobian(q), made.jacobian_rate(q, qd)
    Minv = np.linalg.inv(M)
    inertia = np.linalg.pinv(J @ Minv @ J.mT, rcond=1e-12)
    eta = (inertia @ (J @ Minv @ ur5().bias_forces(q, qd)[..., None] - Jd @ qd[..., None]))[..., 0]
    p = (inertia @ J @ Minv @ ur5().gravity_forces(q)[..., None])[..., 0]
    found = made.dynamics(q, qd)
    for mine, expected in (
        (found.inertia, inertia),
        (made.mass_matrix(q), inertia),
        (found.bias, eta),
        (made.bias_forces(q, qd), eta),
        (found.gravity, p),
        (made.gravity_forces(q), p),
        (found.coriolis, eta - p),
        (made.dynamically_consistent_inverse(q), Minv @ J.mT @ inertia),
    ):
        assert_close(mine, expected, 1e-9)  # rounding times the condition of Lambda, below 1e6
    np.testing.assert_array_equal(found.inertia, found.inertia.mT) if orientation != "quaternion" else None
    assert not found.singular.any() and not found.external.any()


@pytest.mark.parametrize("orientation", ORIENTATIONS)
def test_six_joints_obey_the_printed_equations(orientation: str) -> None:
    """BP 7.4.4: D_chi = J^-T D J^-1, C_chi = J^-T (C - D J^-1 Jd qd), G_chi = J^-T G; and T = xd^T D_chi xd / 2."""
    made = space(orientation)
    q, qd, _ = states()
    J, Jd, M = made.jacobian(q), made.jacobian_rate(q, qd), ur5().mass_matrix(q)
    Jinv = np.linalg.pinv(J)
    D, C, G, singular = made.equations_of_motion(q, qd)
    xd = (J @ qd[..., None])[..., 0]
    coriolis = ur5().bias_forces(q, qd) - ur5().gravity_forces(q)
    by_book = Jinv.mT @ (coriolis[..., None] - M @ Jinv @ Jd @ qd[..., None])
    assert_close(D, Jinv.mT @ M @ Jinv, 1e-9)
    assert_close((C @ xd[..., None])[..., 0], by_book[..., 0], 1e-9)
    assert_close(G, (Jinv.mT @ ur5().gravity_forces(q)[..., None])[..., 0], 1e-9)
    np.testing.assert_allclose(np.einsum("ki,kij,kj->k", xd, D, xd) / 2, ur5().kinetic_energy(q, qd), rtol=1e-10)
    assert not singular.any()


@pytest.mark.parametrize("orientation", [*ORIENTATIONS, "user"])
def test_the_rate_of_the_inertia_less_twice_the_coriolis_matrix_is_skew(orientation: str) -> None:
    """For redundant coordinates too."""
    made = user() if orientation == "user" else space(orientation)
    q, qd, _ = states()
    S = rate(made.mass_matrix, q, qd, 1e-3) - 2 * made.equations_of_motion(q, qd).C
    assert_close(S + S.mT, 0 * S, 1e-8, scale=np.abs(S).max())  # differences: rounding / h


@pytest.mark.parametrize("orientation", [*ORIENTATIONS, "user"])
def test_forces_of_coordinates_are_inverse_dynamics(orientation: str) -> None:
    """tau = J^T F accelerates x by xdd; six coordinates leave no other motion."""
    made = user() if orientation == "user" else space(orientation)
    q, qd, qdd = states()
    J, Jd = made.jacobian(q), made.jacobian_rate(q, qd)
    wrenches = {"tool0": np.array([1.0, 2, 3, -10, 20, 5]), "forearm_link": np.arange(24.0).reshape(4, 6)}
    xdd = (J @ qdd[..., None] + Jd @ qd[..., None])[..., 0]
    found = made.inverse_dynamics(q, qd, xdd, wrenches=wrenches)
    assert_close((J.mT @ found.wrench[..., None])[..., 0], found.tau, 1e-10)
    motion = made.dynamics(q, qd, wrenches=wrenches)
    assert_close((motion.inertia @ xdd[..., None])[..., 0] + motion.bias, found.wrench, 1e-9)
    assert_close(made.bias_forces(q, qd, wrenches=wrenches), motion.bias, 1e-9)
    if orientation == "user":
        reached = ur5().forward_dynamics(q, qd, found.tau, wrenches=wrenches)
        assert_close((J @ reached[..., None] + Jd @ qd[..., None])[..., 0], xdd, 1e-9, scale=np.abs(reached).max())
    else:
        assert_close(found.tau, ur5().inverse_dynamics(q, qd, qdd, wrenches=wrenches), 1e-9)


@pytest.mark.parametrize(
    "sequence", [pytest.param(x, marks=() if x in ORIENTATIONS else pytest.mark.slow) for x in EULER_SEQUENCES]
)
def test_a_free_body_has_the_equations_of_its_chain(sequence: str) -> None:
    """A free joint in coordinates x is a chain of three slides and three turns: LP 9.3 in the same coordinates."""
    box = revolute.Inertia.from_com(2.0, (0.1, -0.2, 0.3), np.diag([0.3, 0.4, 0.5]))
    free, chain = (one_joint(kind, box) for kind in (revolute.Free(), revolute.FreeEuler(sequence)))
    order = [3, 4, 5, 0, 1, 2]  # of the chain: position first
    x, xd, xdd = np.random.default_rng(11).uniform(0.3, 1.2, (3, 5, 6))
    made = free.operational_space("body", sequence)
    T = chain.forward_kinematics(x[:, order], "body")
    q = np.concatenate([T[:, :3, 3], quaternion_of(T[:, :3, :3])], axis=1)
    assert_close(made.coordinates(q), x, 1e-13)
    qd = np.linalg.solve(made.jacobian(q), xd[..., None])[..., 0]
    D, C, G, _ = made.equations_of_motion(q, qd)
    assert_close(D, chain.mass_matrix(x[:, order])[np.ix_(range(5), order, order)], 1e-12)
    assert_close(G, chain.gravity_forces(x[:, order])[:, order], 1e-12)
    theirs = chain.inverse_dynamics(x[:, order], xd[:, order], xdd[:, order])[:, order]
    assert_close(made.inverse_dynamics(q, qd, xdd).wrench, theirs, 1e-11)
    assert_close((D @ xdd[..., None] + C @ xd[..., None])[..., 0] + G, theirs, 1e-11)


def quaternion_of(R: np.ndarray) -> np.ndarray:
    """(x, y, z, w) of rotations by less than half a turn."""
    w = np.sqrt(1 + np.trace(R, axis1=-2, axis2=-1)) / 2
    v = np.stack([R[:, 2, 1] - R[:, 1, 2], R[:, 0, 2] - R[:, 2, 0], R[:, 1, 0] - R[:, 0, 1]], -1) / (4 * w[:, None])
    return np.concatenate([v, w[:, None]], axis=1)


@pytest.mark.parametrize(("orientation", "loaded"), [("ZYX", False), ("ZYZ", True), ("quaternion", True)])
def test_linear_models_are_differentials(orientation: str, loaded: bool) -> None:
    """dtau = D dxdd + V dxd + P dx along random directions of the state; x and rates by differences of sixth order."""
    made = space(orientation)
    q, qd, qdd = states(3)
    wrenches = {"tool0": np.array([1.0, 2, 3, -10, 20, 5])} if loaded else None
    D, V, P, singular = made.linearize(q, qd, qdd, wrenches=wrenches)
    assert not singular.any()
    directions = np.random.default_rng(7).standard_normal((3, *q.shape))
    state = np.stack([q, qd, qdd])

    def motion(s: np.ndarray) -> np.ndarray:
        J, Jd = made.jacobian(s[0]), made.jacobian_rate(s[0], s[1])
        xd = (J @ s[1][..., None])[..., 0]
        return np.stack([made.coordinates(s[0]), xd, (J @ s[2][..., None] + Jd @ s[1][..., None])[..., 0]])

    dx, dxd, dxdd = rate(motion, state, directions, 2e-3)
    dtau = rate(lambda s: ur5().inverse_dynamics(*s, wrenches=wrenches), state, directions, 2e-3)
    found = sum((A @ d[..., None])[..., 0] for A, d in ((D, dxdd), (V, dxd), (P, dx)))
    terms = max(np.abs(A @ d[..., None]).max() for A, d in ((D, dxdd), (V, dxd), (P, dx)))
    assert_close(found, dtau, 1e-9, scale=terms)


def test_the_users_coordinates_have_linear_models() -> None:
    """x = A q has D = M A^-1, V = V_q A^-1, P = P_q A^-1."""
    A = np.random.default_rng(2).standard_normal((6, 6)) + 3 * np.eye(6)
    made = ur5().operational_space(lambda model, q: [sum(a * x for a, x in zip(row, q, strict=True)) for row in A])
    motion = states(2)
    for mine, theirs in zip(made.linearize(*motion)[:3], ur5().inverse_dynamics_partials(*motion)[::-1], strict=True):
        assert_close(mine, theirs @ np.linalg.inv(A), 1e-11)


@pytest.mark.parametrize("sequence", ["ZYX", "ZXZ"])
def test_singular_angles_are_errors_that_say_what_and_where(sequence: str) -> None:
    robot = revolute.robots.random_tree(0, rng=0, base="free")
    frame = robot.link_names[0]
    made, n = robot.operational_space(frame, sequence), robot.nv
    middle = 0.0 if sequence == "ZXZ" else np.pi / 2
    T = one_joint(revolute.FreeEuler(sequence)).forward_kinematics([0, 0, 0, 0.3, middle, 0.2], "body")
    bad = robot.neutral()
    bad[3:7] = quaternion_of(T[None, :3, :3])[0]
    good = robot.neutral()
    good[3:7] = [0.5, -0.5, 0.1, 0.7]
    still = np.zeros(n)
    calls: list[Callable[[Any], Any]] = [
        made.coordinates,
        made.jacobian,
        lambda q: made.jacobian_rate(q, still),
        made.mass_matrix,
        made.gravity_forces,
        lambda q: made.bias_forces(q, still),
        lambda q: made.dynamics(q, still).inertia,
        lambda q: made.equations_of_motion(q, still).C,
        lambda q: made.inverse_dynamics(q, still, np.zeros(6)).tau,
        made.dynamically_consistent_inverse,
        lambda q: made.mass_matrix(q, singularity_damping=0.1),
    ]
    message = f"Euler angles '{sequence}' of link '{frame}' of '{robot.name}' are singular: .* at q = .*'quaternion'"
    for call in calls:
        assert_raises(SingularityError, message, call, bad)
        batch, alone = call(np.stack([good, bad, good])), call(good)
        assert np.isnan(batch[1]).all()
        np.testing.assert_array_equal(batch[[0, 2]], np.stack([alone, alone]))
    np.testing.assert_array_equal(made.dynamics(np.stack([good, bad]), still).singular, [False, True])
    assert np.isfinite(robot.operational_space(frame, "quaternion").mass_matrix(bad)).all()
    assert np.isfinite(robot.operational_space(frame, sequence, rows=(3, 4, 5)).mass_matrix(bad)).all()


@pytest.mark.parametrize("sequence", ["ZYZ", "ZXZ", "XYX"])
def test_angles_that_are_always_singular(sequence: str) -> None:
    """A planar arm turns about z alone: "ZYZ" and "ZXZ" have parallel axes in every state; its position is served."""
    arm, q = revolute.robots.planar(2), np.array([0.3, 1.1])
    position = arm.operational_space("tip", sequence, rows=(3, 4))
    plain = arm.operational_space("tip", rows=(3, 4))
    np.testing.assert_array_equal(position.jacobian(q), plain.jacobian(q))
    np.testing.assert_array_equal(position.mass_matrix(q), plain.mass_matrix(q))
    if sequence != "XYX":
        angles = arm.operational_space("tip", sequence, rows=(0,))
        assert_raises(SingularityError, f"the Euler angles '{sequence}' of link 'tip' of 'planar2'", angles.jacobian, q)
        assert np.isnan(angles.jacobian([q, q])).all()


def test_singular_states_are_errors_that_name_the_coordinate() -> None:
    arm = revolute.robots.planar(2)
    stretched, bent = np.array([0.3, 0.0]), np.array([0.3, 1.0])
    position = arm.operational_space("tip", rows=(3, 4))
    assert_raises(SingularityError, r"mass_matrix: link 'tip' of .* along y indep", position.mass_matrix, stretched)
    found = position.mass_matrix([bent, stretched])
    assert np.isnan(found[1]).all()
    np.testing.assert_array_equal(found[0], position.mass_matrix(bent))
    assert np.isfinite(position.mass_matrix(stretched, singularity_damping=0.1)).all()
    assert_raises(SingularityError, "along angle 2 of 'ZYX' indep", arm.operational_space("tip").mass_matrix, bent)
    with pytest.raises(SingularityError, match="'planar2' cannot be accelerated along wx independently"):
        arm.operational_space("tip", "quaternion").mass_matrix(bent)

    def reach(model: Any, q: Any) -> list[Any]:
        x, y, _ = frame_pose(model, q, "tip").p
        return [x * x + y * y]

    made = arm.operational_space(reach)
    assert_raises(SingularityError, r"'planar2' cannot be .* along h\[0\], at q", made.gravity_forces, stretched)
    assert_raises(SingularityError, r"along h\[0\], at q", made.gravity_forces, [0.3, 1e-6])
    assert np.isfinite(made.gravity_forces([0.3, 1e-4])).all()


def test_damping_is_that_of_the_definition() -> None:
    q, _, _ = states()
    made = space("ZYX")
    J = made.jacobian(q)
    expected = np.linalg.inv(J @ np.linalg.solve(ur5().mass_matrix(q), J.mT) + 0.3**2 * np.eye(6))
    assert_close(made.mass_matrix(q, singularity_damping=0.3), expected, 1e-10)
    assert_raises(InputError, "damping must be finite numbers", made.mass_matrix, q, singularity_damping=-1.0)


def test_spaces_pickle_and_describe_themselves() -> None:
    assert repr(space("ZYZ")).startswith("<OperationalSpace of 'ur5': angle 1 of 'ZYZ', angle 2")
    assert pickle.loads(pickle.dumps(user())).names == ("h[0]", "h[1]", "h[2]", "h[3]")
    for orientation in ("ZYX", "quaternion"):
        assert space(orientation).kernel("jacobian").graph.outputs[0].shape == (len(space(orientation).names), 6)


def test_functions_cost_what_they_cost() -> None:
    """Multiplications and additions for a UR5: no more than these."""
    most = {
        "ZYX": {"coordinates": 77, "jacobian": 196, "mass_matrix": 1078, "bias_forces": 1902, "linearize": 6345},
        "quaternion": {"coordinates": 103, "jacobian": 240, "mass_matrix": 1252, "bias_forces": 1608},
    }
    for orientation, functions in most.items():
        for function, limit in functions.items():
            assert space(orientation).count(function).arithmetic <= limit, f"{orientation}: {function}"


def test_coordinates_that_do_not_exist() -> None:
    robot = ur5()
    assert_raises(UnknownNameError, "robot 'ur5' has no link 'hand'", robot.operational_space, "hand")
    for wrong in ("xyz", "ZZX", "roll", "", 3):
        assert_raises(InputError, r"'quaternion' or Euler angles; .*'ZYX'", robot.operational_space, "tool0", wrong)
    for rows in ((), (6,), (0, 0), "vx", 3, (True,), (1.0,)):
        assert_raises(InputError, r"distinct numbers in 0 \.\.\. 5, for", robot.operational_space, "tool0", rows=rows)
    assert_raises(InputError, "a quaternion cannot be split", robot.operational_space, "tool0", "quaternion", rows=(3,))
    assert_raises(InputError, r"the name of a link, or a function h\(model, q\), not 7", robot.operational_space, 7)
    assert_raises(InputError, "orientation and rows apply only to a link", robot.operational_space, sphere, "ZYX")


def test_functions_of_the_user_that_do_not_fit() -> None:
    robot = ur5()
    wrong: list[Any] = [lambda model, q: None, lambda model, q: [], lambda model, q: ["x"], lambda model, q: q[0]]
    for h in wrong:
        assert_raises(InputError, r"h\(model, q\) must return a list of scalars, not", robot.operational_space, h)
    with pytest.raises(InputError, match=r"failed with TypeError: .* support any scalar type: import sin, "):
        robot.operational_space(lambda model, q: [np.sin(q[0])])
    with pytest.raises(UnknownNameError, match="no link 'hand'"):
        robot.operational_space(lambda model, q: [*frame_pose(model, q, "hand").p])
    for h, words in (
        (lambda model, q: [q[9]], r"failed with IndexError: .* receives a model and lists of 6 scalars"),
        (lambda q: [q[0]], r"failed with TypeError"),
        (lambda model, q: [1j * q[0]], r"failed with GraphError: .* complex"),
        (lambda model, q: [1j], r"must return real scalars"),
    ):
        assert_raises(InputError, words, robot.operational_space, h)


def test_arrays_that_do_not_fit() -> None:
    made, (q, qd, qdd) = space("ZYX"), states()
    assert_raises(ShapeError, "q has shape", made.coordinates, q[:, :5])
    assert_raises(DtypeError, "qd must hold real numbers", made.jacobian_rate, q, qd + 0j)
    assert_raises(ShapeError, "acceleration has shape", made.inverse_dynamics, q, qd, qdd[:, :3])
    for call in (made.dynamics, made.bias_forces):
        assert_raises(UnknownNameError, "robot 'ur5' has no link 'hand'", call, q, qd, wrenches={"hand": np.zeros(6)})
    assert_raises(InputError, r"linearize: 'ur5' has 6 degrees of freedom .* not 4", user().linearize, q, qd, qdd)
    assert_raises(UnknownNameError, "no function 'torque' of a robot in operational space", made.kernel, "torque")


def test_rates_of_coordinates_are_along_joint_velocities_of_any_joint() -> None:
    """A tree of all joint types: J qd is the rate of x along `coordinate_rates`."""
    robot = revolute.robots.random_tree(4, rng=6, types=("spherical", "revolute", "planar", "helical"))
    frame, (q, qd, _) = robot.link_names[-1], random_states(robot, 3, 6)
    made = robot.operational_space(frame, "XYZ")
    for x, v in zip(q, qd, strict=True):
        assert_close(made.jacobian(x) @ v, rate(made.coordinates, x, coordinate_rates(robot, x, v), 1e-3), 1e-9)


def test_functions_with_the_inverse_mass_matrix_name_joints_that_move_no_mass() -> None:
    space = one_joint(revolute.Revolute((0, 0, 1)), revolute.Inertia()).operational_space("body", rows=(0,))
    np.testing.assert_allclose(space.jacobian([0.3]), [[1.0]], rtol=1e-14)
    message = "robot 'one' has no finite accelerations: joint 'j' can move without moving any mass"
    for name in ("mass_matrix", "gravity_forces", "dynamically_consistent_inverse"):
        assert_raises(ModelError, message, getattr(space, name), [0.3])
    for name in ("bias_forces", "dynamics", "equations_of_motion"):
        assert_raises(ModelError, message, getattr(space, name), [0.3], [0.1])
