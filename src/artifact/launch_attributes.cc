// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0

#include <fmt/format.h>

#include <span>

#include "cacheon/artifact/launch.h"
#include "src/artifact/table_reader.h"

namespace cacheon::artifact {
namespace {

// In the order of ClusterScheduling and of PortableMode.
constexpr std::string_view kSchedulings[] = {"default", "spread", "load_balancing"};
constexpr std::string_view kPortableModes[] = {"default", "require_portable", "allow_non_portable"};

Result<bool> ParseFlag(const Json& table, std::string_view key, const KeyPath& path) {
  const Json* value = table.Find(key);
  if (value == nullptr) return false;
  if (value->is_bool()) return value->as_bool();
  return Fail("ln.attr_bool", fmt::format("`{}` is true or false, not {}", key, Spell(value)),
              path.Key(key).where());
}

template <typename Enum>
Result<std::optional<Enum>> ParseWord(const Json& table, std::string_view key,
                                      std::span<const std::string_view> words,
                                      const KeyPath& path) {
  const Json* value = Present(table, key);
  if (value == nullptr) return std::nullopt;
  if (const auto index = IndexOf(words, value)) return static_cast<Enum>(*index);
  return Fail("ln.attr_enum",
              fmt::format("`{}` is {}, not {}", key, JoinNames(words), Spell(value)),
              path.Key(key).where());
}

Result<std::optional<std::int32_t>> ParsePriority(const Json& table, const KeyPath& path) {
  const Json* value = Present(table, "priority");
  if (value == nullptr) return std::nullopt;
  const auto number = ExactInteger(value, INT32_MIN, INT32_MAX);
  if (number) return static_cast<std::int32_t>(*number);
  return Fail("ln.attr_priority",
              fmt::format("`priority` is a signed 32-bit integer, not {}", Spell(value)),
              path.Key("priority").where());
}

template <typename Enum>
Json WordOrNull(std::optional<Enum> value, std::span<const std::string_view> words) {
  return value ? Json(words[static_cast<std::size_t>(*value)]) : Json();
}

}  // namespace

Result<LaunchAttributes> ParseLaunchAttributes(const Json& value, const KeyPath& path) {
  static constexpr std::string_view kKeys[] = {
      "cooperative", "cluster_scheduling",    "programmatic_stream_serialization",
      "priority",    "portable_cluster_mode", "shared_memory_mode"};
  if (!value.is_object()) {
    return Fail("ln.attr_fields", fmt::format("`attributes` is a table, not {}", Spell(&value)),
                path.where(), "write attributes = {} for none");
  }
  if (const auto problem = FindFieldProblem(value.as_object(), {}, kKeys)) {
    return Fail("ln.attr_fields", problem->message, path.where(),
                fmt::format("attributes: {}", JoinNames(kKeys)));
  }
  LaunchAttributes result;
  ASSIGN_OR_RETURN(result.cooperative, ParseFlag(value, "cooperative", path));
  ASSIGN_OR_RETURN(result.cluster_scheduling,
                   ParseWord<ClusterScheduling>(value, "cluster_scheduling", kSchedulings, path));
  ASSIGN_OR_RETURN(result.programmatic_stream_serialization,
                   ParseFlag(value, "programmatic_stream_serialization", path));
  ASSIGN_OR_RETURN(result.priority, ParsePriority(value, path));
  ASSIGN_OR_RETURN(result.portable_cluster_mode,
                   ParseWord<PortableMode>(value, "portable_cluster_mode", kPortableModes, path));
  ASSIGN_OR_RETURN(result.shared_memory_mode,
                   ParseWord<PortableMode>(value, "shared_memory_mode", kPortableModes, path));
  return result;
}

Json LaunchAttributesToJson(const LaunchAttributes& attributes) {
  return Json::Object{
      {"cluster_scheduling", WordOrNull(attributes.cluster_scheduling, kSchedulings)},
      {"cooperative", attributes.cooperative},
      {"portable_cluster_mode", WordOrNull(attributes.portable_cluster_mode, kPortableModes)},
      {"priority", attributes.priority ? Json(*attributes.priority) : Json()},
      {"programmatic_stream_serialization", attributes.programmatic_stream_serialization},
      {"shared_memory_mode", WordOrNull(attributes.shared_memory_mode, kPortableModes)}};
}

}  // namespace cacheon::artifact
