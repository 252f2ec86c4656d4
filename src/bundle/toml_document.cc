// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0

#include "src/bundle/toml_document.h"

#define TOML_EXCEPTIONS 0
#define TOML_ENABLE_FORMATTERS 0
#define TOML_HEADER_ONLY 1
#include <fmt/format.h>
#include <toml++/toml.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "cacheon/bundle/key_path.h"
#include "src/bundle/toml_precheck.h"

namespace cacheon::bundle {
namespace {

constexpr int kNanosecondsPerMicrosecond = 1000;

std::string DateText(const toml::date& date) {
  return fmt::format("{:04}-{:02}-{:02}", static_cast<int>(date.year), static_cast<int>(date.month),
                     static_cast<int>(date.day));
}

std::string TimeText(const toml::time& time) {
  std::string text = fmt::format("{:02}:{:02}:{:02}", static_cast<int>(time.hour),
                                 static_cast<int>(time.minute), static_cast<int>(time.second));
  const unsigned microseconds = time.nanosecond / kNanosecondsPerMicrosecond;
  if (microseconds > 0) text += fmt::format(".{:06}", microseconds);
  return text;
}

std::string DateTimeText(const toml::date_time& value) {
  std::string text = DateText(value.date) + ' ' + TimeText(value.time);
  if (!value.offset) return text;
  const int minutes = value.offset->minutes;
  const int magnitude = std::abs(minutes);
  return text +
         fmt::format("{}{:02}:{:02}", minutes < 0 ? '-' : '+', magnitude / 60, magnitude % 60);
}

Json DateJson(std::string text) {
  return Json::Object{{std::string(kTomlDateKey), Json(std::move(text))}};
}

// Turns nodes into values. Recursion is bounded by the nesting that the precheck allows.
class Converter {
 public:
  explicit Converter(const std::vector<StandIn>& stand_ins) : stand_ins_(stand_ins) {}

  Json Convert(const toml::node& node) const {
    switch (node.type()) {
      case toml::node_type::table:
        return ConvertTable(*node.as_table());
      case toml::node_type::array:
        return ConvertArray(*node.as_array());
      case toml::node_type::string:
        return ConvertString(node);
      case toml::node_type::integer:
        return Json(node.as_integer()->get());
      case toml::node_type::floating_point:
        return Json(node.as_floating_point()->get());
      case toml::node_type::boolean:
        return Json(node.as_boolean()->get());
      case toml::node_type::date:
        return DateJson(DateText(node.as_date()->get()));
      case toml::node_type::time:
        return DateJson(TimeText(node.as_time()->get()));
      case toml::node_type::date_time:
        return DateJson(DateTimeText(node.as_date_time()->get()));
      case toml::node_type::none:
        break;
    }
    return Json();
  }

 private:
  Json ConvertTable(const toml::table& table) const {
    Json::Object object;
    for (const auto& [key, value] : table) object.emplace(std::string(key.str()), Convert(value));
    return Json(std::move(object));
  }

  Json ConvertArray(const toml::array& array) const {
    Json::Array items;
    items.reserve(array.size());
    for (const toml::node& item : array) items.push_back(Convert(item));
    return Json(std::move(items));
  }

  Json ConvertString(const toml::node& node) const {
    const toml::source_position at = node.source().begin;
    const auto position = std::pair(static_cast<int>(at.line), static_cast<int>(at.column));
    const auto of = [](const StandIn& s) { return std::pair(s.line, s.column); };
    const auto found = std::ranges::lower_bound(stand_ins_, position, {}, of);
    if (found != stand_ins_.end() && of(*found) == position) return found->value;
    return Json(node.as_string()->get());
  }

  const std::vector<StandIn>& stand_ins_;
};

class TomlPlaces final : public Places {
 public:
  TomlPlaces(toml::table root, std::string_view file) : root_(std::move(root)), file_(file) {}

  Place OfValue(std::string_view key_path) const override { return Find(key_path, false); }
  Place OfKey(std::string_view key_path) const override { return Find(key_path, true); }

 private:
  Place Find(std::string_view key_path, bool of_key) const {
    const toml::node* node = &root_;
    toml::source_position at = root_.source().begin;
    const auto steps = SplitKeyPath(key_path);
    for (const KeyStep& step : steps.value_or(std::vector<KeyStep>{})) {
      const toml::node* next = nullptr;
      if (const auto* index = std::get_if<std::size_t>(&step)) {
        if (node->is_array()) next = node->as_array()->get(*index);
        if (next != nullptr) at = next->source().begin;
      } else if (node->is_table()) {
        const auto found = node->as_table()->find(std::get<std::string>(step));
        if (found == node->as_table()->end()) break;
        next = &found->second;
        at = of_key ? found->first.source().begin : next->source().begin;
      }
      if (next == nullptr) break;
      node = next;
    }
    return {.file = file_,
            .line = static_cast<int>(at.line),
            .column = static_cast<int>(at.column),
            .key_path = std::string(key_path)};
  }

  toml::table root_;
  std::string file_;
};

std::unexpected<Error> SyntaxError(const toml::parse_error& error, std::string_view file) {
  const toml::source_position at = error.source().begin;
  return Fail("manifest.toml_syntax", std::string(error.description()),
              {.file = std::string(file),
               .line = static_cast<int>(at.line),
               .column = static_cast<int>(at.column)},
              "the file is TOML 1.0");
}

}  // namespace

Result<TomlDocument> ParseToml(std::string_view text, std::string_view file) {
  auto checked = PrecheckToml(text);
  if (!checked) return Fail(std::move(checked.error()).InFile(file));
  toml::parse_result parsed = toml::parse(checked->text, file);
  if (!parsed) return SyntaxError(parsed.error(), file);
  TomlDocument document{.root = Converter(checked->stand_ins).Convert(parsed.table())};
  document.places = std::make_shared<TomlPlaces>(std::move(parsed).table(), file);
  return document;
}

}  // namespace cacheon::bundle
