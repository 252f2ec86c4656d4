// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0

#include "cacheon/policy/domain.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace cacheon::policy {
namespace {

Constraint OneOf(Field field, std::span<const std::string> allowed) {
  return {.field = std::string(FieldName(field)),
          .required = true,
          .allowed = std::vector<Scalar>(allowed.begin(), allowed.end())};
}

Constraint Range(std::string_view field, std::optional<std::int64_t> min,
                 std::optional<std::int64_t> max) {
  Constraint constraint{.field = std::string(field), .required = true};
  if (min) constraint.min = *min;
  if (max) constraint.max = *max;
  return constraint;
}

bool IsPublicNumber(std::string_view field) {
  const std::optional<Field> known = FindField(field);
  return known && IsNumeric(*known);
}

bool IsCudaGraph(const Scalar& value) {
  const auto* text = std::get_if<std::string>(&value);
  return text != nullptr && *text == kCudaGraph;
}

// Both(a, b).IsEmpty() without building it.
bool MeetIsEmpty(const Constraint& a, const Constraint& b) {
  if (!a.allowed && !b.allowed) {
    const std::int64_t lowest = IsPublicNumber(a.field) ? 0 : a.min;
    return std::max({lowest, a.min, b.min}) > std::min(a.max, b.max);
  }
  const Constraint& listed = a.allowed ? a : b;
  return std::ranges::none_of(
      *listed.allowed, [&](const Scalar& value) { return a.Admits(value) && b.Admits(value); });
}

// A value that a constraint admits; unset when a call need not say.
std::optional<Scalar> WitnessValue(const Constraint& constraint) {
  if (!constraint.allowed) {
    if (!constraint.required) return std::nullopt;
    return std::max<std::int64_t>(constraint.min, 0);
  }
  for (const Scalar& value : *constraint.allowed) {
    const bool implied = !constraint.required && value == Scalar(std::string(kDense));
    if (constraint.Admits(value)) return implied ? std::nullopt : std::optional(value);
  }
  return std::nullopt;
}

}  // namespace

bool Constraint::Admits(const Scalar& value) const {
  if (allowed && !std::ranges::binary_search(*allowed, value)) return false;
  if (excludes_cuda_graph && IsCudaGraph(value)) return false;
  if (!HasRange()) return true;
  const auto* number = std::get_if<std::int64_t>(&value);
  return number != nullptr && *number >= min && *number <= max;
}

bool Constraint::IsEmpty() const { return MeetIsEmpty(*this, *this); }

Constraint Constraint::Both(const Constraint& a, const Constraint& b) {
  Constraint both{.field = a.field,
                  .required = a.required || b.required,
                  .allowed = a.allowed ? a.allowed : b.allowed,
                  .min = std::max(a.min, b.min),
                  .max = std::min(a.max, b.max),
                  .excludes_cuda_graph = a.excludes_cuda_graph || b.excludes_cuda_graph};
  if (a.allowed && b.allowed) {
    both.allowed->clear();
    std::ranges::set_intersection(*a.allowed, *b.allowed, std::back_inserter(*both.allowed));
  }
  return both;
}

Domain Domain::Of(const Eligibility& row) {
  Domain domain;
  if (!row.dtypes.empty()) domain.Add(OneOf(Field::kDtype, row.dtypes));
  if (!row.architectures.empty()) domain.Add(OneOf(Field::kArchitecture, row.architectures));
  if (row.max_last_dim) {
    domain.Add(Range(FieldName(Field::kLastDim), std::nullopt, row.max_last_dim));
  }
  if (row.min_num_tokens || row.max_num_tokens) {
    domain.Add(Range(FieldName(Field::kNumTokens), row.min_num_tokens, row.max_num_tokens));
  }
  if (row.quant.empty()) {
    Constraint dense = OneOf(Field::kQuant, {});
    dense.required = false;
    dense.allowed = {std::string(kDense)};
    domain.Add(std::move(dense));
  } else {
    domain.Add(OneOf(Field::kQuant, row.quant));
  }
  if (!row.graph_safe) {
    domain.Add({.field = std::string(FieldName(Field::kGraphMode)), .excludes_cuda_graph = true});
  }
  for (const Predicate& predicate : row.capabilities) {
    Constraint constraint = Range(predicate.field, predicate.min, predicate.max);
    if (!predicate.allowed.empty()) constraint.allowed = predicate.allowed;
    domain.Add(std::move(constraint));
  }
  return domain;
}

void Domain::Add(Constraint constraint) {
  auto place = std::ranges::lower_bound(constraints_, constraint.field, {}, &Constraint::field);
  if (place != constraints_.end() && place->field == constraint.field) {
    *place = Constraint::Both(*place, constraint);
  } else {
    place = constraints_.insert(place, std::move(constraint));
  }
  has_empty_field_ = has_empty_field_ || place->IsEmpty();
  complete_ = complete_ && FindField(place->field).has_value();
}

Domain Domain::Intersect(const Domain& a, const Domain& b) {
  Domain both = a;
  for (const Constraint& constraint : b.constraints_) both.Add(constraint);
  return both;
}

bool Domain::Accepts(const CallDescriptor& call) const {
  return std::ranges::all_of(constraints_, [&](const Constraint& constraint) {
    const Scalar* value = call.Find(constraint.field);
    return value == nullptr ? !constraint.required : constraint.Admits(*value);
  });
}

std::optional<bool> Domain::IsEmpty() const {
  if (has_empty_field_) return true;
  return complete_ ? std::optional(false) : std::nullopt;
}

std::optional<CallDescriptor> Domain::Witness() const {
  if (IsEmpty() != std::optional(false)) return std::nullopt;
  CallDescriptor call;
  for (const Constraint& constraint : constraints_) {
    std::optional<Scalar> value = WitnessValue(constraint);
    if (value) call.Set(constraint.field, *std::move(value));
  }
  return call;
}

std::optional<bool> Overlap(const Domain& a, const Domain& b) {
  if (a.has_empty_field_ || b.has_empty_field_) return false;
  auto left = a.constraints_.begin();
  auto right = b.constraints_.begin();
  while (left != a.constraints_.end() && right != b.constraints_.end()) {
    const int order = left->field.compare(right->field);
    if (order == 0 && MeetIsEmpty(*left, *right)) return false;
    if (order <= 0) ++left;
    if (order >= 0) ++right;
  }
  return a.complete_ && b.complete_ ? std::optional(true) : std::nullopt;
}

}  // namespace cacheon::policy
