// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0
//
// Each constrained field is cut into atoms that no row tells apart, so that a row is a box of atom
// sets. The gaps are the hull minus every box, taken one box after the other; what a subtraction
// leaves is again disjoint boxes.

#include "cacheon/policy/coverage.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <optional>
#include <set>
#include <utility>

namespace cacheon::policy {
namespace {

constexpr std::int64_t kLargest = std::numeric_limits<std::int64_t>::max();
// Bounds the search when many rows cut many fields.
constexpr std::size_t kMaxBoxes = 100'000;

// Values of one field that every row treats alike.
struct Atom {
  Scalar example;
  std::int64_t last = 0;  // numeric fields: the atom is [example, last]
  bool is_other = false;  // text fields: the example stands for every value that no row names
};

struct Axis {
  std::string field;
  std::vector<Atom> atoms;
};

using AtomSet = std::vector<bool>;
using Box = std::vector<AtomSet>;  // by axis

bool IsEmptySet(const AtomSet& set) { return std::ranges::find(set, true) == set.end(); }

AtomSet And(const AtomSet& a, const AtomSet& b, bool negate_b) {
  AtomSet result(a.size());
  for (std::size_t i = 0; i < a.size(); ++i) result[i] = a[i] && b[i] != negate_b;
  return result;
}

const Constraint* ConstraintOn(const Domain& row, std::string_view field) {
  const auto found = std::ranges::find(row.constraints(), field, &Constraint::field);
  return found == row.constraints().end() ? nullptr : &*found;
}

std::vector<Atom> NumericAtoms(std::span<const Domain> rows, std::string_view field) {
  std::set<std::int64_t> cuts = {0};
  const auto cut = [&](std::int64_t first, std::int64_t last) {
    if (first > 0) cuts.insert(first);
    if (last >= 0 && last != kLargest) cuts.insert(last + 1);
  };
  for (const Domain& row : rows) {
    const Constraint* constraint = ConstraintOn(row, field);
    if (constraint == nullptr) continue;
    cut(constraint->min, constraint->max);
    if (!constraint->allowed) continue;
    for (const Scalar& value : *constraint->allowed) {
      cut(std::get<std::int64_t>(value), std::get<std::int64_t>(value));
    }
  }
  std::vector<Atom> atoms;
  for (auto it = cuts.begin(); it != cuts.end(); ++it) {
    const auto next = std::next(it);
    atoms.push_back({.example = *it, .last = next == cuts.end() ? kLargest : *next - 1});
  }
  return atoms;
}

// A token that is none of `named`, for the values that no row names.
std::string OtherToken(std::string_view field, const std::set<std::string>& named) {
  std::string token = field == FieldName(Field::kGraphMode) ? "eager" : "other";
  while (named.contains(token)) token += "_";
  return token;
}

std::vector<Atom> TextAtoms(std::span<const Domain> rows, std::string_view field) {
  std::set<std::string> named;
  for (const Domain& row : rows) {
    const Constraint* constraint = ConstraintOn(row, field);
    if (constraint == nullptr) continue;
    if (constraint->excludes_cuda_graph) named.emplace(kCudaGraph);
    if (!constraint->allowed) continue;
    for (const Scalar& value : *constraint->allowed) named.insert(std::get<std::string>(value));
  }
  std::vector<Atom> atoms;
  for (const std::string& value : named) atoms.push_back({.example = value});
  atoms.push_back({.example = OtherToken(field, named), .is_other = true});
  return atoms;
}

std::vector<Axis> AxesOf(std::span<const Domain> rows) {
  std::set<std::string> fields;
  for (const Domain& row : rows) {
    for (const Constraint& constraint : row.constraints()) fields.insert(constraint.field);
  }
  std::vector<Axis> axes;
  for (const std::string& field : fields) {
    axes.push_back(
        {field, IsNumeric(*FindField(field)) ? NumericAtoms(rows, field) : TextAtoms(rows, field)});
  }
  return axes;
}

Box BoxOf(const Domain& row, const std::vector<Axis>& axes) {
  Box box;
  for (const Axis& axis : axes) {
    const Constraint* constraint = ConstraintOn(row, axis.field);
    AtomSet set(axis.atoms.size(), true);
    for (std::size_t i = 0; constraint != nullptr && i < set.size(); ++i) {
      set[i] = constraint->Admits(axis.atoms[i].example);
    }
    box.push_back(std::move(set));
  }
  return box;
}

// Integers between the lowest and the highest that some row admits are all inside the hull.
void FillBetween(AtomSet& set) {
  const auto first = std::ranges::find(set, true);
  const auto last = std::ranges::find(set.rbegin(), set.rend(), true).base();
  if (first != set.end()) std::fill(first, last, true);
}

Box HullOf(const std::vector<Box>& boxes, const std::vector<Axis>& axes) {
  Box hull = boxes.front();
  for (std::size_t axis = 0; axis < axes.size(); ++axis) {
    AtomSet& set = hull[axis];
    for (const Box& box : boxes) {
      for (std::size_t i = 0; i < set.size(); ++i) set[i] = set[i] || box[axis][i];
    }
    if (IsNumeric(*FindField(axes[axis].field))) FillBetween(set);
  }
  return hull;
}

bool Disjoint(const Box& a, const Box& b) {
  for (std::size_t axis = 0; axis < a.size(); ++axis) {
    if (IsEmptySet(And(a[axis], b[axis], false))) return true;
  }
  return false;
}

// `box` minus `taken` as disjoint boxes: in each axis the part outside `taken`, with the axes
// before it inside.
std::vector<Box> Subtract(Box box, const Box& taken) {
  if (Disjoint(box, taken)) return {std::move(box)};
  std::vector<Box> pieces;
  for (std::size_t axis = 0; axis < box.size(); ++axis) {
    AtomSet outside = And(box[axis], taken[axis], true);
    if (!IsEmptySet(outside)) {
      pieces.push_back(box);
      pieces.back()[axis] = std::move(outside);
    }
    box[axis] = And(box[axis], taken[axis], false);
  }
  return pieces;
}

GapField DescribeField(const Axis& axis, const AtomSet& set) {
  GapField described{.field = axis.field};
  for (std::size_t i = 0; i < set.size(); ++i) {
    if (!set[i]) continue;
    const Atom& atom = axis.atoms[i];
    if (atom.is_other) {
      described.other_values = true;
    } else if (const auto* text = std::get_if<std::string>(&atom.example)) {
      described.values.push_back(*text);
    } else if (i > 0 && set[i - 1]) {
      described.intervals.back().last = atom.last;
    } else {
      described.intervals.push_back({std::get<std::int64_t>(atom.example), atom.last});
    }
  }
  return described;
}

CoverageGap Describe(const std::vector<Axis>& axes, const Box& box, const Box& hull) {
  CoverageGap gap;
  for (std::size_t axis = 0; axis < axes.size(); ++axis) {
    if (box[axis] != hull[axis]) gap.fields.push_back(DescribeField(axes[axis], box[axis]));
    const auto first = std::ranges::find(box[axis], true) - box[axis].begin();
    gap.example.Set(axes[axis].field, axes[axis].atoms[static_cast<std::size_t>(first)].example);
  }
  return gap;
}

std::string FieldText(const GapField& field) {
  std::vector<std::string> parts;
  for (const std::string& value : field.values) parts.push_back(fmt::format("'{}'", value));
  if (field.other_values) parts.emplace_back("any value that no row names");
  for (const GapField::Interval& interval : field.intervals) {
    if (interval.first == interval.last) {
      parts.push_back(fmt::to_string(interval.first));
    } else if (interval.last == kLargest) {
      parts.push_back(fmt::format("{} and above", interval.first));
    } else {
      parts.push_back(fmt::format("{} to {}", interval.first, interval.last));
    }
  }
  return fmt::format("{} {}", field.field, fmt::join(parts, " or "));
}

}  // namespace

std::string CoverageGap::Text() const {
  std::vector<std::string> parts;
  for (const GapField& field : fields) parts.push_back(FieldText(field));
  return fmt::format("{}", fmt::join(parts, ", "));
}

std::vector<CoverageGap> FindCoverageGaps(std::span<const Domain> rows, std::size_t limit) {
  std::vector<Domain> served;
  for (const Domain& row : rows) {
    if (row.IsEmpty() == std::optional(false)) served.push_back(row);
  }
  if (served.empty()) return {};
  const std::vector<Axis> axes = AxesOf(served);
  std::vector<Box> boxes;
  for (const Domain& row : served) boxes.push_back(BoxOf(row, axes));
  const Box hull = HullOf(boxes, axes);

  // Depth first, so that a bounded search still ends with whole gaps.
  struct Pending {
    Box box;
    std::size_t next_row;
  };
  std::vector<Pending> pending = {{hull, 0}};
  std::vector<CoverageGap> gaps;
  for (std::size_t seen = 0; !pending.empty() && gaps.size() < limit && seen < kMaxBoxes; ++seen) {
    Pending current = std::move(pending.back());
    pending.pop_back();
    if (current.next_row == boxes.size()) {
      gaps.push_back(Describe(axes, current.box, hull));
      continue;
    }
    std::vector<Box> pieces = Subtract(std::move(current.box), boxes[current.next_row]);
    for (auto piece = pieces.rbegin(); piece != pieces.rend(); ++piece) {
      pending.push_back({std::move(*piece), current.next_row + 1});
    }
  }
  return gaps;
}

}  // namespace cacheon::policy
