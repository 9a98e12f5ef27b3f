/*
 * Functions of 'robot in operational space': see robot_in_operational_space.h.
 * This file is generated code. It is yours: use it under any licence, or under none.
 */

#include "robot_in_operational_space.h"
#include <math.h>

void robot_in_operational_space_inverse_dynamics(const double *ROBOT_IN_OPERATIONAL_SPACE_RESTRICT q, const double *ROBOT_IN_OPERATIONAL_SPACE_RESTRICT qd, const double *ROBOT_IN_OPERATIONAL_SPACE_RESTRICT acceleration, double *ROBOT_IN_OPERATIONAL_SPACE_RESTRICT tau, double *ROBOT_IN_OPERATIONAL_SPACE_RESTRICT F, double *ROBOT_IN_OPERATIONAL_SPACE_RESTRICT check, double *ROBOT_IN_OPERATIONAL_SPACE_RESTRICT regularity)
{
    const double v1 = cos(q[0]);
    const double v2 = sin(q[0]);
    const double v3 = cos(q[1]);
    const double v4 = sin(q[1]);
    const double v5 = qd[0] + qd[1];
    const double v6 = (v1 * 9.81 * v3 - v4 * (v2 * 9.81 - qd[0] * qd[0])) * 0.5;
    const double v7 = v1 * v3 - v2 * v4;
    const double v8 = v1 * v4 + v2 * v3;
    const double v9 = v1 + v7;
    const double v10 = v2 + v8;
    const double v11 = v10 * v10 + v8 * v8;
    const double v12 = v9 * v9 + v7 * v7;
    const double v13 = v11 + v12;
    const double v14 = v3 * 0.5 + 0.3333333333333333;
    const double v15 = v14 * 3.0;
    const double v16 = 1.0 / (v3 + 1.6666666666666665 - v14 * v15);
    const double v17 = v8 * v15 - v10;
    const double v18 = v9 - v7 * v15;
    const double v19 = v16 * v17;
    const double v20 = v8 * 3.0;
    const double v21 = v16 * v18;
    const double v22 = v7 * 3.0;
    const double v23 = qd[0] * v2;
    const double v24 = qd[0] * v1;
    const double v25 = qd[1] * v4;
    const double v26 = qd[1] * v3;
    const double v27 = v3 * v23 + v1 * v25 + (v4 * v24 + v2 * v26);
    const double v28 = v1 * v26 - v4 * v23 + (v3 * v24 - v2 * v25);
    const double v29 = v1 * 14.715 + (v6 - v4 * (v5 * v5 * 0.5)) - v6 * v15;
    const double v30 = v17 * v19 + v8 * v20;
    const double v31 = v18 * v19 - v7 * v20;
    const double v32 = v18 * v21 + v7 * v22;
    const double v33 = 1.0 / v30;
    const double v34 = v31 * v33;
    const double v35 = v32 - v31 * v34;
    const double v36 = qd[0] * (v24 + v28) + qd[1] * v28 + (acceleration[0] + (v19 * v29 - v6 * v20));
    const double v37 = qd[0] * (v23 + v27) + qd[1] * v27 + (acceleration[1] + (v21 * v29 + v6 * v22)) - v34 * v36;
    const double v38 = 1.0 / v35 * v37;
    const double v39 = v33 * v36 - v34 * v38;
    tau[0] = v9 * v38 - v10 * v39;
    tau[1] = v7 * v38 - v8 * v39;
    F[0] = v39;
    F[1] = v38;
    check[0] = v30;
    check[1] = v30;
    check[2] = v11;
    check[3] = v13;
    check[4] = v35;
    check[5] = v32;
    check[6] = v12;
    check[7] = v13;
    regularity[0] = 1.0;
}
