/*
 * Functions of 'planar2': see planar2.h.
 * This file is generated code. It is yours: use it under any licence, or under none.
 */

#include "planar2.h"
#include <math.h>

void planar2_mass_matrix(const double *PLANAR2_RESTRICT q, double *PLANAR2_RESTRICT M)
{
    const double v1 = cos(q[1]);
    const double v2 = v1 * 0.5 + 0.3333333333333333;
    M[0] = v1 + 1.6666666666666665;
    M[1] = v2;
    M[2] = v2;
    M[3] = 0.3333333333333333;
}
