// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// SHA-256 (FIPS 180-4) through OpenSSL, and its lower-case hexadecimal form.

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace cacheon {

using Sha256Digest = std::array<std::byte, 32>;

// An incremental hash. Not thread-safe; movable; a moved-from or finished object takes no updates.
class Sha256 {
 public:
  Sha256();
  ~Sha256();
  Sha256(Sha256&&) noexcept;
  Sha256& operator=(Sha256&&) noexcept;

  void Update(std::span<const std::byte> bytes);
  void Update(std::string_view text);
  void UpdateBigEndian32(std::uint32_t value);
  void UpdateBigEndian64(std::uint64_t value);
  // Ends the hash. Call once.
  Sha256Digest Finish();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

Sha256Digest Sha256Of(std::span<const std::byte> bytes);
Sha256Digest Sha256Of(std::string_view text);

// 64 lower-case hexadecimal digits.
std::string Sha256Hex(std::string_view text);

std::string ToHex(std::span<const std::byte> bytes);
// Exactly the digest form that documents carry: 64 lower-case hexadecimal digits.
std::optional<Sha256Digest> ParseSha256Hex(std::string_view text);

}  // namespace cacheon
