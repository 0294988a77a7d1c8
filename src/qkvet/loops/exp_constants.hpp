// The constants of ladder_exp. docs/proofs proves its error with exactly these numbers;
// `scripts/nightly proofs` checks that each of them stands in the proofs.
#pragma once

namespace qkvet::loops {

inline constexpr double log2_e = 0x1.71547652b82fep0;
inline constexpr double ln2_high = 0x1.62e42fefa38p-1;
inline constexpr double ln2_low = 0x1.ef35793c7673p-45;
inline constexpr double magic = 0x1.8p52;
inline constexpr double exp_coefficients[] = {  // of r^2 to r^11
    0x1.000000000000bp-1,  0x1.5555555555561p-3,  0x1.555555555022ep-5,  0x1.111111110d645p-7,
    0x1.6c16c1854e474p-10, 0x1.a01a01baddb8ep-13, 0x1.a019975f7cc6fp-16, 0x1.71dddfd705827p-19,
    0x1.28afa4a2d4e41p-22, 0x1.af8574e80c4dep-26};
inline constexpr double exp_error = 0x1p-52;  ///< |w / exp(t) - 1| and |exp(t) / w - 1|

}  // namespace qkvet::loops
