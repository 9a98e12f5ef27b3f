/*
 * Functions of 'planar1': see friction.h.
 * This file is generated code. It is yours: use it under any licence, or under none.
 */

#include "friction.h"
#include <math.h>

void friction_forward_dynamics(const double *FRICTION_RESTRICT p, const double *FRICTION_RESTRICT pd, const double *FRICTION_RESTRICT tau, double *FRICTION_RESTRICT pdd)
{
    const double v1 = pd[0] * 0.5 + (exp(pd[0] * pd[0] * -99.99999999999999) * 0.2 + 1.0) * tanh(pd[0] * 100.0);
    pdd[0] = (tau[0] - v1 - cos(p[0]) * 4.905) * 3.0;
}
