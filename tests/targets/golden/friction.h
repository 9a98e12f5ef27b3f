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
 * Accelerations that forces of the coordinates produce, by sparse factors of their mass matrix.
 *
 * p    1  independent positions [rad, m]
 * pd   1  independent velocities [rad/s, m/s]
 * tau  1  forces of the coordinates [N m, N]
 * pdd  1  accelerations [rad/s^2, m/s^2]
 *
 * 8 multiplications, 4 additions, 0 divisions, 3 sines, cosines and other functions, 0 other operations.
 */
void friction_forward_dynamics(const double *FRICTION_RESTRICT p, const double *FRICTION_RESTRICT pd, const double *FRICTION_RESTRICT tau, double *FRICTION_RESTRICT pdd);

#ifdef __cplusplus
}
#endif

#endif
