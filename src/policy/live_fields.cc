// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0

#include "cacheon/policy/live_fields.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string>
#include <utility>

#include "cacheon/policy/domain.h"
#include "cacheon/policy/target_catalog.h"

namespace cacheon::policy {
namespace {

using Fields = std::vector<LiveField>;

Fields Sorted(Fields fields) {
  std::ranges::sort(fields, {}, &LiveField::field);
  return fields;
}

Fields With(Fields fields, Fields more) {
  fields.insert(fields.end(), more.begin(), more.end());
  return Sorted(std::move(fields));
}

Fields Numbers(std::initializer_list<Field> numbers) {
  Fields fields;
  for (const Field field : numbers) fields.push_back({field});
  return fields;
}

// Rows of the specification's table of live fields, by slot.
std::map<std::string_view, Fields> BuildTable() {
  const Fields everywhere = {{Field::kDtype}, {Field::kArchitecture}};
  const Fields legacy = With(everywhere, Numbers({Field::kLastDim}));
  const Fields decode =
      With(With(everywhere, {{Field::kGraphMode},
                             {Field::kLayout, {"paged_nhd"}},
                             {Field::kModel, {"MiniMax-M3"}},
                             {Field::kPhase, {"decode"}},
                             {Field::kQuant, {"dense", "fp8"}},
                             {Field::kQLen, {"1"}}}),
           Numbers({Field::kBatchSize, Field::kNumTokens, Field::kNumQHeads, Field::kNumKvHeads,
                    Field::kHeadDim, Field::kLastDim, Field::kKvLen, Field::kBlockSize,
                    Field::kPageSize, Field::kTopK, Field::kTpSize, Field::kWorldSize}));
  const Fields prefill =
      With(With(everywhere, {{Field::kGraphMode, {"eager"}},
                             {Field::kLayout, {"paged"}},
                             {Field::kModel, {"MiniMax-M3"}},
                             {Field::kPhase, {"prefill"}},
                             {Field::kQuant, {"dense"}},
                             {Field::kNumKvHeads, {"1"}}}),
           Numbers({Field::kBatchSize, Field::kNumTokens, Field::kQLen, Field::kKvLen,
                    Field::kHeadDim, Field::kLastDim, Field::kBlockSize, Field::kPageSize,
                    Field::kQBlockSize, Field::kTopK, Field::kInitBlocks, Field::kLocalBlocks,
                    Field::kNumQHeads, Field::kTpSize, Field::kWorldSize}));
  const Fields experts =
      With(With(everywhere, {{Field::kGraphMode},
                             {Field::kLayout, {"routed_moe"}},
                             {Field::kQuant, {"dense", "fp8", "nvfp4"}}}),
           Numbers({Field::kNumTokens, Field::kHiddenDim, Field::kLastDim, Field::kIntermediateDim,
                    Field::kNumExperts, Field::kTopK, Field::kTpSize, Field::kWorldSize}));
  const Fields group_numbers = Numbers(
      {Field::kWorldSize, Field::kTpSize, Field::kNumTokens, Field::kHiddenDim, Field::kLastDim});
  const Fields collective =
      With(With(everywhere, {{Field::kGraphMode}, {Field::kLayout, {"row_major"}}}), group_numbers);
  const Fields any_quant = With(collective, {{Field::kQuant}});
  return {
      {"activation.silu_and_mul", legacy},
      {"norm.rmsnorm", legacy},
      {"attention.decode", decode},
      {"attention.msa_prefill_block_score", prefill},
      {"moe.fused_experts", experts},
      {"collective.all_reduce", any_quant},
      {"collective.ar_residual_rmsnorm", any_quant},
      {"collective.moe_finalize_ar_rmsnorm",
       With(any_quant, {{Field::kEpSize, {"1"}}, {Field::kExpTokens}, {Field::kTopK}})},
      {"moe.fused_experts_reduce", With(collective, {{Field::kQuant, {"dense", "nvfp4"}},
                                                     {Field::kEpSize},
                                                     {Field::kTopK},
                                                     {Field::kNumExperts},
                                                     {Field::kIntermediateDim}})},
  };
}

Error Warning(Code code, std::string message, std::string key_path) {
  Error error{.code = code, .message = std::move(message), .where = {}};
  error.where.key_path = std::move(key_path);
  error.severity = Severity::kWarning;
  return error;
}

// Where the metadata constrains the field.
std::string KeyPath(const Eligibility& row, std::string_view field) {
  const bool predicate =
      std::ranges::find(row.capabilities, field, &Predicate::field) != row.capabilities.end();
  if (predicate) return fmt::format("capabilities.{}", field);
  if (field == FieldName(Field::kDtype)) return "dtypes";
  if (field == FieldName(Field::kArchitecture)) return "architectures";
  if (field == FieldName(Field::kLastDim)) return "max_last_dim";
  if (field == FieldName(Field::kNumTokens))
    return row.max_num_tokens ? "max_num_tokens" : "min_num_tokens";
  return std::string(field);
}

bool AdmitsSome(const Constraint& constraint, const LiveField& live) {
  return std::ranges::any_of(live.values, [&](std::string_view text) {
    if (!IsNumeric(live.field)) return constraint.Admits(std::string(text));
    return constraint.Admits(std::int64_t{std::stoll(std::string(text))});
  });
}

// The positional lookup passes what it does not know of the lists and bounds, and does not look at
// quant; only predicates can be out of its reach.
bool IsConsulted(std::string_view slot, const Eligibility& row, std::string_view field) {
  if (!UsesLegacyLookup(slot)) return true;
  return std::ranges::find(row.capabilities, field, &Predicate::field) != row.capabilities.end();
}

}  // namespace

std::span<const LiveField> LiveFields(std::string_view slot) {
  static const std::map<std::string_view, Fields> table = BuildTable();
  const auto found = table.find(slot);
  if (found == table.end()) return {};
  return found->second;
}

bool UsesLegacyLookup(std::string_view slot) {
  return slot == "activation.silu_and_mul" || slot == "norm.rmsnorm";
}

std::vector<Error> ReachabilityWarnings(std::string_view slot, const Eligibility& row) {
  const std::span<const LiveField> live_fields = LiveFields(slot);
  const Target* target = TargetCatalog::Published().Find(slot);
  if (target == nullptr || target->kind != TargetKind::kSlot) return {};
  std::vector<Error> warnings;
  if (live_fields.empty()) {
    warnings.push_back(Warning(
        "route.no_live_site",
        fmt::format("no engine adapter calls {} yet; its rows are verified but not served", slot),
        {}));
    return warnings;
  }
  const Domain domain = Domain::Of(row);
  for (const Constraint& constraint : domain.constraints()) {
    if (!constraint.required || !IsConsulted(slot, row, constraint.field)) continue;
    const auto live = std::ranges::find(live_fields, constraint.field, [](const LiveField& field) {
      return FieldName(field.field);
    });
    if (live == live_fields.end()) {
      warnings.push_back(
          Warning("route.unreachable_field",
                  fmt::format("live calls of {} never say `{}`, so this row never serves one", slot,
                              constraint.field),
                  KeyPath(row, constraint.field)));
    } else if (!live->values.empty() && !AdmitsSome(constraint, *live)) {
      warnings.push_back(Warning("route.unreachable_value",
                                 fmt::format("in live calls of {} `{}` is only ever {}", slot,
                                             constraint.field, fmt::join(live->values, " or ")),
                                 KeyPath(row, constraint.field)));
    }
  }
  return warnings;
}

}  // namespace cacheon::policy
