/*
 * Functions of 'planar1': see friction.h.
 * This file is generated code. It is yours: use it under any licence, or under none.
 */

#include "friction.h"
#include <math.h>

void friction_forward_dynamics(const double *FRICTION_RESTRICT q, const double *FRICTION_RESTRICT qd, const double *FRICTION_RESTRICT tau, double *FRICTION_RESTRICT qdd)
{
    const double v1 = qd[0] * 0.5 + tanh(qd[0] * 100.0) * (exp(qd[0] * qd[0] * -99.99999999999999) * 0.2 + 1.0);
    qdd[0] = (tau[0] - v1 - cos(q[0]) * 4.905) * 3.0;
}
