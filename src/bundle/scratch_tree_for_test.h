// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// A temporary directory for tests, removed at the end, and the golden vectors that tests read.

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>

#include "cacheon/core/json.h"
#include "cacheon/core/result.h"
#include "cacheon/core/unique_fd.h"

namespace cacheon::bundle {

class ScratchTree {
 public:
  ScratchTree() {
    std::string pattern = (std::filesystem::temp_directory_path() / "cacheon-test-XXXXXX").string();
    root_ = mkdtemp(pattern.data());
  }
  ~ScratchTree() {
    std::error_code ignored;
    std::filesystem::remove_all(root_, ignored);
  }
  ScratchTree(const ScratchTree&) = delete;  // it owns the directory
  ScratchTree& operator=(const ScratchTree&) = delete;

  const std::string& root() const { return root_; }
  std::string Path(std::string_view relative) const { return root_ + "/" + std::string(relative); }

  // Each makes the parents that it needs.
  void File(std::string_view path, std::string_view content) const {
    MakeParents(path);
    std::ofstream(Path(path), std::ios::binary) << content;
  }
  void Directory(std::string_view path) const { std::filesystem::create_directories(Path(path)); }
  void Symlink(std::string_view path, std::string_view target) const {
    MakeParents(path);
    ASSERT_EQ(symlink(std::string(target).c_str(), Path(path).c_str()), 0) << path;
  }
  void Fifo(std::string_view path) const { ASSERT_EQ(mkfifo(Path(path).c_str(), 0600), 0) << path; }

 private:
  void MakeParents(std::string_view path) const {
    std::filesystem::create_directories(std::filesystem::path(Path(path)).parent_path());
  }

  std::string root_;
};

inline std::string DecodeBase64(std::string_view text) {
  constexpr std::string_view kAlphabet =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string bytes;
  unsigned buffer = 0;
  int bits = 0;
  for (const char c : text) {
    const std::size_t digit = kAlphabet.find(c);
    if (digit == std::string_view::npos) continue;  // padding
    buffer = buffer << 6U | static_cast<unsigned>(digit);
    bits += 6;
    if (bits < 8) continue;
    bits -= 8;
    bytes += static_cast<char>(buffer >> static_cast<unsigned>(bits) & 0xFFU);
  }
  return bytes;
}

// tests/data/vectors/bundle/NAME.
inline Json BundleVectors(std::string_view name) {
  const std::string path =
      std::string(CACHEON_SOURCE_DIR) + "/tests/data/vectors/bundle/" + std::string(name);
  auto text = ReadFile(path, 64U << 20U);
  EXPECT_TRUE(text) << path;
  auto json = ReadJson(text.value_or("null"), {.max_values = 4'000'000});
  EXPECT_TRUE(json) << path;
  return json.value_or(Json());
}

}  // namespace cacheon::bundle
