/*
 * Functions of 'planar2': single states of double; matrices row by row.
 * This file is generated code. It is yours: use it under any licence, or under none.
 * Order of velocities and forces: joint1, joint2.
 */

#ifndef PLANAR2_H
#define PLANAR2_H

#if defined(__cplusplus)
#define PLANAR2_RESTRICT __restrict
#else
#define PLANAR2_RESTRICT restrict
#endif

#define PLANAR2_NQ 2
#define PLANAR2_NV 2

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Forces of the coordinates that produce the accelerations `pdd`, drives included.
 *
 * p    2  independent positions [rad, m]
 * pd   2  independent velocities [rad/s, m/s]
 * pdd  2  rates of the components of `pd`
 * tau  2  forces [N m, N]
 *
 * 14 multiplications, 10 additions, 0 divisions, 4 sines, cosines and other functions, 0 other operations.
 */
void planar2_inverse_dynamics(const double *PLANAR2_RESTRICT p, const double *PLANAR2_RESTRICT pd, const double *PLANAR2_RESTRICT pdd, double *PLANAR2_RESTRICT tau);

#ifdef __cplusplus
}
#endif

#endif
