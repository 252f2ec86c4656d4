// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0

#include "cacheon/policy/match.h"

#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <utility>

namespace cacheon::policy {
namespace {

using Bound = std::optional<std::int64_t>;

std::string RangeText(Bound min, Bound max) {
  return fmt::format("in [{}, {}]", min ? fmt::to_string(*min) : "-inf",
                     max ? fmt::to_string(*max) : "inf");
}

std::string SetText(std::span<const Scalar> allowed) {
  if (allowed.size() == 1) return fmt::format("exactly {}", ScalarText(allowed[0]));
  std::vector<std::string> texts;
  for (const Scalar& value : allowed) texts.push_back(ScalarText(value));
  return fmt::format("one of [{}]", fmt::join(texts, ", "));
}

bool InRange(const Scalar& value, Bound min, Bound max) {
  const auto* number = std::get_if<std::int64_t>(&value);
  return number != nullptr && (!min || *number >= *min) && (!max || *number <= *max);
}

std::string ExpectedText(const Predicate& predicate) {
  return predicate.allowed.empty() ? RangeText(predicate.min, predicate.max)
                                   : SetText(predicate.allowed);
}

bool Admits(const Predicate& predicate, const Scalar& value) {
  if (predicate.allowed.empty()) return InRange(value, predicate.min, predicate.max);
  return std::ranges::binary_search(predicate.allowed, value);
}

// Collects findings about one call, each once.
class Findings {
 public:
  explicit Findings(const CallDescriptor& call) : call_(call) {}

  void Require(const Predicate& predicate) {
    const Scalar* actual = call_.Find(predicate.field);
    if (actual == nullptr) {
      Add({predicate.field, MismatchReason::kMissing, ExpectedText(predicate), std::nullopt});
    } else if (!Admits(predicate, *actual)) {
      Refuse(predicate.field, *actual, ExpectedText(predicate));
    }
  }
  void RequireOneOf(Field field, const std::vector<std::string>& allowed) {
    if (allowed.empty()) return;
    Require({.field = std::string(FieldName(field)),
             .allowed = std::vector<Scalar>(allowed.begin(), allowed.end())});
  }
  void RequireRange(Field field, Bound min, Bound max) {
    if (!min && !max) return;
    Require({.field = std::string(FieldName(field)), .min = min, .max = max});
  }
  void Refuse(std::string_view field, const Scalar& actual, std::string expected) {
    Add({std::string(field), MismatchReason::kOutsideDomain, std::move(expected), actual});
  }

  std::vector<Mismatch> Take() { return std::move(list_); }

 private:
  void Add(Mismatch mismatch) {
    if (std::ranges::find(list_, mismatch) == list_.end()) list_.push_back(std::move(mismatch));
  }

  const CallDescriptor& call_;
  std::vector<Mismatch> list_;
};

void MatchQuant(const Eligibility& row, const CallDescriptor& call, Findings& findings) {
  findings.RequireOneOf(Field::kQuant, row.quant);
  const Scalar* quant = call.Find(Field::kQuant);
  if (row.quant.empty() && quant != nullptr && *quant != Scalar(std::string(kDense))) {
    findings.Refuse(FieldName(Field::kQuant), *quant, std::string(kDense));
  }
}

void MatchGraph(const Eligibility& row, const CallDescriptor& call, Findings& findings) {
  const Scalar* mode = call.Find(Field::kGraphMode);
  if (!row.graph_safe && mode != nullptr && *mode == Scalar(std::string(kCudaGraph))) {
    findings.Refuse(FieldName(Field::kGraphMode), *mode, "eager (graph_safe is false)");
  }
}

Result<CallDescriptor> LegacyDescriptor(const LegacyCall& call) {
  CallDescriptor descriptor;
  ASSIGN_OR_RETURN(Scalar dtype, CanonicalValue(FieldName(Field::kDtype), call.dtype));
  descriptor.Set(FieldName(Field::kDtype), std::move(dtype));
  ASSIGN_OR_RETURN(Scalar last_dim, CanonicalValue(FieldName(Field::kLastDim), call.last_dim));
  descriptor.Set(FieldName(Field::kLastDim), std::move(last_dim));
  if (call.architecture) {
    ASSIGN_OR_RETURN(Scalar architecture,
                     CanonicalValue(FieldName(Field::kArchitecture), *call.architecture));
    descriptor.Set(FieldName(Field::kArchitecture), std::move(architecture));
  }
  if (call.num_tokens) {
    ASSIGN_OR_RETURN(Scalar tokens, CanonicalValue(FieldName(Field::kNumTokens), *call.num_tokens));
    descriptor.Set(FieldName(Field::kNumTokens), std::move(tokens));
  }
  return descriptor;
}

}  // namespace

std::string_view MismatchReasonName(MismatchReason reason) {
  return reason == MismatchReason::kMissing ? "missing" : "outside_domain";
}

std::vector<Mismatch> Match(const Eligibility& row, const CallDescriptor& call) {
  Findings findings(call);
  findings.RequireOneOf(Field::kDtype, row.dtypes);
  findings.RequireOneOf(Field::kArchitecture, row.architectures);
  findings.RequireRange(Field::kLastDim, std::nullopt, row.max_last_dim);
  findings.RequireRange(Field::kNumTokens, row.min_num_tokens, row.max_num_tokens);
  MatchQuant(row, call, findings);
  MatchGraph(row, call, findings);
  for (const Predicate& predicate : row.capabilities) findings.Require(predicate);
  return findings.Take();
}

std::string MismatchText(const Mismatch& mismatch) {
  if (!mismatch.actual) {
    return fmt::format("{} is unknown, the row serves {}", mismatch.field, mismatch.expected);
  }
  return fmt::format("{} is {}, the row serves {}", mismatch.field, ScalarText(*mismatch.actual),
                     mismatch.expected);
}

Result<bool> LegacyAccepts(const Eligibility& row, const LegacyCall& call) {
  ASSIGN_OR_RETURN(const CallDescriptor known, LegacyDescriptor(call));
  Findings findings(known);
  findings.RequireOneOf(Field::kDtype, row.dtypes);
  if (call.architecture) findings.RequireOneOf(Field::kArchitecture, row.architectures);
  findings.RequireRange(Field::kLastDim, std::nullopt, row.max_last_dim);
  if (call.num_tokens) {
    findings.RequireRange(Field::kNumTokens, row.min_num_tokens, row.max_num_tokens);
  }
  for (const Predicate& predicate : row.capabilities) findings.Require(predicate);
  return findings.Take().empty();
}

}  // namespace cacheon::policy
