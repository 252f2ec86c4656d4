// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0
//
// The golden vectors of capability domains and routing (tests/data/vectors/bundle/routing.json).

#include <gtest/gtest.h>

#include <fstream>
#include <iterator>

#include "cacheon/policy/routing.h"

namespace cacheon::policy {
namespace {

Json ReadVectors(const std::string& name) {
  std::ifstream file(std::string(CACHEON_SOURCE_DIR "/tests/data/vectors/bundle/") + name);
  const std::string text(std::istreambuf_iterator<char>(file), {});
  return ReadJson(text).value();
}

std::vector<std::string> Texts(const Json* list) {
  std::vector<std::string> texts;
  if (list == nullptr) return texts;
  for (const Json& item : list->as_array()) texts.push_back(item.as_string());
  return texts;
}

Result<Eligibility> Row(const Json& owner, std::string_view dtypes,
                        std::string_view architectures) {
  const Json* metadata = owner.Find("metadata");
  return ParseEligibility(metadata == nullptr ? Json() : *metadata, Texts(owner.Find(dtypes)),
                          Texts(owner.Find(architectures)));
}

Result<Eligibility> ShortRow(const Json& owner) { return Row(owner, "dtypes", "architectures"); }

Json Truth(std::optional<bool> value) { return value ? Json(*value) : Json(); }

template <typename T>
Json Bound(const std::optional<T>& value) {
  return value ? Json(*value) : Json();
}

Json ToJson(const Eligibility& row) {
  const auto texts = [](const std::vector<std::string>& list) {
    return Json::Array(list.begin(), list.end());
  };
  Json::Array capabilities;
  for (const Predicate& predicate : row.capabilities) {
    Json::Array allowed;
    for (const Scalar& value : predicate.allowed) allowed.push_back(ScalarToJson(value));
    capabilities.push_back(Json::Object{{"field", predicate.field},
                                        {"allowed", allowed},
                                        {"min", Bound(predicate.min)},
                                        {"max", Bound(predicate.max)}});
  }
  return Json::Object{{"dtypes", texts(row.dtypes)},
                      {"architectures", texts(row.architectures)},
                      {"quant", texts(row.quant)},
                      {"graph_safe", row.graph_safe},
                      {"max_last_dim", Bound(row.max_last_dim)},
                      {"max_num_tokens", Bound(row.max_num_tokens)},
                      {"min_num_tokens", Bound(row.min_num_tokens)},
                      {"capabilities", capabilities}};
}

class RoutingVectors : public testing::Test {
 protected:
  const Json vectors_ = ReadVectors("routing.json");

  template <typename Check>
  void ForEach(std::string_view list, const Check& check) {
    ASSERT_FALSE(vectors_.Find(list)->as_array().empty());
    for (const Json& item : vectors_.Find(list)->as_array()) {
      SCOPED_TRACE(DocumentJson(item));
      check(item);
    }
  }

