/* Compares the functions of robot_in_operational_space.h with results that were computed apart. Returns 0 if all agree. */
#include "robot_in_operational_space.h"
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

static int test_robot_in_operational_space_inverse_dynamics(void)
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
        {15.150367828109841, 4.095483162487582},
        {6.0446840420285195, -1.4650176016597296},
        {12.868356257157444, 0.4805813603874549}};
    double z0[2];
    static const double y1[3][2] = {
        {-15.574869950753833, 7.106675337909357},
        {1.738580930101949, 10.090318219883171},
        {1.4671873398425497, 16.354394197623737}};
    double z1[2];
    static const double y2[3][8] = {
        {0.47239350482100634, 0.47239350482100634, 0.041621765177628015, 4.791726079930091, 1.714237668889738, 3.0718628866794253, 4.750104314752463, 4.791726079930091},
        {2.7136744432777973, 2.7136744432777973, 3.9511285452281903, 4.135634276482672, 0.6862689038090528, 0.9809413260769022, 0.18450573125448172, 4.135634276482672},
        {3.1395825432550803, 3.1395825432550803, 3.48016690234594, 4.356362819097539, 0.5221230655064815, 0.5231672370156307, 0.8761959167515996, 4.356362819097539}};
    double z2[8];
    static const double y3[3][1] = {
        {1.0},
        {1.0},
        {1.0}};
    double z3[1];
    double apart, worst = 0;
    int k;
    for (k = 0; k < 3; k++) {
        robot_in_operational_space_inverse_dynamics(x0[k], x1[k], x2[k], z0, z1, z2, z3);
        apart = difference(z0, y0[k], 2);
        if (!(apart <= worst)) worst = apart;
        apart = difference(z1, y1[k], 2);
        if (!(apart <= worst)) worst = apart;
        apart = difference(z2, y2[k], 8);
        if (!(apart <= worst)) worst = apart;
        apart = difference(z3, y3[k], 1);
        if (!(apart <= worst)) worst = apart;
    }
    return checked("robot_in_operational_space_inverse_dynamics", worst);
}

int main(void)
{
    int wrong = 0;
    wrong += test_robot_in_operational_space_inverse_dynamics();
    return wrong;
}
