// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0

#include "src/bundle/toml_number.h"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <vector>

namespace cacheon::bundle {
namespace {

bool IsDigit(char c, unsigned base) {
  if (c >= '0' && c <= '9') return static_cast<unsigned>(c - '0') < base;
  if (c >= 'a' && c <= 'f') return base == 16;
  return c >= 'A' && c <= 'F' && base == 16;
}

// Takes `digit (_? digit)*` from the front; the digits without underscores, empty when none.
std::string TakeDigits(std::string_view& text, unsigned base) {
  std::string digits;
  while (!text.empty()) {
    const bool underscore =
        text[0] == '_' && !digits.empty() && text.size() > 1 && IsDigit(text[1], base);
    if (underscore) text.remove_prefix(1);
    if (!IsDigit(text[0], base)) break;
    digits += text[0];
    text.remove_prefix(1);
  }
  return digits;
}

// Decimal digits of a number given in `base`, by long multiplication in limbs of nine digits.
std::string ToDecimal(std::string_view digits, unsigned base) {
  constexpr std::uint64_t kLimb = 1'000'000'000;
  std::vector<std::uint64_t> limbs = {0};  // least significant first
  for (const char c : digits) {
    const unsigned digit = c <= '9' ? c - '0' : (c | 0x20) - 'a' + 10;
    std::uint64_t carry = digit;
    for (std::uint64_t& limb : limbs) {
      carry += limb * base;
      limb = carry % kLimb;
      carry /= kLimb;
    }
    if (carry > 0) limbs.push_back(carry);
  }
  std::string decimal = std::to_string(limbs.back());
  for (auto limb = limbs.rbegin() + 1; limb != limbs.rend(); ++limb) {
    const std::string part = std::to_string(*limb);
    decimal.append(9 - part.size(), '0').append(part);
  }
  return decimal;
}

Json IntegerFromDecimal(std::string decimal, bool negative) {
  decimal.erase(0, std::min(decimal.find_first_not_of('0'), decimal.size() - 1));
  if (negative && decimal != "0") decimal.insert(0, 1, '-');
  std::int64_t value = 0;
  const char* end = decimal.data() + decimal.size();
  if (std::from_chars(decimal.data(), end, value).ec == std::errc()) return Json(value);
  return Json(Json::BigInteger{std::move(decimal)});
}

std::optional<Json> ParseInBase(std::string_view text, unsigned base) {
  const std::string digits = TakeDigits(text, base);
  if (digits.empty() || !text.empty()) return std::nullopt;
  return IntegerFromDecimal(ToDecimal(digits, base), false);
}

}  // namespace

std::optional<Json> ParseTomlNumber(std::string_view literal) {
  if (literal.starts_with("0x")) return ParseInBase(literal.substr(2), 16);
  if (literal.starts_with("0o")) return ParseInBase(literal.substr(2), 8);
  if (literal.starts_with("0b")) return ParseInBase(literal.substr(2), 2);
  std::string_view rest = literal;
  const bool negative = rest.starts_with('-');
  if (negative || rest.starts_with('+')) rest.remove_prefix(1);
  const std::string whole = TakeDigits(rest, 10);
  if (whole.empty() || (whole.size() > 1 && whole[0] == '0')) return std::nullopt;
  if (rest.empty()) return IntegerFromDecimal(whole, negative);

  std::string plain = (negative ? "-" : "") + whole;
  if (rest.starts_with('.')) {
    rest.remove_prefix(1);
    const std::string fraction = TakeDigits(rest, 10);
    if (fraction.empty()) return std::nullopt;
    plain += '.' + fraction;
  }
  if (rest.starts_with('e') || rest.starts_with('E')) {
    rest.remove_prefix(1);
    plain += 'e';
    if (rest.starts_with('-') || rest.starts_with('+')) {
      plain += rest[0];
      rest.remove_prefix(1);
    }
    const std::string exponent = TakeDigits(rest, 10);
    if (exponent.empty()) return std::nullopt;
    plain += exponent;
  }
  if (!rest.empty()) return std::nullopt;
  // The text is in the C locale's form whatever the locale is, which from_chars reads; it gives no
  // value beyond the range, which strtod does.
  double value = 0;
  const auto parsed = std::from_chars(plain.data(), plain.data() + plain.size(), value);
  if (parsed.ec == std::errc::result_out_of_range) value = std::strtod(plain.c_str(), nullptr);
  return Json(value);
}

}  // namespace cacheon::bundle
