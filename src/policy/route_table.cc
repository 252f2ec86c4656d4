// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0
//
// The decision table. Rows are bits of a word. For each field that some row constrains, a column
// maps a value to the word of the rows that admit it; the rows that serve a call are the
// conjunction of one word per column. Integers are found among the ends of the rows' intervals,
// narrowed first by their bit width; text among the values that some row names.

#include <algorithm>
#include <array>
#include <bit>
#include <limits>
#include <set>
#include <utility>

#include "cacheon/policy/routing.h"

namespace cacheon::policy {
namespace {

using RowBits = std::uint64_t;
constexpr std::size_t kRowsPerBlock = 64;

class Column {
 public:
  // `rows[i]` is what row i says about the field; nullptr: nothing.
  Column(std::string name, std::span<const Constraint* const> rows)
      : name_(std::move(name)), field_(FindField(name_)) {
    IndexIntegers(rows);
    IndexOthers(rows);
    const auto unknown = [](const Constraint& row) { return !row.required; };
    if_unknown_ = BitsWhere(rows, unknown);
  }

  RowBits Lookup(const CallDescriptor& call) const {
    const Scalar* value = field_ ? call.Find(*field_) : call.Find(name_);
    if (value == nullptr) return if_unknown_;
    if (const auto* number = std::get_if<std::int64_t>(value)) return LookupInteger(*number);
    for (const auto& [other, bits] : others_) {
      if (other == *value) return bits;
    }
    return if_unlisted_;
  }

 private:
  template <typename Predicate>
  static RowBits BitsWhere(std::span<const Constraint* const> rows, const Predicate& holds) {
    RowBits bits = 0;
    for (std::size_t row = 0; row < rows.size(); ++row) {
      if (rows[row] == nullptr || holds(*rows[row])) bits |= RowBits{1} << row;
    }
    return bits;
  }

  static RowBits BitsAdmitting(std::span<const Constraint* const> rows, const Scalar& value) {
    return BitsWhere(rows, [&](const Constraint& row) { return row.Admits(value); });
  }

  // Cuts the integers where some row's answer may change and notes the answer from each cut on.
  void IndexIntegers(std::span<const Constraint* const> rows) {
    constexpr std::int64_t kLowest = std::numeric_limits<std::int64_t>::min();
    std::set<std::int64_t> cuts = {kLowest};
    const auto cut = [&](std::int64_t first, std::int64_t last) {
      cuts.insert(first);
      if (last != std::numeric_limits<std::int64_t>::max()) cuts.insert(last + 1);
    };
    for (const Constraint* row : rows) {
      if (row == nullptr) continue;
      cut(row->min, row->max);
      for (const Scalar& value : row->allowed.value_or(std::vector<Scalar>{})) {
        if (const auto* number = std::get_if<std::int64_t>(&value)) cut(*number, *number);
      }
    }
    for (const std::int64_t first : cuts) {
      cuts_.push_back(first);
      bits_.push_back(BitsAdmitting(rows, first));
    }
    for (std::size_t width = 0; width < first_of_width_.size(); ++width) {
      const std::int64_t smallest = width == 0 ? 0 : std::int64_t{1} << (width - 1);
      first_of_width_[width] =
          static_cast<std::uint32_t>(std::ranges::upper_bound(cuts_, smallest) - cuts_.begin() - 1);
    }
  }

  void IndexOthers(std::span<const Constraint* const> rows) {
    std::set<Scalar> listed;
    for (const Constraint* row : rows) {
      if (row == nullptr) continue;
      if (row->excludes_cuda_graph) listed.insert(std::string(kCudaGraph));
      if (row->allowed) listed.insert(row->allowed->begin(), row->allowed->end());
    }
    for (const Scalar& value : listed) {
      if (!std::holds_alternative<std::int64_t>(value)) {
        others_.emplace_back(value, BitsAdmitting(rows, value));
      }
    }
    if_unlisted_ =
        BitsWhere(rows, [](const Constraint& row) { return !row.allowed && !row.HasRange(); });
  }

