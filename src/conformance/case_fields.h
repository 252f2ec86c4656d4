// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// Fields of a case. What a case lacks reads as null, blank or empty, so that a malformed case
// differs instead of ending the run.

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "cacheon/conformance.h"

namespace cacheon::conformance {

const Json& FieldOf(const Json& object, std::string_view key);
const std::string& TextOf(const Json& object, std::string_view key);
const Json::Array& ItemsOf(const Json& object, std::string_view key);
// The items that are text.
std::vector<std::string> TextsOf(const Json& object, std::string_view key);
bool FlagOf(const Json& object, std::string_view key);

// Compares a verdict: `got` is the value of an accepted case, in the form in which `expected` is
// recorded. A case with `expect` "reject" must fail.
CaseResult CompareVerdict(const Json& the_case, std::string name, const Json& expected,
                          const Result<Json>& got);

// Runs every case of `document[list]`; the name of a result is "list: name".
void RunList(const Json& document, std::string_view list,
             const std::function<CaseResult(const Json& the_case, std::string name)>& run,
             std::vector<CaseResult>& results);

}  // namespace cacheon::conformance
