/*
 * Functions of 'planar2': single states of float; matrices column by column.
 * This file is generated code. It is yours: use it under any licence, or under none.
 * Order of velocities and forces: joint1, joint2.
 */

#ifndef ARM_H
#define ARM_H

#include <stddef.h>

#if defined(__cplusplus)
#define ARM_RESTRICT __restrict
#else
#define ARM_RESTRICT restrict
#endif

#define ARM_NQ 2
#define ARM_NV 2

#ifdef __cplusplus
extern "C" {
#endif

/*
 * The mass matrix M of tau = M qdd + C qd + g and of the energy qd^T M qd / 2. LP 9.61, 9.82; BP section 6.2.
 *
 * q  2      joint positions [rad, m]
 * M  2 x 2  mass matrices [kg m^2, kg m, kg]
 *
 * 1 multiplications, 2 additions, 0 divisions, 1 sines, cosines and other functions, 0 other operations.
 */
void arm_mass_matrix(const float *ARM_RESTRICT q, float *ARM_RESTRICT M);

/* The same for rows states, one behind the other. */
void arm_mass_matrix_batch(size_t rows, const float *ARM_RESTRICT q, float *ARM_RESTRICT M);

/*
 * The matrix J(q) that maps joint velocities to the twist of a link frame, V = J qd. GOA Algorithm, 27; JIN 35.
 *
 * q  2      joint positions [rad, m]
 * J  6 x 2  matrices: three angular rows, then three linear ones; for k names (..., 6 k, nv), stacked in their
 *           order. Columns of a free joint belong to its body's twist (w, v) in the body frame
 *
 * 0 multiplications, 1 additions, 0 divisions, 2 sines, cosines and other functions, 1 other operations.
 */
void arm_jacobian(const float *ARM_RESTRICT q, float *ARM_RESTRICT J);

/* The same for rows states, one behind the other. */
void arm_jacobian_batch(size_t rows, const float *ARM_RESTRICT q, float *ARM_RESTRICT J);

#ifdef __cplusplus
}
#endif

#endif
