// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0
//
// Makes every view of any JSON value: a malformed document gives gaps and control characters stay
// out of what a terminal or a browser gets.

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "cacheon/core/json.h"
#include "cacheon/core/result.h"
#include "cacheon/report.h"

namespace {

void RequireNoEscape(std::string_view view) {
  if (view.find('\x1b') != std::string_view::npos) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using cacheon::Json;
  namespace report = cacheon::report;
  const cacheon::Result<Json> document =
      cacheon::ReadJson({reinterpret_cast<const char*>(data), size});
  if (!document) return 0;
  RequireNoEscape(report::VerdictText(*document, {}));
  RequireNoEscape(report::VerdictText(*document, {.every_case = true}));
  RequireNoEscape(report::JUnitXml({&*document, 1}));
  RequireNoEscape(report::HtmlPage({&*document, 1}));
  RequireNoEscape(report::ComparisonText(*document, *document));
  (void)report::SarifLog(report::ErrorsOf(*document, "b"), "1");
  return 0;
}
