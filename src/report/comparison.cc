// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0

#include "cacheon/report/comparison.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <functional>
#include <string_view>
#include <utility>
#include <vector>

#include "cacheon/core/utf8.h"
#include "src/report/fields.h"

namespace cacheon::report {
namespace {

using Pair = std::array<const Json*, 2>;

// Members of both lists by name, in the order of the left one, then what only the right one has.
std::vector<std::pair<std::string, Pair>> Paired(
    const Json::Array& left, const Json::Array& right,
    const std::function<std::string(const Json&)>& name) {
  std::vector<std::pair<std::string, Pair>> pairs;
  for (const Json& one : left) pairs.emplace_back(name(one), Pair{&one, nullptr});
  for (const Json& one : right) {
    const std::string own = name(one);
    const auto found = std::ranges::find_if(
        pairs, [&](const auto& pair) { return pair.first == own && pair.second[1] == nullptr; });
    if (found != pairs.end()) {
      found->second[1] = &one;
    } else {
      pairs.emplace_back(own, Pair{nullptr, &one});
    }
  }
  return pairs;
}

std::string StatusOf(const Json* holder) {
  return holder == nullptr ? "-" : Text(*holder, "status");
}

// "FAIL -> PASS", or the one status that both have.
std::string Change(const std::string& left, const std::string& right) {
  return left == right ? left : fmt::format("{} -> {}", left, right);
}

const Json::Array& CasesOf(const Json* row) {
  static const Json::Array kNone;
  return row == nullptr ? kNone : List(*row, "cases");
}

// The largest `key` over all outputs of a row's cases.
double Largest(const Json* row, std::string_view key) {
  double largest = 0;
  for (const Json& result : CasesOf(row)) {
    for (const Json& output : List(result, "outputs")) {
      largest = std::max(largest, Number(output, key));
    }
  }
  return largest;
}

std::string RowText(const std::string& name, const Pair& rows) {
  std::string out = fmt::format("[{}] {}\n", Change(StatusOf(rows[0]), StatusOf(rows[1])), name);
  for (const char* measure : {"max_abs", "max_rel"}) {
    out += fmt::format("  {} {:.3e} {:.3e}\n", measure, Largest(rows[0], measure),
                       Largest(rows[1], measure));
  }
  int same = 0;
  for (const auto& [label, cases] : Paired(CasesOf(rows[0]), CasesOf(rows[1]), CaseName)) {
    const std::string left = StatusOf(cases[0]);
    const std::string right = StatusOf(cases[1]);
    if (left == right) {
      ++same;
    } else {
      out += fmt::format("  {} {}\n", Change(left, right), label);
    }
  }
  return out + fmt::format("  {} cases with the same status\n", same);
}

std::string Heading(const Json& document) {
  const Json& bundle = Member(document, "bundle");
  return fmt::format("{} {} seed {}", Text(bundle, "bundle_id"), Text(bundle, "content_hash"),
                     DocumentJson(Member(document, "seed")));
}

std::string PrintableLines(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    out += Printable(text.substr(0, end)) + "\n";
    text.remove_prefix(std::min(end, text.size() - 1) + 1);
  }
  return out;
}

}  // namespace

std::string ComparisonText(const Json& left, const Json& right) {
  std::string out = fmt::format("A: {}\nB: {}\n", Heading(left), Heading(right));
  for (const auto& [name, rows] : Paired(List(left, "rows"), List(right, "rows"), RowName)) {
    out += RowText(name, rows);
  }
  out += fmt::format("verdict: {}\n", Change(StatusOf(&left), StatusOf(&right)));
  return PrintableLines(out);
}

}  // namespace cacheon::report
