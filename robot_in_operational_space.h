/*
 * Functions of 'robot in operational space': single states of double; matrices row by row.
 * This file is generated code. It is yours: use it under any licence, or under none.
 * Order of velocities and forces: joint1, joint2.
 */

#ifndef ROBOT_IN_OPERATIONAL_SPACE_H
#define ROBOT_IN_OPERATIONAL_SPACE_H

#if defined(__cplusplus)
#define ROBOT_IN_OPERATIONAL_SPACE_RESTRICT __restrict
#else
#define ROBOT_IN_OPERATIONAL_SPACE_RESTRICT restrict
#endif

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Joint forces tau = J^T F that accelerate x by xdd, F = Lambda xdd + eta. LP 9.97; BP 7.4.5.
 *
 * q             2      joint positions [rad, m]
 * qd            2      joint velocities [rad/s, m/s]
 * acceleration  2      xdd
 * tau           2      joint forces [N m, N]
 * F             2
 * check         2 x 4
 * regularity    1
 *
 * 64 multiplications, 42 additions, 3 divisions, 4 sines, cosines and other functions, 0 other operations.
 */
void robot_in_operational_space_inverse_dynamics(const double *ROBOT_IN_OPERATIONAL_SPACE_RESTRICT q, const double *ROBOT_IN_OPERATIONAL_SPACE_RESTRICT qd, const double *ROBOT_IN_OPERATIONAL_SPACE_RESTRICT acceleration, double *ROBOT_IN_OPERATIONAL_SPACE_RESTRICT tau, double *ROBOT_IN_OPERATIONAL_SPACE_RESTRICT F, double *ROBOT_IN_OPERATIONAL_SPACE_RESTRICT check, double *ROBOT_IN_OPERATIONAL_SPACE_RESTRICT regularity);

#ifdef __cplusplus
}
#endif

#endif
