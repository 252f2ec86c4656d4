// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0
//
// artifact/manifests.json and artifact/reference_crashes.json: manifests with direct artifacts.

#include "src/conformance/artifact_cases.h"
#include "src/conformance/file_kinds.h"

namespace cacheon::conformance {

Cases RunArtifactManifests(const Json& document) {
  const auto read = [&](const Json& the_case, std::string name) {
    const Result<bundle::Manifest> manifest = ReadCaseBundle(document, the_case);
    Result<Json> got = Json();
    if (!manifest) got = Fail(manifest.error());
    return CompareOk(the_case, std::move(name), Json(), got);
  };
  return RunLists(document, {{"cases", read}});
}

}  // namespace cacheon::conformance
