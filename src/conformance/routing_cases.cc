// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0
//
// bundle/routing.json: capability domains, matching, overlap and selection.

#include <algorithm>
#include <array>
#include <iterator>
#include <optional>
#include <utility>

#include "cacheon/policy.h"
#include "src/conformance/case_fields.h"
#include "src/conformance/file_kinds.h"

namespace cacheon::conformance {
namespace {

using policy::CallDescriptor;
using policy::Domain;
using policy::Eligibility;
using policy::Field;

// The eligibility that `owner` gives; the two lists of the manifest have different names in
// different lists of the file.
Result<Eligibility> EligibilityOf(const Json& owner, std::string_view dtypes,
                                  std::string_view architectures) {
  return policy::ParseEligibility(FieldOf(owner, "metadata"), TextsOf(owner, dtypes),
                                  TextsOf(owner, architectures));
}

Result<Eligibility> ShortRow(const Json& owner) {
  return EligibilityOf(owner, "dtypes", "architectures");
}

Result<Eligibility> ManifestRow(const Json& owner) {
  return EligibilityOf(owner, "manifest_dtypes", "manifest_architectures");
}

template <typename T>
Json OrNull(const std::optional<T>& value) {
  return value ? Json(*value) : Json();
}

Json TextList(const std::vector<std::string>& texts) {
  return Json::Array(texts.begin(), texts.end());
}

// Sets are compared as sets: the order of a recorded list says nothing.
Json Sorted(Json::Array items) {
  std::ranges::sort(items, {}, DocumentJson);
  return items;
}

Json EligibilityJson(const Eligibility& row) {
  Json::Array capabilities;
  for (const policy::Predicate& predicate : row.capabilities) {
    Json::Array allowed;
    std::ranges::transform(predicate.allowed, std::back_inserter(allowed), policy::ScalarToJson);
    capabilities.push_back(Json::Object{{"field", predicate.field},
                                        {"allowed", Sorted(std::move(allowed))},
                                        {"min", OrNull(predicate.min)},
                                        {"max", OrNull(predicate.max)}});
  }
  return Json::Object{{"dtypes", TextList(row.dtypes)},
                      {"architectures", TextList(row.architectures)},
                      {"quant", TextList(row.quant)},
                      {"graph_safe", row.graph_safe},
                      {"max_last_dim", OrNull(row.max_last_dim)},
                      {"max_num_tokens", OrNull(row.max_num_tokens)},
                      {"min_num_tokens", OrNull(row.min_num_tokens)},
                      {"capabilities", std::move(capabilities)}};
}

// A recorded eligibility with its sets in the order of EligibilityJson.
Json RecordedEligibility(Json recorded) {
  if (!recorded.is_object()) return recorded;
  Json::Array capabilities = ItemsOf(recorded, "capabilities");
  for (Json& predicate : capabilities) predicate["allowed"] = Sorted(ItemsOf(predicate, "allowed"));
  recorded["capabilities"] = std::move(capabilities);
  return recorded;
}

CaseResult Vocabulary(const Json& document, std::string_view list, bool numeric) {
  Json::Array names;
  for (std::size_t i = 0; i < policy::kFieldCount; ++i) {
    const auto field = static_cast<Field>(i);
    if (policy::IsNumeric(field) == numeric) names.push_back(policy::FieldName(field));
  }
  return CompareJson(std::string(list), Sorted(ItemsOf(document, list)), Sorted(std::move(names)));
}

CaseResult FieldName(const Json& the_case, std::string name) {
  const auto run = [&]() -> Result<Json> {
    ASSIGN_OR_RETURN(std::string field, policy::CanonicalFieldName(TextOf(the_case, "input")));
    return Json(std::move(field));
  };
  return CompareVerdict(the_case, std::move(name), FieldOf(the_case, "field"), run());
}

CaseResult Value(const Json& the_case, std::string name) {
  const auto run = [&]() -> Result<Json> {
    ASSIGN_OR_RETURN(const policy::Scalar value,
                     policy::CanonicalValue(TextOf(the_case, "field"), FieldOf(the_case, "input")));
    return policy::ScalarToJson(value);
  };
  return CompareVerdict(the_case, std::move(name), FieldOf(the_case, "value"), run());
}

CaseResult Descriptor(const Json& the_case, std::string name) {
  const auto run = [&]() -> Result<Json> {
    ASSIGN_OR_RETURN(const CallDescriptor call,
                     CallDescriptor::FromJson(FieldOf(the_case, "input")));
    return call.ToJson();
  };
  return CompareVerdict(the_case, std::move(name), FieldOf(the_case, "descriptor"), run());
}

CaseResult Metadata(const Json& the_case, std::string name) {
  const auto run = [&]() -> Result<Json> {
    ASSIGN_OR_RETURN(const Eligibility row, ManifestRow(the_case));
    return Json::Object{{"eligibility", EligibilityJson(row)},
                        {"empty_domain", OrNull(Domain::Of(row).IsEmpty())}};
  };
  const Json expected =
      Json::Object{{"eligibility", RecordedEligibility(FieldOf(the_case, "eligibility"))},
                   {"empty_domain", FieldOf(the_case, "empty_domain")}};
  return CompareVerdict(the_case, std::move(name), expected, run());
}

// `recorded` without the wording of mismatches.
Json RecordedMismatches(const Json& the_case) {
  Json::Array list;
  for (const Json& mismatch : ItemsOf(the_case, "mismatches")) {
    list.push_back(Json::Object{{"field", FieldOf(mismatch, "field")},
                                {"reason", FieldOf(mismatch, "reason")},
                                {"actual", FieldOf(mismatch, "actual")}});
  }
  return list;
}

Json MismatchesJson(const std::vector<policy::Mismatch>& mismatches) {
  Json::Array list;
  for (const policy::Mismatch& mismatch : mismatches) {
    list.push_back(Json::Object{
        {"field", mismatch.field},
        {"reason", policy::MismatchReasonName(mismatch.reason)},
        {"actual", mismatch.actual ? policy::ScalarToJson(*mismatch.actual) : Json()}});
  }
  return list;
}

CaseResult Match(const Json& the_case, std::string name) {
  const auto run = [&]() -> Result<Json> {
    ASSIGN_OR_RETURN(const Eligibility row, ManifestRow(the_case));
    ASSIGN_OR_RETURN(const CallDescriptor call,
                     CallDescriptor::FromJson(FieldOf(the_case, "descriptor")));
    const std::vector<policy::Mismatch> mismatches = policy::Match(row, call);
    return Json::Object{{"accepted", mismatches.empty()},
                        {"accepted_by_domain", Domain::Of(row).Accepts(call)},
                        {"mismatches", MismatchesJson(mismatches)}};
  };
  const Json expected = Json::Object{{"accepted", FieldOf(the_case, "accepted")},
                                     {"accepted_by_domain", FieldOf(the_case, "accepted")},
                                     {"mismatches", RecordedMismatches(the_case)}};
  return CompareVerdict(the_case, std::move(name), expected, run());
}

CaseResult Overlap(const Json& the_case, std::string name) {
  constexpr std::array<std::string_view, 4> kCompared = {"left_empty", "right_empty", "overlap",
                                                         "overlap_swapped"};
  const auto run = [&]() -> Result<Json> {
    ASSIGN_OR_RETURN(const Eligibility left_row, ShortRow(FieldOf(the_case, "left")));
    ASSIGN_OR_RETURN(const Eligibility right_row, ShortRow(FieldOf(the_case, "right")));
    const Domain left = Domain::Of(left_row);
    const Domain right = Domain::Of(right_row);
    return Json::Object{{"left_empty", OrNull(left.IsEmpty())},
                        {"right_empty", OrNull(right.IsEmpty())},
                        {"overlap", OrNull(policy::Overlap(left, right))},
                        {"overlap_swapped", OrNull(policy::Overlap(right, left))}};
  };
  Json::Object expected;
  for (const std::string_view key : kCompared) expected.emplace(key, FieldOf(the_case, key));
  return CompareVerdict(the_case, std::move(name), expected, run());
}

// A domain over private fields, given as a map from a field to its allowed values.
Result<Domain> PrivateDomain(const Json& fields) {
  if (!fields.is_object()) return Fail("conformance.form", "private fields are no object");
  Eligibility row;
  for (const auto& [field, unused] : fields.as_object()) {
    policy::Predicate predicate{.field = field};
    for (const Json& item : ItemsOf(fields, field)) {
      ASSIGN_OR_RETURN(policy::Scalar value, policy::CanonicalValue(field, item));
      predicate.allowed.push_back(std::move(value));
    }
    std::ranges::sort(predicate.allowed);
    row.capabilities.push_back(std::move(predicate));
  }
  return Domain::Of(row);
}

CaseResult OverlapOfPrivateFields(const Json& the_case, std::string name) {
  const auto run = [&]() -> Result<Json> {
    ASSIGN_OR_RETURN(const Domain left, PrivateDomain(FieldOf(the_case, "left")));
    ASSIGN_OR_RETURN(const Domain right, PrivateDomain(FieldOf(the_case, "right")));
    return OrNull(policy::Overlap(left, right));
  };
  return CompareVerdict(the_case, std::move(name), FieldOf(the_case, "overlap"), run());
}

// What the tables answer to one recorded call, in the form of its record.
Result<Json> AnswerCall(const policy::RouteTables& tables, const Json& recorded) {
  const std::string& slot = TextOf(recorded, "slot");
  ASSIGN_OR_RETURN(const CallDescriptor call,
                   CallDescriptor::FromJson(FieldOf(recorded, "descriptor")));
  const policy::Selection selection = tables.Select(slot, call);
  const policy::RouteTable* table = tables.Find(slot);
  const bool selected = selection.outcome == policy::RouteOutcome::kSelected;
  Json::Array accepted;
  if (table != nullptr && selection.outcome != policy::RouteOutcome::kRegistryInactive) {
    for (const std::size_t row : table->Accepting(call)) {
      accepted.push_back(table->rows()[row].variant);
    }
  }
  return Json::Object{{"slot", slot},
                      {"descriptor", FieldOf(recorded, "descriptor")},
                      {"outcome", policy::RouteOutcomeName(selection.outcome)},
                      {"selected", selected ? Json(table->rows()[selection.row].variant) : Json()},
                      {"accepted_variants", Sorted(std::move(accepted))}};
}

Result<Json> SelectionAnswers(const Json& the_case) {
  policy::RouteRegistry registry;
  for (const Json& variant : ItemsOf(the_case, "variants")) {
    ASSIGN_OR_RETURN(Eligibility row, ShortRow(variant));
    RETURN_IF_ERROR(registry.Register(
        {.slot = "s", .variant = TextOf(variant, "variant"), .eligibility = std::move(row)}));
  }
  policy::RouteTables tables = registry.Compile();
  tables.set_active(FlagOf(the_case, "active"));
  Json::Array answers;
  for (const Json& recorded : ItemsOf(the_case, "calls")) {
    ASSIGN_OR_RETURN(Json answer, AnswerCall(tables, recorded));
    answers.push_back(std::move(answer));
  }
  return answers;
}

CaseResult Selection(const Json& the_case, std::string name) {
  Json::Array expected = ItemsOf(the_case, "calls");
  for (Json& call : expected) {
    call["accepted_variants"] = Sorted(ItemsOf(call, "accepted_variants"));
  }
  return CompareVerdict(the_case, std::move(name), expected, SelectionAnswers(the_case));
}

Result<Json> AnswerLegacyCall(const Json& the_case) {
  const Json& call = FieldOf(the_case, "call");
  ASSIGN_OR_RETURN(const Eligibility row, ShortRow(the_case));
  policy::LegacyCall legacy{.dtype = TextOf(call, "dtype_name")};
  if (const Json& last_dim = FieldOf(call, "last_dim"); last_dim.is_int64()) {
    legacy.last_dim = last_dim.as_int64();
  }
  if (FieldOf(call, "arch").is_string()) legacy.architecture = TextOf(call, "arch");
  if (const Json& tokens = FieldOf(call, "num_tokens"); tokens.is_int64()) {
    legacy.num_tokens = tokens.as_int64();
  }
  ASSIGN_OR_RETURN(const bool accepted, policy::LegacyAccepts(row, legacy));
  return Json(accepted);
}

CaseResult LegacyLookup(const Json& the_case, std::string name) {
  return CompareVerdict(the_case, std::move(name), FieldOf(the_case, "accepted"),
                        AnswerLegacyCall(the_case));
}

}  // namespace

Cases RunRouting(const Json& document) {
  if (!document.is_object()) return Fail("conformance.form", "the file holds no object");
  std::vector<CaseResult> results = {Vocabulary(document, "numeric_fields", true),
                                     Vocabulary(document, "context_fields", false)};
  RunList(document, "field_names", FieldName, results);
  RunList(document, "values", Value, results);
  RunList(document, "descriptors", Descriptor, results);
  RunList(document, "metadata", Metadata, results);
  RunList(document, "match", Match, results);
  RunList(document, "overlap", Overlap, results);
  RunList(document, "overlap_private_fields", OverlapOfPrivateFields, results);
  RunList(document, "selection", Selection, results);
  RunList(document, "legacy_accepts", LegacyLookup, results);
  return results;
}

}  // namespace cacheon::conformance
