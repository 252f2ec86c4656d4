// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// Dependency patches: unified diffs in a closed grammar, parsed to data and applied exactly (no
// fuzz, no search) to text in memory. Nothing here touches a file of a dependency.

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cacheon/core/result.h"

namespace cacheon::bundle {

struct PatchHunk {
  std::int64_t old_start = 0;  // from 1; 0 with a count of 0 for a new file
  std::int64_t old_count = 0;
  std::int64_t new_start = 0;  // never checked
  std::int64_t new_count = 0;
  std::vector<std::string> lines;  // each with its first character ' ', '-' or '+'; may be empty
  int line = 0;                    // of the `@@` in the patch, from 1

  friend bool operator==(const PatchHunk&, const PatchHunk&) = default;
};

struct PatchedFile {
  std::string path = {};  // relative to the dependency's root
  bool is_new_file = false;
  std::vector<PatchHunk> hunks = {};
  int line = 0;  // of the `---` in the patch, from 1

  friend bool operator==(const PatchedFile&, const PatchedFile&) = default;
};

struct Patch {
  std::vector<PatchedFile> files;

  friend bool operator==(const Patch&, const Patch&) = default;
};

// Parses a patch whose lines end in LF. Every error carries the line of the patch. Codes, as
// bundle.md section 5 orders them: patch.stray_line, patch.binary, patch.rename, patch.copy,
// patch.no_eol_marker, patch.missing_plus, patch.delete, patch.prefix, patch.path,
// patch.path_component, patch.duplicate_file, patch.hunk_line, patch.hunk_count,
// patch.new_file_range, patch.new_file_hunks, patch.no_hunks, patch.empty.
Result<Patch> ParsePatch(std::string_view text);

// CRLF and lone CR become LF, as a text file is read in Python.
std::string UniversalNewlines(std::string text);

// The text of one file after the patch; `original` is nullopt when there is no such file. Errors
// name the file and the line of it. Codes: apply.exists, apply.missing, apply.no_trailing_newline,
// apply.hunk_order, apply.range, apply.context.
Result<std::string> ApplyPatchedFile(const PatchedFile& file,
                                     std::optional<std::string_view> original);

// The content of a file of the dependency; nullopt when it has none of this path.
using DependencyReader = std::function<Result<std::optional<std::string>>(std::string_view path)>;

// Applies patches in order, each on top of the ones before, to what `read` gives, and returns the
// changed files. Writes nothing. Codes: those of ApplyPatchedFile and of `read`.
Result<std::map<std::string, std::string>> ApplyPatches(std::span<const Patch> patches,
                                                        const DependencyReader& read);

// What may be patched at all: `flashinfer`, files below `flashinfer/data/csrc` that match
// `flashinfer/data/csrc/fused_moe/*`. Codes: patch.policy_target, patch.policy_subtree,
// patch.policy_glob.
Status CheckPatchPolicy(std::string_view target, const Patch& patch);

}  // namespace cacheon::bundle
