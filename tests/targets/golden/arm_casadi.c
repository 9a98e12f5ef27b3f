/* The functions of arm.h for casadi.external, as NAME_external. */
#include "arm.h"
#include <stddef.h>

/* Declared here too, for compilers that ask for it. */
int arm_mass_matrix_external(const float **arg, float **res, long long int *iw, float *w, int mem);
long long int arm_mass_matrix_external_n_in(void);
long long int arm_mass_matrix_external_n_out(void);
const char *arm_mass_matrix_external_name_in(long long int k);
const char *arm_mass_matrix_external_name_out(long long int k);
const long long int *arm_mass_matrix_external_sparsity_in(long long int k);
const long long int *arm_mass_matrix_external_sparsity_out(long long int k);
int arm_mass_matrix_external_work(long long int *sz_arg, long long int *sz_res, long long int *sz_iw, long long int *sz_w);

int arm_mass_matrix_external(const float **arg, float **res, long long int *iw, float *w, int mem)
{
    const float zeros[2] = {0};
    float spare[4];
    (void)iw, (void)w, (void)mem, (void)zeros, (void)spare;
    arm_mass_matrix(arg[0] ? arg[0] : zeros, 
        res[0] ? res[0] : spare + 0);
    return 0;
}

long long int arm_mass_matrix_external_n_in(void) { return 1; }
long long int arm_mass_matrix_external_n_out(void) { return 1; }

const char *arm_mass_matrix_external_name_in(long long int k) { switch (k) { case 0: return "q"; default: return NULL; } }
const char *arm_mass_matrix_external_name_out(long long int k) { switch (k) { case 0: return "M"; default: return NULL; } }

const long long int *arm_mass_matrix_external_sparsity_in(long long int k)
{
    static const long long int s0[3] = {2, 1, 1};
    switch (k) { case 0: return s0; default: return NULL; }
}
const long long int *arm_mass_matrix_external_sparsity_out(long long int k)
{
    static const long long int s0[3] = {2, 2, 1};
    switch (k) { case 0: return s0; default: return NULL; }
}

int arm_mass_matrix_external_work(long long int *sz_arg, long long int *sz_res, long long int *sz_iw, long long int *sz_w)
{
    if (sz_arg) *sz_arg = 1;
    if (sz_res) *sz_res = 1;
    if (sz_iw) *sz_iw = 0;
    if (sz_w) *sz_w = 0;
    return 0;
}

/* Declared here too, for compilers that ask for it. */
int arm_jacobian_external(const float **arg, float **res, long long int *iw, float *w, int mem);
long long int arm_jacobian_external_n_in(void);
long long int arm_jacobian_external_n_out(void);
const char *arm_jacobian_external_name_in(long long int k);
const char *arm_jacobian_external_name_out(long long int k);
const long long int *arm_jacobian_external_sparsity_in(long long int k);
const long long int *arm_jacobian_external_sparsity_out(long long int k);
int arm_jacobian_external_work(long long int *sz_arg, long long int *sz_res, long long int *sz_iw, long long int *sz_w);

int arm_jacobian_external(const float **arg, float **res, long long int *iw, float *w, int mem)
{
    const float zeros[2] = {0};
    float spare[12];
    (void)iw, (void)w, (void)mem, (void)zeros, (void)spare;
    arm_jacobian(arg[0] ? arg[0] : zeros, 
        res[0] ? res[0] : spare + 0);
    return 0;
}

long long int arm_jacobian_external_n_in(void) { return 1; }
long long int arm_jacobian_external_n_out(void) { return 1; }

const char *arm_jacobian_external_name_in(long long int k) { switch (k) { case 0: return "q"; default: return NULL; } }
const char *arm_jacobian_external_name_out(long long int k) { switch (k) { case 0: return "J"; default: return NULL; } }

const long long int *arm_jacobian_external_sparsity_in(long long int k)
{
    static const long long int s0[3] = {2, 1, 1};
    switch (k) { case 0: return s0; default: return NULL; }
}
const long long int *arm_jacobian_external_sparsity_out(long long int k)
{
    static const long long int s0[3] = {6, 2, 1};
    switch (k) { case 0: return s0; default: return NULL; }
}

int arm_jacobian_external_work(long long int *sz_arg, long long int *sz_res, long long int *sz_iw, long long int *sz_w)
{
    if (sz_arg) *sz_arg = 1;
    if (sz_res) *sz_res = 1;
    if (sz_iw) *sz_iw = 0;
    if (sz_w) *sz_w = 0;
    return 0;
}
