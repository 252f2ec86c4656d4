// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0

#include "cacheon/bundle/tree_contents.h"

#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <utility>

#include "cacheon/bundle/archive.h"
#include "cacheon/bundle/content_hash.h"
#include "src/bundle/kept_files.h"
#include "src/bundle/read_ahead.h"

namespace cacheon::bundle {
namespace {

// Keeps each file, in order, and hashes those that count.
class KeepingSink final : public FileSink {
 public:
  Status OnFile(const TreeEntry& file, std::uint64_t size_bytes) override {
    contents_.emplace_back().reserve(static_cast<std::size_t>(size_bytes));
    hashing_ = IsKeptFile(file);
    if (!hashing_) return {};
    hasher_.BeginFile(file.path, size_bytes);
    hashed_bytes_ += size_bytes;
    return {};
  }

  Status OnBytes(std::span<const std::byte> bytes) override {
    contents_.back().append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    if (hashing_) hasher_.Append(bytes);
    return {};
  }

  std::vector<std::string> TakeContents() { return std::move(contents_); }
  std::uint64_t hashed_bytes() const { return hashed_bytes_; }
  std::string FinishHex() { return hasher_.FinishHex(); }

 private:
  std::vector<std::string> contents_;
  ContentHasher hasher_;
  std::uint64_t hashed_bytes_ = 0;
  bool hashing_ = false;
};

// Before a byte is read: memory is bounded by what an archive may hold.
Status CheckSizes(std::span<const TreeEntry> files) {
  if (files.size() > kMaxMembers) {
    return Fail("archive.too_many_members",
                fmt::format("{} files, at most {} are taken", files.size(), kMaxMembers), {},
                "leave out what the rows do not use");
  }
  SizeBudget budget;
  for (const TreeEntry& file : files) RETURN_IF_ERROR(budget.Add(file.path, file.size_bytes));
  return {};
}

}  // namespace

Result<TreeContents> ReadTreeContents(const std::string& root) {
  TreeContents tree;
  ASSIGN_OR_RETURN(tree.entries, ListTree(root));
  std::vector<TreeEntry> files;
  std::vector<TreeEntry> kept;
  for (const TreeEntry& entry : tree.entries) {
    if (entry.kind == EntryKind::kFile) files.push_back(entry);
    if (IsKeptFile(entry)) kept.push_back(entry);
  }
  RETURN_IF_ERROR(CheckKeptFiles(root, kept));
  RETURN_IF_ERROR(CheckSizes(files));
  KeepingSink sink;
  RETURN_IF_ERROR(ReadFiles(root, files, sink));
  tree.content_hash = sink.FinishHex();
  tree.content_bytes = sink.hashed_bytes();
  std::vector<std::string> read = sink.TakeContents();
  auto next = read.begin();
  for (const TreeEntry& entry : tree.entries) {
    const bool is_file = entry.kind == EntryKind::kFile;
    tree.contents.push_back(is_file ? std::move(*next++) : std::string());
  }
  return tree;
}

}  // namespace cacheon::bundle
