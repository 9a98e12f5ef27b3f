// The functions of pendulum.h over arrays with their sizes.
#pragma once

#include "pendulum.h"

namespace pendulum {

inline void inverse_dynamics(const double (&q)[1], const double (&qd)[1], const double (&qdd)[1], double (&tau)[1]) { ::pendulum_inverse_dynamics(q, qd, qdd, tau); }

inline void forward_dynamics(const double (&q)[1], const double (&qd)[1], const double (&tau)[1], double (&qdd)[1]) { ::pendulum_forward_dynamics(q, qd, tau, qdd); }

}  // namespace pendulum
