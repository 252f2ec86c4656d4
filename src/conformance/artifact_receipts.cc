// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0
//
// artifact/receipts.json: the completion gate over receipts.

#include "cacheon/artifact/receipt_coverage.h"
#include "src/conformance/artifact_cases.h"
#include "src/conformance/file_kinds.h"

namespace cacheon::conformance {
namespace {

CaseResult Coverage(const Json& the_case, std::string name) {
  const Json& count = FieldOf(the_case, "expected_member_count");
  const Status covered =
      artifact::CheckCoverage({.expected_slots = TextsOf(the_case, "expected_slots"),
                               .expected_member_count = count.is_int64() ? count.as_int64() : 0,
                               .members = ItemsOf(the_case, "members"),
                               .observed = ItemsOf(the_case, "observed"),
                               .fallbacks = ItemsOf(the_case, "fallbacks")});
  Result<Json> got = Json();
  if (!covered) got = Fail(covered.error());
  return CompareOk(the_case, std::move(name), Json(), got);
}

}  // namespace

Cases RunReceipts(const Json& document) { return RunLists(document, {{"coverage", Coverage}}); }

}  // namespace cacheon::conformance
