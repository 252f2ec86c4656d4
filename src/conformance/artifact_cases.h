// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// What the runners of artifact/*.json share: verdicts of the form `ok` and `code`, typed values,
// live frames and bundles.

#include <string>
#include <vector>

#include "cacheon/artifact/expression.h"
#include "cacheon/artifact/live_frame.h"
#include "cacheon/artifact/op_artifact.h"
#include "cacheon/artifact/scalar_type.h"
#include "cacheon/bundle/manifest.h"
#include "src/conformance/case_fields.h"

namespace cacheon::conformance {

// Compares a case with `ok`, `code` and `code_also`; codes of the files are spelled `EX_ARITY`.
CaseResult CompareOk(const Json& the_case, std::string name, const Json& expected,
                     const Result<Json>& got);

// Runs the lists of a document; `conformance.form` when it is no object.
struct CaseList {
  std::string_view list;
  std::function<CaseResult(const Json& the_case, std::string name)> run;
};
Result<std::vector<CaseResult>> RunLists(const Json& document, const std::vector<CaseList>& lists);

// The object of the named members of `the_case`, as an expectation.
Json Pick(const Json& the_case, std::initializer_list<std::string_view> keys);

// {type, value | hex}.
Result<artifact::TypedScalar> ReadTypedScalar(const Json& value);
Json TypedValue(const artifact::ExprValue& value);
Result<artifact::LiveValue> ReadLiveValue(const Json& value);
Result<std::vector<artifact::LiveValue>> ReadLiveFrame(const Json& frame);

// Reads the case's bundle with the artifact checker; the first error is the verdict.
Result<bundle::Manifest> ReadCaseBundle(const Json& document, const Json& the_case);

// The checked artifact of the row with this slot; conformance.form when there is none.
Result<const artifact::OpArtifact*> ArtifactOfSlot(const bundle::Manifest& manifest,
                                                   std::string_view slot);

std::string HexOf(std::span<const std::byte> bytes);

}  // namespace cacheon::conformance
