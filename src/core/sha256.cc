// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0

#include "cacheon/core/sha256.h"

#include <openssl/evp.h>
#include <openssl/types.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "cacheon/core/result.h"

namespace cacheon {

struct Sha256::State {
  EVP_MD_CTX* context = EVP_MD_CTX_new();
  State() = default;
  State(const State&) = delete;  // owns the OpenSSL context
  State& operator=(const State&) = delete;
  ~State() { EVP_MD_CTX_free(context); }
};

Sha256::Sha256() : state_(std::make_unique<State>()) {
  CACHEON_CHECK(EVP_DigestInit_ex(state_->context, EVP_sha256(), nullptr) == 1,
                "OpenSSL has no SHA-256");
}
Sha256::~Sha256() = default;
Sha256::Sha256(Sha256&&) noexcept = default;
Sha256& Sha256::operator=(Sha256&&) noexcept = default;

void Sha256::Update(std::span<const std::byte> bytes) {
  CACHEON_CHECK(EVP_DigestUpdate(state_->context, bytes.data(), bytes.size()) == 1,
                "OpenSSL refused an update");
}

void Sha256::Update(std::string_view text) { Update(std::as_bytes(std::span(text))); }

void Sha256::UpdateBigEndian32(std::uint32_t value) {
  std::array<std::byte, 4> bytes;
  for (unsigned i = 0; i < 4; ++i) bytes[i] = static_cast<std::byte>(value >> (24U - 8U * i));
  Update(bytes);
}

void Sha256::UpdateBigEndian64(std::uint64_t value) {
  UpdateBigEndian32(static_cast<std::uint32_t>(value >> 32U));
  UpdateBigEndian32(static_cast<std::uint32_t>(value));
}

Sha256Digest Sha256::Finish() {
  Sha256Digest digest;
  unsigned size = 0;
  CACHEON_CHECK(EVP_DigestFinal_ex(state_->context, reinterpret_cast<unsigned char*>(digest.data()),
                                   &size) == 1 &&
                    size == digest.size(),
                "OpenSSL refused to finish");
  return digest;
}

Sha256Digest Sha256Of(std::span<const std::byte> bytes) {
  Sha256 hash;
  hash.Update(bytes);
  return hash.Finish();
}

Sha256Digest Sha256Of(std::string_view text) { return Sha256Of(std::as_bytes(std::span(text))); }

std::string Sha256Hex(std::string_view text) { return ToHex(Sha256Of(text)); }

std::string ToHex(std::span<const std::byte> bytes) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string text;
  text.reserve(bytes.size() * 2);
  for (const std::byte byte : bytes) {
    text += kDigits[std::to_integer<unsigned>(byte) >> 4U];
    text += kDigits[std::to_integer<unsigned>(byte) & 15U];
  }
  return text;
}

std::optional<Sha256Digest> ParseSha256Hex(std::string_view text) {
  Sha256Digest digest;
  if (text.size() != digest.size() * 2) return std::nullopt;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    unsigned value = 0;
    if (c >= '0' && c <= '9') {
      value = static_cast<unsigned>(c - '0');
    } else if (c >= 'a' && c <= 'f') {
      value = static_cast<unsigned>(c - 'a') + 10U;
    } else {
      return std::nullopt;
    }
    std::byte& byte = digest[i / 2];
    byte = i % 2 == 0 ? static_cast<std::byte>(value << 4U) : byte | static_cast<std::byte>(value);
  }
  return digest;
}

}  // namespace cacheon
