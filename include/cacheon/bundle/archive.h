// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// The archive of a bundle: a gzip-compressed tar. Packing is deterministic; extraction trusts
// nothing, enforces every limit before it writes what would break it, and leaves nothing behind
// when it refuses.
//
// One reader of our own parses the tar: the code that counts headers is the code that extracts, so
// the two cannot see different members. zlib inflates, because it checks what the archive library
// of the system does not: the CRC of each gzip member.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cacheon/bundle/mode.h"
#include "cacheon/core/result.h"

namespace cacheon::bundle {

// --- Limits -------------------------------------------------------------------------------------

inline constexpr std::uint64_t kMaxArchiveBytes = 64U << 20U;     // compressed
inline constexpr std::uint64_t kMaxExtractedBytes = 256U << 20U;  // sum of file sizes
inline constexpr std::uint64_t kMaxMembers = 4096;                // files and directories
inline constexpr std::uint64_t kMaxTarHeaders = 8192;             // with extension headers
inline constexpr std::uint64_t kMaxFileBytes = 16U << 20U;
inline constexpr std::uint64_t kMaxInspectableFileBytes = 8U << 20U;
inline constexpr std::uint64_t kMaxInspectableBytes = 32U << 20U;      // of all such files
inline constexpr std::uint64_t kMaxExtensionHeaderBytes = 64U << 10U;  // one `x`, `g`, `L` or `K`
inline constexpr std::uint64_t kMaxExtensionBytes = 1U << 20U;         // of all
// Everything above as a tar stream, with its headers and end.
inline constexpr std::uint64_t kMaxTarStreamBytes =
    kMaxExtractedBytes + kMaxMembers * 1024 + kMaxExtensionBytes + 12'288;

// Files that people and scanners read: `.py .cu .cuh .patch .diff .toml .json`.
bool IsInspectable(std::string_view path);

// Non-empty, relative, shortest form, no backslash and no control character. Code:
// archive.member_path; archive.member_excluded for identity noise.
Status CheckMemberPath(std::string_view path);

// Counts files against the limits above. Codes: archive.file_too_large,
// archive.inspectable_file_too_large, archive.inspectable_total, archive.total_size.
class SizeBudget {
 public:
  Status Add(std::string_view path, std::uint64_t size_bytes);

 private:
  std::uint64_t total_ = 0;
  std::uint64_t inspectable_ = 0;
};

// --- Packing ------------------------------------------------------------------------------------

struct PackReport {
  std::string content_hash = {};
  std::uint64_t file_count = 0;
  std::uint64_t content_bytes = 0;
  std::uint64_t archive_bytes = 0;
};

struct PackChecks {
  std::vector<Error> errors;    // why packing would be refused, all of them
  std::vector<Error> warnings;  // publish.order
};

// What packing looks at before it writes: sizes, counts and member names; in strict mode also that
// the tree has no links and that every name can be published. Codes: those of KeptFiles,
// SizeBudget, CheckMemberPath and CheckContributionTree, archive.too_many_members, publish.path.
PackChecks CheckPackable(const std::string& root, Mode mode);

// `<folder>.tar.gz` of the resolved bundle folder.
Result<std::string> DefaultArchiveName(const std::string& root);

// Writes the archive of the kept files at `output`, complete or not at all: members
// `<folder>/<path>` in hash order. The tar bytes depend on the folder's name, the paths and the
// contents only; the gzip bytes also on zlib. Run CheckPackable first. Codes: those of HashTree,
// archive.compressed_size, io.write.
Result<PackReport> PackBundle(const std::string& root, const std::string& output);

// --- Extraction ---------------------------------------------------------------------------------

struct UnpackReport {
  std::string content_hash;
  std::uint64_t file_count = 0;
  std::uint64_t content_bytes = 0;
};

// Extracts the bundle of `archive` so that `destination` becomes its root: directories 0700, files
// 0600. `destination` must not exist or be an empty directory (archive.destination); it is touched
// only when everything holds. With `expected_hash`, another content is archive.hash_mismatch.
// Codes: archive.* as bundle.md section 3.3 orders them, where the faults of the stream (gzip, tar
// structure, budgets) come before those of members; io.open, io.write.
Result<UnpackReport> UnpackArchive(const std::string& archive, const std::string& destination,
                                   const std::optional<std::string>& expected_hash = std::nullopt);

// Checks a tree that was extracted before, as after extraction: names, owner, modes, link counts
// and the hash. Codes: archive.member_path, archive.member_excluded, archive.cache_unsafe,
// archive.cache_mismatch.
Status CheckExtractedTree(const std::string& root, const std::string& expected_hash);

}  // namespace cacheon::bundle
