/*
 * Functions of 'system': single states of double; matrices row by row.
 * This file is generated code. It is yours: use it under any licence, or under none.
 * Order of velocities and forces: x, y.
 */

#ifndef SYSTEM_H
#define SYSTEM_H

#if defined(__cplusplus)
#define SYSTEM_RESTRICT __restrict
#else
#define SYSTEM_RESTRICT restrict
#endif

#define SYSTEM_NQ 2
#define SYSTEM_NV 2

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Forces (..., n) of a motion, besides Q. LP 9.11.
 *
 * q    2  coordinates, velocities, accelerations
 * qd   2  coordinates, velocities, accelerations
 * qdd  2  coordinates, velocities, accelerations
 * tau  2  joint forces [N m, N]
 *
 * 0 multiplications, 2 additions, 0 divisions, 0 sines, cosines and other functions, 0 other operations.
 */
void system_inverse_dynamics(const double *SYSTEM_RESTRICT q, const double *SYSTEM_RESTRICT qd, const double *SYSTEM_RESTRICT qdd, double *SYSTEM_RESTRICT tau);

#ifdef __cplusplus
}
#endif

#endif
