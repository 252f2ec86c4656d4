// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// One text file of a bundle with its lines. Lines end at LF, CRLF or a lone CR, as CPython and
// compilers have it.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace cacheon::policy {

// A place in a SourceText: line from 1 (0: the whole file), column in bytes from 0.
struct SourcePlace {
  int line = 0;
  int column_bytes = 0;
};

class SourceText {
 public:
  // `content` must outlive this.
  SourceText(std::string path, std::string_view content);

  const std::string& path() const { return path_; }
  std::string_view content() const { return content_; }
  int line_count() const { return static_cast<int>(starts_.size()); }
  // Without its line end. Lines that do not exist are empty.
  std::string_view Line(int line) const;
  const std::vector<std::int32_t>& line_lengths() const { return lengths_; }
  SourcePlace PlaceOf(std::size_t offset) const;
  // Column from 1 in code points; 0 for the whole file.
  int ColumnOf(SourcePlace place) const;

 private:
  std::string path_;
  std::string_view content_;
  std::vector<std::size_t> starts_;
  std::vector<std::int32_t> lengths_;
};

}  // namespace cacheon::policy
