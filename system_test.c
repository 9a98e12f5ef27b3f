/* Compares the functions of system.h with results that were computed apart. Returns 0 if all agree. */
#include "system.h"
#include <math.h>
#include <stdio.h>

static double difference(const double *found, const double *wanted, int size)
{
    double worst = 0, largest = 1;
    int k;
    for (k = 0; k < size; k++) {
        const double apart = fabs(found[k] - wanted[k]);
        const double high = fabs(wanted[k]);
        if (!(apart <= worst)) worst = apart;
        if (high > largest) largest = high;
    }
    return worst / largest;
}

static int checked(const char *name, double apart)
{
    const int wrong = !(apart <= 1e-11);
    printf("%-40s %s, %.1e apart\n", name, wrong ? "WRONG" : "right", (double)apart);
    return wrong;
}

static int test_system_inverse_dynamics(void)
{
    static const double x0[3][2] = {
        {0.2739233746429086, -0.4604265724722594},
        {-0.9180529521276106, -0.9669447289429418},
        {0.6265404784005448, 0.8255111545554434}};
    static const double x1[3][2] = {
        {0.21327155153435973, 0.4589931219679968},
        {0.08724998293084574, 0.8701448475755365},
        {0.6317071082430643, -0.9945229996597038}};
    static const double x2[3][2] = {
        {0.7148085531751387, -0.9328288493890713},
        {0.45931089285988813, -0.648688758794882},
        {0.7263578446997732, 0.08292244049818343}};
    static const double y0[3][2] = {
        {1.4296171063502774, -1.8656576987781426},
        {0.9186217857197763, -1.297377517589764},
        {1.4527156893995463, 0.16584488099636685}};
    double z0[2];
    double apart, worst = 0;
    int k;
    for (k = 0; k < 3; k++) {
        system_inverse_dynamics(x0[k], x1[k], x2[k], z0);
        apart = difference(z0, y0[k], 2);
        if (!(apart <= worst)) worst = apart;
    }
    return checked("system_inverse_dynamics", worst);
}

int main(void)
{
    int wrong = 0;
    wrong += test_system_inverse_dynamics();
    return wrong;
}
