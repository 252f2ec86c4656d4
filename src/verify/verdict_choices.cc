// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0

#include "cacheon/verify/verdict_choices.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <utility>

#include "cacheon/verify/verdict.h"

namespace cacheon::verify {
namespace {

using tensor::DType;

std::unexpected<Error> FailForm(std::string_view key_path, std::string_view expected) {
  return Fail("verdict.form", fmt::format("the member is missing or not {}", expected),
              {.key_path = std::string(key_path)},
              "use the file that `cacheon verify --json=FILE` wrote");
}

Result<std::uint64_t> ReadSeed(const Json* seed) {
  if (seed != nullptr && seed->is_int64() && seed->as_int64() >= 0) {
    return static_cast<std::uint64_t>(seed->as_int64());
  }
  if (seed != nullptr && seed->is_integer() && !seed->is_int64()) {
    const std::string& text = seed->as_big_integer().decimal;
    std::uint64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error == std::errc() && end == text.data() + text.size()) return value;
  }
  return FailForm("seed", "a whole number from 0 to 2^64 - 1");
}

// Whether options.KEY is `yes` and not `no`.
Result<bool> ReadChoice(const Json& options, std::string_view key, std::string_view yes,
                        std::string_view no) {
  const Json* value = options.Find(key);
  if (value != nullptr && *value == Json(yes)) return true;
  if (value != nullptr && *value == Json(no)) return false;
  return FailForm(fmt::format("options.{}", key), fmt::format("`{}` or `{}`", yes, no));
}

Result<std::vector<DType>> ReadDTypes(const Json* names) {
  if (names == nullptr || !names->is_array()) return FailForm("options.dtypes", "a list");
  std::vector<DType> dtypes;
  for (std::size_t i = 0; i < names->as_array().size(); ++i) {
    const Json& name = names->as_array()[i];
    const std::optional<DType> dtype =
        name.is_string() ? tensor::ParseDType(name.as_string()) : std::nullopt;
    if (!dtype || std::ranges::find(kVerifiedDTypes, *dtype) == kVerifiedDTypes.end()) {
      return FailForm(fmt::format("options.dtypes[{}]", i), "a dtype that verification runs in");
    }
    dtypes.push_back(*dtype);
  }
  return dtypes;
}

}  // namespace

Result<Json::Array> ReadVerdicts(std::string_view text) {
  Result<Json> content = ReadJson(text, {.max_bytes = kMaxVerdictBytes});
  if (!content) {
    return Fail("verdict.syntax", std::move(content.error().message),
                std::move(content.error().where));
  }
  const bool is_list = content->is_array() && !content->as_array().empty();
  Json::Array documents =
      is_list ? std::move(content->as_array()) : Json::Array{std::move(*content)};
  for (const Json& document : documents) RETURN_IF_ERROR(CheckVerdictDocument(document));
  return documents;
}

Result<VerdictChoices> ChoicesOf(const Json& document) {
  const Json* options = document.Find("options");
  if (options == nullptr || !options->is_object()) return FailForm("options", "an object");
  VerdictChoices choices;
  ASSIGN_OR_RETURN(choices.seed, ReadSeed(document.Find("seed")));
  ASSIGN_OR_RETURN(const bool compat, ReadChoice(*options, "mode", "compat", "strict"));
  if (compat) choices.mode = bundle::Mode::kCompat;
  ASSIGN_OR_RETURN(const bool published, ReadChoice(*options, "cases", "published", "all"));
  if (published) choices.cases = CaseList::kPublished;
  const Json* model = options->Find("model");
  if (model == nullptr || !(model->is_null() || model->is_string())) {
    return FailForm("options.model", "a string or null");
  }
  if (model->is_string()) choices.model = model->as_string();
  ASSIGN_OR_RETURN(choices.dtypes, ReadDTypes(options->Find("dtypes")));
  return choices;
}

}  // namespace cacheon::verify
