// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0

#include "cacheon/bundle/content_hash.h"

#include <algorithm>

#include "cacheon/core/utf8.h"
#include "src/bundle/kept_files.h"
#include "src/bundle/read_ahead.h"

namespace cacheon::bundle {
namespace {

class HashingSink final : public FileSink {
 public:
  Status OnFile(const TreeEntry& file, std::uint64_t size_bytes) override {
    hasher_.BeginFile(file.path, size_bytes);
    return {};
  }
  Status OnBytes(std::span<const std::byte> bytes) override {
    hasher_.Append(bytes);
    return {};
  }
  std::string FinishHex() { return hasher_.FinishHex(); }

 private:
  ContentHasher hasher_;
};

}  // namespace

void ContentHasher::BeginFile(std::string_view path, std::uint64_t size_bytes) {
  sha_.UpdateBigEndian32(static_cast<std::uint32_t>(path.size()));
  sha_.Update(path);
  sha_.UpdateBigEndian64(size_bytes);
}

std::string ContentHasher::FinishHex() { return ToHex(sha_.Finish()); }

Status CheckKeptFiles(const std::string& root, std::span<const TreeEntry> kept) {
  const auto not_utf8 =
      std::ranges::find_if(kept, [](const TreeEntry& file) { return !IsUtf8(file.path); });
  if (not_utf8 != kept.end()) {
    return Fail("bundle.path_not_utf8", "the path of a file is not UTF-8", {.file = not_utf8->path},
                "rename the file");
  }
  if (kept.empty()) {
    return Fail("bundle.empty", "the bundle has no file that counts for its identity",
                {.file = root}, "a bundle holds at least manifest.toml and a source");
  }
  return {};
}

Result<std::vector<TreeEntry>> KeptFiles(const std::string& root, HashVariant variant) {
  ASSIGN_OR_RETURN(std::vector<TreeEntry> files, ListTree(root));
  std::erase_if(files, [&](const TreeEntry& entry) {
    return !IsKeptFile(entry) || (variant == HashVariant::kCommitted && entry.path == kCarrierFile);
  });
  RETURN_IF_ERROR(CheckKeptFiles(root, files));
  return files;
}

Result<ContentIdentity> HashTree(const std::string& root, HashVariant variant) {
  ASSIGN_OR_RETURN(std::vector<TreeEntry> files, KeptFiles(root, variant));
  HashingSink sink;
  RETURN_IF_ERROR(ReadFiles(root, files, sink));
  ContentIdentity identity{.hash = sink.FinishHex(), .files = std::move(files)};
  for (const TreeEntry& file : identity.files) identity.content_bytes += file.size_bytes;
  return identity;
}

}  // namespace cacheon::bundle