  RowBits LookupInteger(std::int64_t number) const {
    std::size_t low = 0;
    std::size_t high = cuts_.size();
    if (number >= 0) {
      const auto width =
          static_cast<std::size_t>(std::bit_width(static_cast<std::uint64_t>(number)));
      low = first_of_width_[width];
      if (width + 1 < first_of_width_.size()) high = first_of_width_[width + 1] + std::size_t{1};
    }
    while (high - low > 1) {
      const std::size_t middle = low + (high - low) / 2;
      (cuts_[middle] <= number ? low : high) = middle;
    }
    return bits_[low];
  }

  std::string name_;
  std::optional<Field> field_;
  std::vector<std::int64_t> cuts_;  // ascending; bits_[i] holds from cuts_[i] to the next cut
  std::vector<RowBits> bits_;
  // The cut that the smallest number of each bit width falls behind.
  std::array<std::uint32_t, 64> first_of_width_{};
  std::vector<std::pair<Scalar, RowBits>> others_;  // text and booleans that some row names
  RowBits if_unlisted_ = 0;
  RowBits if_unknown_ = 0;
};

}  // namespace

class RouteTable::Block {
 public:
  explicit Block(std::span<const RouteRow> rows)
      : all_(~RowBits{0} >> (kRowsPerBlock - rows.size())) {
    std::vector<Domain> domains;
    std::set<std::string> fields;
    for (const RouteRow& row : rows) {
      domains.push_back(Domain::Of(row.eligibility));
      for (const Constraint& constraint : domains.back().constraints()) {
        fields.insert(constraint.field);
      }
    }
    for (const std::string& field : fields) {
      std::vector<const Constraint*> constraints;
      for (const Domain& domain : domains) {
        const auto found = std::ranges::find(domain.constraints(), field, &Constraint::field);
        constraints.push_back(found == domain.constraints().end() ? nullptr : &*found);
      }
      columns_.emplace_back(field, constraints);
    }
  }

  // One bit per row that serves the call.
  RowBits Accepting(const CallDescriptor& call) const {
    RowBits bits = all_;
    for (const Column& column : columns_) {
      bits &= column.Lookup(call);
      if (bits == 0) break;
    }
    return bits;
  }

 private:
  RowBits all_;
  std::vector<Column> columns_;
};

RouteTable::RouteTable(std::vector<RouteRow> rows) : rows_(std::move(rows)) {
  const std::span<const RouteRow> all = rows_;
  for (std::size_t first = 0; first < all.size(); first += kRowsPerBlock) {
    blocks_.emplace_back(all.subspan(first, std::min(kRowsPerBlock, all.size() - first)));
  }
}

RouteTable::~RouteTable() = default;
RouteTable::RouteTable(RouteTable&&) noexcept = default;
RouteTable& RouteTable::operator=(RouteTable&&) noexcept = default;

Selection RouteTable::Select(const CallDescriptor& call) const {
  Selection selection{RouteOutcome::kOutOfDomain};
  for (std::size_t block = 0; block < blocks_.size(); ++block) {
    const RowBits bits = blocks_[block].Accepting(call);
    if (bits == 0) continue;
    if (selection.outcome == RouteOutcome::kSelected || !std::has_single_bit(bits)) {
      return {RouteOutcome::kAmbiguous};
    }
    selection = {RouteOutcome::kSelected,
                 block * kRowsPerBlock + static_cast<std::size_t>(std::countr_zero(bits))};
  }
  return selection;
}

std::vector<std::size_t> RouteTable::Accepting(const CallDescriptor& call) const {
  std::vector<std::size_t> rows;
  for (std::size_t block = 0; block < blocks_.size(); ++block) {
    for (RowBits bits = blocks_[block].Accepting(call); bits != 0; bits &= bits - 1) {
      rows.push_back(block * kRowsPerBlock + static_cast<std::size_t>(std::countr_zero(bits)));
    }
  }
  return rows;
}

std::vector<std::vector<Mismatch>> RouteTable::Explain(const CallDescriptor& call) const {
  std::vector<std::vector<Mismatch>> mismatches;
  for (const RouteRow& row : rows_) mismatches.push_back(Match(row.eligibility, call));
  return mismatches;
}

}  // namespace cacheon::policy
