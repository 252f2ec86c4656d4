// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0

#include "cacheon/artifact/cubin_inventory.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <string>
#include <string_view>

namespace cacheon::artifact {
namespace {

// Indices of the physical kernels, sorted by name. `char_traits` compares bytes as unsigned.
std::vector<std::size_t> SortedByName(const std::vector<CubinKernel>& kernels) {
  std::vector<std::size_t> order(kernels.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::sort(order, {}, [&](std::size_t i) { return std::string_view(kernels[i].name); });
  return order;
}

// How the pair is called in a sentence: one name where both sides use it.
std::string PairName(const KernelContract& logical, const CubinKernel& physical) {
  if (logical.name == physical.name) return fmt::format("`{}`", logical.name);
  return fmt::format("`{}` (in the CUBIN `{}`)", logical.name, physical.name);
}

std::string PairHint(const KernelContract& logical, const CubinKernel& physical) {
  if (logical.name == physical.name) return "";
  return "kernels are paired in the order of their names on each side; names need not be equal";
}

std::string CountHint(std::span<const KernelContract> logical, const Cubin& cubin) {
  constexpr std::size_t kNamesShown = 8;
  std::vector<std::string_view> missing;
  for (const CubinKernel& kernel : cubin.kernels) {
    if (!std::ranges::binary_search(logical, kernel.name, {}, &KernelContract::name)) {
      missing.push_back(kernel.name);
    }
  }
  if (missing.empty()) return "every kernel of the plan must be in the CUBIN, and no other";
  missing.resize(std::min(missing.size(), kNamesShown));
  return fmt::format("the plan does not name {}", fmt::join(missing, ", "));
}

void MatchParameters(const KernelContract& logical, const CubinKernel& physical,
                     const KeyPath& path, std::vector<Error>& mismatches) {
  const KeyPath sizes = path.Key("parameter_sizes");
  const std::size_t declared = logical.parameter_sizes.size();
  const std::size_t found = physical.parameters.size();
  if (declared != found) {
    mismatches.push_back(
        {.code = "cubin.parameter_count",
         .message = fmt::format("{} has {} parameters in the CUBIN, the plan says {}",
                                PairName(logical, physical), found, declared),
         .where = sizes.where(),
         .hint = PairHint(logical, physical)});
  }
  for (std::size_t i = 0; i < std::min(declared, found); ++i) {
    const std::uint32_t size = physical.parameters[i].size_bytes;
    if (std::cmp_equal(size, logical.parameter_sizes[i])) continue;
    mismatches.push_back(
        {.code = "cubin.parameter_size",
         .message = fmt::format("parameter {} of {} is {} bytes in the CUBIN, the plan says {}", i,
                                PairName(logical, physical), size, logical.parameter_sizes[i]),
         .where = sizes.At(i).where(),
         .hint = PairHint(logical, physical)});
  }
}

}  // namespace

InventoryMatch MatchInventory(std::span<const KernelContract> logical, const Cubin& cubin,
                              const KeyPath& path) {
  InventoryMatch match;
  if (logical.size() != cubin.kernels.size()) {
    match.mismatches.push_back({.code = "cubin.kernel_count",
                                .message = fmt::format("the CUBIN has {} kernels, the plan says {}",
                                                       cubin.kernels.size(), logical.size()),
                                .where = path.where(),
                                .hint = CountHint(logical, cubin)});
    return match;
  }
  match.physical = SortedByName(cubin.kernels);
  for (std::size_t i = 0; i < logical.size(); ++i) {
    MatchParameters(logical[i], cubin.kernels[match.physical[i]], path.At(i), match.mismatches);
  }
  return match;
}

}  // namespace cacheon::artifact
