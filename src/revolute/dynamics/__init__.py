"""The recursions of the theory: one per file, in the notation of the books, for any scalar type.

Arguments that a docstring does not list have the same meaning everywhere; `newton_euler` describes them in full:

    model             kinematic tree
    q                 (nq,) joint positions [rad, m]
    qd, qdd           (nv,) joint velocities [rad/s, m/s], and time derivatives of their components [rad/s^2, m/s^2]
    tau               (nv,) joint forces [N m, N]
    wrenches          {link name: (m, f)} that the environment applies, expressed in the link frame [N m, N]
    frame, reference  name of a link; "body", "aligned" or "world": see `jacobian`

Results that a docstring does not list have these forms, in the order of qd: vectors are lists of nv scalars, matrices
lists of nv rows, cubes nested lists [i][j][k]. Forces are in [N m, N], momenta in [N m s, N s], energies in [J].

Letters are those of `revolute.spatial`.
"""
