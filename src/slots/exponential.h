// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// The exponential function in double precision for loops that compilers vectorise. Units that use
// it are compiled with -ffp-contract=off: the same bits on every machine.

#include <bit>
#include <cstdint>

namespace cacheon::slots {

// e^x for x in [-708, 708], relative error below 2e-14: x = k ln 2 + r, |r| <= ln 2 / 2, and the
// Taylor polynomial of degree 11 for e^r. Outside it gives the value at the nearer end; NaN gives
// one of the ends.
inline double Exp(double x) {
  constexpr double kLimit = 708;
  constexpr double kLog2E = 1.4426950408889634;
  // ln 2 in two parts: the first has trailing zeros, so that k times it is exact.
  constexpr double kLn2High = 0x1.62e42fefa0000p-1;
  constexpr double kLn2Low = 0x1.cf79abc9e3b3ap-40;
  // Adding it rounds to an integer, which then stands in the low bits of the significand.
  constexpr double kRound = 0x1.8p52;

  const double below = x < kLimit ? x : kLimit;
  const double clamped = below > -kLimit ? below : -kLimit;
  const double shifted = clamped * kLog2E + kRound;
  const double k = shifted - kRound;
  const double r = (clamped - k * kLn2High) - k * kLn2Low;
  double p = 1.0 / 39916800;
  p = p * r + 1.0 / 3628800;
  p = p * r + 1.0 / 362880;
  p = p * r + 1.0 / 40320;
  p = p * r + 1.0 / 5040;
  p = p * r + 1.0 / 720;
  p = p * r + 1.0 / 120;
  p = p * r + 1.0 / 24;
  p = p * r + 1.0 / 6;
  p = p * r + 0.5;
  p = p * r + 1.0;
  p = p * r + 1.0;
  constexpr std::int64_t kExponentBias = 1023;
  constexpr int kSignificandBits = 52;
  const auto exponent =
      static_cast<std::uint64_t>(std::bit_cast<std::int64_t>(shifted) + kExponentBias);
  return p * std::bit_cast<double>(exponent << kSignificandBits);
}

// silu(z) = z / (1 + e^-z).
inline double Silu(double z) { return z / (1.0 + Exp(-z)); }

}  // namespace cacheon::slots
