// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0

#include "cacheon/artifact/hex_float.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cctype>
#include <charconv>
#include <cmath>
#include <cstdint>

namespace cacheon::artifact {
namespace {

constexpr int kMantissaBits = 52;
constexpr int kExponentBias = 1023;
constexpr std::string_view kHexDigits = "0123456789abcdefABCDEF";

std::string Lower(std::string_view text) {
  std::string lower(text);
  for (char& c : lower) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return lower;
}

// Takes a run of the characters of `set` off the front; returns its length.
std::size_t TakeRun(std::string_view& text, std::string_view set) {
  const std::size_t length = std::min(text.find_first_not_of(set), text.size());
  text.remove_prefix(length);
  return length;
}

// [digits][.digits][p[sign]decimal], with at least one digit before the exponent.
bool IsHexMagnitude(std::string_view text) {
  std::size_t digits = TakeRun(text, kHexDigits);
  if (text.starts_with('.')) {
    text.remove_prefix(1);
    digits += TakeRun(text, kHexDigits);
  }
  if (digits == 0) return false;
  if (text.empty()) return true;
  if (text[0] != 'p') return false;
  text.remove_prefix(1);
  if (text.starts_with('+') || text.starts_with('-')) text.remove_prefix(1);
  return TakeRun(text, "0123456789") > 0 && text.empty();
}

// from_chars does not take the plus sign of an exponent in every library; it is left out here.
double MagnitudeOf(std::string text) {
  std::erase(text, '+');
  double value = 0;
  const auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), value, std::chars_format::hex);
  if (error != std::errc::result_out_of_range) return value;
  return text.find("p-") == std::string::npos ? HUGE_VAL : 0.0;
}

}  // namespace

std::string HexFloat(double value) {
  const auto bits = std::bit_cast<std::uint64_t>(value);
  const std::uint64_t mantissa = bits & ((std::uint64_t{1} << kMantissaBits) - 1);
  const auto exponent = static_cast<int>((bits >> kMantissaBits) & 0x7ff);
  const std::string_view sign = std::signbit(value) ? "-" : "";
  if (exponent == 0 && mantissa == 0) return fmt::format("{}0x0.0p+0", sign);
  if (exponent == 0) return fmt::format("{}0x0.{:013x}p-1022", sign, mantissa);
  return fmt::format("{}0x1.{:013x}p{:+d}", sign, mantissa, exponent - kExponentBias);
}

HexFloatResult ParseHexFloat(std::string_view text) {
  std::string lower = Lower(text);
  std::string_view rest = lower;
  const bool negative = rest.starts_with('-');
  if (negative || rest.starts_with('+')) rest.remove_prefix(1);
  if (rest == "inf" || rest == "infinity" || rest == "nan") {
    return {.fault = HexFloatFault::kNotCanonical};
  }
  if (rest.starts_with("0x")) rest.remove_prefix(2);
  if (!IsHexMagnitude(rest)) return {.fault = HexFloatFault::kNotHex};
  const double magnitude = MagnitudeOf(std::string(rest));
  if (std::isinf(magnitude)) return {.fault = HexFloatFault::kNotHex};
  const double value = negative ? -magnitude : magnitude;
  if (HexFloat(value) != text) return {.fault = HexFloatFault::kNotCanonical};
  return {.value = value};
}

}  // namespace cacheon::artifact
