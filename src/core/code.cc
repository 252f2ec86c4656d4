// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0

#include "cacheon/core/code.h"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

namespace cacheon {
namespace {

// Plain edit distance; names are short, so the quadratic form serves.
std::size_t EditDistance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = std::exchange(row[0], i);
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replace = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = std::exchange(row[j], std::min({row[j] + 1, row[j - 1] + 1, replace}));
    }
  }
  return row.back();
}

}  // namespace

const CodePage* FindCodePage(std::string_view name) {
  const std::span<const CodePage> pages = CodePages();
  const auto found = std::ranges::lower_bound(pages, name, {}, &CodePage::code);
  if (found != pages.end() && found->code == name) return &*found;
  for (const CodePage& page : pages) {
    if (std::ranges::find(page.aliases, name) != page.aliases.end()) return &page;
  }
  return nullptr;
}

std::optional<Code> Code::Find(std::string_view name) {
  const CodePage* page = FindCodePage(name);
  if (page == nullptr) return std::nullopt;
  return Code(FromTable{}, page->code);
}

std::vector<const CodePage*> PagesBelow(std::string_view coarser) {
  std::vector<const CodePage*> pages;
  for (const CodePage& page : CodePages()) {
    if (std::ranges::find(page.coarser, coarser) != page.coarser.end()) pages.push_back(&page);
  }
  return pages;
}

std::vector<std::string_view> NearestCodes(std::string_view name, int count) {
  constexpr std::size_t kLongestName = 128;
  name = name.substr(0, kLongestName);
  std::vector<std::pair<std::size_t, std::string_view>> ranked;
  for (const CodePage& page : CodePages())
    ranked.emplace_back(EditDistance(name, page.code), page.code);
  std::ranges::sort(ranked);
  std::vector<std::string_view> nearest;
  for (const auto& [distance, code] : ranked) {
    if (static_cast<int>(nearest.size()) == count) break;
    nearest.push_back(code);
  }
  return nearest;
}

}  // namespace cacheon
