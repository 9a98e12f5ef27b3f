/*
 * Functions of 'planar2': see arm.h.
 * This file is generated code. It is yours: use it under any licence, or under none.
 */

#include "arm.h"
#include <math.h>

/* Sine and cosine of x, within 2 units in the last place for |x| <= 8192. */
static void sine_and_cosine(float x, float *sine, float *cosine)
{
    /* x = n pi/2 + r; q is n modulo 4, from -2 to 2; no sum here may be rearranged */
    const float integer = 1.2582912e+07f;
    const float n = (x * 0.63661975f + integer) - integer;
    const float q = n - 4.0f * ((n * 0.25f + integer) - integer);
    const int odd = q * q > 0.5f && q * q < 2.0f;
    float r = x, z, s, c;
    r -= n * 1.5703125f;
    r -= n * 0.0004837513f;
    r -= n * 7.54979e-08f;
    z = r * r;
    s = r + r * z * (((-0.00019515296f) * z + 0.008332161f) * z + -0.16666655f);
    c = 1.0f - 0.5f * z + z * z * (((2.4433157e-05f) * z + -0.0013887316f) * z + 0.041666646f);
    *sine = odd ? c : s;
    *cosine = odd ? s : c;
    if (q < -0.5f || q > 1.5f) *sine = -*sine;
    if (q > 0.5f || q < -1.5f) *cosine = -*cosine;
}

void arm_mass_matrix(const float *ARM_RESTRICT q, float *ARM_RESTRICT M)
{
    float s1, c2;
    sine_and_cosine(q[1], &s1, &c2);
    const float v3 = c2 * 0.5f + 0.33333334f;
    M[0] = c2 + 1.6666666f;
    M[2] = v3;
    M[1] = v3;
    M[3] = 0.33333334f;
}

void arm_mass_matrix_batch(size_t rows, const float *ARM_RESTRICT q, float *ARM_RESTRICT M)
{
    size_t k;
    for (k = 0; k < rows; k++) {
        arm_mass_matrix(q + k * 2u, M + k * 4u);
    }
}

void arm_jacobian(const float *ARM_RESTRICT q, float *ARM_RESTRICT J)
{
    float s1, c2;
    sine_and_cosine(q[1], &s1, &c2);
    J[0] = 0.0f;
    J[6] = 0.0f;
    J[1] = 0.0f;
    J[7] = 0.0f;
    J[2] = 1.0f;
    J[8] = 1.0f;
    J[3] = s1;
    J[9] = 0.0f;
    J[4] = -(-1.0f - c2);
    J[10] = 1.0f;
    J[5] = 0.0f;
    J[11] = 0.0f;
}

void arm_jacobian_batch(size_t rows, const float *ARM_RESTRICT q, float *ARM_RESTRICT J)
{
    size_t k;
    for (k = 0; k < rows; k++) {
        arm_jacobian(q + k * 2u, J + k * 12u);
    }
}
