// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0

#include "cacheon/policy/field.h"

#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <utility>

#include "cacheon/bundle/text.h"
#include "cacheon/core/unicode.h"

namespace cacheon::policy {
namespace {

struct FieldRow {
  std::string_view name;
  bool numeric;
};

constexpr std::array<FieldRow, kFieldCount> kFields = {{
    {"alignment", true},    {"architecture", false}, {"batch_size", true},
    {"block_size", true},   {"dtype", false},        {"ep_size", true},
    {"exp_tokens", true},   {"graph_mode", false},   {"head_dim", true},
    {"hidden_dim", true},   {"init_blocks", true},   {"intermediate_dim", true},
    {"kv_len", true},       {"last_dim", true},      {"layout", false},
    {"local_blocks", true}, {"model", false},        {"num_experts", true},
    {"num_kv_heads", true}, {"num_q_heads", true},   {"num_tokens", true},
    {"page_size", true},    {"phase", false},        {"q_block_size", true},
    {"q_len", true},        {"quant", false},        {"runtime", false},
    {"top_k", true},        {"tp_size", true},       {"world_size", true},
}};
static_assert(std::ranges::is_sorted(kFields, {}, &FieldRow::name));

using Alias = std::pair<std::string_view, std::string_view>;

constexpr Alias kNameAliases[] = {
    {"arch", "architecture"}, {"dtype_name", "dtype"}, {"ep", "ep_size"},
    {"tp", "tp_size"},        {"world", "world_size"}, {"worldsize", "world_size"},
};
constexpr Alias kDtypeAliases[] = {
    {"bf16", "bfloat16"},           {"fp16", "float16"},          {"fp32", "float32"},
    {"torch.bfloat16", "bfloat16"}, {"torch.float16", "float16"}, {"torch.float32", "float32"},
};
constexpr Alias kGraphModeAliases[] = {
    {"capture", kCudaGraph}, {"capturing", kCudaGraph}, {"graph", kCudaGraph},
    {"graphs_off", "eager"}, {"graphs_on", kCudaGraph}, {"off", "eager"},
    {"on", kCudaGraph},      {"replay", kCudaGraph},
};
constexpr Alias kPhaseAliases[] = {{"extend", "prefill"}};
constexpr Alias kQuantAliases[] = {{"none", kDense}, {"unquantized", kDense}};

std::string Resolve(std::span<const Alias> aliases, std::string token) {
  const auto found = std::ranges::find(aliases, token, &Alias::first);
  return found == aliases.end() ? token : std::string(found->second);
}

std::string Token(std::string_view raw) {
  std::string token = ToLower(raw);
  std::ranges::replace(token, '-', '_');
  return token;
}

bool IsFieldName(std::string_view name) {
  if (name.empty() || name[0] < 'a' || name[0] > 'z') return false;
  return std::ranges::all_of(
      name, [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_'; });
}

Result<Scalar> BadValue(std::string_view field, std::string_view need) {
  return Fail("cap.value", fmt::format("a value of `{}` must be {}", field, need));
}

Result<Scalar> CanonicalNumber(std::string_view field, const Json& raw) {
  if (!raw.is_int64() || raw.as_int64() < 0) {
    return BadValue(field, "an integer from 0 to 9223372036854775807");
  }
  return raw.as_int64();
}

}  // namespace

std::string_view FieldName(Field field) { return kFields[static_cast<std::size_t>(field)].name; }

bool IsNumeric(Field field) { return kFields[static_cast<std::size_t>(field)].numeric; }

std::optional<Field> FindField(std::string_view canonical_name) {
  const auto found = std::ranges::lower_bound(kFields, canonical_name, {}, &FieldRow::name);
  if (found == kFields.end() || found->name != canonical_name) return std::nullopt;
  return static_cast<Field>(found - kFields.begin());
}

Result<std::string> CanonicalFieldName(std::string_view raw) {
  std::string name = Resolve(kNameAliases, Token(bundle::Trim(raw)));
  if (!IsFieldName(name)) {
    return Fail("cap.field_name", fmt::format("{} is not the name of a field", bundle::Quoted(raw)),
                {}, "a letter, then letters, digits and `_`");
  }
  return name;
}

std::optional<std::string> CanonicalText(std::string_view field, std::string_view raw) {
  const std::string_view trimmed = bundle::Trim(raw);
  if (trimmed.empty()) return std::nullopt;
  if (field == FieldName(Field::kModel)) return std::string(trimmed);
  std::string token = Token(trimmed);
  if (field == FieldName(Field::kDtype)) return Resolve(kDtypeAliases, std::move(token));
  if (field == FieldName(Field::kGraphMode)) return Resolve(kGraphModeAliases, std::move(token));
  if (field == FieldName(Field::kPhase)) return Resolve(kPhaseAliases, std::move(token));
  if (field == FieldName(Field::kQuant)) return Resolve(kQuantAliases, std::move(token));
  if (field == FieldName(Field::kArchitecture) && token.starts_with("sm_")) {
    token.erase(2, 1);
  }
  return token;
}

Result<Scalar> CanonicalValue(std::string_view field, const Json& raw) {
  const std::optional<Field> known = FindField(field);
  if (known && IsNumeric(*known)) return CanonicalNumber(field, raw);
  if (raw.is_string()) {
    std::optional<std::string> text = CanonicalText(field, raw.as_string());
    if (!text) return BadValue(field, "text that is not blank");
    return *std::move(text);
  }
  if (known) return BadValue(field, "text");
  if (raw.is_bool()) return raw.as_bool();
  if (raw.is_int64()) return raw.as_int64();
  return BadValue(field, "a boolean, an integer of 64 bits or text");
}

Json ScalarToJson(const Scalar& value) {
  return std::visit([](const auto& held) { return Json(held); }, value);
}

std::string ScalarText(const Scalar& value) {
  if (const auto* text = std::get_if<std::string>(&value)) return fmt::format("'{}'", *text);
  if (const auto* flag = std::get_if<bool>(&value)) return *flag ? "true" : "false";
  return fmt::format("{}", std::get<std::int64_t>(value));
}

}  // namespace cacheon::policy
