// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// Result<T>: a value or an Error. Whatever can fail because of input, the machine or a candidate
// returns one. CACHEON_CHECK is for our own bugs only; user input never reaches one.

#include <expected>
#include <string>
#include <string_view>
#include <utility>

#include "cacheon/core/error.h"

namespace cacheon {

template <typename T>
using Result = std::expected<T, Error>;

using Status = Result<void>;

// `return Fail("tree.symlink", "links are not part of a bundle", {.file = path});`
[[nodiscard]] std::unexpected<Error> Fail(Code code, std::string message, Place where = {},
                                          std::string hint = {});

// Fails with an error that already exists, as it is.
[[nodiscard]] std::unexpected<Error> Fail(Error error);

// For a failed system call: the sentence ends with the text of `errno_value`.
[[nodiscard]] std::unexpected<Error> FailErrno(Code code, std::string_view what, int errno_value);

namespace detail {
[[noreturn]] void CheckFailed(const char* condition, const char* meaning, const char* file,
                              int line);
}  // namespace detail

}  // namespace cacheon

// Ends the process with status 4 when `condition` is false. `meaning` says what that would mean.
#define CACHEON_CHECK(condition, meaning)                                      \
  do {                                                                         \
    if (!(condition)) [[unlikely]]                                             \
      ::cacheon::detail::CheckFailed(#condition, meaning, __FILE__, __LINE__); \
  } while (false)

#define CACHEON_CONCAT_INNER(a, b) a##b
#define CACHEON_CONCAT(a, b) CACHEON_CONCAT_INNER(a, b)

// NOLINTBEGIN(bugprone-macro-parentheses): `declaration` is one, and cannot stand in parentheses.

// Returns the error of a Status or Result from the enclosing function.
#define RETURN_IF_ERROR(expression)                         \
  do {                                                      \
    if (auto status_ = (expression); !status_) [[unlikely]] \
      return std::unexpected(std::move(status_).error());   \
  } while (false)

// `ASSIGN_OR_RETURN(auto value, Compute());`
#define ASSIGN_OR_RETURN(declaration, expression) \
  ASSIGN_OR_RETURN_INNER(CACHEON_CONCAT(result_, __LINE__), declaration, expression)
#define ASSIGN_OR_RETURN_INNER(result, declaration, expression) \
  auto result = (expression);                                   \
  if (!result) [[unlikely]]                                     \
    return std::unexpected(std::move(result).error());          \
  declaration = std::move(*result)

// NOLINTEND(bugprone-macro-parentheses)
