// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// Reads the fields of one table of a manifest and collects what is wrong with them, each with its
// place. A field that is refused reads as absent, so that the checks of other fields go on.

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cacheon/bundle/declared_path.h"
#include "cacheon/bundle/manifest.h"
#include "cacheon/core/json.h"

namespace cacheon::bundle {

// What one reading of a manifest shares.
struct ReadingContext {
  const BundleRoot& root;
  const Places& places;
  const ManifestOptions& options;
  std::vector<Error> errors = {};
  std::vector<Error> warnings = {};

  bool full() const { return errors.size() >= kMaxManifestErrors; }
  void Refuse(Code code, std::string message, Place where, std::string hint);
  // Does nothing in compat mode.
  void Warn(Code code, std::string message, Place where, std::string hint);
};

class TableReader {
 public:
  // `path` is the table's key path, empty for the document. All references must outlive the reader.
  TableReader(ReadingContext& context, const Json::Object& table, std::string path,
              std::span<const std::string_view> known_keys);

  const Json* Find(std::string_view key) const;
  const std::string& path() const { return path_; }
  std::string PathOf(std::string_view key) const;
  ReadingContext& context() const { return context_; }

  // An error or a warning at the value of `key`; when the key is absent, at the table. The hint of
  // an absent key names a key of the table that looks like a misspelling of it.
  void Refuse(Code code, std::string_view key, std::string message, std::string hint) const;
  void Warn(Code code, std::string_view key, std::string message, std::string hint) const;

  // The value as trimmed text, other types as Python's `str` writes them (with a warning); nullopt
  // when the key is absent.
  std::optional<std::string> Text(std::string_view key) const;

  // A list of strings that are not blank, trimmed. An absent key is an empty list. Codes:
  // manifest.op_string_array_type, manifest.op_string_array_item.
  std::vector<std::string> Strings(std::string_view key) const;

  // Resolves `text`, the value of `key` (or of its item), and reports what BundleRoot::Resolve
  // does.
  std::optional<DeclaredPath> Path(std::string_view text, const std::string& key_path,
                                   PathUse use) const;

  // The keys of the table that are not known, in order.
  std::vector<std::string> UnknownKeys() const;
  // "did you mean `entry`?" or `otherwise`.
  std::string Suggest(std::string_view key, std::string_view otherwise) const;

 private:
  ReadingContext& context_;
  const Json::Object& table_;
  std::string path_;
  std::span<const std::string_view> known_keys_;
};

}  // namespace cacheon::bundle
