/*
 * Functions of 'planar1': see pendulum.h.
 * This file is generated code. It is yours: use it under any licence, or under none.
 */

#include "pendulum.h"
#include <math.h>

void pendulum_inverse_dynamics(const double *PENDULUM_RESTRICT q, const double *PENDULUM_RESTRICT qd, const double *PENDULUM_RESTRICT qdd, double *PENDULUM_RESTRICT tau)
{
    (void)qd;
    tau[0] = qdd[0] * 0.3333333333333333 + cos(q[0]) * 4.905;
}

void pendulum_forward_dynamics(const double *PENDULUM_RESTRICT q, const double *PENDULUM_RESTRICT qd, const double *PENDULUM_RESTRICT tau, double *PENDULUM_RESTRICT qdd)
{
    (void)qd;
    qdd[0] = (tau[0] - cos(q[0]) * 4.905) * 3.0;
}
