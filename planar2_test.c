/* Compares the functions of planar2.h with results that were computed apart. Returns 0 if all agree. */
#include "planar2.h"
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

static int test_planar2_inverse_dynamics(void)
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
        {20.179553060726732, 5.05734731319765},
        {8.421542146389179, -1.4517815121089765},
        {14.358340034800133, 1.243767460846927}};
    double z0[2];
    double apart, worst = 0;
    int k;
    for (k = 0; k < 3; k++) {
        planar2_inverse_dynamics(x0[k], x1[k], x2[k], z0);
        apart = difference(z0, y0[k], 2);
        if (!(apart <= worst)) worst = apart;
    }
    return checked("planar2_inverse_dynamics", worst);
}

int main(void)
{
    int wrong = 0;
    wrong += test_planar2_inverse_dynamics();
    return wrong;
}
