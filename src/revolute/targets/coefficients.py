"""Coefficients of sines and cosines that targets compute themselves: parts of pi/2, polynomials of Cephes (Moshier)."""

PARTS_OF_HALF_PI = (1.5707963267341256, 6.077094383272197e-11, 6.12323399538461e-17, 3.5215598651832e-27)
"""Parts of pi/2 with 33, 19 (down to 2^-52), 33 and 53 bits: products with n < 2^17 are exact."""

PARTS_OF_HALF_PI_IN_FLOAT = (1.5703125, 4.837512969970703125e-4, 7.54978995489188216e-8)
"""Parts of pi/2 for float32: products with n < 2^13 are exact (Moshier, sinf.c)."""

TO_INTEGER = {64: 6755399441055744.0, 32: 12582912.0}
"""1.5 * 2^52 and 1.5 * 2^23, by bits of the format: adding this number rounds to an integer."""

SINE = {
    64: (
        1.58962301576546568060e-10, -2.50507477628578072866e-8, 2.75573136213857245213e-6, -1.98412698295895385996e-4,
        8.33333333332211858878e-3, -1.66666666666666307295e-1,
    ),
    32: (-1.9515295891e-4, 8.3321608736e-3, -1.6666654611e-1),
}  # fmt: skip
"""Coefficients of P in sin(r) = r + r z P(z) with z = r^2, by bits of the format; highest power first."""

COSINE = {
    64: (
        -1.13585365213876817300e-11, 2.08757008419747316778e-9, -2.75573141792967388112e-7, 2.48015872888517045348e-5,
        -1.38888888888730564116e-3, 4.16666666666665929218e-2,
    ),
    32: (2.443315711809948e-5, -1.388731625493765e-3, 4.166664568298827e-2),
}  # fmt: skip
"""Coefficients of Q in cos(r) = 1 - z/2 + z^2 Q(z) with z = r^2, by bits of the format; highest power first."""
