// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// Tokens of CUDA C++ source, with line splices removed and comments, string and character literals
// recognised (raw strings too). No macro is expanded: rules see macro bodies as they are written.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace cacheon::policy {

enum class CudaTokenKind : std::uint8_t {
  kIdentifier,  // keywords too
  kNumber,
  kString,   // text without quotes and prefix, escapes as written
  kChar,     //
  kPunct,    // one character, but for ::, ->, ## and %:
  kNewline,  // ends a line; directives end here
};

struct CudaToken {
  CudaTokenKind kind = CudaTokenKind::kPunct;
  bool starts_line = false;  // nothing but space before it on its line
  std::size_t offset = 0;    // into the original source
  std::size_t spliced = 0;   // into CudaTokens::text
  std::string_view text = {};

  bool Is(std::string_view other) const {
    return text == other && kind != CudaTokenKind::kString && kind != CudaTokenKind::kChar;
  }
  bool IsWord() const { return kind == CudaTokenKind::kIdentifier; }
};

struct CudaTokens {
  std::string text;  // the spliced source, with comments as spaces; tokens point into it
  std::vector<CudaToken> tokens;
  std::vector<std::size_t> trigraphs;  // offsets of trigraphs that could matter
  bool truncated = false;              // more than kMaxCudaTokens

  CudaTokens() = default;
  CudaTokens(CudaTokens&&) noexcept = default;
  CudaTokens& operator=(CudaTokens&&) noexcept = default;
};

inline constexpr std::size_t kMaxCudaTokens = 2'000'000;

CudaTokens LexCuda(std::string_view source);

}  // namespace cacheon::policy
