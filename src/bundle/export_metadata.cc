// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0

#include "src/bundle/export_metadata.h"

#include <fmt/format.h>

#include "cacheon/bundle/manifest.h"
#include "cacheon/core/unique_fd.h"
#include "cacheon/core/utf8.h"

namespace cacheon::bundle {
namespace {

Result<Json> ParseDocument(std::string_view text, const Place& file) {
  if (!IsUtf8(text) || text.starts_with("\xEF\xBB\xBF")) {
    return Fail("manifest.metadata_json", "the metadata is not UTF-8 without a byte order mark",
                file, "save the file as UTF-8");
  }
  auto json = ReadJson(text);
  if (json) return json;
  Place where = std::move(json.error().where);
  where.file = file.file;
  if (json.error().code == Code("json.duplicate_key")) {
    return Fail("manifest.metadata_duplicate_key", std::move(json.error().message),
                std::move(where), "remove one of the two");
  }
  return Fail("manifest.metadata_json", std::move(json.error().message), std::move(where),
              "the file is one JSON object");
}

}  // namespace

bool ExactCapabilities::Proves(const Specialization& needed) const {
  const Json* predicate = capabilities_.Find(needed.capability_field);
  if (predicate == nullptr) return false;
  if (predicate->is_object()) {
    if (predicate->as_object().size() != 1) return false;
    const Json* exact = predicate->Find("exact");
    if (exact != nullptr) return *exact == needed.value;
    predicate = predicate->Find("one_of");
    if (predicate == nullptr || !predicate->is_array()) return false;
  }
  if (!predicate->is_array()) return *predicate == needed.value;
  return predicate->as_array().size() == 1 && predicate->as_array()[0] == needed.value;
}

Result<ExactCapabilities> ReadExactCapabilities(const BundleRoot& root,
                                                const std::optional<DeclaredPath>& metadata) {
  if (!metadata) return ExactCapabilities();
  const Place file{.file = metadata->resolved};
  auto text = ReadFile(root.path() + '/' + metadata->resolved, kMaxExportMetadataBytes);
  if (!text && text.error().code == Code("io.too_large")) {
    return Fail("manifest.metadata_size",
                fmt::format("the metadata is larger than {} bytes", kMaxExportMetadataBytes), file,
                "metadata names a few fields and their values");
  }
  if (!text) return Fail(std::move(text.error()).At(file));
  ASSIGN_OR_RETURN(const Json document, ParseDocument(*text, file));
  if (!document.is_object()) {
    return Fail("manifest.metadata_object", "the metadata is no JSON object", file,
                "write `{\"capabilities\": {...}}`");
  }
  const Json* capabilities = document.Find("capabilities");
  if (capabilities == nullptr) return ExactCapabilities();
  if (!capabilities->is_object()) {
    return Fail("manifest.metadata_capabilities_object", "`capabilities` is no object", file,
                "write `\"capabilities\": {\"block_size\": 128}`");
  }
  return ExactCapabilities(*capabilities);
}

}  // namespace cacheon::bundle
