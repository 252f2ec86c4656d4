// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0

#include "cacheon/core/result.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <expected>
#include <string>
#include <string_view>
#include <utility>
#include "cacheon/core/code.h"
#include "cacheon/core/error.h"

namespace cacheon {

std::unexpected<Error> Fail(Code code, std::string message, Place where, std::string hint) {
  Severity severity = Severity::kError;
  if (const CodePage* page = FindCodePage(code.text())) severity = page->severity;
  return std::unexpected(Error{.code = code,
                               .message = std::move(message),
                               .where = std::move(where),
                               .hint = std::move(hint),
                               .severity = severity});
}

std::unexpected<Error> Fail(Error error) { return std::unexpected(std::move(error)); }

std::unexpected<Error> FailErrno(Code code, std::string_view what, int errno_value) {
  char buffer[128];
  const char* text = strerror_r(errno_value, buffer, sizeof buffer);
  return Fail(code, fmt::format("{}: {}", what, text));
}

namespace detail {

void CheckFailed(const char* condition, const char* meaning, const char* file, int line) {
  std::fflush(stdout);
  fmt::print(stderr,
             "internal.check: {}:{}: {} ({})\n"
             "  This is a fault of cacheon. Please report this line and the command.\n",
             file, line, meaning, condition);
  std::fflush(stderr);
  _exit(static_cast<int>(ExitStatus::kInternal));
}

}  // namespace detail
}  // namespace cacheon
