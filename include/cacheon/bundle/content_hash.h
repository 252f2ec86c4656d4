// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// The content hash: a bundle's identity. SHA-256 over, for each kept file in hash order, the length
// of its path (u32, big-endian), the path, the length of its content (u64, big-endian) and the
// content. No modes, times, owners or directories.

#include <cstdint>
#include <string>
#include <vector>

#include "cacheon/bundle/tree.h"
#include "cacheon/core/result.h"
#include "cacheon/core/sha256.h"

namespace cacheon::bundle {

enum class HashVariant {
  kBundle,     // every kept file
  kCommitted,  // without the top-level file `.cacheon-native-artifact.json`
};

inline constexpr std::string_view kCarrierFile = ".cacheon-native-artifact.json";

struct ContentIdentity {
  std::string hash;              // 64 lower-case hexadecimal digits
  std::vector<TreeEntry> files;  // the hashed files, in hash order
  std::uint64_t content_bytes = 0;
};

// Codes: bundle.not_directory, bundle.path_not_utf8, bundle.empty, tree.changed (a file changed
// while it was read), and those of ListTree.
Result<ContentIdentity> HashTree(const std::string& root,
                                 HashVariant variant = HashVariant::kBundle);

// The files that HashTree hashes, in its order, without reading them.
Result<std::vector<TreeEntry>> KeptFiles(const std::string& root,
                                         HashVariant variant = HashVariant::kBundle);

// The preimage, for callers that have the bytes of the files in hand and in hash order.
class ContentHasher {
 public:
  void BeginFile(std::string_view path, std::uint64_t size_bytes);
  void Append(std::span<const std::byte> content) { sha_.Update(content); }
  std::string FinishHex();

 private:
  Sha256 sha_;
};

}  // namespace cacheon::bundle
