// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0
//
// artifact/publication_paths.json: the path grammar of publications.

#include "cacheon/artifact/publication_path.h"
#include "src/conformance/artifact_cases.h"
#include "src/conformance/file_kinds.h"

namespace cacheon::conformance {
namespace {

CaseResult Path(const Json& the_case, std::string name) {
  const Status checked = artifact::CheckPublicationPath(
      TextOf(the_case, "path"),
      FlagOf(the_case, "file_leaf") ? artifact::PathLeaf::kFile : artifact::PathLeaf::kDirectory);
  Result<Json> got = Json();
  if (!checked) got = Fail(checked.error());
  return CompareOk(the_case, std::move(name), Json(), got);
}

}  // namespace

Cases RunPublicationPaths(const Json& document) { return RunLists(document, {{"cases", Path}}); }

}  // namespace cacheon::conformance
