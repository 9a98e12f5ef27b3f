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

static int test_planar2_mass_matrix(void)
{
    static const double x0[3][2] = {
        {0.2739233746429086, -0.4604265724722594},
        {-0.9180529521276106, -0.9669447289429418},
        {0.6265404784005448, 0.8255111545554434}};
    static const double y0[3][4] = {
        {2.562529706631712, 0.7812648533158559, 0.7812648533158559, 0.3333333333333333},
        {2.2344838049080025, 0.6172419024540013, 0.6172419024540013, 0.3333333333333333},
        {2.3448480762154364, 0.6724240381077184, 0.6724240381077184, 0.3333333333333333}};
    double z0[4];
    double apart, worst = 0;
    int k;
    for (k = 0; k < 3; k++) {
        planar2_mass_matrix(x0[k], z0);
        apart = difference(z0, y0[k], 4);
        if (!(apart <= worst)) worst = apart;
    }
    return checked("planar2_mass_matrix", worst);
}

int main(void)
{
    int wrong = 0;
    wrong += test_planar2_mass_matrix();
    return wrong;
}
