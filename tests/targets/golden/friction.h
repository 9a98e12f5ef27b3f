/*
 * Functions of 'planar1': single states of double; matrices row by row.
 * This file is generated code. It is yours: use it under any licence, or under none.
 * Order of velocities and forces: joint1.
 */

#ifndef FRICTION_H
#define FRICTION_H

#if defined(__cplusplus)
#define FRICTION_RESTRICT __restrict
#else
#define FRICTION_RESTRICT restrict
#endif

#define FRICTION_NQ 1
#define FRICTION_NV 1

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Joint accelerations that the joint forces `tau` produce. LP 9.2, 9.89; BP 6.1.1, section 6.1; RBDA 7.3.
 *
 * q    1  joint positions [rad, m]
 * qd   1  joint velocities [rad/s, m/s]
 * tau  1  joint forces [N m, N]; for a free joint the wrench (m, f) on its body, in the body frame, zero if
 *         nothing drives it
 * qdd  1  time derivatives of the components of `qd` [rad/s^2, m/s^2]
 *
 * 8 multiplications, 4 additions, 0 divisions, 3 sines, cosines and other functions, 0 other operations.
 */
void friction_forward_dynamics(const double *FRICTION_RESTRICT q, const double *FRICTION_RESTRICT qd, const double *FRICTION_RESTRICT tau, double *FRICTION_RESTRICT qdd);

#ifdef __cplusplus
}
#endif

#endif
