/*
 * Functions of 'planar1': single states of double; matrices row by row.
 * This file is generated code. It is yours: use it under any licence, or under none.
 * Order of velocities and forces: joint1.
 */

#ifndef PENDULUM_H
#define PENDULUM_H

#if defined(__cplusplus)
#define PENDULUM_RESTRICT __restrict
#else
#define PENDULUM_RESTRICT restrict
#endif

#define PENDULUM_NQ 1
#define PENDULUM_NV 1

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Joint forces that produce the accelerations `qdd`. LP 9.53-9.57; BP Alg. 5.6-5.7.
 *
 * q    1  joint positions [rad, m]; a free joint has its position [m] in the base frame and its quaternion (x,
 *         y, z, w)
 * qd   1  joint velocities [rad/s, m/s]; for a free joint its twist (w, v) in the body frame, which is not the
 *         time derivative of q
 * qdd  1  joint accelerations [rad/s^2, m/s^2], the rates of the components of `qd`
 * tau  1  joint forces [N m, N]; for a free joint the wrench (m, f) on its body
 *
 * 2 multiplications, 1 additions, 0 divisions, 1 sines, cosines and other functions, 0 other operations.
 */
void pendulum_inverse_dynamics(const double *PENDULUM_RESTRICT q, const double *PENDULUM_RESTRICT qd, const double *PENDULUM_RESTRICT qdd, double *PENDULUM_RESTRICT tau);

/*
 * Joint accelerations that the joint forces `tau` produce. LP 9.2, 9.89; BP 6.1.1, section 6.1; RBDA 7.3.
 *
 * q    1  joint positions [rad, m]
 * qd   1  joint velocities [rad/s, m/s]
 * tau  1  joint forces [N m, N]; for a free joint the wrench (m, f) on its body, in the body frame, zero if
 *         nothing drives it
 * qdd  1  time derivatives of the components of `qd` [rad/s^2, m/s^2]
 *
 * 2 multiplications, 1 additions, 0 divisions, 1 sines, cosines and other functions, 0 other operations.
 */
void pendulum_forward_dynamics(const double *PENDULUM_RESTRICT q, const double *PENDULUM_RESTRICT qd, const double *PENDULUM_RESTRICT tau, double *PENDULUM_RESTRICT qdd);

#ifdef __cplusplus
}
#endif

#endif
