// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0
//
// The features that a manifest shows without its rebuild plan.

#include <algorithm>
#include <set>

#include "cacheon/policy/resolve.h"

namespace cacheon::policy {
namespace {

constexpr std::string_view kDefaultVariant = "default";

bool UsesVariants(std::span<const DeclaredRow> rows) {
  std::set<std::string_view> slots;
  return std::ranges::any_of(rows, [&](const DeclaredRow& row) {
    return row.variant != kDefaultVariant || !slots.insert(row.slot).second;
  });
}

}  // namespace

std::vector<std::string> DeclaredFeatures(const Declaration& declaration) {
  std::set<std::string> features = {"entry"};
  if (UsesVariants(declaration.rows)) features.insert("variants");
  for (const DeclaredRow& row : declaration.rows) {
    if (row.has_prepare) features.insert("prepare");
    if (row.has_setup) features.insert("setup");
    if (row.has_override) features.insert("override");
    if (!row.cuda_sources.empty()) features.insert("cuda_sources");
    for (const std::string& provider : row.providers) features.insert("aot:" + provider);
    for (const std::string& key : row.extra_keys) features.insert("op_extra:" + key);
  }
  for (const std::string& dependency : declaration.patched_dependencies) {
    features.insert("dep_patch:" + dependency);
  }
  return {features.begin(), features.end()};
}

}  // namespace cacheon::policy
