/*
 * Functions of 'system': see system.h.
 * This file is generated code. It is yours: use it under any licence, or under none.
 */

#include "system.h"
#include <math.h>

void system_inverse_dynamics(const double *SYSTEM_RESTRICT q, const double *SYSTEM_RESTRICT qd, const double *SYSTEM_RESTRICT qdd, double *SYSTEM_RESTRICT tau)
{
    (void)q;
    (void)qd;
    tau[0] = qdd[0] + qdd[0];
    tau[1] = qdd[1] + qdd[1];
}
