// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0
//
// artifact/compile_profile.json: compile profiles, their files and digests.

#include "cacheon/artifact/compile_profile.h"
#include "src/conformance/artifact_cases.h"
#include "src/conformance/file_kinds.h"

namespace cacheon::conformance {
namespace {

Result<Json> Read(const Json& the_case) {
  ASSIGN_OR_RETURN(
      const artifact::CompileProfile profile,
      artifact::ParseCompileProfile(FieldOf(the_case, "profile"), artifact::KeyPath("profile"),
                                    bundle::Mode::kCompat));
  return Json::Object{{"canonical_bytes", artifact::CompileProfileBytes(profile)},
                      {"digest", artifact::CompileProfileDigest(profile)}};
}

CaseResult Profile(const Json& the_case, std::string name) {
  return CompareOk(the_case, std::move(name), Pick(the_case, {"canonical_bytes", "digest"}),
                   Read(the_case));
}

}  // namespace

Cases RunCompileProfile(const Json& document) { return RunLists(document, {{"cases", Profile}}); }

}  // namespace cacheon::conformance
