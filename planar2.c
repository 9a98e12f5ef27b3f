/*
 * Functions of 'planar2': see planar2.h.
 * This file is generated code. It is yours: use it under any licence, or under none.
 */

#include "planar2.h"
#include <math.h>

void planar2_inverse_dynamics(const double *PLANAR2_RESTRICT p, const double *PLANAR2_RESTRICT pd, const double *PLANAR2_RESTRICT pdd, double *PLANAR2_RESTRICT tau)
{
    const double v1 = cos(p[0]);
    const double v2 = cos(p[1]);
    const double v3 = sin(p[1]);
    const double v4 = pd[0] + pd[1];
    const double v5 = pdd[0] + pdd[1];
    const double v6 = v5 * 0.3333333333333333 + (v2 * (pdd[0] + v1 * 9.81) - v3 * (sin(p[0]) * 9.81 - pd[0] * pd[0])) * 0.5;
    const double v7 = pdd[0] * 1.3333333333333333 + v1 * 14.715 + (v6 + (v2 * (v5 * 0.5) - v3 * (v4 * v4 * 0.5)));
    tau[0] = v7;
    tau[1] = v6;
}
