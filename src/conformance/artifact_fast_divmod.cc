// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0
//
// artifact/fast_divmod.json: both encodings of prepared divisors.

#include "cacheon/artifact/fast_divmod.h"
#include "src/conformance/artifact_cases.h"
#include "src/conformance/file_kinds.h"

namespace cacheon::conformance {
namespace {

CaseResult Encoding(const Json& the_case, std::string name) {
  const Json& number = FieldOf(the_case, "divisor");
  const auto divisor = artifact::CheckDivisor(number.is_int64() ? number.as_int64() : 0);
  const auto encode = [&]() -> Result<Json> {
    if (!divisor) return Fail(divisor.error());
    return Json(Json::Object{{"cutlass_hex", HexOf(artifact::EncodeCutlassFastDivmod(*divisor))},
                             {"cute_hex", HexOf(artifact::EncodeCuteFastDivmod(*divisor))}});
  };
  return CompareOk(the_case, std::move(name), Pick(the_case, {"cutlass_hex", "cute_hex"}),
                   encode());
}

// Both families refuse the same divisors.
Result<Json> Check(const Json& the_case) {
  ASSIGN_OR_RETURN(const artifact::TypedScalar scalar,
                   ReadTypedScalar(FieldOf(the_case, "divisor")));
  // No divisor is above int64; the largest stands for those.
  artifact::ExprValue value = INT64_MAX;
  if (const auto* flag = std::get_if<bool>(&scalar)) value = *flag;
  if (const auto* integer = std::get_if<std::int64_t>(&scalar)) value = *integer;
  if (const auto* decimal = std::get_if<double>(&scalar)) value = *decimal;
  RETURN_IF_ERROR(artifact::CheckDivisor(value));
  return Json();
}

CaseResult Reject(const Json& the_case, std::string name) {
  return CompareOk(the_case, std::move(name), Json(), Check(the_case));
}

}  // namespace

Cases RunFastDivmod(const Json& document) {
  return RunLists(document, {{"cases", Encoding}, {"rejects", Reject}});
}

}  // namespace cacheon::conformance