  template <typename T>
  static bool Agrees(const Json& item, const Result<T>& result) {
    if (item.Find("expect")->as_string() == "accept") {
      EXPECT_TRUE(result.has_value());
      return result.has_value();
    }
    EXPECT_FALSE(result.has_value());
    if (!result) {
      EXPECT_EQ(result.error().code.text(), item.Find("code")->as_string());
    }
    return false;
  }
};

TEST_F(RoutingVectors, FieldNames) {
  ForEach("field_names", [](const Json& item) {
    const Result<std::string> name = CanonicalFieldName(item.Find("input")->as_string());
    if (!Agrees(item, name)) return;
    EXPECT_EQ(*name, item.Find("field")->as_string());
  });
}

TEST_F(RoutingVectors, Vocabulary) {
  Json::Array numeric;
  Json::Array context;
  for (std::size_t i = 0; i < kFieldCount; ++i) {
    const auto field = static_cast<Field>(i);
    (IsNumeric(field) ? numeric : context).push_back(FieldName(field));
  }
  EXPECT_EQ(Json(numeric), *vectors_.Find("numeric_fields"));
  EXPECT_EQ(Json(context), *vectors_.Find("context_fields"));
}

TEST_F(RoutingVectors, Values) {
  ForEach("values", [](const Json& item) {
    const Result<Scalar> value =
        CanonicalValue(item.Find("field")->as_string(), *item.Find("input"));
    if (!Agrees(item, value)) return;
    EXPECT_EQ(ScalarToJson(*value), *item.Find("value"));
  });
}

TEST_F(RoutingVectors, Descriptors) {
  ForEach("descriptors", [](const Json& item) {
    const Result<CallDescriptor> call = CallDescriptor::FromJson(*item.Find("input"));
    if (!Agrees(item, call)) return;
    EXPECT_EQ(call->ToJson(), *item.Find("descriptor"));
  });
}

TEST_F(RoutingVectors, Metadata) {
  ForEach("metadata", [](const Json& item) {
    const Result<Eligibility> row = Row(item, "manifest_dtypes", "manifest_architectures");
    if (!Agrees(item, row)) return;
    EXPECT_EQ(ToJson(*row), *item.Find("eligibility"));
    EXPECT_EQ(Truth(Domain::Of(*row).IsEmpty()), *item.Find("empty_domain"));
  });
}

TEST_F(RoutingVectors, Match) {
  ForEach("match", [](const Json& item) {
    const Eligibility row = Row(item, "manifest_dtypes", "manifest_architectures").value();
    const CallDescriptor call = CallDescriptor::FromJson(*item.Find("descriptor")).value();
    Json::Array mismatches;
    for (const Mismatch& mismatch : policy::Match(row, call)) {
      mismatches.push_back(
          Json::Object{{"field", mismatch.field},
                       {"reason", MismatchReasonName(mismatch.reason)},
                       {"actual", mismatch.actual ? ScalarToJson(*mismatch.actual) : Json()}});
    }
    EXPECT_EQ(Json(mismatches), *item.Find("mismatches"));
    EXPECT_EQ(mismatches.empty(), item.Find("accepted")->as_bool());
    EXPECT_EQ(Domain::Of(row).Accepts(call), item.Find("accepted")->as_bool());
  });
}

TEST_F(RoutingVectors, Overlap) {
  ForEach("overlap", [](const Json& item) {
    const Domain left = Domain::Of(ShortRow(*item.Find("left")).value());
    const Domain right = Domain::Of(ShortRow(*item.Find("right")).value());
    EXPECT_EQ(Truth(left.IsEmpty()), *item.Find("left_empty"));
    EXPECT_EQ(Truth(right.IsEmpty()), *item.Find("right_empty"));
    EXPECT_EQ(Truth(policy::Overlap(left, right)), *item.Find("overlap"));
    EXPECT_EQ(Truth(policy::Overlap(right, left)), *item.Find("overlap_swapped"));
  });
}

Domain PrivateDomain(const Json& fields) {
  Eligibility row;
  for (const auto& [field, values] : fields.as_object()) {
    Predicate predicate{.field = field};
    for (const Json& value : values.as_array()) {
      predicate.allowed.push_back(CanonicalValue(field, value).value());
    }
    row.capabilities.push_back(predicate);
  }
  return Domain::Of(row);
}

TEST_F(RoutingVectors, OverlapOfPrivateFields) {
  ForEach("overlap_private_fields", [](const Json& item) {
    EXPECT_EQ(Truth(policy::Overlap(PrivateDomain(*item.Find("left")),
                                    PrivateDomain(*item.Find("right")))),
              *item.Find("overlap"));
  });
}

void ExpectSelections(const RouteTables& tables, const Json& calls) {
  for (const Json& expected : calls.as_array()) {
    const std::string& slot = expected.Find("slot")->as_string();
    const CallDescriptor call = CallDescriptor::FromJson(*expected.Find("descriptor")).value();
    const Selection selection = tables.Select(slot, call);
    const RouteTable* table = tables.Find(slot);
    EXPECT_EQ(RouteOutcomeName(selection.outcome), expected.Find("outcome")->as_string());
    const bool selected = selection.outcome == RouteOutcome::kSelected;
    EXPECT_EQ(selected ? Json(table->rows()[selection.row].variant) : Json(),
              *expected.Find("selected"));
    Json::Array accepted;
    if (table != nullptr && selection.outcome != RouteOutcome::kRegistryInactive) {
      for (const std::size_t row : table->Accepting(call)) {
        accepted.push_back(table->rows()[row].variant);
      }
    }
    EXPECT_EQ(Json(accepted), *expected.Find("accepted_variants"));
  }
}

TEST_F(RoutingVectors, Selection) {
  ForEach("selection", [](const Json& item) {
    RouteRegistry registry;
    const Json* expected = item.Find("registration_error");
    bool failed = false;
    for (const Json& variant : item.Find("variants")->as_array()) {
      const std::string& name = variant.Find("variant")->as_string();
      const Status status = registry.Register(
          {.slot = "s", .variant = name, .eligibility = ShortRow(variant).value()});
      if (status) continue;
      failed = true;
      ASSERT_NE(expected, nullptr);
      EXPECT_EQ(name, expected->Find("variant")->as_string());
      EXPECT_EQ(status.error().code.text(), expected->Find("code")->as_string());
    }
    EXPECT_EQ(failed, expected != nullptr);
    RouteTables tables = registry.Compile();
    tables.set_active(item.Find("active")->as_bool());
    ExpectSelections(tables, *item.Find("calls"));
  });
}

std::optional<std::string> OptionalText(const Json* value) {
  if (value == nullptr || value->is_null()) return std::nullopt;
  return value->as_string();
}

TEST_F(RoutingVectors, LegacyAccepts) {
  ForEach("legacy_accepts", [](const Json& item) {
    const Json& call = *item.Find("call");
    LegacyCall legacy{.dtype = call.Find("dtype_name")->as_string(),
                      .last_dim = call.Find("last_dim")->as_int64(),
                      .architecture = OptionalText(call.Find("arch"))};
    if (const Json* tokens = call.Find("num_tokens"); tokens != nullptr && !tokens->is_null()) {
      legacy.num_tokens = tokens->as_int64();
    }
    EXPECT_EQ(LegacyAccepts(ShortRow(item).value(), legacy).value(),
              item.Find("accepted")->as_bool());
  });
}

}  // namespace
}  // namespace cacheon::policy
