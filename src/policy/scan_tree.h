// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// The rules about which files a bundle may hold, by kind, name, count and first bytes, before any
// is opened as code. Section 1 of the static policy.

#include <string_view>
#include <vector>

#include "cacheon/core/error.h"
#include "cacheon/policy/scan.h"

namespace cacheon::policy {

inline constexpr std::size_t kMaxTreeFiles = 512;
inline constexpr std::size_t kMaxFileBytes = 8U << 20U;
inline constexpr std::size_t kMaxTreeBytes = 32U << 20U;
inline constexpr std::size_t kMaxPathBytes = 240;
inline constexpr int kMaxPathDepth = 16;

// Codes: tree.symlink, tree.nonregular, tree.hardlink, tree.binary, tree.binary_magic,
// tree.binary_suffix_ext, tree.unsanctioned_file, tree.benign, tree.cuda_undeclared,
// tree.patch_undeclared, tree.pycache, tree.path, tree.casefold, tree.shadow, tree.stem_clash,
// tree.limit, cu.stem.
std::vector<Error> CheckTree(const ScanBundle& bundle, bundle::Mode mode);

// How the scan reads a file, from its name.
enum class FileLanguage { kNone, kPython, kCuda, kPatch, kData };
FileLanguage LanguageOf(std::string_view path);

// From the last dot of the final name on; empty when that is its first or last character.
std::string_view SuffixOf(std::string_view path);

// True below `__pycache__` or `.git`, which neither identity nor importers of the runtime see.
bool IsSkippedPath(std::string_view path);

}  // namespace cacheon::policy
