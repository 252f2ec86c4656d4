// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0

#include "src/artifact/tma_words.h"

#include <fmt/format.h>

#include <algorithm>
#include <span>

#include "src/artifact/table_reader.h"

namespace cacheon::artifact {
namespace {

constexpr TmaElementType kElementTypes[] = {
    {"u8", 0, 1, false},     {"u16", 1, 2, false},      {"u32", 2, 4, false},
    {"i32", 3, 4, false},    {"i64", 5, 8, false},      {"f16", 6, 2, true},
    {"f32", 7, 4, true},     {"f64", 8, 8, true},       {"bf16", 9, 2, true},
    {"tf32", 11, 4, true},   {"tf32_32b", 12, 4, true}, {"f8e4m3", 0, 1, false},
    {"f8e5m2", 0, 1, false},
};

// Each in the order of its enumeration.
constexpr std::string_view kInterleaves[] = {"none", "interleave_16b", "interleave_32b"};
constexpr std::string_view kSwizzles[] = {"none", "swizzle_32b", "swizzle_64b", "swizzle_128b",
                                          "swizzle_128b_atom_32b"};
constexpr std::string_view kL2Promotions[] = {"none", "l2_64b", "l2_128b", "l2_256b"};
constexpr std::string_view kOobFills[] = {"none", "zero", "nan_request_zero_fma"};

Result<std::size_t> ParseWord(Code code, const Json& table, std::string_view key,
                              std::span<const std::string_view> words, const KeyPath& path) {
  const auto index = IndexOf(words, table.Find(key));
  if (index) return *index;
  return Fail(code,
              fmt::format("`{}` is {}, not {}", key, JoinNames(words), Spell(table.Find(key))),
              path.Key(key).where());
}

}  // namespace

const TmaElementType* FindTmaElementType(std::string_view name) {
  const auto found = std::ranges::find(kElementTypes, name, &TmaElementType::name);
  return found == std::end(kElementTypes) ? nullptr : &*found;
}

std::string_view TmaInterleaveName(TmaInterleave interleave) {
  return kInterleaves[static_cast<std::size_t>(interleave)];
}

std::string_view TmaSwizzleName(TmaSwizzle swizzle) {
  return kSwizzles[static_cast<std::size_t>(swizzle)];
}

std::string_view TmaL2PromotionName(TmaL2Promotion promotion) {
  return kL2Promotions[static_cast<std::size_t>(promotion)];
}

std::string_view TmaOobFillName(TmaOobFill fill) {
  return kOobFills[static_cast<std::size_t>(fill)];
}

Result<TmaWords> ParseTmaWords(const Json& table, const KeyPath& path) {
  TmaWords words;
  words.element_type = FindTmaElementType(TextOf(table.Find("element_type")));
  if (words.element_type == nullptr) {
    return Fail(
        "tm.element",
        fmt::format("{} is no element type of tensor maps", Spell(table.Find("element_type"))),
        path.Key("element_type").where());
  }
  ASSIGN_OR_RETURN(const std::size_t interleave,
                   ParseWord("tm.interleave", table, "interleave", kInterleaves, path));
  ASSIGN_OR_RETURN(const std::size_t swizzle,
                   ParseWord("tm.swizzle", table, "swizzle", kSwizzles, path));
  ASSIGN_OR_RETURN(const std::size_t promotion,
                   ParseWord("tm.l2", table, "l2_promotion", kL2Promotions, path));
  ASSIGN_OR_RETURN(const std::size_t fill, ParseWord("tm.oob", table, "oob_fill", kOobFills, path));
  words.interleave = static_cast<TmaInterleave>(interleave);
  words.swizzle = static_cast<TmaSwizzle>(swizzle);
  words.l2_promotion = static_cast<TmaL2Promotion>(promotion);
  words.oob_fill = static_cast<TmaOobFill>(fill);
  return words;
}

}  // namespace cacheon::artifact
