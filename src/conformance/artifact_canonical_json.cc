// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0
//
// artifact/canonical_json.json: canonical bytes of values given as JSON text.

#include "cacheon/core/sha256.h"
#include "src/conformance/artifact_cases.h"
#include "src/conformance/file_kinds.h"

namespace cacheon::conformance {
namespace {

Result<Json> Encode(const Json& the_case) {
  ASSIGN_OR_RETURN(const Json value, ReadJson(TextOf(the_case, "input_json")));
  ASSIGN_OR_RETURN(const std::string bytes, CanonicalJson(value));
  ASSIGN_OR_RETURN(const std::string digest, DomainDigest("x", value));
  return Json::Object{{"utf8_hex", ToHex(std::as_bytes(std::span(bytes)))},
                      {"sha256", Sha256Hex(bytes)},
                      {"canonical_digest_domain_x", digest}};
}

CaseResult Encoding(const Json& the_case, std::string name) {
  return CompareOk(the_case, std::move(name),
                   Pick(the_case, {"utf8_hex", "sha256", "canonical_digest_domain_x"}),
                   Encode(the_case));
}

}  // namespace

Cases RunArtifactCanonicalJson(const Json& document) {
  return RunLists(document, {{"cases", Encoding}});
}

}  // namespace cacheon::conformance
