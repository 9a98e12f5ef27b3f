/*
 * Functions of 'planar2': single states of double; matrices row by row.
 * This file is generated code. It is yours: use it under any licence, or under none.
 */

#ifndef PLANAR2_H
#define PLANAR2_H

#if defined(__cplusplus)
#define PLANAR2_RESTRICT __restrict
#else
#define PLANAR2_RESTRICT restrict
#endif

#ifdef __cplusplus
extern "C" {
#endif

/*
 * mass_matrix
 *
 * q  2      joint positions [rad, m]
 * M  2 x 2
 *
 * 1 multiplications, 2 additions, 0 divisions, 1 sines, cosines and other functions, 0 other operations.
 */
void planar2_mass_matrix(const double *PLANAR2_RESTRICT q, double *PLANAR2_RESTRICT M);

#ifdef __cplusplus
}
#endif

#endif
