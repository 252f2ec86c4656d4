// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0
//
// bundle/canonical_json.json: canonical bytes and domain digests of values given as JSON text.

#include <span>

#include "cacheon/core/sha256.h"
#include "src/conformance/case_fields.h"
#include "src/conformance/file_kinds.h"

namespace cacheon::conformance {
namespace {

Result<Json> Encode(const Json& the_case) {
  const std::string& domain = TextOf(the_case, "domain");
  ASSIGN_OR_RETURN(const Json value, ReadJson(TextOf(the_case, "value_json")));
  ASSIGN_OR_RETURN(const std::string bytes, CanonicalJson(value));
  ASSIGN_OR_RETURN(const std::string digest_v1, DomainDigest(domain, value, 1));
  ASSIGN_OR_RETURN(const std::string digest_v2, DomainDigest(domain, value, 2));
  return Json::Object{{"canonical_hex", ToHex(std::as_bytes(std::span(bytes)))},
                      {"digest_v1", digest_v1},
                      {"digest_v2", digest_v2}};
}

CaseResult Encoding(const Json& the_case, std::string name) {
  const Json expected = Json::Object{{"canonical_hex", FieldOf(the_case, "canonical_hex")},
                                     {"digest_v1", FieldOf(the_case, "digest_v1")},
                                     {"digest_v2", FieldOf(the_case, "digest_v2")}};
  return CompareVerdict(the_case, std::move(name), expected, Encode(the_case));
}

}  // namespace

Cases RunCanonicalJson(const Json& document) {
  if (!document.is_object()) return Fail("conformance.form", "the file holds no object");
  std::vector<CaseResult> results;
  RunList(document, "accept", Encoding, results);
  RunList(document, "reject", Encoding, results);
  return results;
}

}  // namespace cacheon::conformance
