// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// Decides member by member what an archive may put on disk, and writes it below a directory of our
// own (bundle.md section 3.3, pass 2).

#include <cstdint>
#include <map>
#include <set>
#include <span>
#include <string>

#include "cacheon/bundle/archive.h"
#include "cacheon/core/result.h"
#include "cacheon/core/unique_fd.h"
#include "src/bundle/tar_reader.h"

namespace cacheon::bundle {

class Extraction {
 public:
  // Writes below the directory `root_fd`, which must stay open.
  explicit Extraction(int root_fd) : root_fd_(root_fd) {}

  // Checks the member and, when it is a file, creates it; Append then gives its content. Codes:
  // archive.too_many_members, archive.member_path, archive.member_excluded,
  // archive.duplicate_member, archive.path_conflict, archive.member_type, those of SizeBudget,
  // io.write.
  Status Begin(const TarMember& member);
  Status Append(std::span<const char> content);
  // Codes: archive.no_files, archive.empty_directory.
  Status Finish();

  std::uint64_t file_count() const { return file_count_; }
  std::uint64_t content_bytes() const { return content_bytes_; }
  // The only top-level entry when that is a directory; empty when the root itself is the bundle.
  std::string Wrapper() const;

 private:
  Status CheckConflicts(const std::string& path);
  void RememberAncestors(const std::string& path, bool of_file);
  Status Create(const std::string& path);

  int root_fd_;
  UniqueFd file_;
  std::uint64_t member_count_ = 0;
  std::uint64_t file_count_ = 0;
  std::uint64_t content_bytes_ = 0;
  SizeBudget sizes_;
  std::map<std::string, MemberKind> members_;
  std::map<std::string, bool> ancestors_;  // true: of a file
};

}  // namespace cacheon::bundle
