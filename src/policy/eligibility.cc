// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0

#include "cacheon/policy/eligibility.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>

namespace cacheon::policy {
namespace {

using Texts = std::vector<std::string>;

void SortUnique(Texts& texts) {
  std::ranges::sort(texts);
  const auto repeated = std::ranges::unique(texts);
  texts.erase(repeated.begin(), repeated.end());
}

std::unexpected<Error> BlankItem(std::string_view key, std::size_t index) {
  return Fail("elig.list_item", fmt::format("an item of `{}` must be text that is not blank", key),
              {.key_path = fmt::format("{}[{}]", key, index)});
}

// The canonical list under `key`, whose items are values of `field`; empty when absent.
Result<Texts> ReadList(const Json& metadata, std::string_view key, Field field) {
  Texts texts;
  const Json* list = metadata.Find(key);
  if (list == nullptr) return texts;
  if (!list->is_array()) {
    return Fail("elig.list_type", fmt::format("`{}` must be a list of text", key),
                {.key_path = std::string(key)});
  }
  for (const Json& item : list->as_array()) {
    std::optional<std::string> text =
        item.is_string() ? CanonicalText(FieldName(field), item.as_string()) : std::nullopt;
    if (!text) return BlankItem(key, texts.size());
    texts.push_back(*std::move(text));
  }
  SortUnique(texts);
  return texts;
}

// The list of the metadata met with that of the manifest row.
Result<Texts> ReadSharedList(const Json& metadata, std::string_view key, Field field,
                             std::span<const std::string> manifest) {
  Texts declared;
  for (const std::string& item : manifest) {
    std::optional<std::string> text = CanonicalText(FieldName(field), item);
    if (!text) return BlankItem(key, declared.size());
    declared.push_back(*std::move(text));
  }
  SortUnique(declared);
  ASSIGN_OR_RETURN(Texts listed, ReadList(metadata, key, field));
  if (listed.empty()) return declared;
  if (declared.empty()) return listed;
  Texts both;
  std::ranges::set_intersection(declared, listed, std::back_inserter(both));
  if (both.empty()) {
    return Fail("elig.disjoint",
                fmt::format("`{}` of the manifest row ({}) and of the metadata ({}) share nothing",
                            key, fmt::join(declared, ", "), fmt::join(listed, ", ")),
                {.key_path = std::string(key)});
  }
  return both;
}

Result<std::optional<std::int64_t>> ReadBound(const Json& metadata, std::string_view key) {
  const Json* bound = metadata.Find(key);
  if (bound == nullptr || bound->is_null()) return std::nullopt;
  if (!bound->is_int64() || bound->as_int64() < 0) {
    return Fail("elig.bound",
                fmt::format("`{}` must be an integer from 0 to 9223372036854775807 or null", key),
                {.key_path = std::string(key)});
  }
  return bound->as_int64();
}

Result<bool> ReadGraphSafe(const Json& metadata) {
  const Json* flag = metadata.Find("graph_safe");
  if (flag == nullptr) return false;
  if (!flag->is_bool()) {
    return Fail("elig.graph_safe_type", "`graph_safe` must be true or false",
                {.key_path = "graph_safe"});
  }
  return flag->as_bool();
}

Json ProjectPredicate(const Predicate& predicate) {
  Json::Object object;
  if (predicate.allowed.size() == 1) {
    object.emplace("exact", ScalarToJson(predicate.allowed[0]));
  } else if (!predicate.allowed.empty()) {
    Json::Array items;
    std::ranges::transform(predicate.allowed, std::back_inserter(items), ScalarToJson);
    std::ranges::sort(items, {}, DocumentJson);  // 10 < 100 < 2: the order of the texts
    object.emplace("one_of", std::move(items));
  }
  if (predicate.min) object.emplace("min", *predicate.min);
  if (predicate.max) object.emplace("max", *predicate.max);
  return object;
}

}  // namespace

Result<Eligibility> ParseEligibility(const Json& metadata,
                                     std::span<const std::string> manifest_dtypes,
                                     std::span<const std::string> manifest_architectures) {
  if (!metadata.is_null() && !metadata.is_object()) {
    return Fail("elig.metadata_object", "the metadata must be a JSON object");
  }
  Eligibility row;
  ASSIGN_OR_RETURN(row.graph_safe, ReadGraphSafe(metadata));
  ASSIGN_OR_RETURN(row.dtypes, ReadSharedList(metadata, "dtypes", Field::kDtype, manifest_dtypes));
  ASSIGN_OR_RETURN(row.architectures, ReadSharedList(metadata, "architectures",
                                                     Field::kArchitecture, manifest_architectures));
  ASSIGN_OR_RETURN(row.max_last_dim, ReadBound(metadata, "max_last_dim"));
  ASSIGN_OR_RETURN(row.quant, ReadList(metadata, "quant", Field::kQuant));
  ASSIGN_OR_RETURN(row.max_num_tokens, ReadBound(metadata, "max_num_tokens"));
  ASSIGN_OR_RETURN(row.min_num_tokens, ReadBound(metadata, "min_num_tokens"));
  if (const Json* capabilities = metadata.Find("capabilities")) {
    ASSIGN_OR_RETURN(row.capabilities, ParseCapabilities(*capabilities));
  }
  if (row.min_num_tokens && row.max_num_tokens && *row.min_num_tokens > *row.max_num_tokens) {
    return Fail("elig.bounds_inverted",
                fmt::format("`min_num_tokens` {} is above `max_num_tokens` {}", *row.min_num_tokens,
                            *row.max_num_tokens),
                {.key_path = "min_num_tokens"});
  }
  return row;
}

Json ProjectMetadata(const Eligibility& metadata_alone) {
  Json::Object object;
  const auto put_list = [&](std::string_view key, const Texts& texts) {
    if (!texts.empty()) object.emplace(key, Json::Array(texts.begin(), texts.end()));
  };
  const auto put_bound = [&](std::string_view key, std::optional<std::int64_t> bound) {
    if (bound) object.emplace(key, *bound);
  };
  put_list("architectures", metadata_alone.architectures);
  put_list("dtypes", metadata_alone.dtypes);
  put_list("quant", metadata_alone.quant);
  if (metadata_alone.graph_safe) object.emplace("graph_safe", true);
  put_bound("max_last_dim", metadata_alone.max_last_dim);
  put_bound("max_num_tokens", metadata_alone.max_num_tokens);
  put_bound("min_num_tokens", metadata_alone.min_num_tokens);
  Json::Object capabilities;
  for (const Predicate& predicate : metadata_alone.capabilities) {
    capabilities.emplace(predicate.field, ProjectPredicate(predicate));
  }
  if (!capabilities.empty()) object.emplace("capabilities", std::move(capabilities));
  return object;
}

std::string EmitMetadata(const Json& projection) { return PrettyJson(projection) + "\n"; }

}  // namespace cacheon::policy
