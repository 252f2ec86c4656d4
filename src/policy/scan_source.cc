// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0

#include "src/policy/scan_source.h"

#include <algorithm>
#include <utility>

#include "cacheon/core/utf8.h"

namespace cacheon::policy {

SourceText::SourceText(std::string path, std::string_view content)
    : path_(std::move(path)), content_(content) {
  std::size_t start = 0;
  while (start <= content.size()) {
    const std::size_t end = std::min(content.find_first_of("\r\n", start), content.size());
    starts_.push_back(start);
    lengths_.push_back(static_cast<std::int32_t>(end - start));
    start = end + (content.substr(end).starts_with("\r\n") ? 2 : 1);
  }
}

std::string_view SourceText::Line(int line) const {
  if (line < 1 || line > line_count()) return {};
  const auto index = static_cast<std::size_t>(line) - 1;
  return content_.substr(starts_[index], static_cast<std::size_t>(lengths_[index]));
}

SourcePlace SourceText::PlaceOf(std::size_t offset) const {
  const auto after = std::ranges::upper_bound(starts_, offset);
  const auto line = after - starts_.begin();
  return {static_cast<int>(line),
          static_cast<int>(offset - starts_[static_cast<std::size_t>(line) - 1])};
}

int SourceText::ColumnOf(SourcePlace place) const {
  if (place.line < 1) return 0;
  const std::string_view line = Line(place.line);
  const auto bytes = std::min(static_cast<std::size_t>(place.column_bytes), line.size());
  return static_cast<int>(CodePointCount(line.substr(0, bytes))) + 1;
}

}  // namespace cacheon::policy
