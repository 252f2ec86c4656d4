// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0
//
// bundle/content_hash.json: the content hash of directories, its order and its carrier variant.

#include <utility>

#include "cacheon/bundle.h"
#include "src/conformance/case_fields.h"
#include "src/conformance/file_kinds.h"

namespace cacheon::conformance {
namespace {

Status WriteEntry(const ScratchTree& tree, const Json& entry) {
  std::string path = TextOf(entry, "path");
  if (entry.Find("path_base64") != nullptr) {
    ASSIGN_OR_RETURN(path, DecodeBase64(TextOf(entry, "path_base64")));
  }
  const std::string& kind = TextOf(entry, "kind");
  if (kind == "dir") return tree.MakeDirectory(path);
  if (kind == "symlink") return tree.WriteSymlink(path, TextOf(entry, "target"));
  ASSIGN_OR_RETURN(const std::string content, DecodeBase64(TextOf(entry, "base64")));
  return tree.WriteFile(path, content);
}

Result<Json> HashOf(const std::string& root, bundle::HashVariant variant) {
  ASSIGN_OR_RETURN(const bundle::ContentIdentity identity, bundle::HashTree(root, variant));
  Json::Array order;
  for (const bundle::TreeEntry& file : identity.files) order.emplace_back(file.path);
  return Json(Json::Object{{"hash", identity.hash}, {"order", std::move(order)}});
}

CaseResult RunTree(const Json& the_case, std::string name) {
  const auto tree = ScratchTree::Create();
  if (!tree) return Unsupported(std::move(name), FormatError(tree.error()));
  for (const Json& entry : ItemsOf(the_case, "entries")) {
    const Status written = WriteEntry(*tree, entry);
    if (!written) return Unsupported(std::move(name), FormatError(written.error()));
  }
  const auto plain = HashOf(tree->root(), bundle::HashVariant::kBundle);
  const auto committed = HashOf(tree->root(), bundle::HashVariant::kCommitted);
  if (TextOf(the_case, "expect") == "reject") {
    CaseResult result = CompareReject(name + " (committed)", TextOf(the_case, "committed_code"),
                                      committed ? nullptr : &committed.error());
    if (result.agreement != Agreement::kAgree) return result;
    return CompareReject(std::move(name), TextOf(the_case, "code"),
                         plain ? nullptr : &plain.error());
  }
  if (!plain) return Differs(std::move(name), "accept", FormatError(plain.error()));
  if (!committed) return Differs(std::move(name), "accept", FormatError(committed.error()));
  const Json expected = Json::Object{{"content_hash", FieldOf(the_case, "content_hash")},
                                     {"committed", FieldOf(the_case, "committed_content_hash")},
                                     {"order", FieldOf(the_case, "order")}};
  return CompareJson(std::move(name), expected,
                     Json::Object{{"content_hash", FieldOf(*plain, "hash")},
                                  {"committed", FieldOf(*committed, "hash")},
                                  {"order", FieldOf(*plain, "order")}});
}

CaseResult RunWorkedPreimage(const Json& worked) {
  std::string name = "worked_preimage";
  const auto tree = ScratchTree::Create();
  if (!tree) return Unsupported(std::move(name), FormatError(tree.error()));
  for (const Json& file : ItemsOf(worked, "files")) {
    const Status written = tree->WriteFile(TextOf(file, "path"), TextOf(file, "text"));
    if (!written) return Unsupported(std::move(name), FormatError(written.error()));
  }
  const auto identity = bundle::HashTree(tree->root());
  if (!identity) return Differs(std::move(name), "accept", FormatError(identity.error()));
  return CompareJson(std::move(name), FieldOf(worked, "sha256"), Json(identity->hash));
}

}  // namespace

Cases RunContentHash(const Json& document) {
  if (!document.is_object()) return Fail("conformance.form", "the file is no object");
  std::vector<CaseResult> results;
  if (const Json* worked = document.Find("worked_preimage")) {
    results.push_back(RunWorkedPreimage(*worked));
  }
  RunList(document, "synthetic", RunTree, results);
  return results;
}

}  // namespace cacheon::conformance
